# A ball falls onto a floor, in three ways: a rigid stop of its joint, contact of two surfaces, and a force that is a
# function in Python.
import math

import matplotlib.pyplot as pyplot

import hooke

free = hooke.Model(gravity=[0, 0, -9.81])
free.bodies["ball"] = hooke.Rigid(mass=1, shape=hooke.Sphere(0.05), at=[0, 0, 1])
free.run.step = 5e-4
guided = free.copy()
guided.joints["rail"] = hooke.Prismatic(["ground", "ball"], axis="z")

stop = guided.copy()
stop.limits["floor"] = hooke.Limit(joint="rail", low=-0.95, restitution=0.8)

touch = free.copy()  # it is thrown, and begins to roll
touch.bodies["ball"].velocity = [1, 0, 0]
touch.run.tolerance = 1e-6  # short steps where it touches, and only there
touch.surfaces["ball"] = hooke.Sphere(0.05, body="ball")
touch.surfaces["floor"] = hooke.HalfSpace([0, 0, 1], body="ground")
touch.contacts["floor"] = hooke.Contact(between=["ball", "floor"], stiffness=1e7, restitution=0.8, friction=0.3)


def floor(x: float, v: float, t: float) -> float:
    """Stiffness times depth to 3/2, with damping that grows with the depth. Tension is positive."""
    depth = max(0.0, -0.95 - x)
    return -1e6 * depth * math.sqrt(depth) * max(0.0, 1 - 0.08 * v)


code = guided.copy()
code.forces["floor"] = hooke.JointForce("rail", law=floor)
code.run.step = 1e-4

figure, axis = pyplot.subplots(layout="constrained")
for name, made in (("rigid stop", stop), ("contact of surfaces", touch), ("a law in Python", code)):
    results = hooke.run(made, end=2)
    axis.plot(results.time, results["body.ball.position.z"], label=name)
    print(f"{name:20} {results.summary['steps']} steps, ends at {results['body.ball.position.z'][-1]:.3f} m")
    if made is touch:
        print(f"{'':20} it turns at {results['body.ball.angular_velocity.y'][-1]:.2f} rad/s")
axis.set_xlabel("time [s]")
axis.set_ylabel("height [m]")
axis.legend()
hooke.show()
