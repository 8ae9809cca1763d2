"""What every kind of study asks for: the rows of points, from the journal where they are known, else run now."""

from __future__ import annotations

import sys
import time
from typing import Callable, Sequence

from .designs import Point
from .journal import Journal
from .runners import Runner
from .work import Row, Work

#: Of runs that are done and known, runs asked for so far, runs that were done now, runs that failed of these, seconds.
Report = Callable[[int, int, int, int, float], None]


class Engine:
    def __init__(self, work: Work, journal: Journal, runner: Runner, report: Report) -> None:
        self.asked: dict[Point, None] = {}
        self._order: list[
            Point
        ] = []  #: of the table's rows; a design may have a point twice, a search that comes back to one has not
        self.new_runs = 0
        self._work, self._journal, self._runner, self._report = work, journal, runner, report
        self._begin = time.monotonic()
        self._failed = 0

    def rows(self, points: Sequence[Point]) -> list[Row]:
        """In the order of the points, wherever and whenever each was run."""
        self._order += [point for point in points if point not in self.asked]
        self.asked.update(dict.fromkeys(points))
        known = self._journal.rows
        missing = [point for point in dict.fromkeys(points) if point not in known]
        done = len(self.asked) - len(missing)
        for rows in self._runner.run(self._work, missing) if missing else ():
            new = [row for row in rows if row.point not in known]
            self._journal.append(new)
            self.new_runs += len(new)
            self._failed += sum(row.status != "finished" for row in new)
            done += len(new)
            self._report(done, len(self.asked), self.new_runs, self._failed, time.monotonic() - self._begin)
        return [known[point] for point in points]

    def table_rows(self) -> list[Row]:
        """Those that are done, also when the study was stopped."""
        return [self._journal.rows[point] for point in self._order if point in self._journal.rows]


class Progress:
    """One line that is written over in a terminal; else a line now and then."""

    def __init__(self, is_shown: bool) -> None:
        self._is_shown = is_shown
        self._is_terminal = sys.stderr.isatty()
        self._next = 0.0 if self._is_terminal else 10.0

    def __call__(self, done: int, all: int, new: int, failed: int, seconds: float) -> None:
        if not self._is_shown or seconds < self._next:
            return
        self._next = seconds + (0.1 if self._is_terminal else 30.0)
        left = seconds / max(new, 1) * (all - done)
        text = f"hooke: {done} of {all} runs{f', {failed} failed' if failed else ''}, {spell(seconds)}, about {spell(left)} left"
        sys.stderr.write(f"\r{text:<79}" if self._is_terminal else text + "\n")
        sys.stderr.flush()

    def close(self) -> None:
        if self._is_shown and self._is_terminal:
            sys.stderr.write("\r" + " " * 79 + "\r")


def spell(seconds: float) -> str:
    if seconds < 60:
        return f"{seconds:.3g} s"
    minutes = int(seconds / 60)
    return f"{minutes // 60} h {minutes % 60} min" if minutes >= 60 else f"{minutes} min {int(seconds) % 60} s"
