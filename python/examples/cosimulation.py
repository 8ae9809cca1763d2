# Co-simulation: an arm in Hooke, and an electric motor with its controller written in Python.
#
# The two know nothing of each other. Over each macro step of 2 ms they are advanced again and again until the torque that the
# motor gives and the motion that the arm makes agree.
from typing import Any

import matplotlib.pyplot as pyplot
import numpy

import hooke


class Motor:
    """L i' = voltage - R i - k rate; torque = k i. The voltage follows the error of the angle."""

    inputs = ["angle", "rate"]
    outputs = ["torque"]
    resistance, inductance, constant, gain = 1.0, 5e-3, 0.5, 40.0

    def __init__(self) -> None:
        self.current = self.saved = 0.0
        self.angle = self.rate = 0.0

    def set_input(self, u: numpy.ndarray[Any, Any]) -> None:
        self.angle, self.rate = u

    def advance(self, h: float) -> None:
        voltage = max(-24.0, min(24.0, self.gain * (1.0 - self.angle)))
        decay = h / self.inductance  # implicit Euler: the circuit is fast
        self.current = (self.current + decay * (voltage - self.constant * self.rate)) / (1 + decay * self.resistance)

    def output(self) -> list[float]:
        return [self.constant * self.current]

    def save(self) -> None:
        self.saved = self.current

    def restore(self) -> None:
        self.current = self.saved


model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 0.4, 0.05]), at=[0, 0.2, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
model.control["torque"] = hooke.ParameterBlock(0)
model.forces["motor"] = hooke.JointForce("pivot", active="-torque")
model.run.step = 1e-3

sim = hooke.Simulation(model)
arm = hooke.SimulationParticipant(sim, ["torque"], ["joint.pivot.angle", "joint.pivot.rate"])
both = hooke.CoSimulation(
    {"arm": arm, "motor": Motor()},
    {
        "arm.torque": "motor.torque",
        "motor.angle": "arm.joint.pivot.angle",
        "motor.rate": "arm.joint.pivot.rate",
    },
)
times, angles, torques = [], [], []
while both.time < 2:
    both.step(2e-3)
    times.append(both.time)
    angles.append(both["arm.joint.pivot.angle"])
    torques.append(both["motor.torque"])
print(f"{both.iterations / len(times):.1f} iterations a macro step; the arm ends at {angles[-1]:.4f} rad")

figure, (above, below) = pyplot.subplots(2, 1, sharex=True, layout="constrained")
above.plot(times, angles)
above.set_ylabel("angle [rad]")
below.plot(times, torques)
below.set_ylabel("torque [N m]")
below.set_xlabel("time [s]")
hooke.show()
