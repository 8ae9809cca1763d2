"""Measured curves: two columns of a CSV file, or lists."""

from __future__ import annotations

import csv
import os
from dataclasses import dataclass
from typing import Any, Mapping

import numpy

from .document import Document


@dataclass(frozen=True)
class Curve:
    """Values over time, as tuples so that it can be compared and sent."""

    time: tuple[float, ...]
    value: tuple[float, ...]

    def residuals(self, time: numpy.ndarray[Any, Any], value: numpy.ndarray[Any, Any]) -> numpy.ndarray[Any, Any]:
        """What was computed less what was measured, at the times of the measurement; not-a-number where nothing was computed."""
        found: numpy.ndarray[Any, Any] = numpy.interp(self.time, time, value, left=numpy.nan, right=numpy.nan)
        found -= self.value
        return found


def read_curve(document: Document, path: str, tree: Any, columns: Any = None) -> Curve:
    """A CSV file (its first two columns, or those named) or {time: [...], value: [...]}."""
    if isinstance(tree, str):
        return _from_file(document, path, os.path.join(os.path.dirname(document.file), tree), columns)
    if isinstance(tree, Mapping):
        lists = document.mapping(path, tree, ("time", "value"))
        time, value = (
            [document.number(f"{path}.{key}[{i}]", item) for i, item in enumerate(lists.get(key) or [])]
            for key in ("time", "value")
        )
        return _checked(document, path, time, value)
    document.complain(path, "expected the name of a CSV file, or {time: [...], value: [...]}")
    return Curve((0.0, 1.0), (0.0, 0.0))


def _from_file(document: Document, path: str, name: str, columns: Any) -> Curve:
    try:
        with open(name, encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(line for line in file if not line.startswith("#")) if row]
    except OSError as error:
        document.complain(path, f"cannot read '{name}': {error.strerror}")
        return Curve((0.0, 1.0), (0.0, 0.0))
    head = [text.strip() for text in rows[0]] if rows and not _is_number(rows[0][0]) else []
    wanted = document.texts(f"{path}.columns", columns) if columns is not None else head[:2]
    unknown = [column for column in wanted if column not in head]
    if unknown or (head and len(wanted) != 2):
        document.complain(
            path, f"{name}: no column '{unknown[0]}'" if unknown else f"{name}: expected two columns, time and value"
        )
        return Curve((0.0, 1.0), (0.0, 0.0))
    places = [head.index(column) for column in wanted] if head else [0, 1]
    try:
        time, value = ([float(row[place]) for row in rows[bool(head) :]] for place in places)
    except (ValueError, IndexError) as error:
        document.complain(path, f"{name}: {error}")
        return Curve((0.0, 1.0), (0.0, 0.0))
    return _checked(document, path, time, value)


def _checked(document: Document, path: str, time: list[float], value: list[float]) -> Curve:
    if len(time) < 2 or len(time) != len(value) or not (numpy.diff(time) > 0).all():
        document.complain(
            path, f"expected rising times and a value for each, got {len(time)} times and {len(value)} values"
        )
        return Curve((0.0, 1.0), (0.0, 0.0))
    return Curve(tuple(time), tuple(value))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
