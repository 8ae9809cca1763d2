# A mass falls onto a floor: a rigid stop with restitution, an elastic one, and one whose force is a function in Python.
import math

import matplotlib.pyplot as pyplot

import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["ball"] = hooke.Rigid(mass=1, shape=hooke.Sphere(0.05))
model.joints["rail"] = hooke.Prismatic(["ground", "ball"], axis="z", start={"displacement": 1})
model.run.step = 5e-4


def floor(x: float, v: float, t: float) -> float:
    """Hunt and Crossley: stiffness times depth to 3/2, with damping that grows with the depth. Tension is positive."""
    depth = max(0.0, -x)
    return -1e6 * depth * math.sqrt(depth) * max(0.0, 1 - 0.15 * v)


rigid, elastic, code = model.copy(), model.copy(), model.copy()
rigid.limits["floor"] = hooke.Limit(joint="rail", low=0, restitution=0.8)
elastic.limits["floor"] = hooke.Limit(joint="rail", low=0, stiffness=1e6, damping=0.05)
code.forces["floor"] = hooke.JointForce("rail", law=floor)
code.run.step = 5e-5

figure, axis = pyplot.subplots(layout="constrained")
for name, made in (("rigid stop", rigid), ("elastic stop", elastic), ("a law in Python", code)):
    results = hooke.run(made, end=2)
    axis.plot(results.time, results["joint.rail.displacement"], label=name)
    print(f"{name:16} {results.summary['steps']} steps, {results.summary['events']} impacts")
axis.set_xlabel("time [s]")
axis.set_ylabel("height [m]")
axis.legend()
hooke.show()
