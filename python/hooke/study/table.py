"""The result of a study: a row for each run, with what was varied, what came out, and how it went."""

from __future__ import annotations

import csv
import json
import math
import os
import pathlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Iterator

import numpy

from .. import _hooke
from ..model import load
from ..results import Results
from .document import needs
from .work import Row, Work

if TYPE_CHECKING:
    import pandas

Array = numpy.ndarray[Any, Any]


@dataclass
class StudyTable:
    """Columns by name: table["stroke"]. Rows that failed have not-a-number outputs and a reason."""

    variables: list[str]
    outputs: list[str]
    rows: list[Row]
    title: str = ""
    findings: dict[str, Any] = field(default_factory=dict)  #: of the kind of study: best point, fit, indices
    study: dict[str, Any] = field(default_factory=dict)  #: what the study file says
    work: Work | None = None
    folder: str = ""
    new_runs: int = 0  #: that were not in the journal

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @property
    def names(self) -> list[str]:
        return ["run", *self.variables, *self.outputs, "status", "reason", "seconds"]

    def __getitem__(self, name: str) -> Array:
        if name not in self.names:
            raise KeyError(f"no column named '{name}'{_hooke.suggest(name, self.names)}")
        if name in self.variables:
            place = self.variables.index(name)
            return numpy.array([row.point[place] for row in self.rows])
        if name in self.outputs:
            return numpy.array([row.outputs.get(name, math.nan) for row in self.rows])
        if name == "run":
            return numpy.arange(len(self.rows))
        return numpy.array([getattr(row, name) for row in self.rows])

    @property
    def failed(self) -> list[Row]:
        return [row for row in self.rows if row.status != "finished"]

    def to_pandas(self) -> pandas.DataFrame:
        import pandas

        return pandas.DataFrame({name: self[name] for name in self.names}).set_index("run")

    def curves(self, run: int) -> dict[str, Array]:
        """Of the quantities that the study keeps, over curves["time"]."""
        return self.rows[run].curves

    def repeat(self, run: int, results: str | os.PathLike[str] | None = None) -> Results:
        """Does a run again with all its results: curves of every quantity, animation."""
        from ..analyses import run as run_model

        if self.work is None or not self.work.model:
            raise ValueError("this study has no model")
        settings = [text.split("=", 1) for text in self.work.settings_at(self.rows[run].point)]
        return run_model(
            load(self.work.model, **{key: json.loads(value) for key, value in settings}),
            results=results,
            progress=False,
        )

    def save(self, folder: str | os.PathLike[str]) -> None:
        """table.csv and table.h5."""
        self.save_csv(pathlib.Path(folder) / "table.csv")
        self.save_hdf5(pathlib.Path(folder) / "table.h5")

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        columns = [self[name].tolist() for name in self.names]
        with _replaced(path) as draft, open(draft, "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.names)
            writer.writerows(zip(*columns))

    def save_hdf5(self, path: str | os.PathLike[str]) -> None:
        try:
            import h5py
        except ImportError:
            raise needs("h5py", "python3-h5py", "table.h5") from None
        text = h5py.string_dtype()
        with _replaced(path) as draft, h5py.File(draft, "w") as file:
            file.attrs.update(
                title=self.title, study=json.dumps(self.study), findings=json.dumps(self.findings), hooke=_hooke.version
            )
            for name in self.names:
                group = "variables" if name in self.variables else "outputs" if name in self.outputs else "runs"
                column = self[name]
                is_text = column.dtype.kind in "US"
                file.create_dataset(
                    f"{group}/{name}",
                    data=column.astype(object) if is_text else column,
                    dtype=text if is_text else None,
                )
            for number, row in enumerate(self.rows):
                for name, values in row.curves.items():
                    file[f"curves/{number}/{name}"] = values


class _replaced:
    """A file that takes another's place when it is complete."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)

    def __enter__(self) -> str:
        return self._path + ".new"

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            os.replace(self._path + ".new", self._path)


def read_table(path: str | os.PathLike[str]) -> StudyTable:
    """The table of an earlier study: table.h5, or the folder it is in."""
    try:
        import h5py
    except ImportError:
        raise needs("h5py", "python3-h5py", "reading a table") from None
    name = os.fspath(path)
    with h5py.File(os.path.join(name, "table.h5") if os.path.isdir(name) else name, "r") as file:
        study, findings = json.loads(file.attrs["study"]), json.loads(file.attrs["findings"])
        variables, outputs = _ordered(file, "variables", study.get("vary")), _ordered(
            file, "outputs", study.get("outputs")
        )
        status, reason, seconds = (_column(file[f"runs/{key}"]) for key in ("status", "reason", "seconds"))
        rows = []
        for i in range(len(status)):
            curves = {key: values[()] for key, values in file[f"curves/{i}"].items()} if f"curves/{i}" in file else {}
            point, values = tuple(column[i] for column in variables.values()), {
                key: column[i] for key, column in outputs.items()
            }
            rows.append(Row(point, status[i], reason[i], seconds[i], values, curves))
        return StudyTable(list(variables), list(outputs), rows, file.attrs["title"], findings, study)


def _ordered(file: Any, group: str, order: Any) -> dict[str, list[Any]]:
    """The columns of a group, as the study has them one after the other."""
    names = list(order or {})
    found = file[group].items() if group in file else ()
    return {
        key: _column(values)
        for key, values in sorted(found, key=lambda item: names.index(item[0]) if item[0] in names else len(names))
    }


def _column(values: Any) -> list[Any]:
    return [item.decode() if isinstance(item, bytes) else item for item in values[()].tolist()]
