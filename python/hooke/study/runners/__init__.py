"""Where runs are done: each runner takes points and gives their rows, in any order, each as soon as it is there."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any, Callable, Iterator, Protocol, Sequence

from ..designs import Point
from ..work import Row, Work


class Runner(Protocol):
    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        """Every point once. A point whose worker is lost is done again."""
        ...

    def close(self) -> None:
        ...


def make_runner(kind: str, settings: dict[str, Any], folder: pathlib.Path) -> Runner:
    if kind == "local":
        from .local import LocalRunner

        return LocalRunner(**settings)
    if kind == "dask":
        from .dask import DaskRunner

        return DaskRunner(**settings)
    if kind == "mpi":
        from .mpi import MpiRunner

        return MpiRunner(**settings)
    from .slurm import SlurmRunner

    return SlurmRunner(folder, **settings)


#: s; a worker is handed as many runs at once as take about so long.
BATCH_TIME = 0.5


def in_batches(
    run: Callable[[list[list[Point]]], Iterator[list[Row]]], points: Sequence[Point], workers: int, size: int | None
) -> Iterator[list[Row]]:
    """Hands parts of the points to `run`: first one for each worker, and when it is known how long a run takes, larger ones."""
    first = points[:workers] if size is None else points[:0]
    seconds = 0.0
    for rows in run([[point] for point in first]) if first else ():
        seconds += sum(row.seconds for row in rows)
        yield rows
    rest = points[len(first) :]
    if size is None:
        mean = max(seconds / max(len(first), 1), 1e-6)
        size = max(1, min(int(BATCH_TIME / mean), len(rest) // (4 * max(workers, 1))))
    if rest:
        yield from run([list(rest[i : i + size]) for i in range(0, len(rest), size)])


def child_environment() -> dict[str, str]:
    """Of processes that find this package where it was found here, and use one thread each."""
    folder = os.path.dirname(os.path.dirname(sys.modules["hooke"].__file__ or ""))
    path = os.pathsep.join(dict.fromkeys(filter(None, [folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])))
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": path}
