# A pendulum, from nothing to a plot.
import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
results = hooke.run(model, end=5)
results.plot("joint.pivot.angle", "energy.kinetic", "energy.potential")
hooke.show()
