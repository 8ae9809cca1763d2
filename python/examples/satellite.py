# A satellite turns by a right angle, with flexible panels: a smooth torque, and the same turn in bangs.
#
# The panels are Cosserat rods that are clamped to the hub. A torque that is a function in Python acts on the hub.
import math

import matplotlib.pyplot as pyplot

import hooke

panel = hooke.Cosserat(
    section=hooke.Rectangle([0.6, 0.01]),
    material=hooke.Material(young=7e9, density=300),
    elements=4,
    damping=2e-3,
)
model = hooke.Model(title="Satellite with panels")
model.bodies["hub"] = hooke.Rigid(mass=50, shape=hooke.Box([0.4, 0.4, 0.4]))
for name, side in (("left", -1), ("right", 1)):
    model.bodies[name] = panel.copy()
    model.bodies[name].between = [[0.2 * side, 0, 0], [1.7 * side, 0, 0]]
    model.bodies[name].axes = hooke.Axes(z=[side, 0, 0], x=[0, 0, 1])
    model.joints[name] = hooke.Fixed(["hub", f"{name}.start"])
model.run.step = 5e-3
model.run.integrator = hooke.GeneralizedAlpha(rho=0.9)

duration = 10.0
inertia = 4 / 3 + 2 * (0.6 * 0.01 * 1.5 * 300) * (0.95**2 + 1.5**2 / 12)  # of the whole, about its axis
peak = inertia * (math.pi / 2) * 4 / duration**2


def bang(t: float) -> float:
    return peak if t < duration / 2 else -peak if t < duration else 0.0


def smooth(t: float) -> float:
    return peak * math.pi / 2 * math.sin(2 * math.pi * t / duration) if t < duration else 0.0


figure, (above, below) = pyplot.subplots(2, 1, sharex=True, layout="constrained")
for torque in (bang, smooth):
    model.forces["wheel"] = hooke.Load("hub", torque=[0, 0, torque])
    results = hooke.run(model, end=1.5 * duration, every=0.05)
    q = results["body.hub.orientation.w"], results["body.hub.orientation.z"]
    angle = [2 * math.atan2(z, w) for w, z in zip(*q)]
    above.plot(results.time, angle, label=torque.__name__)
    below.plot(results.time, results["joint.right.torque.x"], label=torque.__name__)
    print(f"{torque.__name__:7} ends at {math.degrees(angle[-1]):.2f} degrees")
above.set_ylabel("hub angle [rad]")
below.set_ylabel("root moment [N m]")
below.set_xlabel("time [s]")
above.legend()
hooke.show()
