"""Studies: many runs of a model, on one machine or many.

    table = hooke.study("crank_study.yaml", where="dask")
    table["stroke"]

The same as `hooke study crank_study.yaml --where dask`. What a study file may say: docs/studies.md.
"""

from __future__ import annotations

import os
import pathlib
import sys
import tempfile
from typing import Any, Callable, Mapping

from .. import _hooke
from ..model import Model
from .definition import Study, read_definition
from .document import Document
from .engine import Engine, Progress
from .journal import Journal
from .page import save_page
from .runners import Runner, make_runner
from .table import StudyTable, read_table

__all__ = ["Runner", "Study", "StudyTable", "read_study", "read_table", "save_page", "study"]


def read_study(
    definition: str | os.PathLike[str] | Mapping[str, Any],
    function: Callable[..., Mapping[str, float]] | None = None,
    **keys: Any,
) -> Study:
    """A study file, a model file with a key `study`, or values in the shape of one; `keys` take the place of what it says. Raises ModelError with all that is wrong."""
    if isinstance(definition, Mapping):
        document = Document({"study": 1, **definition})
    else:
        document = Document.read(definition).of_study()
    if isinstance(document.values, dict):
        document.values = {**document.values, **{key: value for key, value in keys.items() if value is not None}}
    return read_definition(document, function)


def study(
    definition: str | os.PathLike[str] | Mapping[str, Any] | None = None,
    *,
    model: Model | str | os.PathLike[str] | None = None,
    function: Callable[..., Mapping[str, float]] | None = None,
    out: str | os.PathLike[str] | None = None,
    where: str | Mapping[str, Any] | None = None,
    progress: bool | None = None,
    **keys: Any,
) -> StudyTable:
    """Does what a study file asks for and is not done yet, and returns its table.

    `definition`: the file, or values in its shape; `keys` (vary, design, outputs, ...) stand in place of what it says. `model`
    may be a Model, `function` a function of the variables that returns outputs by name, which runs in this process. `out`: the
    folder that keeps everything; a study without a file and without one is forgotten. `where`: local, dask, mpi, slurm.

    A run that fails is a row of the table, with its reason. Ctrl-C stops the study; called again it goes on.
    """
    with tempfile.TemporaryDirectory(prefix="hooke-study-") as temporary:
        folder = pathlib.Path(out) if out is not None else default_folder(definition) or pathlib.Path(temporary)
        if isinstance(model, Model):
            folder.mkdir(parents=True, exist_ok=True)
            model.save(folder / "model.yaml")
            model = folder / "model.yaml"
        if model is not None:
            keys["model"] = os.path.abspath(model)
        found = read_study(definition if definition is not None else {}, function, where=where, **keys)
        table = carry_out(found, folder, sys.stderr.isatty() if progress is None else progress)
        if str(folder) == temporary:
            table.folder = ""
        return table


def default_folder(definition: Any) -> pathlib.Path | None:
    """results/ and the name of the file, as for a run."""
    if definition is None or isinstance(definition, Mapping):
        return None
    return pathlib.Path("results") / pathlib.Path(definition).stem


def carry_out(found: Study, folder: pathlib.Path, shows_progress: bool) -> StudyTable:
    """In its folder; whatever ends it, the table has what is done."""
    runner = make_runner(found.where, found.where_settings, folder)
    with Journal(folder, found.work.fingerprint) as journal:
        progress = Progress(shows_progress)
        engine = Engine(found.work, journal, runner, progress)
        names = [variable.name for variable in found.variables]
        table = StudyTable(
            names, [output.name for output in found.outputs], [], found.title, {}, found.tree, found.work, str(folder)
        )
        try:
            table.findings = found.plan.carry_out(engine, found.variables)
        finally:
            progress.close()
            runner.close()
            table.rows = engine.table_rows()
            table.new_runs = engine.new_runs
            if not table.outputs and table.rows:  # of a function that names them itself
                table.outputs = list(dict.fromkeys(name for row in table.rows for name in row.outputs))
            _save(table, folder)
    return table


def _save(table: StudyTable, folder: pathlib.Path) -> None:
    table.save_csv(folder / "table.csv")
    try:
        table.save_hdf5(folder / "table.h5")
    except ImportError as error:
        sys.stderr.write(f"hooke: {folder / 'table.h5'} is not written: {error}\n")
    save_page(table, folder / "study.html")
