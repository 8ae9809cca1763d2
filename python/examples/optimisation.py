# The gains of a controller that turns an arm fastest, found by SciPy.
#
# Each evaluation is a run of a second; the model stays built, and goes back to its start.
from typing import Any

import matplotlib.pyplot as pyplot
import numpy
from scipy.optimize import minimize

import hooke

model = hooke.Model()
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 0.6, 0.05]), at=[0, 0.3, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x", friction=hooke.Friction(viscous=0.05))
model.control["kp"] = hooke.ParameterBlock(1)
model.control["kd"] = hooke.ParameterBlock(0.1)
torque = "max(-3, min(3, kp*(joint.pivot.angle - 1) + kd*joint.pivot.rate))"
model.forces["motor"] = hooke.JointForce("pivot", active=torque)
model.run.step = 2e-3

sim = hooke.Simulation(model)
pivot = sim.joint("pivot")


def response(gains: numpy.ndarray[Any, Any]) -> list[float]:
    sim.reset()
    sim.set_input("kp", float(gains[0]))
    sim.set_input("kd", float(gains[1]))
    angles = []
    for _ in range(100):
        sim.step(5)
        angles.append(pivot.angle)
    return angles


def cost(gains: numpy.ndarray[Any, Any]) -> float:
    """Time times error, over a second."""
    error = numpy.abs(numpy.array(response(gains)) - 1)
    return float((error * numpy.linspace(0.01, 1, 100)).sum())


found = minimize(cost, [1.0, 0.1], method="Nelder-Mead", options={"maxfev": 120})
print(f"kp = {found.x[0]:.3g}, kd = {found.x[1]:.3g} after {found.nfev} runs: cost {cost(numpy.array([1, 0.1])):.3g} -> {found.fun:.3g}")

time = numpy.linspace(0.01, 1, 100)
figure, axis = pyplot.subplots(layout="constrained")
axis.plot(time, response(numpy.array([1, 0.1])), label="first guess")
axis.plot(time, response(found.x), label="best")
axis.set_xlabel("time [s]")
axis.set_ylabel("angle [rad]")
axis.legend()
hooke.show()
