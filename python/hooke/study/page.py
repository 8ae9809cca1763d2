"""The page of a study."""

from __future__ import annotations

import os
import pathlib

from .table import Table


def save_page(table: Table, path: str | os.PathLike[str]) -> None:
    pass


def save_view(table: Table, run: int) -> pathlib.Path:
    """The animation of a run, made anew."""
    path = pathlib.Path(table.folder) / "views" / f"{run}.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    table.repeat(run).save_page(path)
    return path
