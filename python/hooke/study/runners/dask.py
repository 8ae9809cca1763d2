"""Dask: workers of a scheduler that is there, or of a cluster on this machine.

Dask itself gives the work of a lost worker to another one. When the scheduler is lost, all that was not handed back yet is
handed to the next one under the same address.
"""

from __future__ import annotations

import importlib
import logging
import os
import sys
import tempfile
import time
from concurrent.futures import CancelledError
from typing import Any, Iterator, Sequence

from ... import _hooke
from ..designs import Point
from ..document import needs
from ..work import Row, Work, run_batch
from . import in_batches

#: s; so long a scheduler that is lost is waited for.
PATIENCE = 60.0
CONNECTING = 5.0  #: s, for one try


class DaskRunner:
    def __init__(self, address: str | None = None, workers: int | None = None, batch: int | None = None) -> None:
        distributed: Any
        try:
            distributed = importlib.import_module("distributed")
        except ImportError:
            raise needs("distributed", "python3-distributed", "where: dask") from None
        for name in ("distributed.client", "distributed.utils"):
            logging.getLogger(name).setLevel(logging.CRITICAL)  # what is lost is told here
        self._distributed = distributed
        self._batch = batch
        self._cluster: Any = None
        if address is None:
            self._cluster = _cluster_here(workers or len(os.sched_getaffinity(0)))
            address = str(self._cluster.scheduler_address)
        self._address = address

    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        missing = dict.fromkeys(points)
        while missing:
            try:
                for rows in self._run_on(self._client(), work, list(missing)):
                    for row in rows:
                        del missing[row.point]
                    yield rows
            except (OSError, TimeoutError, CancelledError):
                sys.stderr.write(f"hooke: the scheduler at {self._address} is lost; waiting for it to come back\n")
                time.sleep(0.5)

    def _client(self) -> Any:
        """Of the scheduler; one that was lost may come back."""
        end = time.monotonic() + PATIENCE
        while True:
            try:
                return self._distributed.Client(self._address, timeout=CONNECTING, set_as_default=False)
            except (OSError, TimeoutError) as error:
                if time.monotonic() > end:
                    raise _hooke.Error(f"where.dask.address: no scheduler at {self._address}: {error}") from None
                time.sleep(0.5)

    def _run_on(self, client: Any, work: Work, points: list[Point]) -> Iterator[list[Row]]:
        with client:
            workers = max(len(client.scheduler_info()["workers"]), 1)
            yield from in_batches(lambda parts: self._rows(client, work, parts), points, workers, self._batch)

    def _rows(self, client: Any, work: Work, parts: list[list[Point]]) -> Iterator[list[Row]]:
        futures = {client.submit(run_batch, work, part, pure=False): part for part in parts}
        for future in self._distributed.as_completed(list(futures), loop=client.loop, raise_errors=False):
            if future.status == "finished":
                yield future.result()
            elif future.status == "error" and isinstance(error := future.exception(), self._distributed.KilledWorker):
                yield [
                    Row(point, "failed", f"its worker was lost again and again: {error}") for point in futures[future]
                ]
            else:
                raise ConnectionError  # the scheduler is gone, and all it knew

    def close(self) -> None:
        if self._cluster is not None:
            self._cluster.close()


def _cluster_here(workers: int) -> Any:
    import dask

    distributed: Any = importlib.import_module("distributed")
    # Dask would have its workers hand memory back after every run, which doubles the time of short ones.
    with dask.config.set({"distributed.nanny.pre-spawn-environ": {"OPENBLAS_NUM_THREADS": "1"}}):
        return distributed.LocalCluster(
            n_workers=workers, threads_per_worker=1, dashboard_address=None, local_directory=tempfile.gettempdir()
        )
