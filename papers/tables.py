"""Tables of numbers, as the papers' programs leave them and as the pages show them. Needs nothing but Python."""

import csv
from pathlib import Path

root = Path(__file__).resolve().parent.parent


def rows(folder, name):
    with open(Path(folder) / f"{name}.csv", newline="") as file:
        return list(csv.DictReader(file))


def columns(folder, name):
    """Columns of numbers by name; empty cells at the end of a column are left out."""
    data = rows(folder, name)
    return {key: [float(row[key]) for row in data if row[key]] for key in data[0]} if data else {}


def markdown(head, body):
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    return "\n".join(lines + ["| " + " | ".join(str(cell) for cell in row) + " |" for row in body])
