# Modes of a cantilever from a mesh of solid elements, beside those of the Euler-Bernoulli beam.
import matplotlib.pyplot as pyplot
import numpy

import hooke

length, height, width = 0.6, 0.03, 0.02
steel = hooke.Material(young=2.07e11, poisson=0.29, density=7870)
model = hooke.Model(title="Cantilever of solid elements")
model.bodies["beam"] = hooke.Solid(
    mesh=hooke.BoxMesh(size=[length, width, height], divisions=[16, 1, 1], element="hex20"),
    material=steel,
    at=[length / 2, 0, 0],
)
model.joints["clamp"] = hooke.Tie(["ground", "beam.x_min"])
found = hooke.modes(model)


def beam(thickness: float) -> list[float]:
    """Frequencies of the Euler-Bernoulli cantilever that bends over this thickness."""
    wave = numpy.array([1.87510407, 4.69409113, 7.85475744]) / length
    radius = thickness / 12**0.5
    return [float(f) for f in wave**2 * radius * (steel.young / steel.density) ** 0.5 / (2 * numpy.pi)]


expected = sorted(beam(height) + beam(width))
print("mesh [Hz]:", numpy.round(found.frequency[:4], 1))
print("beam [Hz]:", numpy.round(expected[:4], 1))

figure, axis = pyplot.subplots(layout="constrained")
axis.plot(found.frequency[:6], "o", label="mesh of 16 hex20")
axis.plot(expected, "x", label="Euler-Bernoulli (bending alone)")
axis.set_yscale("log")
axis.set_ylabel("frequency [Hz]")
axis.set_xlabel("mode")
axis.legend()
hooke.show()
