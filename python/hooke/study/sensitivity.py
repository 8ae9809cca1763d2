"""Sobol's indices: which part of an output's variance each variable causes, alone and with all others.

Two independent samples A and B of N points, and for each variable i the sample A_i that is A with the column i of B: N (d + 2)
runs. With f centred on its mean and V its variance
  first order  S_i = mean(f(B) (f(A_i) - f(A))) / V          Saltelli et al., Comp. Phys. Comm. 181 (2010), table 2 (b)
  total        T_i = mean((f(A) - f(A_i))^2) / (2 V)         Jansen, Comp. Phys. Comm. 117 (1999)
The points are Sobol's sequence in 2 d dimensions. Intervals are of the bootstrap over the N rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .designs import Point, sobol
from .document import Document
from .variables import Variable

if TYPE_CHECKING:
    from .engine import Engine

Array = numpy.ndarray[Any, Any]
RESAMPLES = 200


@dataclass(frozen=True)
class Sensitivity:
    count: int  #: N
    outputs: tuple[str, ...]
    seed: int = 1

    def carry_out(self, engine: Engine, variables: Sequence[Variable]) -> dict[str, Any]:
        d = len(variables)
        cube = sobol(self.count, 2 * d, self.seed)
        a, b = cube[:, :d], cube[:, d:]
        mixed = [numpy.where(numpy.arange(d) == i, b, a) for i in range(d)]
        units = numpy.concatenate([a, b, *mixed])
        points: list[Point] = [tuple(variable.at(float(u)) for variable, u in zip(variables, row)) for row in units]
        rows = engine.rows(points)
        found = {}
        for output in self.outputs:
            values = numpy.array([row.outputs.get(output, numpy.nan) for row in rows]).reshape(d + 2, self.count)
            found[output] = self._of(values, [variable.name for variable in variables])
        return {"indices": found}

    def _of(self, values: Array, names: Sequence[str]) -> dict[str, Any]:
        values = values[:, numpy.isfinite(values).all(axis=0)]
        if values.shape[1] < 2 or values[:2].var() == 0:
            return {
                "rows": values.shape[1],
                "reason": "the output does not vary" if values.shape[1] else "all runs failed",
            }
        first, total = indices(values)
        random = numpy.random.default_rng(self.seed)
        samples = [indices(values[:, random.integers(0, values.shape[1], values.shape[1])]) for _ in range(RESAMPLES)]
        spread = numpy.quantile(numpy.array(samples), [0.025, 0.975], axis=0)  # end, kind of index, variable
        return {
            "rows": values.shape[1],
            **{
                kind: {
                    name: {"value": float(index[i]), "interval": spread[:, k, i].tolist()}
                    for i, name in enumerate(names)
                }
                for k, (kind, index) in enumerate((("first", first), ("total", total)))
            },
        }


def indices(values: Array) -> tuple[Array, Array]:
    """First-order and total, of f(A), f(B), f(A_1), ... as rows."""
    values = values - values[:2].mean()
    a, b, mixed = values[0], values[1], values[2:]
    variance = values[:2].var()
    return (b * (mixed - a)).mean(axis=1) / variance, ((a - mixed) ** 2).mean(axis=1) / (2 * variance)


def read_sensitivity(
    document: Document, tree: Any, variables: Sequence[Variable], outputs: Sequence[str]
) -> Sensitivity:
    kind, value, beside = document.choice("sensitivity", tree, ("sobol-indices",))
    given = document.mapping("sensitivity", beside, ("seed",))
    more = {"seed": document.whole("sensitivity.seed", given["seed"], 0)} if "seed" in given else {}
    return Sensitivity(document.whole(f"sensitivity.{kind}", value, 2) if kind else 2, tuple(outputs), **more)
