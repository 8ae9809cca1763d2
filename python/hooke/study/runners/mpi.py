"""MPI: the pool of mpi4py.futures, whose first rank hands out the work.

Inside mpiexec (`mpiexec -n 9 python3 -m mpi4py.futures -m hooke.study FILE --where mpi`) the pool is there. Otherwise
mpiexec is started, and its first rank reports over a socket of this machine. When a rank dies MPI ends them all; then mpiexec is
started again with what is missing.
"""

from __future__ import annotations

import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import as_completed
from multiprocessing.connection import Client, Connection, Listener
from typing import Any, Iterator, Sequence

from ... import _hooke
from ..designs import Point
from ..document import needs
from ..work import Row, Work, run_batch
from . import child_environment, in_batches

#: mpiexec is started so often without a single run done before it is given up.
ATTEMPTS = 3
KEY = "HOOKE_STUDY_KEY"


class MpiRunner:
    def __init__(self, workers: int | None = None, batch: int | None = None) -> None:
        try:
            import mpi4py  # noqa: F401
        except ImportError:
            raise needs("mpi4py", "python3-mpi4py", "where: mpi") from None
        self._count = workers or len(os.sched_getaffinity(0))
        self._batch = batch
        self._is_inside = int(os.environ.get("OMPI_COMM_WORLD_SIZE") or os.environ.get("PMI_SIZE") or 1) > 1
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: Connection | None = None

    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        if self._is_inside:
            yield from in_batches(lambda parts: pool_rows(work, parts), points, self._count, self._batch)
            return
        missing = dict.fromkeys(points)
        losses = 0
        while missing:
            if self._connection is None:
                self._start()
            try:
                for rows in in_batches(lambda parts: self._rows(work, parts), list(missing), self._count, self._batch):
                    losses = 0
                    for row in rows:
                        del missing[row.point]
                    yield rows
            except (EOFError, OSError):
                status = self._stop()
                losses += 1
                if losses == ATTEMPTS:
                    raise _hooke.Error(
                        f"where: mpi: mpiexec ended with status {status}, {losses} times without a run done"
                    ) from None

    def _rows(self, work: Work, parts: list[list[Point]]) -> Iterator[list[Row]]:
        assert self._connection is not None
        self._connection.send((work, parts))
        for _ in parts:
            yield self._connection.recv()

    def _start(self) -> None:
        program = shutil.which("mpiexec")
        if program is None:
            raise _hooke.Error("where: mpi: there is no mpiexec: apt install openmpi-bin")
        key = secrets.token_bytes(32)
        with tempfile.TemporaryDirectory(prefix="hooke-mpi-") as folder:
            address = str(pathlib.Path(folder) / "socket")
            with Listener(address, "AF_UNIX", authkey=key) as listener:
                environment = {**child_environment(), KEY: key.hex()}
                if os.geteuid() == 0:  # Open MPI wants to be told twice
                    environment.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
                environment.setdefault("OMPI_MCA_rmaps_base_oversubscribe", "1")  # the first rank only waits
                environment.setdefault("OMPI_MCA_mpi_yield_when_idle", "1")
                command = [
                    program,
                    "-n",
                    str(self._count + 1),
                    sys.executable,
                    "-m",
                    "mpi4py.futures",
                    "-m",
                    __name__,
                    address,
                ]
                self._process = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL)
                self._connection = _accept(listener, self._process)

    def _stop(self) -> int:
        if self._connection is not None:
            self._connection.close()
        self._connection = None
        status = 0
        if self._process is not None:
            try:
                status = self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._process.terminate()
                status = self._process.wait()
        self._process = None
        return status

    def close(self) -> None:
        self._stop()


def _accept(listener: Listener, process: subprocess.Popen[bytes]) -> Connection:
    """The first rank, unless mpiexec ends before it comes."""
    import select

    socket: Any = listener._listener._socket  # type: ignore[attr-defined]
    while not select.select([socket], [], [], 0.2)[0]:
        if process.poll() is not None:
            raise _hooke.Error(f"where: mpi: mpiexec ended with status {process.returncode} before the study began")
    return listener.accept()


def pool_rows(work: Work, parts: list[list[Point]]) -> Iterator[list[Row]]:
    from mpi4py.futures import MPIPoolExecutor

    with MPIPoolExecutor() as pool:
        for future in as_completed([pool.submit(run_batch, work, part) for part in parts]):
            yield future.result()


def main() -> None:
    """The first rank: takes work from the process that started mpiexec, until that is gone."""
    from mpi4py.futures import MPIPoolExecutor

    with Client(
        sys.argv[1], "AF_UNIX", authkey=bytes.fromhex(os.environ[KEY])
    ) as connection, MPIPoolExecutor() as pool:
        try:
            while True:
                work, parts = connection.recv()
                for future in as_completed([pool.submit(run_batch, work, part) for part in parts]):
                    connection.send(future.result())
        except (EOFError, OSError):
            pool.shutdown(wait=False, cancel_futures=True)


if __name__ == "__main__":
    main()
