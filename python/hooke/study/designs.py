"""Designs: which points of what is varied are run. Every design is a list of points, known before the first run."""

from __future__ import annotations

import csv
import itertools
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Callable, Sequence

import numpy

from .document import Document, needs
from .variables import Value, Variable

if TYPE_CHECKING:
    from .engine import Engine

Point = tuple[Value, ...]
Cube = numpy.ndarray[Any, Any]  #: rows of numbers between 0 and 1


@dataclass(frozen=True)
class Design:
    """kind: grid, list, latin-hypercube, sobol, monte-carlo or one-at-a-time."""

    kind: str
    count: int = 0  #: of points; grid and one-at-a-time: of values of each variable
    seed: int = 1
    points: tuple[Point, ...] = ()  #: of a list

    def carry_out(self, engine: Engine, variables: Sequence[Variable]) -> dict[str, Any]:
        engine.rows(self.make(variables))
        return {}

    def make(self, variables: Sequence[Variable]) -> list[Point]:
        if self.kind == "list":
            return list(self.points)
        if self.kind == "grid":
            return list(itertools.product(*(_levels(variable, self.count) for variable in variables)))
        if self.kind == "one-at-a-time":
            return _one_at_a_time(variables, self.count)
        cube = CUBES[self.kind](self.count, len(variables), self.seed)
        return [tuple(variable.at(float(u)) for variable, u in zip(variables, row)) for row in cube]


def _levels(variable: Variable, count: int) -> Sequence[Value]:
    """The ends of a range and what lies between at equal distances; of a distribution, the middles of equal parts."""
    if variable.values:
        return variable.values
    n = variable.count or count
    if variable.kind == "uniform":
        return [variable.at(i / (n - 1)) for i in range(n)]
    return [variable.at((i + 0.5) / n) for i in range(n)]


def _one_at_a_time(variables: Sequence[Variable], count: int) -> list[Point]:
    middle = tuple(variable.middle for variable in variables)
    points = [middle]
    for i, variable in enumerate(variables):
        points += [(*middle[:i], level, *middle[i + 1 :]) for level in _levels(variable, count) if level != middle[i]]
    return points


def latin_hypercube(count: int, dimensions: int, seed: int) -> Cube:
    """In every dimension each of `count` equal parts has one point, at random."""
    random = numpy.random.Generator(numpy.random.PCG64(seed))
    places = numpy.stack([random.permutation(count) for _ in range(dimensions)], axis=1)
    cube: Cube = (places + random.random((count, dimensions))) / count
    return cube


def monte_carlo(count: int, dimensions: int, seed: int) -> Cube:
    """More points begin with the same ones, so that a study can be made longer."""
    return numpy.random.Generator(numpy.random.PCG64(seed)).random((count, dimensions))


def sobol(count: int, dimensions: int, seed: int) -> Cube:
    """Sobol's sequence with Owen's scrambling; seed 0: as it is, without the corner it begins in. Best with powers of two."""
    try:
        from scipy.stats import qmc
    except ImportError:
        raise needs("scipy", "python3-scipy", "the design 'sobol'") from None
    import warnings

    engine = qmc.Sobol(dimensions, scramble=seed > 0, seed=seed or None)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # other numbers than powers of two are the user's choice
        points: Cube = engine.random(count) if seed else engine.fast_forward(1).random(count)
    return points


CUBES: dict[str, Callable[[int, int, int], Cube]] = {
    "latin-hypercube": latin_hypercube,
    "sobol": sobol,
    "monte-carlo": monte_carlo,
}
KINDS = ("grid", "list", "one-at-a-time", *CUBES)


def read_design(document: Document, tree: Any, variables: Sequence[Variable]) -> Design:
    kind, value, beside = document.choice("design", tree, KINDS)
    document.mapping("design", beside, ("seed",))
    if not kind:
        return Design("list")
    seed = document.whole("design.seed", beside["seed"], 0) if "seed" in beside else 1
    path = f"design.{kind}"
    if kind == "list":
        return Design("list", points=tuple(_listed_points(document, path, value, variables)))
    if kind in CUBES:
        return Design(kind, document.whole(path, value), seed)
    count = document.whole(path, value, 2) if value is not None else 0
    if not count and not all(variable.values or variable.count for variable in variables):
        document.complain(path, f"say how many values each variable takes, such as '{kind}: 5', or give each a 'count'")
        count = 2
    return Design(kind, count)


def _listed_points(document: Document, path: str, tree: Any, variables: Sequence[Variable]) -> list[Point]:
    """A list of {name: value}, or a CSV file with a column for each name; what is not named has its start."""
    if isinstance(tree, str):
        name = os.path.join(os.path.dirname(document.file), tree)
        try:
            with open(name, encoding="utf-8", newline="") as file:
                tree = [{key: _number_or_text(text) for key, text in row.items()} for row in csv.DictReader(file)]
        except OSError as error:
            document.complain(path, f"cannot read '{name}': {error.strerror}")
            return []
    if not isinstance(tree, (list, tuple)) or not tree:
        document.complain(path, "expected a list of {name: value}, or the name of a CSV file")
        return []
    names = [variable.name for variable in variables]
    rows = [document.mapping(f"{path}[{i}]", row, names) for i, row in enumerate(tree)]
    return [tuple(_number_or_text(row.get(variable.name, variable.middle)) for variable in variables) for row in rows]


def _number_or_text(value: Any) -> Value:
    try:
        return float(value)
    except (TypeError, ValueError):
        return str(value)
