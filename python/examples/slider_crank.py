# A slider crank with one connecting rod in three formulations: rigid, floating frame with modes, Cosserat rod.
#
# Only the entry of the rod changes. The crank turns at 100 rad/s; the guide feels that the thin rod bends.
import matplotlib.pyplot as pyplot

import hooke

section = hooke.Circle(3e-3)
steel = hooke.Material(young=2.07e11, density=7870)
length, radius = 0.3, 3e-3
mass = steel.density * 3.14159 * radius**2 * length
rods = {
    "rigid": hooke.Rigid(mass=mass, inertia=[mass * length**2 / 12, mass * length**2 / 12, 1e-6], between=["B", "C"]),
    "modes": hooke.Ffrf(section=section, material=steel, elements=4, damping=1e-5, between=["B", "C"]),
    "Cosserat": hooke.Cosserat(section=section, material=steel, elements=4, damping=1e-5, between=["B", "C"]),
}

model = hooke.Model(title="Slider crank")
model.bodies["crank"] = hooke.Rigid(mass=0.12, inertia=1e-4, at=[0.04, 0, 0])
model.bodies["slider"] = hooke.Rigid(mass=0.5, inertia=1e-4, at=[0.38, 0, 0])
model.joints["A"] = hooke.Revolute(["ground", "crank"], at=[0, 0, 0], axis="y")
model.joints["B"] = hooke.Revolute(["crank", "rod"], at=[0.08, 0, 0], axis="y")
model.joints["C"] = hooke.Universal(["slider", "rod"], at=[0.38, 0, 0], axis="y")
model.joints["D"] = hooke.Prismatic(["ground", "slider"], at=[0.38, 0, 0], axis="x")
model.drives["motor"] = hooke.JointDrive("A", function="100*t")
model.run.step = 1e-4
model.run.integrator = hooke.GeneralizedAlpha(rho=0.8)

figure, (above, below) = pyplot.subplots(2, 1, sharex=True, layout="constrained")
for name, rod in rods.items():
    model.bodies["rod"] = rod
    results = hooke.run(model, end=0.15, every=2e-4)
    above.plot(results.time, results["body.slider.position.x"], label=name)
    below.plot(results.time, results["joint.D.force.x"], label=name)
    print(f"{name:10} {results.summary['steps']} steps, slider ends at {results['body.slider.position.x'][-1]:.6f} m")
above.set_ylabel("slider [m]")
below.set_ylabel("guide force [N]")
below.set_xlabel("time [s]")
below.legend(loc="upper right", ncols=3, fontsize="small")
hooke.show()
