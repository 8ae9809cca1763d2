"""The point with the least or greatest output, within ranges and constraints, by methods of SciPy and Optuna.

Every method asks for its points in groups, so that they run at once, and is seeded: a study that goes on asks for the same
points again and finds them in the journal.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Sequence

import numpy

from .designs import Point, latin_hypercube
from .document import Document, needs
from .variables import Variable

if TYPE_CHECKING:
    from .engine import Engine

Array = numpy.ndarray[Any, Any]
METHODS = ("differential-evolution", "nelder-mead", "cobyla", "bayesian", "cma-es")
#: Points that Optuna's methods ask for at once; the same everywhere, so that the result is.
GROUP = 4
#: Above every cost.
INFEASIBLE = 1e100


@dataclass(frozen=True)
class Constraint:
    output: str
    low: float = -math.inf
    high: float = math.inf

    def violation(self, value: float) -> float:
        return max(-self.room(value), 0.0)

    def room(self, value: float) -> float:
        """How far it is within the limits."""
        return min(value - self.low, self.high - value) if math.isfinite(value) else -math.inf


@dataclass(frozen=True)
class Optimisation:
    output: str
    sign: float  #: 1: least, -1: greatest
    method: str = "differential-evolution"
    runs: int = 200
    seed: int = 1
    #: Ends a search before its runs are used up: of the ranges (local methods), or spread of the population by its mean.
    tolerance: float = 1e-3
    constraints: tuple[Constraint, ...] = ()

    def carry_out(self, engine: Engine, variables: Sequence[Variable]) -> dict[str, Any]:
        search = Search(self, engine, variables)
        methods = {"differential-evolution": _differential_evolution, "nelder-mead": _nelder_mead, "cobyla": _cobyla}
        methods.get(self.method, _optuna)(search)
        return search.findings()


class Search:
    """Costs of points of the unit cube, and the best one so far."""

    def __init__(self, settings: Optimisation, engine: Engine, variables: Sequence[Variable]) -> None:
        self.settings, self.variables = settings, variables
        self._engine = engine
        self._known: dict[Point, tuple[float, float]] = {}
        self._rooms: dict[Point, list[float]] = {}
        self.history: list[float] = []  #: best cost after each run
        self.best: tuple[float, Point] = (math.inf, ())

    @property
    def start(self) -> Array:
        return numpy.array([variable.unscaled(float(variable.middle)) for variable in self.variables])

    def point(self, unit: Sequence[float]) -> Point:
        return tuple(variable.scaled(min(max(float(u), 0.0), 1.0)) for variable, u in zip(self.variables, unit))

    def evaluate(self, units: Sequence[Sequence[float]]) -> list[tuple[float, float]]:
        """Cost and violation of constraints of each."""
        points = [self.point(unit) for unit in units]
        new = [point for point in dict.fromkeys(points) if point not in self._known]
        for row in self._engine.rows(new) if new else ():
            cost = self.settings.sign * row.outputs.get(self.settings.output, math.nan)
            violation = sum(c.violation(row.outputs.get(c.output, math.nan)) for c in self.settings.constraints)
            self._rooms[row.point] = [c.room(row.outputs.get(c.output, math.nan)) for c in self.settings.constraints]
            self._known[row.point] = (cost, violation) if math.isfinite(cost) else (math.inf, math.inf)
            if violation == 0 and cost < self.best[0]:
                self.best = (cost, row.point)
            self.history.append(self.settings.sign * self.best[0])
        return [self._known[point] for point in points]

    def rooms(self, unit: Sequence[float]) -> list[float]:
        """Of each constraint, positive where it is fulfilled."""
        self.evaluate([unit])
        return self._rooms[self.point(unit)]

    def ranks(self, units: Sequence[Sequence[float]]) -> list[float]:
        """Costs of those that fulfil all constraints; above them the others, by how far they are from that."""
        return [
            cost if violation == 0 else INFEASIBLE * (1 + min(violation, 1e100))
            for cost, violation in self.evaluate(units)
        ]

    def findings(self) -> dict[str, Any]:
        names = [variable.name for variable in self.variables]
        convergence = [value if math.isfinite(value) else None for value in self.history]
        if not self.best[1]:
            return {"best": None, "reason": "no run fulfils all constraints", "convergence": convergence}
        at_limits = [
            v.name
            for v, x in zip(self.variables, self.best[1])
            if min(v.unscaled(float(x)), 1 - v.unscaled(float(x))) < 1e-3
        ]
        return {
            "best": dict(zip(names, self.best[1])),
            "output": self.settings.output,
            "value": self.settings.sign * self.best[0],
            "at_limits": at_limits,
            "convergence": convergence,
        }


def _differential_evolution(search: Search) -> None:
    try:
        from scipy.optimize import differential_evolution
    except ImportError:
        raise needs("scipy", "python3-scipy", "the method 'differential-evolution'") from None
    settings, dimensions = search.settings, len(search.variables)
    population = max(8, min(10 * dimensions, settings.runs // 5))
    begin = latin_hypercube(population, dimensions, settings.seed)
    begin[0] = search.start

    differential_evolution(
        lambda units: numpy.array(search.ranks(units.T.tolist())),
        [(0, 1)] * dimensions,
        init=begin,
        vectorized=True,
        updating="deferred",
        maxiter=max(1, settings.runs // population - 1),
        seed=settings.seed,
        polish=False,
        tol=settings.tolerance,
    )


def _nelder_mead(search: Search) -> None:
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise needs("scipy", "python3-scipy", "the method 'nelder-mead'") from None

    start = search.start
    simplex = numpy.vstack(
        [start, *(start + numpy.where(start < 0.5, 0.2, -0.2) * row for row in numpy.eye(len(start)))]
    )
    options = {
        "maxfev": search.settings.runs,
        "fatol": math.inf,
        "xatol": search.settings.tolerance,
        "initial_simplex": simplex,
    }
    minimize(
        lambda unit: search.ranks([unit.tolist()])[0],
        start,
        method="Nelder-Mead",
        bounds=[(0, 1)] * len(start),
        options=options,
    )


def _cobyla(search: Search) -> None:
    try:
        from scipy.optimize import minimize
    except ImportError:
        raise needs("scipy", "python3-scipy", "the method 'cobyla'") from None

    def cost(unit: Array) -> float:
        return min(search.evaluate([unit.tolist()])[0][0], INFEASIBLE)

    def room(unit: Array) -> Array:
        return numpy.array([*numpy.maximum(search.rooms(unit.tolist()), -INFEASIBLE), *unit, *(1 - unit)])

    options = {"maxiter": search.settings.runs, "rhobeg": 0.2, "tol": search.settings.tolerance}
    minimize(cost, search.start, method="COBYLA", constraints={"type": "ineq", "fun": room}, options=options)


def _optuna(search: Search) -> None:
    settings = search.settings
    try:
        import optuna
    except ImportError:
        raise needs("optuna", "python3-optuna", f"the method '{settings.method}'") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    sampler: Any
    is_bayesian = settings.method == "bayesian"
    if not is_bayesian:
        try:
            import cmaes  # noqa: F401
        except ImportError:
            raise needs("cmaes", "python3-cmaes", "the method 'cma-es'") from None
        start = {variable.name: u for variable, u in zip(search.variables, search.start.tolist())}
        sampler = optuna.samplers.CmaEsSampler(x0=start, sigma0=0.2, seed=settings.seed, warn_independent_sampling=False)
    else:
        import warnings

        warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
        limits = (lambda trial: [trial.user_attrs["violation"]]) if settings.constraints else None
        sampler = optuna.samplers.TPESampler(
            seed=settings.seed, multivariate=True, constant_liar=True, constraints_func=limits
        )
    study = optuna.create_study(sampler=sampler)
    study.enqueue_trial({variable.name: u for variable, u in zip(search.variables, search.start.tolist())})
    while len(study.trials) < settings.runs:
        trials = [study.ask() for _ in range(min(GROUP, settings.runs - len(study.trials)))]
        units = [[trial.suggest_float(variable.name, 0, 1) for variable in search.variables] for trial in trials]
        for trial, (cost, violation) in zip(
            trials, search.evaluate(units)
        ):  # CMA-ES knows no constraints: its costs are ranks
            trial.set_user_attr("violation", min(violation, INFEASIBLE))
            study.tell(
                trial,
                min(cost, INFEASIBLE)
                if is_bayesian or violation == 0
                else INFEASIBLE * (1 + min(violation, INFEASIBLE)),
            )


def read_optimisation(
    document: Document, tree: Any, variables: Sequence[Variable], outputs: Sequence[str]
) -> Optimisation:
    goal, output, beside = document.choice("optimise", tree, ("minimise", "maximise"))
    given = document.mapping("optimise", beside, ("method", "runs", "seed", "tolerance", "constraints"))
    fields: dict[str, Any] = {"output": _output(document, f"optimise.{goal}", output, outputs)}
    if "method" in given:
        fields["method"] = document.choice("optimise.method", given["method"], METHODS)[0]
    for key, least in (("runs", 1), ("seed", 0)):
        if key in given:
            fields[key] = document.whole(f"optimise.{key}", given[key], least)
    if "tolerance" in given:
        fields["tolerance"] = document.number("optimise.tolerance", given["tolerance"])
    constraints = []
    for name, limits in document.mapping("optimise.constraints", given.get("constraints")).items():
        path = f"optimise.constraints.{name}"
        values = document.mapping(path, limits, ("min", "max"))
        bounds = {
            field: document.number(f"{path}.{key}", values[key])
            for key, field in (("min", "low"), ("max", "high"))
            if key in values
        }
        constraints.append(Constraint(_output(document, path, name, outputs), **bounds))
    if constraints and fields.get("method") == "nelder-mead":
        document.complain("optimise.method", "nelder-mead knows no constraints: take cobyla, or differential-evolution")
    if fields.get("method") == "cma-es" and len(variables) == 1:
        document.complain("optimise.method", "cma-es needs two variables at least: take cobyla, or bayesian")
    need_ranges(document, variables)
    return Optimisation(sign=-1.0 if goal == "maximise" else 1.0, constraints=tuple(constraints), **fields)


def _output(document: Document, path: str, name: Any, outputs: Sequence[str]) -> str:
    if name not in outputs:
        from .. import _hooke

        document.complain(path, f"no output named '{name}'{_hooke.suggest(str(name), list(outputs))}")
    return str(name)


def need_ranges(document: Document, variables: Sequence[Variable]) -> None:
    """Searches go through ranges."""
    for variable in variables:
        if variable.values or math.isinf(variable.low) or math.isinf(variable.high):
            document.complain(f"vary.{variable.name}", "a search needs a range: give 'from' and 'to'")
        elif variable.start is not None and not variable.low <= float(variable.start) <= variable.high:
            document.complain(f"vary.{variable.name}.start", f"must lie between {variable.low:g} and {variable.high:g}")
