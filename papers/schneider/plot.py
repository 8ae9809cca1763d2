"""plot.py DATA: draws the figures of docs/papers/schneider.md from the CSV files paper_schneider wrote."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
from plots import columns as columns_of, plt, save  # noqa: E402


def read(name):
    return columns_of(sys.argv[1], name)


def errors(name):
    columns = read(f"schneider_{name}")
    figure, axes = plt.subplots(figsize=(5, 3.6))
    h = columns.pop("h")
    for key, error in columns.items():
        force, motion = key.split()
        axes.loglog(h, error, color=f"C{force}", linestyle=["-", "--", ":"][int(motion)], marker=".", label=f"r = {force}, s = {motion}")
    axes.set_xlabel("macro step, s")
    axes.set_ylabel("largest error, m")
    axes.legend(ncols=2)
    save(figure, f"schneider_{name}")


def cable_errors():
    columns = read("schneider_cable")
    figure, axes = plt.subplots(figsize=(4.6, 3.2))
    axes.loglog(columns["h"], columns["error"], marker="o", label="co-simulation")
    axes.loglog(columns["h"], [columns["error"][-1] * h / columns["h"][-1] for h in columns["h"]], color="black", linewidth=0.6, label="order 1")
    axes.set_xlabel("macro step, s")
    axes.set_ylabel("largest error, m")
    axes.legend()
    save(figure, "schneider_cable")


def zero(name):
    columns = read(name)
    figure, axes = plt.subplots(figsize=(5, 3.2))
    for key in ("constant", "linear", "quadratic"):
        axes.semilogx(columns["ratio"], columns[key], label=key)
    axes.axhline(1, color="black", linewidth=0.6)
    axes.set_ylim(0, 3)
    axes.set_xlabel("m_R / m_F")
    axes.set_ylabel("spectral radius")
    axes.legend()
    save(figure, name)


def grid(columns, x, y, z):
    xs, ys = sorted(set(columns[x])), sorted(set(columns[y]))
    values = [[0.0] * len(xs) for _ in ys]
    for a, b, c in zip(columns[x], columns[y], columns[z]):
        values[ys.index(b)][xs.index(a)] = c
    return xs, ys, values


def draw_map(axes, name, title):
    xs, ys, radius = grid(read(name), "ratio", "h", "radius")
    grows = [[float(r >= 1) for r in row] for row in radius]  # radii far above 1 would move the border
    axes.contourf(xs, ys, grows, levels=[0.5, 2], colors=["#9db8cc"])
    axes.contour(xs, ys, grows, levels=[0.5], colors=["#1b6ca8"], linewidths=0.8)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_title(title)
    axes.set_xlabel("m_R / m_F")


def maps(name, panels):
    figure, all_axes = plt.subplots(1, len(panels), figsize=(3 * len(panels), 2.9), sharey=True)
    for axes, (data, title) in zip(all_axes, panels):
        draw_map(axes, data, title)
    all_axes[0].set_ylabel("macro step, s")
    save(figure, name)


def largest_steps():
    xs, ys, h = grid(read("schneider_steps"), "c", "d", "h")
    figure, axes = plt.subplots(figsize=(4.6, 3.4))
    levels = [1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3]
    filled = axes.contourf(xs, ys, [[max(v, 1.01e-4) for v in row] for row in h], levels=levels, norm=matplotlib_log(), cmap="Blues")
    figure.colorbar(filled, label="largest stable macro step, s")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("c_F, N/m")
    axes.set_ylabel("d_F, N s/m")
    save(figure, "schneider_steps")


def matplotlib_log():
    from matplotlib.colors import LogNorm
    return LogNorm(1e-4, 0.3)


def snapshots():
    columns = read("schneider_snapshot")
    figure, all_axes = plt.subplots(1, 2, figsize=(8.4, 2.6))
    for axes, other in zip(all_axes, "zy"):
        for t in sorted(set(columns["t"])):
            points = [(x, value) for s, x, value in zip(columns["t"], columns["x"], columns[other]) if s == t]
            line, = axes.plot(*zip(*points[3:]), marker=".", label=f"{t:g} s")
            axes.plot(*zip(*points[:3]), "s", color=line.get_color(), markersize=5, markerfacecolor="none")
        axes.set_xlabel("x, m")
        axes.set_ylabel(f"{other}, m")
    all_axes[0].legend(fontsize=6)
    save(figure, "schneider_snapshot")


for each in ("exact", "approximate", "implicit"):
    errors(each)
zero("schneider_zero")
zero("schneider_cable_zero")
cable_errors()
snapshots()
words = ["constant", "linear", "quadratic"]
for forces in ("exact", "approximate"):
    maps(f"schneider_map_{forces}", [(f"schneider_map_{forces}_{k}", word) for k, word in enumerate(words)])
maps("schneider_map_multibody", [(f"schneider_map_cR_{c}", f"c_R = {c}") for c in (10, 1000)] + [(f"schneider_map_dR_{d}", f"d_R = {d}") for d in (0, 10)])
maps("schneider_map_structure", [(f"schneider_map_cF_{c}", f"c_F = {c}") for c in (5, 500)] + [(f"schneider_map_dF_{d}", f"d_F = {d}") for d in (0.01, 1)])
maps("schneider_cable_map", [(f"schneider_cable_map_{k}", word) for k, word in enumerate(words)])
largest_steps()
