# Period of a pendulum over its length and the place of a second mass: a model for each point, all at once.
#
# Lengths and masses are numbers of the model itself, not inputs, so each instance has a model of its own; a file does the same
# with hooke.rollout(model, parameters={"length": lengths}, ...).
import matplotlib.pyplot as pyplot
import numpy

import hooke


def pendulum(length: float, place: float) -> hooke.Model:
    """A rod on a hinge with a weight on it, 0.1 rad from where it hangs."""
    model = hooke.Model(gravity=[0, 0, -9.81])
    down = numpy.array([0, numpy.sin(0.1), -numpy.cos(0.1)])
    model.bodies["rod"] = hooke.Rigid(mass=1, inertia=length**2 / 12, at=0.5 * length * down)
    model.bodies["weight"] = hooke.Rigid(mass=2, inertia=1e-3, at=place * length * down)
    model.joints["pivot"] = hooke.Revolute(["ground", "rod"], at=[0, 0, 0], axis="x")
    model.joints["clamp"] = hooke.Fixed(["rod", "weight"])
    model.run.step = 1e-3
    return model


lengths, places = numpy.meshgrid(numpy.linspace(0.5, 1.5, 6), numpy.linspace(0.1, 1, 7))
models = [pendulum(length, place) for length, place in zip(lengths.ravel(), places.ravel())]
step = 10  # of the models in a period of the rollout
motion = hooke.rollout(models, periods=200, steps=step, outputs=["joint.pivot.angle"])[:, :, 0]

quarter = (numpy.abs(motion - motion[:, :1]) > 0.1).argmax(axis=1)  # until it hangs
period = (4 * quarter * step * 1e-3).reshape(lengths.shape)
print(f"periods from {period.min():.2f} to {period.max():.2f} s")

figure, axis = pyplot.subplots(layout="constrained")
colours = axis.contourf(lengths, places, period, 20)
figure.colorbar(colours, label="period [s]")
axis.set_xlabel("length [m]")
axis.set_ylabel("place of the weight [of the length]")
hooke.show()
