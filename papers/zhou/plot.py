"""plot.py DATA: draws the figures of docs/papers/zhou.md from the CSV files paper_zhou wrote."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plots import columns, plt, save  # noqa: E402


def rigid():
    data = columns(sys.argv[1], "zhou_rigid")
    figure, panels = plt.subplots(2, 3, figsize=(9, 5), sharex=True)
    for axes, (key, label) in zip(panels.flat, (("x", "slider, m"), ("vx", "slider, m/s"), ("energy", "energy, J"),
                                                ("theta", "crank, rad"), ("rate", "crank, rad/s"))):
        axes.plot(data["reference t"], data[f"reference {key}"], color="#cccccc", linewidth=3, label="reference")
        axes.plot(data["t"], data[key], linewidth=0.9, label="coupled")
        axes.set_ylabel(label)
        axes.set_xlabel("t, s")
    panels[0][2].ticklabel_format(useOffset=False)
    panels[0][0].legend()
    panels[1][2].plot(data["t"], [a - b for a, b in zip(data["x"], data["reference x"])])
    panels[1][2].set_ylabel("error of the slider, m")
    panels[1][2].set_xlabel("t, s")
    save(figure, "zhou_rigid")


def flexible():
    data = columns(sys.argv[1], "zhou_flexible")
    figure, panels = plt.subplots(1, 3, figsize=(9, 3))
    for axes, (key, label) in zip(panels, (("x", "slider, m"), ("theta", "crank, rad"), ("energy", "E - E(0), J"))):
        for kind in ("rigid", "ffrf", "cosserat", "ancf", "solid"):
            axes.plot(data["t"], data[f"{key} {kind}"], label=kind, linewidth=0.9)
        axes.set_ylabel(label)
        axes.set_xlabel("t, s")
    panels[2].legend()
    save(figure, "zhou_flexible")


rigid()
flexible()
