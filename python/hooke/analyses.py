"""What is computed of a model: runs, modes, many instances at once."""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import warnings
from typing import Any, Callable, Mapping, Sequence

import numpy

from . import _hooke
from .model import Model
from .results import Results, in_notebook
from .simulation import ModeShapes, Simulation


class _ProgressBar:
    """In a terminal or a notebook, for runs that take a while."""

    def __init__(self) -> None:
        self.was_shown = False
        self._cell: Any = None  # of a notebook: an output of its own, which is empty in the end

    def __call__(self, t: float, end: float, steps: int) -> None:
        width = 30
        done = min(1.0, t / end) if end > 0 else 0.0
        bar = "#" * int(width * done) + "." * (width - int(width * done))
        self._write(f"[{bar}] t = {t:.4g} of {end:.4g} s, {steps} steps")
        self.was_shown = True

    def _write(self, text: str) -> None:
        if not in_notebook():
            sys.stderr.write(f"\r{text:<79}" if text else "\r" + " " * 79 + "\r")
            sys.stderr.flush()
            return
        shown = {"text/plain": text, "text/html": f"<code>{text}</code>" if text else ""}
        if self._cell is None:
            self._cell = importlib.import_module("IPython.display").display(shown, raw=True, display_id=True)
        else:
            self._cell.update(shown, raw=True)

    def close(self) -> None:
        if self.was_shown:
            self._write("")


def _wants_bar() -> bool:
    return sys.stderr.isatty() or in_notebook()


def run(
    model: Model,
    *,
    end: float | None = None,
    step: float | None = None,
    every: float | None = None,
    analysis: Any = None,
    results: str | os.PathLike[str] | None = None,
    progress: bool | Callable[[float, float, int], None] | None = None,
) -> Results:
    """Runs the analysis that the model asks for, and returns its results.

    `end`, `step`, `every` (between outputs) and `analysis` stand in place of what the model says. `results` names an HDF5
    file to keep; without one the results go when nobody holds them any more. `progress`: a bar (None: in a terminal or a
    notebook), or a function of t, end and the number of steps.

    A run that fails raises StepError, an exception in the user's code is raised as it is, and Ctrl-C is KeyboardInterrupt;
    the results so far are the `results` of the exception.
    """
    model = model.copy()
    for name, value in (("end", end), ("step", step), ("analysis", analysis)):
        if value is not None:
            setattr(model.run, name, value)
    if every is not None:
        model.outputs.every = every
    folder = None
    if results is not None:
        path = os.fspath(results)
    else:
        folder = tempfile.TemporaryDirectory(prefix="hooke-")
        path = os.path.join(folder.name, "results.h5")
        model.run.checkpoint = 0  # nobody could go on from there
    simulation = _hooke.Simulation(model.problem())
    bar = _ProgressBar() if progress is True or (progress is None and _wants_bar()) else None
    try:
        summary, fault = simulation._run(path, bar or (progress if callable(progress) else None))
    finally:
        if bar:
            bar.close()
    found = Results(path, summary, folder)
    if fault is None and summary["status"] == "failed":
        fault = _hooke.StepError(summary["failure"])
    if fault is not None:
        fault.results = found
        raise fault
    return found


def modes(model: Model, count: int | None = None) -> ModeShapes:
    """Modes about the static equilibrium that is reached from the start; `count` as in `Simulation.modes`."""
    simulation = Simulation(model)
    simulation.find_equilibrium(stable=False)
    return simulation.modes(count)


def rollout(
    model: Model | Sequence[Model],
    states: Sequence[_hooke.State] | numpy.ndarray[Any, Any] | None = None,
    controls: Any = None,
    *,
    parameters: Mapping[str, Any] | None = None,
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] = (),
    periods: int | None = None,
    steps: int = 1,
    threads: int | None = None,
    device: str = "cpu",
) -> numpy.ndarray[Any, Any]:
    """Runs many instances of a model at once, in C++ threads: an array [instance, period, output].

    `states`: where each instance begins, as a list of State or an array with a row of q and v for each; none: where the
    model does. `controls` [instance, period, input]: values of the inputs (parameter blocks; all of them, or those named),
    each held for `steps` steps of `run.step`. Without them give the number of `periods`. `outputs`: quantities by their
    names in results; none: all of q and v. The first period is the start.

    `parameters`: what a model from a file has under `parameters:`, or any of its keys, with a value for each instance:
    `{"length": [1.0, 1.2], "bodies.rod.rigid.mass": [2, 3]}`. The file is worked out anew for each. In place of that, `model` may
    be a list with a model for each instance. One whose numbers make no model is an instance that fails.

    `device`: "gpu" runs all of them at once on a graphics card, where that does what the model has (docs/gpu.md); where not, a
    warning says what is missing, and they run on the processor.

    An instance that fails is not-a-number from there on, with a warning.
    """
    if device not in ("cpu", "gpu"):
        raise ValueError(f"device: expected cpu or gpu, got {device!r}")
    models = [model] if isinstance(model, Model) else list(model)
    if not models:
        raise ValueError("model: an empty list")
    if parameters is not None and not isinstance(model, Model):
        raise ValueError("give parameters, or a list of models")
    settings = _settings_of(models[0], parameters) if parameters is not None else []
    problems = [each.problem() for each in models]
    first = _hooke.Simulation(problems[0])
    names = list(first.inputs if inputs is None else inputs)
    given = None
    if controls is not None:
        given = numpy.ascontiguousarray(controls, dtype=float)
        if given.ndim != 3 or given.shape[2] != len(names):
            raise ValueError(
                f"controls: expected an array [instance, period, {len(names)}] for the inputs {names}, got {given.shape}"
            )
        if periods is not None and periods != given.shape[1]:
            raise ValueError(f"periods: {periods}, but controls have {given.shape[1]}")
        periods = given.shape[1]
    elif periods is None:
        raise ValueError("give controls, or the number of periods")
    else:
        names = []
    starts = _states(states, first)
    instances = _one_number(
        {
            "models": 0 if isinstance(model, Model) else len(models),
            "values of parameters": len(settings),
            "states": len(starts),
            "controls": 0 if given is None else given.shape[0],
        }
    )
    count = threads if threads is not None else os.cpu_count() or 1
    if count < 1 or steps < 1 or periods < 0:
        raise ValueError("threads and steps must be at least 1, periods at least 0")
    array, failures, why = _hooke.rollout(
        problems, settings, starts, given, instances, periods, names, list(outputs), steps, count, device == "gpu"
    )
    if why:
        warnings.warn(f"device: gpu is not used: {why}", RuntimeWarning, 2)
    if failures:
        number, text = failures[0]
        warnings.warn(f"{len(failures)} of {instances} instances failed; number {number}: {text}", RuntimeWarning, 2)
    found: numpy.ndarray[Any, Any] = array
    return found


def _one_number(counts: dict[str, int]) -> int:
    """Of instances, as all say that say something."""
    given = {name: count for name, count in counts.items() if count}
    if len(set(given.values())) > 1:
        raise ValueError("instances: there are " + ", ".join(f"{count} {name}" for name, count in given.items()))
    return next(iter(given.values()), 1)


def _settings_of(model: Model, parameters: Mapping[str, Any]) -> list[list[str]]:
    """For each instance what is to be changed in the model's file."""
    if not model._is_as_loaded():
        raise ValueError(
            "parameters: they are worked out in the model's file, so the model must come from hooke.load and be unchanged; "
            "give a list of models instead"
        )
    texts = []
    for name, values in parameters.items():
        key = name if "." in name else f"parameters.{name}"
        texts.append([f"{key}={json.dumps(value)}" for value in numpy.asarray(values).tolist()])
    counts = {len(each) for each in texts}
    if len(counts) != 1 or 0 in counts:
        raise ValueError("parameters: give a value of each for every instance")
    return [[*model._overrides, *own] for own in zip(*texts)]


def _states(states: Any, simulation: _hooke.Simulation) -> list[_hooke.State]:
    if states is None:
        return []
    if not isinstance(states, numpy.ndarray):
        return list(states)
    start = simulation.state
    size = len(start.q) + len(start.v)
    if states.ndim != 2 or states.shape[1] != size:
        raise ValueError(f"states: expected rows of {size} numbers (q and v), got {states.shape}")
    made = []
    for row in states:
        state = start.copy()
        state.q = row[: len(start.q)]
        state.v = row[len(start.q) :]
        made.append(state)
    return made
