"""The page of a study: one file that needs nothing else, and a server that makes the animation of a run when it is asked for.

What the study says is data: it stands in the page as JSON and becomes text, never markup or script. The page's policy lets the
browser run this one script and use this one style, known by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import math
import os
import pathlib
from typing import Any

from ..table import StudyTable

HERE = pathlib.Path(__file__).parent
SCRIPTS = ("numbers.js", "charts.js", "main.js")


def save_page(table: StudyTable, path: str | os.PathLike[str]) -> None:
    draft = os.fspath(path) + ".new"
    pathlib.Path(draft).write_text(page_of(table), encoding="utf-8")
    os.replace(draft, path)


def page_of(table: StudyTable) -> str:
    script = (
        '"use strict";\n(() => {\n'
        + "\n".join((HERE / name).read_text(encoding="utf-8") for name in SCRIPTS)
        + "\n})();"
    )
    style = (HERE / "style.css").read_text(encoding="utf-8")
    data = json.dumps(_data(table), allow_nan=False).replace("<", "\\u003c")
    text = (HERE / "page.html").read_text(encoding="utf-8")
    for mark, value in (
        ("script-hash", _hash(script)),
        ("style-hash", _hash(style)),
        ("/* style */", style),
        ("/* script */", script),
        ("<title></title>", f"<title>{html.escape(table.title or 'Study')}</title>"),
        ("/* data */", data),
    ):
        text = text.replace(mark, value, 1)
    return text


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _data(table: StudyTable) -> dict[str, Any]:
    made = [path.stem for path in (pathlib.Path(table.folder) / "views").glob("*.html")] if table.folder else []
    return {
        "title": table.title or "Study",
        "variables": table.variables,
        "outputs": table.outputs,
        "columns": {
            name: [_plain(value) for value in table[name].tolist()]
            for name in [*table.variables, *table.outputs, "seconds"]
        },
        "reasons": {str(i): row.reason for i, row in enumerate(table.rows) if row.status != "finished"},
        "findings": _plain(table.findings),
        "views": sorted(int(name) for name in made if name.isdigit()),
        "has_model": table.work is not None and bool(table.work.model),
    }


def _plain(value: Any) -> Any:
    """Without numbers that JSON has not; with as many digits as are looked at."""
    if isinstance(value, float):
        return float(f"{value:.9g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value


def view_path(table: StudyTable, run: int) -> pathlib.Path:
    return pathlib.Path(table.folder) / "views" / f"{run}.html"


def save_view(table: StudyTable, run: int) -> pathlib.Path:
    """The animation of a run, made anew."""
    if not 0 <= run < len(table):
        raise IndexError(f"there is no run {run}: they count from 0 to {len(table) - 1}")
    path = view_path(table, run)
    path.parent.mkdir(parents=True, exist_ok=True)
    table.repeat(run).save_page(path)
    return path
