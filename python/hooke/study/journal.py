"""The journal of a study: a line for each run that is done, written at once. What is in it is never run again.

A folder belongs to one study. A line is one write to the end of a file; a last line that was cut off counts as not written.
Tasks of a cluster that cannot share a file write one each (journal.NAME.jsonl); all are read.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import pathlib
from typing import Any, Iterable

import numpy

from .. import _hooke
from .designs import Point
from .work import Row


class Journal:
    """Rows by point, of the runs whose `fingerprint` (model, settings, outputs) is this one."""

    def __init__(self, folder: pathlib.Path, fingerprint: str, name: str = "journal") -> None:
        self.folder = folder
        self.rows: dict[Point, Row] = {}
        self._fingerprint = fingerprint
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / f"{name}.jsonl"
        self._descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._descriptor)
            raise _hooke.Error(
                f"{folder}: another study is writing here; wait for it, or choose another folder with --out"
            ) from None
        self._mend()
        self.refresh()

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: object) -> None:
        os.fsync(self._descriptor)
        os.close(self._descriptor)

    def refresh(self) -> None:
        """Takes in what other processes wrote beside this one."""
        for path in sorted(self.folder.glob("journal*.jsonl")):
            for row in read_rows(path, self._fingerprint):
                self.rows.setdefault(row.point, row)

    def append(self, rows: Iterable[Row]) -> None:
        new = [row for row in rows if row.point not in self.rows]
        lines = "".join(json.dumps({"for": self._fingerprint, **_tree(row)}) + "\n" for row in new)
        content = lines.encode()
        if os.write(self._descriptor, content) != len(content):
            raise _hooke.Error(f"{self.path}: cannot write: the disk is full; make room, and start the study again")
        self.rows.update((row.point, row) for row in new)

    def _mend(self) -> None:
        """A line that was cut off goes."""
        content = self.path.read_bytes()
        if content and not content.endswith(b"\n"):
            os.ftruncate(self._descriptor, content.rfind(b"\n") + 1)


def _tree(row: Row) -> dict[str, Any]:
    curves = {name: base64.b64encode(values.astype("<f8").tobytes()).decode() for name, values in row.curves.items()}
    more = {"reason": row.reason} if row.reason else {}
    return {
        "point": row.point,
        "status": row.status,
        "seconds": row.seconds,
        "outputs": row.outputs,
        **more,
        **({"curves": curves} if curves else {}),
    }


def read_rows(path: pathlib.Path, fingerprint: str) -> Iterable[Row]:
    """Complete lines that are of this study."""
    with open(path, "rb") as file:
        for number, line in enumerate(file, 1):
            if not line.endswith(b"\n"):
                return
            try:
                tree = json.loads(line)
            except ValueError:
                raise _hooke.Error(
                    f"{path}:{number}: the line is damaged; remove it, and its run is done again"
                ) from None
            if tree["for"] == fingerprint:
                curves = {
                    name: numpy.frombuffer(base64.b64decode(text), dtype="<f8")
                    for name, text in tree.get("curves", {}).items()
                }
                yield Row(
                    tuple(tree["point"]),
                    tree["status"],
                    tree.get("reason", ""),
                    tree["seconds"],
                    tree["outputs"],
                    curves,
                )
