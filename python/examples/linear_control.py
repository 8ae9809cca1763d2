# An inverted pendulum is balanced: linearise the model, design the controller with SciPy, close the loop on the full model.
import numpy
from scipy.linalg import solve_continuous_are

import hooke

model = hooke.Model(gravity=[0, 0, -9.81], title="Inverted pendulum")
model.bodies["cart"] = hooke.Rigid(mass=1, shape=hooke.Box([0.3, 0.2, 0.1]))
model.bodies["pole"] = hooke.Rigid(mass=0.2, shape=hooke.Box([0.03, 0.03, 1]), at=[0, 0, 0.5])
model.joints["rail"] = hooke.Prismatic(["ground", "cart"], axis="x")
model.joints["pivot"] = hooke.Revolute(["cart", "pole"], at=[0, 0, 0], axis="y")
measured = ["joint.rail.displacement", "joint.pivot.angle", "joint.rail.displacement.rate", "joint.pivot.angle.rate"]

# The plant from the force on the cart to what is measured, about the upright position.
plant = model.copy()
plant.control["push"] = hooke.ParameterBlock(0)
plant.forces["motor"] = hooke.Load("cart", force=["push", 0, 0])
linear = hooke.Simulation(plant).linearise(inputs=["push"], outputs=measured)
print("poles of the plant:", numpy.round(numpy.linalg.eigvals(linear.A), 3))

# In the measured states x = C z, with the weights 10, 100, 1, 1 on them and 0.1 on the force.
C = linear.C
A, B = C @ linear.A @ numpy.linalg.inv(C), C @ linear.B
P = solve_continuous_are(A, B, numpy.diag([10, 100, 1, 1]), numpy.array([[0.1]]))
gains = (B.T @ P / 0.1)[0]
print("gains:", numpy.round(gains, 3))
print("poles of the loop:", numpy.round(numpy.linalg.eigvals(A - numpy.outer(B, gains)), 3))

model.joints["pivot"].start = {"angle": 0.2}
model.control["push"] = hooke.Code(lambda *x: -float(gains @ x), *measured)
model.forces["motor"] = hooke.Load("cart", force=["push", 0, 0])
results = hooke.run(model, end=5, step=1e-3)
results.plot("joint.pivot.angle", "joint.rail.displacement", "signal.push")
hooke.show()
