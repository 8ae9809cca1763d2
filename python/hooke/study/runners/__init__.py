"""Where runs are done: each runner takes points and gives their rows, in any order, each as soon as it is there."""

from __future__ import annotations

import os
import pathlib
import sys
from typing import Any, Iterator, Protocol, Sequence

from ..designs import Point
from ..work import Row, Work


class Runner(Protocol):
    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        """Every point once. A point whose worker is lost is done again."""
        ...

    def close(self) -> None: ...


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


def batches(points: Sequence[Point], workers: int, size: int | None) -> list[list[Point]]:
    """Parts of the points: small enough that all workers end at about the same time, large enough to cost little."""
    if size is None:
        size = max(1, min(100, len(points) // (8 * max(workers, 1))))
    return [list(points[i : i + size]) for i in range(0, len(points), size)]


def child_environment() -> dict[str, str]:
    """Of processes that find this package where it was found here, and use one thread each."""
    folder = os.path.dirname(os.path.dirname(sys.modules["hooke"].__file__ or ""))
    path = os.pathsep.join(dict.fromkeys(filter(None, [folder, *os.environ.get("PYTHONPATH", "").split(os.pathsep)])))
    return {"OPENBLAS_NUM_THREADS": "1", **os.environ, "PYTHONPATH": path}
