"""One run: the model with a point's values, its outputs, and what went wrong. The same code wherever it runs."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import tempfile
import time
from dataclasses import dataclass, field
from typing import Any, Callable, Mapping, Sequence

import numpy

from .. import _hooke
from .designs import Point
from .outputs import Output, OutputFormulas
from .shared import shared_settings

Array = numpy.ndarray[Any, Any]
#: After so many steps a run makes its integrator anew (Simulation::steps_between_checkpoints).
STEPS_BETWEEN_CHECKPOINTS = 1000


@dataclass(frozen=True)
class Work:
    """All that the runs of a study have in common; it can be sent."""

    model: str  #: path of the model file; empty: outputs are formulas alone
    settings: tuple[str, ...]  #: key=value, of all runs
    variables: tuple[tuple[str, tuple[str, ...]], ...]  #: names, and the keys that take their values
    outputs: tuple[Output, ...]
    curves: tuple[str, ...] = ()  #: quantities whose whole course is kept
    is_quick: bool = False
    function: Callable[..., Mapping[str, float]] | None = None  #: in place of a model
    fingerprint: str = ""  #: of all that decides what a run gives, but its point

    def settings_at(self, point: Point) -> list[str]:
        varied = [f"{key}={json.dumps(value)}" for (_, keys), value in zip(self.variables, point) for key in keys]
        return [*self.settings, *varied]

    def values_at(self, point: Point) -> dict[str, Any]:
        return dict(zip((name for name, _ in self.variables), point))


@dataclass
class Row:
    """What became of a point."""

    point: Point
    status: str  #: finished, failed
    reason: str = ""  #: why it failed
    seconds: float = 0.0
    outputs: dict[str, float] = field(default_factory=dict)
    curves: dict[str, Array] = field(default_factory=dict)  #: over curves["time"]


def run_point(work: Work, point: Point) -> Row:
    begin = time.perf_counter()
    row = Row(point, "finished")
    try:
        if work.function is not None:
            row.outputs = {name: float(value) for name, value in work.function(**work.values_at(point)).items()}
        elif work.model:
            _run_model(work, point, row)
        row.outputs.update(_formulas(work)({**work.values_at(point), **row.outputs}))
        row.outputs = {output.name: row.outputs[output.name] for output in work.outputs} or row.outputs
    except Exception as error:  # a run that fails is a row, whatever it was
        row = Row(point, "failed", _reason(error), outputs={output.name: math.nan for output in work.outputs})
    row.seconds = time.perf_counter() - begin
    return row


def run_batch(work: Work, points: Sequence[Point]) -> list[Row]:
    return [run_point(work, point) for point in points]


def _reason(error: Exception) -> str:
    text = "; ".join(str(error).splitlines())
    return text if isinstance(error, _hooke.Error) else f"{type(error).__name__}: {text}"


@functools.lru_cache(maxsize=8)
def _formulas(work: Work) -> OutputFormulas:
    return OutputFormulas(work.outputs, [name for name, _ in work.variables])


def _run_model(work: Work, point: Point, row: Row) -> None:
    names = list(dict.fromkeys([o.of for o in work.outputs if o.kind != "formula"] + list(work.curves)))
    found = (_quickly(work, point, names) if work.is_quick else None) or _by_run(_problem(work, point), names)
    for output in work.outputs:
        if output.kind != "formula":
            row.outputs[output.name] = output.value(*found[output.of])
    for name in work.curves:
        row.curves["time"], row.curves[name] = found[name]


def _problem(work: Work, point: Point) -> _hooke.Problem:
    shared = shared_settings(work.model, work.settings, tuple(key for _, keys in work.variables for key in keys))
    return _hooke.load(work.model, [*shared, *work.settings_at(point), "run.checkpoint=0"])


def _by_run(problem: _hooke.Problem, names: list[str]) -> dict[str, tuple[Array, Array]]:
    """Time and value of each quantity, from the results of a whole run."""
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    with tempfile.TemporaryDirectory(prefix="hooke-", dir=memory) as folder:
        path = os.path.join(folder, "results.h5")
        summary, _ = _hooke.Simulation(problem)._run(path, None)
        if summary["status"] != "finished":
            raise _hooke.StepError(summary["failure"] or summary["status"])
        results = _hooke.ResultsFile(path)
        return {n: (results.read("step.time" if results.is_per_step(n) else "time"), results.read(n)) for n in names}


def _quickly(work: Work, point: Point, names: list[str]) -> dict[str, tuple[Array, Array]] | None:
    """The same without a results file and without the account of energy, for models that are stepped plainly; None: others."""
    inputs = _inputs(work)
    built = _built(work, point) if inputs is None else _built_once(work)
    if built is None or not _has(built[0], names):
        return None
    simulation, steps, outputs = built
    if inputs is not None:
        simulation.reset()
        for name, value in zip(inputs, point):
            simulation.set_input(name, float(value))
    values = numpy.empty((outputs + 1, len(names) + 1))
    for k in range(outputs + 1):
        if k:
            simulation.step(steps)
        values[k] = [simulation.time, *(simulation[name] for name in names)]
        if (k * steps) // STEPS_BETWEEN_CHECKPOINTS != ((k + 1) * steps) // STEPS_BETWEEN_CHECKPOINTS:
            simulation.state = simulation.state  # the integrator is made anew, as in a run
    return {name: (values[:, 0], values[:, i + 1]) for i, name in enumerate(names)}


def _has(simulation: _hooke.Simulation, names: list[str]) -> bool:
    """Some quantities are known to results alone."""
    try:
        for name in names:
            simulation[name]
    except _hooke.Error:
        return False
    return True


def _inputs(work: Work) -> list[str] | None:
    """The parameter blocks that are varied, where nothing else is: then one model, built once, serves all runs of a process."""
    found = [
        re.fullmatch(r"control\.(\w+)\.parameter", keys[0]) if len(keys) == 1 else None for _, keys in work.variables
    ]
    return [match[1] for match in found if match] if all(found) else None


@functools.lru_cache(maxsize=2)
def _built_once(work: Work) -> tuple[_hooke.Simulation, int, int] | None:
    return _built(work, ())


def _built(work: Work, point: Point) -> tuple[_hooke.Simulation, int, int] | None:
    """With the number of steps between outputs and the number of outputs; None: the model is not stepped plainly."""
    problem = _problem(work, point)
    document = json.loads(problem.document())
    run = {"step": 1e-3, "end": 1.0, **document.get("run", {})}
    every = document.get("outputs", {}).get("every", 0.01) or run["step"]
    steps, outputs = round(every / run["step"]), round(run["end"] / every)
    is_even = abs(steps * run["step"] - every) < 1e-9 * every and abs(outputs * every - run["end"]) < 1e-9 * run["end"]
    others = {"events", "subsystems", "contacts", "linear"} & set(document) or {"tolerance", "analysis"} & set(run)
    return (_hooke.Simulation(problem), steps, outputs) if is_even and not others else None
