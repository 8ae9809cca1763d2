"""plot.py DATA FIGURES: draws the figures of docs/validation.md from the CSV files hooke_validate wrote."""

import csv
import sys
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt

plt.rcParams.update({
    "svg.fonttype": "none",       # text stays text: small files
    "svg.hashsalt": "hooke",      # the same numbers give the same file
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.2,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "axes.prop_cycle": plt.cycler(color=["#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7b5ea7", "#555555", "#00a6a6", "#8d6346",
                                         "#e377c2", "#9aa51a", "#17becf"]),
})

data_folder, figures = Path(sys.argv[1]), Path(sys.argv[2])


def read(name):
    """Columns of NAME.csv by name, in their order; empty cells at the end of a column are left out."""
    with open(data_folder / f"{name}.csv", newline="") as file:
        header, *rows = csv.reader(file)
    return {title: [float(row[i]) for row in rows if row[i]] for i, title in enumerate(header)}


def save(figure, name):
    figure.tight_layout()
    figure.savefig(figures / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def thinned(x, y, most=400):
    """At most so many points, keeping the largest of each bunch: error curves stay honest and files small."""
    size = max(1, -(-len(x) // most))
    picked = [max(range(i, min(i + size, len(x))), key=lambda k: y[k]) for i in range(0, len(x), size)]
    return [x[k] for k in picked], [y[k] for k in picked]


def order_line(axes, x, y, order):
    """A thin line of the given slope through (x[0], y[0])."""
    axes.loglog([x[0], x[-1]], [y[0], y[0] * (x[-1] / x[0]) ** order], color="#999999", linewidth=0.8, linestyle="--",
                label=f"order {order}")


def legend_below(axes, columns):
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.2), ncols=columns)


def curve_with_errors(name, quantity, wanted=None):
    """Above the reference curve, below the errors over time."""
    columns = read(name)
    t, reference = columns.pop("t"), columns.pop(next(k for k in columns if k in ("reference", "phi")))
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 5.6), sharex=True, height_ratios=[1, 1.6])
    top.plot(t, reference, color="black")
    top.set_ylabel(quantity)
    for title, errors in columns.items():
        if wanted and not any(word in title for word in wanted):
            continue
        bottom.semilogy(*thinned(t[1:], [max(e, 1e-16) for e in errors[1:]]), label=title.replace(";", ","))
    bottom.set_ylabel("error")
    bottom.set_xlabel("t, s")
    legend_below(bottom, columns=2)
    save(figure, name)


def heavy_top():
    columns = read("heavy_top")
    steps = columns.pop("step")
    figure, axes = plt.subplots(figsize=(5, 3.6))
    for title, errors in columns.items():
        axes.loglog(steps, errors, marker="o", markersize=4, label=f"generalized-alpha, {title}")
    order_line(axes, steps, [0.5 * errors[0]], 2)
    axes.set_xlabel("step, s")
    axes.set_ylabel("error at 2 s, m")
    axes.legend()
    save(figure, "heavy_top")


def andrews():
    columns = list(read("andrews").values())
    figure, axes = plt.subplots(figsize=(5, 3.6))
    titles = ["generalized-alpha, fixed step", "generalized-alpha, varying step", "dormand-prince, varying step"]
    for i, title in enumerate(titles):
        axes.loglog(columns[2 * i], columns[2 * i + 1], marker="o", markersize=4, label=title)
    axes.set_xlabel("CPU time, s")
    axes.set_ylabel("largest error of the angles at 0.03 s, rad")
    axes.legend()
    save(figure, "andrews")


def n_four_bar():
    figure, axes = plt.subplots(2, 2, figsize=(9, 6), sharex="col", height_ratios=[1, 1.6])
    for column, n in enumerate((2, 40)):
        columns = read(f"n_four_bar_{n}")
        t, phi = columns.pop("t"), columns.pop("phi")
        top, bottom = axes[0][column], axes[1][column]
        top.plot(t, phi, color="black")
        top.set_title(f"N = {n}")
        for title, errors in columns.items():
            bottom.semilogy(*thinned(t[1:], [max(e, 1e-16) for e in errors[1:]], 300), label=title.replace(";", ","))
        bottom.set_xlabel("t, s")
        legend_below(bottom, columns=1)
    axes[0][0].set_ylabel("phi, rad")
    axes[1][0].set_ylabel("error, rad")
    save(figure, "n_four_bar")


def bricard():
    columns = read("bricard")
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), width_ratios=[1.6, 1])
    left.plot(columns["t"], columns["y"], label="y of P3")
    left.plot(columns["t"], columns["z"], label="z of P3")
    left.set_xlabel("t, s")
    left.set_ylabel("m")
    left.legend()
    right.plot(columns["z"], columns["y"], color="black")
    right.set_xlabel("z, m")
    right.set_ylabel("y, m")
    right.set_aspect("equal")
    save(figure, "bricard")


def governor():
    columns = read("governor")
    figure, (top, bottom) = plt.subplots(2, 1, figsize=(7, 4), sharex=True)
    top.plot(columns["t"], columns["height"])
    top.set_ylabel("slider height, m")
    bottom.plot(columns["t"], columns["speed"])
    bottom.set_ylabel("shaft speed, rad/s")
    bottom.set_xlabel("t, s")
    save(figure, "governor")


def orders():
    columns = list(read("orders").items())
    figure, axes = plt.subplots(figsize=(7, 4.6))
    for (_, steps), (title, errors) in zip(columns[0::2], columns[1::2]):
        axes.loglog(steps, errors, marker="o", markersize=3, label=title.rstrip("; ").replace(";", ","))
    order_line(axes, columns[0][1], [2 * columns[1][1][0]], 2)
    axes.set_xlabel("step, s")
    axes.set_ylabel("relative error of lambda")
    axes.legend(fontsize=7)
    save(figure, "orders")


def flexible_slider_crank():
    columns = read("flexible_slider_crank")
    t = columns.pop("t")
    figure, axes = plt.subplots(4, 1, figsize=(7, 8.6), sharex=True, height_ratios=[1, 1, 1, 1.6])
    quantities = {"x": "slider x, m", "angle": "crank angle, rad", "energy": "total energy, J"}
    for panel, (word, label) in zip(axes, quantities.items()):
        styles = iter(["-", "--", "-.", ":", (0, (1, 3))])
        for title, values in columns.items():
            if title.startswith(word + ": "):
                panel.plot(t, values, linestyle=next(styles), linewidth=1.6)
        panel.set_ylabel(label)
    for title, apart in columns.items():
        if title.startswith("difference: "):
            axes[3].semilogy(*thinned(t[1:], [max(e, 1e-16) for e in apart[1:]]), label=title.split(": ", 1)[1])
    axes[3].set_xlabel("t, s")
    axes[3].set_ylabel("difference of the slider, m")
    legend_below(axes[3], columns=2)
    save(figure, "flexible_slider_crank")


figures.mkdir(parents=True, exist_ok=True)
heavy_top()
andrews()
curve_with_errors("slider_crank", "slider x, m", ["generalized", "trapezoidal", "dormand-prince; h"])
curve_with_errors("double_pendulum", "height of B, m")
curve_with_errors("four_bar", "theta, rad")
n_four_bar()
bricard()
governor()
orders()
flexible_slider_crank()
