"""What the figures of all papers share: read(name) from the data folder, save(figure, name) into docs/papers/figures."""

import csv
from pathlib import Path

import matplotlib

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

root = Path(__file__).resolve().parent.parent
figures = root / "docs" / "papers" / "figures"


def rows(folder, name):
    with open(Path(folder) / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def columns(folder, name):
    """Columns of numbers by name; empty cells at the end of a column are left out."""
    data = rows(folder, name)
    return {key: [float(row[key]) for row in data if row[key]] for key in data[0]} if data else {}


def save(figure, name):
    figures.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(figures / f"{name}.svg", metadata={"Date": None})
    plt.close(figure)


def markdown(head, body):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in body])
