# How far tolerances of a suspension change what the driver feels: a study on all cores, with failed runs as rows of its table.
#
# hooke.study takes what a study file says; docs/studies.md has more: optimisation, calibration, Dask, MPI, Slurm.
import matplotlib.pyplot as pyplot

import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["body"] = hooke.Rigid(mass=300, inertia=50, at=[0, 0, 0.6])
model.bodies["wheel"] = hooke.Rigid(mass=40, inertia=1, at=[0, 0, 0.3])
model.joints["guide"] = hooke.Prismatic(["ground", "body"], axis="z")
model.joints["hub"] = hooke.Prismatic(["body", "wheel"], axis="z")
model.signals["road"] = "0.05*(1 - cos(20*min(max(t - 0.1, 0), 0.314)))/2"
model.signals["tyre"] = "max(0, 340*9.81 + 2e5*(road - (body.wheel.position.z - 0.3)))"
model.forces["suspension"] = hooke.JointForce("hub", stiffness=2e4, damping=1500)
model.forces["weight"] = hooke.JointForce("hub", active=300 * 9.81)
model.forces["road"] = hooke.Load("wheel", force=[0, 0, "tyre"])
model.run.step, model.run.end = 2e-3, 1.5

if __name__ == "__main__":
    table = hooke.study(
        model=model,
        vary={
            "stiffness": {"key": "forces.suspension.stiffness", "normal": [2e4, 1e3]},
            "damping": {"key": "forces.suspension.damping", "normal": [1500, 150]},
            "load": {"key": "bodies.body.rigid.mass", "from": 300, "to": 500},
        },
        sensitivity={"sobol-indices": 32},
        outputs={"jolt": {"max": "body.body.acceleration.z"}, "travel": {"span": "joint.hub.displacement"}},
    )
    print(f"{len(table)} runs, {len(table.failed)} failed; jolt {table['jolt'].mean():.2f} m/s2 +- {table['jolt'].std():.2f}")
    for name, index in table.findings["indices"]["jolt"]["total"].items():
        print(f"  {name} causes {100 * index['value']:.0f} % of that")

    figure, axes = pyplot.subplots(1, 2, layout="constrained")
    colours = axes[0].scatter(table["load"], table["jolt"], c=table["damping"], s=12)
    figure.colorbar(colours, label="damping [N s/m]")
    axes[0].set_xlabel("mass [kg]")
    axes[0].set_ylabel("jolt [m/s²]")
    axes[1].hist(1e3 * table["travel"], bins=16)
    axes[1].set_xlabel("travel [mm]")
    hooke.show()
