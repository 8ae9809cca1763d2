"""Outputs: one number of each run, made of a quantity over time."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy

from .curves import Curve, read_curve
from .document import Document
from .formulas import Formulas

Array = numpy.ndarray[Any, Any]
OF_CURVES = ("end", "min", "max", "span", "mean", "integral", "time-of", "distance")


@dataclass(frozen=True)
class Output:
    """kind: end, min, max, span, mean, integral, time-of, distance; or formula, of variables and of outputs before it."""

    name: str
    kind: str
    of: str  #: a quantity by its name in results, or the formula
    start: float = -math.inf  #: only times from here
    stop: float = math.inf  #: to here count
    reaches: float | str = "max"  #: time-of: a value, or max, min
    target: Curve | None = None  #: of a distance

    def value(self, time: Array, values: Array) -> float:
        if self.kind == "distance":
            assert self.target is not None
            return float(numpy.sqrt(numpy.mean(self.target.residuals(time, values) ** 2)))
        time, values = _window(time, values, self.start, self.stop)
        if len(time) == 0 or not numpy.isfinite(values).all():
            return math.nan
        if self.kind == "time-of":
            return self._time_of(time, values)
        if self.kind in ("mean", "integral"):
            area = float(numpy.trapz(values, time))
            return (
                area
                if self.kind == "integral"
                else area / float(time[-1] - time[0])
                if len(time) > 1
                else float(values[0])
            )
        if self.kind == "span":
            return float(values.max() - values.min())
        return float({"end": values[-1], "min": values.min(), "max": values.max()}[self.kind])

    def _time_of(self, time: Array, values: Array) -> float:
        """When it first has the value, between two outputs on a straight line; not-a-number: never."""
        if isinstance(self.reaches, str):
            return float(time[values.argmin() if self.reaches == "min" else values.argmax()])
        above = values - self.reaches
        touched = numpy.flatnonzero(above == 0)
        crossed = numpy.flatnonzero(above[:-1] * above[1:] < 0)
        found = [float(time[i]) for i in touched[:1]]
        found += [float(time[i] + (time[i + 1] - time[i]) * above[i] / (above[i] - above[i + 1])) for i in crossed[:1]]
        return min(found, default=math.nan)


def _window(time: Array, values: Array, start: float, stop: float) -> tuple[Array, Array]:
    inside = (time >= start) & (time <= stop)
    return time[inside], values[inside]


class OutputFormulas:
    """The formulas among the outputs of a study, ready to be evaluated."""

    def __init__(self, outputs: Sequence[Output], variables: Sequence[str]) -> None:
        made = {output.name: output.of for output in outputs if output.kind == "formula"}
        names = [name for name in [*variables, *(o.name for o in outputs if o.kind != "formula")] if _is_plain(name)]
        words = {word for formula in made.values() for word in re.findall(r"[A-Za-z_]\w*", formula)}
        self._names = [name for name in names if name in words]
        self._formulas = Formulas(made, self._names) if made else None

    def __call__(self, known: Mapping[str, Any]) -> dict[str, float]:
        if self._formulas is None:
            return {}
        return self._formulas({name: float(known[name]) for name in self._names})


def _is_plain(name: str) -> bool:
    return re.fullmatch(r"[A-Za-z_]\w*", name) is not None


def read_outputs(document: Document, tree: Any, variables: Sequence[str], has_model: bool) -> list[Output]:
    found = [
        _output(document, f"outputs.{name}", name, item) for name, item in document.mapping("outputs", tree).items()
    ]
    for output in found:
        if output.name in variables:
            document.complain(f"outputs.{output.name}", "is the name of a variable, too: choose another one")
        if output.kind in OF_CURVES and not has_model:
            document.complain(f"outputs.{output.name}", "needs a model: give 'model', or a formula")
    return found


def _output(document: Document, path: str, name: str, tree: Any) -> Output:
    kind, of, beside = document.choice(path, tree, (*OF_CURVES, "formula"))
    known = {"formula": (), "time-of": ("reaches", "from", "to"), "distance": ("to", "columns")}
    document.mapping(path, beside, known.get(kind, ("from", "to")))
    fields: dict[str, Any] = {}
    if kind == "distance":
        fields["target"] = read_curve(document, f"{path}.to", beside.get("to"), beside.get("columns"))
    else:
        for key, field in (("from", "start"), ("to", "stop")):
            if key in beside:
                fields[field] = document.number(f"{path}.{key}", beside[key])
    if kind == "time-of":
        reaches = beside.get("reaches", "max")
        fields["reaches"] = reaches if reaches in ("max", "min") else document.number(f"{path}.reaches", reaches)
    if kind == "formula" and not _is_plain(name):
        document.complain(path, "the name of a formula is one word: letters, digits and _")
    return Output(name, kind, document.text(f"{path}.{kind}", of) if kind else "", **fields)
