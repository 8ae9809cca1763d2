"""python3 -m hooke.study FILE, which is `hooke study FILE`."""

from __future__ import annotations

import argparse
import pathlib
import sys
from typing import Any

from .. import _hooke
from . import carry_out, default_folder, read_study
from .engine import spell
from .page import save_page, save_view
from .page.server import serve
from .table import StudyTable

EXAMPLES = """examples:
  hooke study crank.yaml                       what is not done yet, on all cores of this machine
  hooke study crank.yaml --where dask --address tcp://10.0.0.1:8786
  hooke study crank.yaml --where mpi --workers 16
  hooke study crank.yaml --show                the page, with the animation of each run that is clicked on
  hooke study crank.yaml --view 17             run 17 again, with its animation: results/crank/views/17.html

What is done is kept in the folder: started again, a study goes on. docs/studies.md explains study files."""


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(
        prog="hooke study",
        description="Run a model many times: vary, sample, optimise, calibrate",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument("file", help="study file, or model file with a key study")
    made.add_argument(
        "--out", metavar="DIR", help="folder for the table, the journal and the page (results/ and the file's name)"
    )
    made.add_argument(
        "--where", choices=["local", "dask", "mpi", "slurm"], help="where it runs (what the file says, else local)"
    )
    made.add_argument("--workers", type=int, metavar="N", help="processes; 0: in this one (local: one for each core)")
    made.add_argument("--address", metavar="ADDRESS", help="of a Dask scheduler (dask: a cluster on this machine)")
    made.add_argument(
        "--view", type=int, action="append", default=[], metavar="RUN", help="does a run again and writes its animation"
    )
    made.add_argument(
        "--show", action="store_true", help="shows the page in the browser; a click on a run makes its animation"
    )
    made.add_argument("--no-open", action="store_true", help="with --show: only prints the address")
    made.add_argument(
        "--port", type=int, default=0, metavar="NUMBER", help="with --show: port on 127.0.0.1 (any free one)"
    )
    made.add_argument("-q", "--quiet", action="store_true", help="prints warnings and errors only")
    made.add_argument("--no-progress", action="store_true", help="shows no progress")
    return made


def main() -> int:
    given = parser().parse_args()
    try:
        return run(given)
    except (_hooke.Error, ImportError) as error:
        for line in str(error).splitlines():
            print(f"hooke: {line}", file=sys.stderr)
        return int(getattr(error, "code", 0) or (3 if isinstance(error, _hooke.ModelError) else 2))
    except KeyboardInterrupt:
        print("hooke: stopped; what is done is kept, and the same command goes on", file=sys.stderr)
        return 130


def run(given: argparse.Namespace) -> int:
    settings = {key: value for key in ("workers", "address") if (value := getattr(given, key)) is not None}
    where: Any = given.where
    if settings:
        where = {given.where or ("dask" if given.address else "local"): settings}
    found = read_study(given.file, where=where)
    folder = pathlib.Path(given.out) if given.out else default_folder(given.file) or pathlib.Path("results")
    table = carry_out(found, folder, not given.no_progress and not given.quiet)
    for number in given.view:
        print(f"wrote {save_view(table, number)}")
    if given.view:
        save_page(table, folder / "study.html")
    if not given.quiet:
        print("\n".join(summary(table)), flush=True)
    if given.show:
        serve(table, given.port, not given.no_open)
    return 0


def summary(table: StudyTable) -> list[str]:
    failed = table.failed
    work = sum(row.seconds for row in table.rows)
    lines = [f"{len(table)} runs ({table.new_runs} new), {len(failed)} failed, {spell(work)} of computing"]
    for reason in list(dict.fromkeys(row.reason for row in failed))[:3]:
        lines.append(f"  failed: {reason}")
    findings = table.findings
    if "best" in findings:
        lines += _best(findings)
    for output, found in findings.get("indices", {}).items():
        lines.append(f"Sobol's indices of {output}{': ' + found['reason'] if 'reason' in found else ''}")
        for name, index in found.get("first", {}).items():
            total = found["total"][name]
            lines.append(
                f"  {name}: alone {index['value']:.4f} {_ends(index)}, with all others {total['value']:.4f} {_ends(total)}"
            )
    return [*lines, f"wrote {table.folder}/table.csv, table.h5 and study.html"]


def _ends(index: dict[str, Any]) -> str:
    return f"({index['interval'][0]:.4f} to {index['interval'][1]:.4f})"


def _best(findings: dict[str, Any]) -> list[str]:
    if findings["best"] is None:
        return [f"no best point: {findings['reason']}"]
    head = (
        f"{findings['output']} = {findings['value']:.6g}"
        if "output" in findings
        else f"residual {findings['residual']:.4g}"
    )
    lines = [f"best: {head}"]
    for name, value in findings["best"].items():
        low, high = findings.get("interval", {}).get(name, (None, None))
        interval = (
            f", between {low:.6g} and {high:.6g} with {100 * findings['confidence']:g} % confidence"
            if low is not None
            else ""
        )
        limit = " (at a limit of its range)" if name in findings["at_limits"] else ""
        lines.append(f"  {name} = {value:.6g}{interval}{limit}")
    if findings.get("undetermined"):
        lines.append(f"  the curves leave {findings['undetermined']} combination of these undetermined")
    return lines


if __name__ == "__main__":
    sys.exit(main())
