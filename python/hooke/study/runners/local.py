"""Processes of this machine."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections import Counter, deque
from multiprocessing.connection import Connection, wait
from typing import Iterator, Sequence

from ... import _hooke
from ..designs import Point
from ..work import Row, Work, run_point
from . import BATCH_TIME, child_environment

#: A run whose process ended so often, and not by anything that the run could report, has failed.
ATTEMPTS = 3

#: Seconds that a process which closed its connection has to end by itself.
GRACE = 5.0


class Worker:
    """A process, and the points that it has."""

    def __init__(self, work: Work) -> None:
        here, there = socket.socketpair()
        command = [sys.executable, "-m", "hooke.study.worker", str(there.fileno())]
        self.process = subprocess.Popen(
            command, pass_fds=[there.fileno()], stdin=subprocess.DEVNULL, env=child_environment()
        )
        there.close()
        self.connection: Connection = Connection(here.detach())
        self.points: deque[Point] = deque()
        self.has_worked = False
        self.work = work
        self._send(work)

    def hand(self, points: Sequence[Point]) -> None:
        self.points.extend(points)
        self._send(list(points))

    def _send(self, what: object) -> None:
        try:
            self.connection.send(what)
        except OSError:
            pass  # it is gone, and the next wait says so

    def status_when_gone(self) -> int:
        """Its own status: one that closed its end is given the time to leave by itself."""
        try:
            self.process.wait(GRACE)
        except subprocess.TimeoutExpired:
            pass
        return self.end()

    def end(self) -> int:
        self.connection.close()
        self.process.kill()
        return self.process.wait()


class LocalRunner:
    """`workers` processes (one for each core when not said; 0: in this process), each handed `batch` runs at once."""

    def __init__(self, workers: int | None = None, batch: int | None = None) -> None:
        self._count = len(os.sched_getaffinity(0)) if workers is None else workers
        self._batch = batch
        self._workers: list[Worker] = []

    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        if self._count == 0 or work.function is not None or not work.model:
            yield from ([run_point(work, point)] for point in points)
            return
        self._workers = [worker for worker in self._workers if worker.work == work or worker.end() is None]
        while len(self._workers) < min(self._count, len(points)):
            self._workers.append(Worker(work))
        yield from self._share(work, deque(points))

    def _share(self, work: Work, waiting: deque[Point]) -> Iterator[list[Row]]:
        losses: Counter[Point] = Counter()
        seconds, done = 0.0, 0
        while waiting or any(worker.points for worker in self._workers):
            fair = max(1, len(waiting) // (2 * self._count))
            size = self._batch or min(fair, max(1, int(BATCH_TIME * done / seconds)) if done else 1)
            for worker in self._workers:
                if not worker.points and waiting:
                    worker.hand([waiting.popleft() for _ in range(min(size, len(waiting)))])
            by_connection = {worker.connection: worker for worker in self._workers if worker.points}
            for ready in wait(list(by_connection)):
                worker = by_connection[ready]  # type: ignore[index]
                try:
                    row: Row = worker.connection.recv()
                except (EOFError, OSError):
                    yield from self._replace(worker, waiting, losses)
                    continue
                worker.points.popleft()
                worker.has_worked = True
                seconds, done = seconds + row.seconds, done + 1
                yield [row]

    def _replace(self, worker: Worker, waiting: deque[Point], losses: Counter[Point]) -> Iterator[list[Row]]:
        """Another process for one that ended; what it had is done again, first of all what it was at."""
        status = worker.status_when_gone()
        if status > 0 and not worker.has_worked:
            raise _hooke.Error(
                f"a worker could not start: {sys.executable} -m hooke.study.worker ended with status {status}"
            )
        self._workers.remove(worker)
        self._workers.append(Worker(worker.work))
        lost = worker.points[0]
        losses[lost] += 1
        if losses[lost] == ATTEMPTS:
            worker.points.popleft()
            how = f"by signal {-status}" if status < 0 else f"with status {status}"
            yield [Row(lost, "failed", f"its process ended {how}, {ATTEMPTS} times")]
        waiting.extendleft(reversed(worker.points))

    def close(self) -> None:
        for worker in self._workers:
            worker.end()
        self._workers = []
