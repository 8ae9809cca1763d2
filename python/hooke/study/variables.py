"""What a study varies: a name, the keys of the model that take its value, and which values it may take."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, Union

from .document import Document

Value = Union[float, str]
DISTRIBUTIONS = ("uniform", "normal", "lognormal", "triangular")


@dataclass(frozen=True)
class Variable:
    name: str
    keys: tuple[str, ...]  #: of the model file, as after --set
    values: tuple[Value, ...] = ()  #: given one by one; else it is distributed:
    kind: str = "uniform"
    shape: tuple[
        float, ...
    ] = ()  #: normal: mean, deviation; lognormal: median, deviation of the logarithm; triangular: its top
    low: float = -math.inf
    high: float = math.inf
    count: int = 0  #: of values in a grid; 0: as the design says
    logarithmic: bool = False
    start: Value | None = None  #: where searches begin, and what stays while others vary

    @property
    def middle(self) -> Value:
        if self.start is not None:
            return self.start
        return self.values[len(self.values) // 2] if self.values else self.at(0.5)

    def at(self, u: float) -> Value:
        """The value below which a part u of all values lies: 0 is the lowest, 1 the highest."""
        if self.values:
            return self.values[min(int(u * len(self.values)), len(self.values) - 1)]
        if self.kind == "uniform":
            return self.scaled(u)
        if self.kind == "triangular":
            return self._triangular(u)
        mean, deviation = self.shape
        normal = NormalDist(math.log(mean) if self.kind == "lognormal" else mean, deviation)
        below, above = (self._part(normal, limit) for limit in (self.low, self.high))
        u = min(max(below + u * (above - below), 1e-15), 1 - 1e-15)  # so that it is finite
        value = normal.inv_cdf(u)
        return math.exp(value) if self.kind == "lognormal" else value

    def scaled(self, u: float) -> float:
        """Between the limits: of a range as it is varied, by the logarithm where the variable says so."""
        if self.logarithmic:
            return math.exp(math.log(self.low) + u * (math.log(self.high) - math.log(self.low)))
        return self.low + u * (self.high - self.low)

    def unscaled(self, value: float) -> float:
        if self.logarithmic:
            return math.log(value / self.low) / math.log(self.high / self.low)
        return (value - self.low) / (self.high - self.low)

    def _triangular(self, u: float) -> float:
        top, width = self.shape[0], self.high - self.low
        below = (top - self.low) / width
        if u < below:
            return self.low + math.sqrt(u * width * (top - self.low))
        return self.high - math.sqrt((1 - u) * width * (self.high - top))

    def _part(self, normal: NormalDist, limit: float) -> float:
        """Of all values that lies below a limit."""
        if math.isinf(limit) or (self.kind == "lognormal" and limit <= 0):
            return 0.0 if limit <= 0 else 1.0
        return normal.cdf(math.log(limit) if self.kind == "lognormal" else limit)


def read_variables(document: Document, tree: Any) -> list[Variable]:
    found = [_variable(document, f"vary.{name}", name, value) for name, value in document.mapping("vary", tree).items()]
    if not found:
        document.complain("vary", "nothing is varied: give at least one variable, such as 'mass: {from: 1, to: 2}'")
    return found


def _variable(document: Document, path: str, name: str, tree: Any) -> Variable:
    if isinstance(tree, (list, tuple)):
        tree = {"values": tree}
    known = ("key", "values", "from", "to", "count", "log", "start", "normal", "lognormal", "triangular")
    given = document.mapping(path, tree, known)
    default = name if "." in name or "[" in name else f"parameters.{name}"
    fields: dict[str, Any] = {
        "keys": tuple(document.texts(f"{path}.key", given["key"])) if "key" in given else (default,)
    }
    if "start" in given:
        fields["start"] = given["start"] if "values" in given else document.number(f"{path}.start", given["start"])
    if "values" in given:
        fields["values"] = _values(document, f"{path}.values", given["values"])
        return Variable(name, **fields)
    for key, field in (("from", "low"), ("to", "high")):
        if key in given:
            fields[field] = document.number(f"{path}.{key}", given[key])
    if "count" in given:
        fields["count"] = document.whole(f"{path}.count", given["count"], 2)
    fields["logarithmic"] = document.truth(f"{path}.log", given.get("log", False))
    for kind, count in (("normal", 2), ("lognormal", 2), ("triangular", 1)):
        if kind in given:
            value = given[kind] if count > 1 else [given[kind]]
            fields.update(kind=kind, shape=tuple(document.numbers(f"{path}.{kind}", value, count)))
    made = Variable(name, **fields)
    _check(document, path, made)
    return made


def _values(document: Document, path: str, tree: Any) -> tuple[Value, ...]:
    if not isinstance(tree, (list, tuple)) or not tree:
        document.complain(path, "expected a list of values")
        return (0.0,)
    return tuple(
        item if isinstance(item, str) and not item.startswith("${") else document.number(f"{path}[{i}]", item)
        for i, item in enumerate(tree)
    )


def _check(document: Document, path: str, variable: Variable) -> None:
    has_limits = math.isfinite(variable.low) and math.isfinite(variable.high)
    if variable.kind in ("uniform", "triangular") and not has_limits:
        document.complain(
            path, "give 'from' and 'to', a list of 'values', or a distribution (normal, lognormal, triangular)"
        )
    elif not variable.low < variable.high:
        document.complain(f"{path}.to", f"must be above 'from', {variable.low:g}; got {variable.high:g}")
    elif variable.logarithmic and not variable.low > 0:
        document.complain(f"{path}.log", "only a range above 0 has logarithms")
    elif variable.kind == "triangular" and not variable.low <= variable.shape[0] <= variable.high:
        document.complain(f"{path}.triangular", f"must lie between {variable.low:g} and {variable.high:g}")
    elif variable.kind in ("normal", "lognormal") and not variable.shape[1] > 0:
        document.complain(f"{path}.{variable.kind}", "the deviation must be positive")
    elif variable.kind == "lognormal" and not variable.shape[0] > 0:
        document.complain(f"{path}.lognormal", "the median must be positive")
