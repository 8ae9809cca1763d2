"""Calibration: the values with which a model comes nearest to measured curves, and how well the curves determine them.

Bounded least squares (SciPy's trust region reflective method) on  r_i = (computed - measured) / deviation  at all times of all
curves. About the solution the model is linear, r = r_0 + J (u - u_0), and if the errors of the measurement are independent with
deviation s,  s^2 = r.r / (m - n),  the values have the covariance  s^2 (J^T J)^-1  and Student's t gives their intervals.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .. import _hooke
from .curves import Curve, read_curve
from .designs import Point, latin_hypercube
from .document import Document, needs
from .optimisation import need_ranges
from .variables import Variable
from .work import Row

if TYPE_CHECKING:
    from .engine import Engine

Array = numpy.ndarray[Any, Any]
#: Of the range of a variable, for central differences: well above the noise of a run, well below the bends of a response.
DIFFERENCE = 1e-3


@dataclass(frozen=True)
class Target:
    signal: str
    curve: Curve
    deviation: float = 1.0  #: of the measurement; only ratios between curves matter


@dataclass(frozen=True)
class Calibration:
    targets: tuple[Target, ...]
    confidence: float = 0.95
    starts: int = 1  #: points to choose from, spread over all ranges: a fit is made from each of the best
    iterations: int = 30
    tolerance: float = 1e-6
    seed: int = 1

    def carry_out(self, engine: Engine, variables: Sequence[Variable]) -> dict[str, Any]:
        try:
            from scipy.optimize import least_squares
        except ImportError:
            raise needs("scipy", "python3-scipy", "calibration") from None
        fit = Fit(self, engine, variables)
        found = [
            least_squares(
                fit.residuals,
                start,
                fit.jacobian,
                bounds=(0, 1),
                method="trf",
                xtol=self.tolerance,
                ftol=self.tolerance**1.5,
                gtol=None,
                max_nfev=self.iterations,
            )
            for start in fit.starts()
        ]
        best = min(found, key=lambda one: float(one.cost))
        return fit.findings(best.x, best.fun, best.jac, best.message)


class Fit:
    """Residuals over the unit cube of the ranges."""

    def __init__(self, settings: Calibration, engine: Engine, variables: Sequence[Variable]) -> None:
        self.settings, self.variables, self._engine = settings, variables, engine
        self.count = sum(len(target.curve.time) for target in settings.targets)
        self.history: list[float] = []

    def point(self, unit: Sequence[float] | Array) -> Point:
        return tuple(variable.scaled(float(u)) for variable, u in zip(self.variables, unit))

    def _of_row(self, row: Row) -> Array | None:
        """None: it failed, or did not last as long as the measurement."""
        if row.status != "finished":
            return None
        time = row.curves["time"]
        parts = [
            target.curve.residuals(time, row.curves[target.signal]) / target.deviation
            for target in self.settings.targets
        ]
        whole = numpy.concatenate(parts)
        return whole if numpy.isfinite(whole).all() else None

    def starts(self) -> list[Array]:
        """Where the variables say; of several, the best ones, about the square root of their number."""
        units = [[variable.unscaled(float(variable.middle)) for variable in self.variables]]
        units += latin_hypercube(self.settings.starts - 1, len(self.variables), self.settings.seed).tolist()
        rows = self._engine.rows([self.point(unit) for unit in units])
        found = sorted((float(r @ r), unit) for row, unit in zip(rows, units) if (r := self._of_row(row)) is not None)
        if not found:
            reasons = [row.reason for row in rows if row.reason] or [
                "runs end before the measurement does: set run.end"
            ]
            raise _hooke.Error(f"calibrate: no start can be compared with the curves: {reasons[0]}")
        return [numpy.clip(unit, 1e-6, 1 - 1e-6) for _, unit in found[: math.isqrt(self.settings.starts)]]

    def residuals(self, unit: Array) -> Array:
        residuals = self._of_row(self._engine.rows([self.point(unit)])[0])
        if residuals is None:
            return numpy.full(self.count, 1e150)  # so that the step is taken back
        self.history.append(min([*self.history[-1:], math.sqrt(float(residuals @ residuals) / self.count)]))
        return residuals

    def jacobian(self, unit: Array) -> Array:
        """By central differences, one-sided at limits; all runs at once."""
        ends = [(min(u + DIFFERENCE, 1.0), max(u - DIFFERENCE, 0.0)) for u in unit]
        units = [[*unit[:i], end, *unit[i + 1 :]] for i, pair in enumerate(ends) for end in pair]
        found = [self._of_row(row) for row in self._engine.rows([self.point(each) for each in units])]
        columns = []
        for i, (high, low) in enumerate(ends):
            above, below = found[2 * i], found[2 * i + 1]
            if above is None or below is None:
                raise _hooke.Error(
                    f"calibrate: no run beside {dict(zip((v.name for v in self.variables), self.point(unit)))} ends well"
                )
            columns.append((above - below) / (high - low))
        return numpy.stack(columns, axis=1)

    def findings(self, unit: Array, residuals: Array, jacobian: Array, message: str) -> dict[str, Any]:
        from scipy.stats import t as student

        freedom = max(self.count - len(unit), 1)
        variance = float(residuals @ residuals) / freedom
        covariance = variance * numpy.linalg.pinv(jacobian.T @ jacobian)
        deviation = numpy.sqrt(numpy.diag(covariance))
        reach = float(student.ppf(0.5 + self.settings.confidence / 2, freedom)) * deviation
        names = [variable.name for variable in self.variables]
        rank = int(numpy.linalg.matrix_rank(jacobian, tol=1e-8 * numpy.linalg.norm(jacobian)))
        with numpy.errstate(invalid="ignore"):
            correlation = covariance / numpy.outer(deviation, deviation)
        return {
            "best": dict(zip(names, self.point(unit))),
            "interval": {v.name: [v.scaled(u - r), v.scaled(u + r)] for v, u, r in zip(self.variables, unit, reach)},
            "confidence": self.settings.confidence,
            "residual": math.sqrt(variance),
            "correlation": correlation.tolist(),
            "undetermined": len(unit) - rank,  # directions that the curves say nothing about
            "at_limits": [name for name, u in zip(names, unit) if min(u, 1 - u) < 1e-3],
            "convergence": self.history,
            "message": message,
        }


def read_calibration(
    document: Document, tree: Any, variables: Sequence[Variable], outputs: Sequence[str]
) -> Calibration:
    given = document.mapping("calibrate", tree, ("curves", "confidence", "starts", "iterations", "tolerance", "seed"))
    listed = given.get("curves")
    if not isinstance(listed, (list, tuple)) or not listed:
        document.complain("calibrate.curves", "expected a list of {of: quantity, to: file.csv}")
        listed = []
    targets = []
    for i, item in enumerate(listed):
        path = f"calibrate.curves[{i}]"
        keys = document.mapping(path, item, ("of", "to", "columns", "deviation"))
        curve = read_curve(document, f"{path}.to", keys.get("to"), keys.get("columns"))
        more = {"deviation": document.number(f"{path}.deviation", keys["deviation"])} if "deviation" in keys else {}
        targets.append(Target(document.text(f"{path}.of", keys.get("of")), curve, **more))
    fields: dict[str, Any] = {}
    for key, least in (("starts", 1), ("iterations", 1), ("seed", 0)):
        if key in given:
            fields[key] = document.whole(f"calibrate.{key}", given[key], least)
    for key in ("confidence", "tolerance"):
        if key in given:
            fields[key] = document.number(f"calibrate.{key}", given[key])
    need_ranges(document, variables)
    return Calibration(tuple(targets), **fields)
