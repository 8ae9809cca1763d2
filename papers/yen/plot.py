"""plot.py DATA: draws the figures of docs/papers/yen.md from the CSV files paper_yen wrote."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plots import columns as columns_of, plt, save  # noqa: E402


def read(name):
    return columns_of(sys.argv[1], name)


def spring_energy():
    columns = read("yen_spring_energy")
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.4), sharey=True)
    for axes, h in zip(panels, ("0.01", "0.1")):
        for rho in ("1", "0.75", "0.5", "0"):
            axes.plot(columns[f"t {h} {rho}"], columns[f"E {h} {rho}"], label=f"rho = {rho}")
        axes.set_title(f"h = {h} s")
        axes.set_xlabel("t, s")
    panels[0].set_ylabel("total energy, J")
    panels[1].legend()
    save(figure, "yen_spring_energy")


def spring_path():
    columns = read("yen_spring_path")
    figure, panels = plt.subplots(1, 3, figsize=(9, 3.2), sharex=True, sharey=True)
    for axes, h in zip(panels, ("0.001", "0.01", "0.1")):
        for rho in ("0.5", "0"):
            axes.plot(columns[f"x {h} {rho}"], columns[f"y {h} {rho}"], linewidth=0.8, label=f"rho = {rho}")
        axes.set_title(f"h = {h} s")
        axes.set_aspect("equal")
        axes.invert_yaxis()  # gravity is along +y
        axes.set_xlabel("x")
    panels[0].set_ylabel("y")
    panels[0].legend(loc="upper center")
    save(figure, "yen_spring_path")


def bushing():
    columns = read("yen_bushing")
    figure, panels = plt.subplots(1, 2, figsize=(9, 3.2), sharey=True)
    for axes, form, title in ((panels[0], "index2", "stabilised index 2"), (panels[1], "cm", "CM")):
        for rho in ("0.75", "0.5", "0"):
            key = f"{form} 500 {rho}"
            axes.plot([1e3 * t for t in columns[f"t {key}"]], columns[f"theta {key}"], label=f"rho = {rho}")
        axes.set_title(f"{title}, 500 steps")
        axes.set_xlabel("t, ms")
    panels[0].set_ylabel("theta, rad")
    panels[1].legend()
    save(figure, "yen_bushing")


def curves(axes, columns, quantity, choices, factor=1):
    for key, label, style in choices:
        axes.plot(columns[f"t {key}"], [factor * y for y in columns[f"{quantity} {key}"]], label=label, **style)


def slider_crank():
    columns = read("yen_slider_crank")
    thin = {"linewidth": 0.8}
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(8, 5.4), sharex=True, sharey=True)
    curves(top, columns, "middle", [("index2 0.75 20000", "h = 1/20000 s, rho = 0.75", thin),
                                    ("index2 0.75 2000", "h = 1/2000 s, rho = 0.75", thin)], 1e3)
    curves(bottom, columns, "middle", [("cm 0.5 500", "h = 1/500 s, rho = 0.5", thin),
                                       ("cm 0 500", "h = 1/500 s, rho = 0", thin)], 1e3)
    for axes in (top, bottom):
        axes.set_ylabel("middle of the rod, mm")
        axes.legend(loc="upper right")
    bottom.set_xlabel("t, s")
    save(figure, "yen_crank_middle")

    figure, axes = plt.subplots(figsize=(6, 3.2))
    curves(axes, columns, "phi2", [("index2 0.75 20000", "index 2, h = 1/20000 s", {"color": "black", "linewidth": 0.8}),
                                   ("index2 0.75 2000", "index 2, h = 1/2000 s", {}),
                                   ("cm 0.75 2000", "CM, h = 1/2000 s", {"linestyle": "--"})])
    axes.set_xlabel("t, s")
    axes.set_ylabel("phi2, rad")
    axes.legend()
    save(figure, "yen_crank_phi2")

    figure, panels = plt.subplots(1, 3, figsize=(11, 3.4), sharey=True)
    curves(panels[0], columns, "energy", [(f"cm {rho} 500", f"rho = {rho}", thin) for rho in ("0.75", "0.5", "0")])
    panels[0].set_title("CM, h = 1/500 s")
    curves(panels[1], columns, "energy", [(f"cm 0.75 {n}", f"h = 1/{n} s", thin) for n in (300, 500, 750)])
    panels[1].set_title("CM, rho = 0.75")
    curves(panels[2], columns, "energy", [("cm 0.75 500", "CM", thin), ("index2 0.75 500", "index 2", {"linestyle": "--"})])
    panels[2].set_title("h = 1/500 s, rho = 0.75")
    for axes in panels:
        axes.set_xlabel("t, s")
        axes.set_xlim(0.29, 1)
        axes.set_ylim(0.3215, 0.325)
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=3)
    panels[0].set_ylabel("total energy, J")
    save(figure, "yen_crank_energy")


def radius():
    columns = read("yen_radius")
    figure, axes = plt.subplots(figsize=(6, 3.4))
    for i, rho in enumerate(("1", "0.75", "0.5", "0")):
        axes.semilogx(columns["hw"], columns[f"theory {rho}"], color=f"C{i}", linewidth=0.8)
        axes.semilogx(columns["hw"][::3], columns[f"rho {rho}"][::3], color=f"C{i}", linestyle="", marker="o", markersize=2.5,
                      label=f"rho = {rho}")
    axes.set_xlabel("h w")
    axes.set_ylabel("spectral radius")
    axes.legend()
    save(figure, "yen_radius")


spring_energy()
spring_path()
bushing()
slider_crank()
radius()
