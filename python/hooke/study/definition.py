"""What a study file says, read and checked."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import re
import tempfile
from dataclasses import dataclass, replace
from typing import Any

from .. import _hooke
from .calibration import Calibration, read_calibration
from .designs import Design, read_design
from .document import Document, listed
from .optimisation import Optimisation, read_optimisation
from .outputs import Output, OutputFormulas, read_outputs
from .sensitivity import Sensitivity, read_sensitivity
from .variables import Variable, read_variables
from .work import Work

PLANS = ("design", "optimise", "calibrate", "sensitivity")
KEYS = ("study", "title", "model", "set", "vary", *PLANS, "outputs", "curves", "where", "quick")
PLACES = {
    "local": ("workers", "batch"),
    "dask": ("address", "workers", "batch"),
    "mpi": ("workers", "batch"),
    "slurm": ("tasks", "options", "python"),
}


@dataclass
class Study:
    title: str
    file: str
    tree: dict[str, Any]  #: as written
    variables: list[Variable]
    outputs: list[Output]
    plan: Design | Optimisation | Calibration | Sensitivity
    where: str
    where_settings: dict[str, Any]
    work: Work


def fingerprint_of(work: Work) -> str:
    parts = [_hooke.version, work.settings, work.variables, work.curves, work.is_quick, repr(work.outputs)]
    digest = hashlib.sha256(json.dumps(parts).encode())
    if (code := getattr(work.function, "__code__", None)) is not None:
        digest.update(repr((code.co_code, code.co_consts, code.co_names)).encode())
    if work.model:
        problem = _hooke.load(work.model, list(work.settings))
        digest.update(problem.text().encode())
        for name in sorted(_files(json.loads(problem.document()))):
            path = pathlib.Path(work.model).parent / name
            digest.update(path.read_bytes() if path.is_file() else b"")
    return digest.hexdigest()[:16]


def _files(tree: Any) -> set[str]:
    """That a model names."""
    if isinstance(tree, dict):
        own = {tree["file"]} if isinstance(tree.get("file"), str) else set()
        return own.union(*(_files(item) for item in tree.values()))
    return set().union(*(_files(item) for item in tree)) if isinstance(tree, list) else set()


def read_definition(document: Document, function: Any = None) -> Study:
    """Raises ModelError with all that is wrong."""
    tree = document.mapping("", document.values, KEYS)
    if tree.get("study") != 1:
        document.complain("study", "a study file begins with 'study: 1'")
    model = _model(document, tree.get("model"))
    variables = read_variables(document, tree.get("vary"))
    if not model and function is None:  # then names are those of formulas, not of parameters
        variables = [_without_keys(variable) for variable in variables]
    names = [variable.name for variable in variables]
    outputs = read_outputs(document, tree.get("outputs"), names, bool(model))
    curves = document.texts("curves", tree.get("curves") or [])
    plan = _plan(document, tree, variables, outputs)
    if isinstance(plan, Calibration):
        curves = list(dict.fromkeys([*curves, *(target.signal for target in plan.targets)]))
    if not outputs and not curves and function is None:
        document.complain(
            "outputs", "nothing is asked for: give at least one, such as 'height: {max: body.arm.position.z}'"
        )
    where, settings = _where(document, tree.get("where", "local"))
    fixed = tuple(f"{key}={json.dumps(value)}" for key, value in document.mapping("set", tree.get("set")).items())
    keys = tuple((variable.name, variable.keys) for variable in variables)
    is_quick = document.truth("quick", tree.get("quick", False))
    work = Work(model, fixed, keys, tuple(outputs), tuple(curves), is_quick, function)
    document.raise_if_mistaken()
    _check_against_model(document, work, variables)
    document.raise_if_mistaken()
    work = replace(work, fingerprint=fingerprint_of(work))
    return Study(str(tree.get("title") or ""), document.file, tree, variables, outputs, plan, where, settings, work)


def _without_keys(variable: Variable) -> Variable:
    return replace(variable, keys=())


def _model(document: Document, value: Any) -> str:
    if value is None:
        return ""
    path = os.path.abspath(os.path.join(os.path.dirname(document.file), document.text("model", value)))
    if not os.path.isfile(path):
        document.complain("model", f"there is no file '{path}'")
        return ""
    return path


def _plan(document: Document, tree: dict[str, Any], variables: list[Variable], outputs: list[Output]) -> Any:
    given = [key for key in PLANS if key in tree]
    if len(given) != 1:
        document.complain(
            given[1] if given else "design", f"give one of {listed(PLANS, 'or')}, got {listed(given) or 'none'}"
        )
        return Design("list")
    if given == ["design"]:
        return read_design(document, tree["design"], variables)
    reader = {"optimise": read_optimisation, "calibrate": read_calibration, "sensitivity": read_sensitivity}[given[0]]
    return reader(document, tree[given[0]], variables, [output.name for output in outputs])


def _where(document: Document, tree: Any) -> tuple[str, dict[str, Any]]:
    kind, settings, beside = document.choice("where", tree, tuple(PLACES))
    document.mapping("where", beside, ())
    given = document.mapping(f"where.{kind}", settings, PLACES.get(kind, ()))
    for key in ("workers", "batch", "tasks"):
        if key in given:
            given[key] = document.whole(
                f"where.{kind}.{key}", given[key], 0 if (kind, key) == ("local", "workers") else 1
            )
    return kind, given


def _check_against_model(document: Document, work: Work, variables: list[Variable]) -> None:
    """What the model would refuse in every run is told before the first."""
    try:
        OutputFormulas(work.outputs, [name for name, _ in work.variables])
    except _hooke.Error as error:
        for line in str(error).splitlines():
            document.complain("", line.replace("signals.", "outputs.", 1))
    if not work.model:
        return
    try:
        _hooke.load(work.model, list(work.settings))
    except _hooke.Error as error:
        document.complain("set" if work.settings else "model", str(error))
        return
    for variable in variables:
        for key in variable.keys:
            _check_key(document, work, variable, key)
    wanted = [(f"outputs.{o.name}", o.of) for o in work.outputs if o.kind != "formula"]
    _check_names(document, work, [*wanted, *((f"curves[{i}]", name) for i, name in enumerate(work.curves))])


def _check_names(document: Document, work: Work, wanted: list[tuple[str, str]]) -> None:
    """Whether results have such quantities: those of a run of a single step."""
    step = json.loads(_hooke.load(work.model, list(work.settings)).document()).get("run", {}).get("step", 1e-3)
    with tempfile.TemporaryDirectory(prefix="hooke-") as folder:
        path = os.path.join(folder, "results.h5")
        try:
            _hooke.Simulation(_hooke.load(work.model, [*work.settings, f"run.end={step}", "run.checkpoint=0"]))._run(
                path, None
            )
            known = _hooke.ResultsFile(path).names
        except _hooke.Error:
            return  # other values may do better
    for key, name in wanted:
        if name not in known:
            document.complain(
                key, f"the results of the model have no quantity '{name}'{_hooke.suggest(name, list(known))}"
            )


def _check_key(document: Document, work: Work, variable: Variable, key: str) -> None:
    """Whether the model has such a key; what it thinks of the values is for each run to say."""
    try:
        _hooke.load(work.model, [*work.settings, f"{key}={json.dumps(variable.middle)}"])
    except _hooke.Error as error:
        if "unknown key" in str(error) or "no parameter" in str(error):
            document.complain(f"vary.{variable.name}", re.sub("^--set [^:]*: ", "", str(error).splitlines()[0]))
