"""What the figures of all papers share: read(name) from the data folder, save(figure, name) into docs/papers/figures."""

import matplotlib

from tables import columns, markdown, root, rows  # noqa: F401

matplotlib.use("svg")
import matplotlib.pyplot as plt

plt.rcParams.update({
    "svg.fonttype": "none",   # text stays text: small files
    "svg.hashsalt": "hooke",  # the same numbers give the same file
    "font.size": 9,
    "font.family": "sans-serif",
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "axes.prop_cycle": plt.cycler(color=["#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#7b5ea7", "#555555"]),
})

figures = root / "docs" / "papers" / "figures"


def save(figure, name):
    figures.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(figures / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)
