# An arm is turned to 1 rad by a PID controller: Hooke's own block, and one written in Python.
#
# The block is part of the equations. The Python controller is a loop: measure, compute, set an input, step.
import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 0.6, 0.05]), at=[0, 0.3, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
model.run.step = 1e-3

blocks = model.copy()
blocks.control["u"] = hooke.Pid("1 - joint.pivot.angle", kp=20, ki=30, kd=4, limits=[-15, 15])
blocks.forces["motor"] = hooke.JointForce("pivot", active="-u")
results = hooke.run(blocks, end=3)
axes = results.plot("joint.pivot.angle", label="block pid")

stepped = model.copy()
stepped.control["u"] = hooke.ParameterBlock(0)
stepped.forces["motor"] = hooke.JointForce("pivot", active="-u")
sim = hooke.Simulation(stepped)
pivot = sim.joint("pivot")
period, integral, last = 5e-3, 0.0, 1.0
times, angles = [], []
while sim.time < 3:
    error = 1 - pivot.angle
    integral += error * period
    torque = 20 * error + 30 * integral + 4 * (error - last) / period
    last = error
    sim.set_input("u", max(-15.0, min(15.0, torque)))
    sim.step(5)
    times.append(sim.time)
    angles.append(pivot.angle)
axes.plot(times, angles, "--", label="Python, every 5 ms")
axes.legend()
print(f"after 3 s: block {results['joint.pivot.angle'][-1]:.4f} rad, Python {angles[-1]:.4f} rad")
hooke.show()
