"""plot.py DATA: draws the figures of docs/papers/kan.md from the tables of paper_kan."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plots import columns, plt, root, save  # noqa: E402

data = Path(sys.argv[1])


def cuboid():
    c = columns(data, "cuboid")
    ref = columns(root / "tests" / "data" / "reference", "cuboid_A")
    figure, (*axes, speed, push) = plt.subplots(5, 1, figsize=(7.4, 11), sharex=True)
    for d, colour in zip("xyz", ("#1b6ca8", "#d1495b", "#2e933c")):
        for axis, what in ((speed, "velocity"), (push, "acceleration")):
            axis.plot(c["t"][1:], c[f"full_{what}_{d}"][1:], color=colour)
            axis.plot(c["t"][1:], c[f"best_{what}_{d}"][1:], "--", color="black", linewidth=0.7)
        axes[0].plot(c["t"], c[f"full_tip_{d}"], color=colour, label=f"{d}, full CR")
        axes[0].plot(c["t"], c[f"best_tip_{d}"], "--", color="black", linewidth=0.7)
        axes[0].plot(ref["t"][::4], ref[f"u{d}_tip"][::4], "o", color=colour, markersize=2.5, markerfacecolor="none")
        axes[1].plot(c["t"], [1e3 * u for u in c[f"full_local_{d}"]], color=colour, label=f"{d}, full CR")
        axes[1].plot(c["t"], [1e3 * u for u in c[f"best_local_{d}"]], "--", color="black", linewidth=0.7)
    axes[0].set(ylabel="free end (m)", title="dashed: component; circles: CalculiX")
    axes[1].set(ylabel="mid-span, local (mm)")
    axes[2].plot(c["t"][1:], c["iterations"][1:], ".", markersize=2)
    axes[2].set(ylabel="iterations", ylim=(0, None))
    speed.set(ylabel="free end, velocity (m/s)")
    push.set(ylabel="acceleration (m/s2)", xlabel="t (s)")
    for axis in axes[:2]:
        axis.legend(ncols=3)
    save(figure, "kan_cuboid")


def top():
    c = columns(data, "top")
    figure, axes = plt.subplots(3, 1, figsize=(7.4, 5.6), sharex=True)
    for axis, d in zip(axes, "xyz"):
        for name in ("full", "component", "rigid"):
            axis.plot(c["t"], c[f"{name}_{d}"], {"full": "-", "component": "--", "rigid": ":"}[name], label=name)
        axis.set(ylabel=f"axis {d}")
    axes[0].legend(ncols=3)
    axes[2].set(xlabel="t (s)")
    save(figure, "kan_top")

    figure, axes = plt.subplots(3, 1, figsize=(7.4, 5.6), sharex=True)
    for axis, d in zip(axes, "xyz"):
        for name, style in (("full", "-"), ("component", "--")):
            axis.plot(c["t"], [1e6 * u for u in c[f"{name}_rim_{d}"]], style, label=name, linewidth=0.8)
        axis.set(ylabel=f"{d} (um)")
    axes[0].legend(ncols=2)
    axes[2].set(xlabel="t (s)")
    save(figure, "kan_top_rim")


def cantilever():
    c, s, shapes = (columns(data, name) for name in ("cantilever", "cantilever_statics", "cantilever_shapes"))
    figure, axes = plt.subplots(1, 3, figsize=(9.4, 3))
    axes[0].plot(c["t"], c["full"], label="full CR")
    axes[0].plot(c["t"], c["components"], "--", label="20 components")
    axes[0].set(xlabel="t (s)", ylabel="deflection (m)")
    axes[0].legend()
    axes[1].loglog(s["components"], [100 * e for e in s["error"]], "o-")
    axes[1].set(xlabel="components", ylabel="static, from full CR (%)")
    for t in sorted(set(shapes["t"])):
        at = [i for i, time in enumerate(shapes["t"]) if time == t]
        axes[2].plot([shapes["x"][i] for i in at], [shapes["z"][i] for i in at], label=f"{t:.2f} s")
    axes[2].set(xlabel="x (m)", ylabel="z (m)", aspect="equal")
    axes[2].legend(fontsize="x-small")
    figure.tight_layout()
    save(figure, "kan_cantilever")


def slider_crank():
    c = columns(data, "slider_crank")
    figure, axes = plt.subplots(2, 1, figsize=(7.4, 5), sharex=True)
    for name in ("crank", "rod"):
        for d in "xy":
            axes[0].plot(c["t"], c[f"{name}_{d}"], label=f"{name} {d}")
        axes[1].plot(c["t"], [1e6 * w for w in c[f"{name}_bending"]], label=name)
    n = len(c["full_rod_bending"])
    axes[1].plot(c["t"][:n], [1e6 * w for w in c["full_rod_bending"]], "k--", linewidth=0.8, label="rod, full CR")
    axes[0].set(ylabel="centres (m)")
    axes[1].set(ylabel="bending (um)", xlabel="t (s)")
    for axis in axes:
        axis.legend(ncols=4)
    save(figure, "kan_slider_crank")

    s = columns(data, "slider_crank_shapes")
    times = sorted(set(s["t"]))[:4]
    figure, axes = plt.subplots(len(times), 1, figsize=(7.4, 6.4), sharex=True)
    for axis, t in zip(axes, times):
        at = [i for i, time in enumerate(s["t"]) if time == t]
        points = axis.scatter([s["x"][i] for i in at], [s["y"][i] for i in at], c=[1e6 * s["size"][i] for i in at],
                              s=2, cmap="viridis", rasterized=True)
        axis.set(aspect="equal", title=f"t = {t:.2f} s")
        figure.colorbar(points, ax=axis, label="um")
    save(figure, "kan_slider_crank_shapes")


for draw in (cuboid, top, cantilever, slider_crank):
    draw()
