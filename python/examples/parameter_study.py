# How far a car body jumps after a bump, over stiffness and damping of its suspension: 400 runs at once.
#
# What is varied are inputs of the model (parameter blocks), so that one model serves all instances of the rollout.
import matplotlib.pyplot as pyplot
import numpy

import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["body"] = hooke.Rigid(mass=300, inertia=50, at=[0, 0, 0.6])
model.bodies["wheel"] = hooke.Rigid(mass=40, inertia=1, at=[0, 0, 0.3])
model.joints["guide"] = hooke.Prismatic(["ground", "body"], axis="z")
model.joints["hub"] = hooke.Prismatic(["body", "wheel"], axis="z")
model.control["k"] = hooke.ParameterBlock(2e4)
model.control["c"] = hooke.ParameterBlock(1500)
model.signals["road"] = "0.05*(1 - cos(20*min(max(t - 0.5, 0), 0.314)))/2"
model.signals["tyre"] = "max(0, 340*9.81 + 2e5*(road - (body.wheel.position.z - 0.3)))"
model.forces["suspension"] = hooke.JointForce("hub", law="k*x + c*v + 300*9.81")
model.forces["road"] = hooke.Load("wheel", force=[0, 0, "tyre"])
model.run.step = 2e-3

k, c = numpy.meshgrid(numpy.linspace(1e4, 4e4, 20), numpy.linspace(500, 4000, 20))
periods = 100
controls = numpy.repeat(numpy.stack([k.ravel(), c.ravel()], axis=1)[:, None, :], periods, axis=1)
motion = hooke.rollout(model, controls=controls, outputs=["body.body.position.z"], steps=10)
peak = numpy.abs(motion[:, :, 0] - 0.6).max(axis=1).reshape(k.shape)
best = numpy.unravel_index(peak.argmin(), peak.shape)
print(f"least motion of the body: {1e3 * peak.min():.1f} mm at k = {k[best]:.3g} N/m, c = {c[best]:.3g} N s/m")

figure, axis = pyplot.subplots(layout="constrained")
colours = axis.contourf(k, c, 1e3 * peak, 20)
figure.colorbar(colours, label="largest motion of the body [mm]")
axis.set_xlabel("stiffness [N/m]")
axis.set_ylabel("damping [N s/m]")
hooke.show()
