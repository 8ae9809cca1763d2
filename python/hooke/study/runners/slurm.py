"""Slurm: an array of jobs, each of which runs a part of the points and writes a journal of its own beside the study's.

The folder of the study must be seen by all nodes. The script that is submitted stays there, slurm/job.sh. Whoever starts the
study again while its jobs are in the queue waits for them instead of submitting more.
"""

from __future__ import annotations

import pathlib
import pickle
import shlex
import shutil
import subprocess
import sys
import time
from typing import Any, Iterator, Mapping, Sequence

from ... import _hooke
from ..designs import Point
from ..journal import Journal, read_rows
from ..work import Row, Work, run_point
from . import child_environment

#: s between looks at the journals of the tasks and at the queue.
INTERVAL = 1.0
#: Jobs are submitted so often without a single run done before what is missing has failed.
ATTEMPTS = 3


class SlurmRunner:
    """`tasks`: size of the array. `options`: of sbatch, such as {partition: long, time: "1:00:00"}. `python`: on the nodes."""

    def __init__(
        self, folder: pathlib.Path, tasks: int = 8, options: Mapping[str, Any] | None = None, python: str | None = None
    ) -> None:
        for program in ("sbatch", "squeue"):
            if shutil.which(program) is None:
                raise _hooke.Error(f"where: slurm: there is no {program} on this machine")
        self._study = folder.resolve()
        self._folder = self._study / "slurm"
        self._tasks, self._options, self._python = tasks, dict(options or {}), python or sys.executable
        self._job = ""

    def run(self, work: Work, points: Sequence[Point]) -> Iterator[list[Row]]:
        self._folder.mkdir(parents=True, exist_ok=True)
        missing = dict.fromkeys(points)
        attempts = 0
        self._job = self._earlier_job()
        while missing and attempts < ATTEMPTS:
            if not self._job:
                self._job = submit(self.write(work, list(missing)))
                (self._folder / "job").write_text(self._job)
            attempts += 1
            for rows in self._rows_of_job(work, missing):
                attempts = 0
                yield rows
            self._job = ""
        if missing:
            yield [
                Row(point, "failed", f"its Slurm job ended without it, {ATTEMPTS} times: see {self._folder}")
                for point in missing
            ]

    def write(self, work: Work, points: list[Point]) -> pathlib.Path:
        """The script of the array, and what its tasks are to do."""
        tasks = min(self._tasks, len(points))
        with open(self._folder / "points.pickle", "wb") as file:
            pickle.dump((work, [points[i::tasks] for i in range(tasks)]), file)
        options = {
            "job-name": "hooke-study",
            "ntasks": 1,
            "cpus-per-task": 1,
            "output": f"{self._folder}/task-%a.txt",
            **self._options,
        }
        path = child_environment()["PYTHONPATH"]
        lines = [
            "#!/bin/sh",
            f"#SBATCH --array=0-{tasks - 1}",
            *(f"#SBATCH --{key}={value}" for key, value in options.items()),
            f"export PYTHONPATH={shlex.quote(path)} OPENBLAS_NUM_THREADS=1",
            f'exec {shlex.quote(self._python)} -m {__name__} {shlex.quote(str(self._folder))} "$SLURM_ARRAY_TASK_ID"',
        ]
        script = self._folder / "job.sh"
        script.write_text("\n".join(lines) + "\n")
        return script

    def _rows_of_job(self, work: Work, missing: dict[Point, None]) -> Iterator[list[Row]]:
        """What its tasks write, until it has left the queue."""
        is_queued = True
        while missing and is_queued:
            is_queued = in_queue(self._job)
            rows = [
                row
                for path in self._study.glob("journal.slurm-*.jsonl")
                for row in read_rows(path, work.fingerprint)
                if row.point in missing
            ]
            for row in rows:
                missing.pop(row.point, None)
            if rows:
                yield rows
            elif is_queued:
                time.sleep(INTERVAL)

    def _earlier_job(self) -> str:
        path = self._folder / "job"
        job = path.read_text() if path.exists() else ""
        return job if job and in_queue(job) else ""

    def close(self) -> None:
        """Who stops a study stops its jobs."""
        if self._job:
            subprocess.run(["scancel", self._job], check=False)


def submit(script: pathlib.Path) -> str:
    done = subprocess.run(["sbatch", "--parsable", str(script)], capture_output=True, text=True)
    if done.returncode:
        raise _hooke.Error(f"where: slurm: sbatch {script}: {done.stderr.strip()}")
    return done.stdout.split(";")[0].strip()


def in_queue(job: str) -> bool:
    done = subprocess.run(["squeue", "--noheader", "--jobs", job], capture_output=True, text=True)
    return done.returncode == 0 and bool(done.stdout.strip())


def main() -> None:
    """A task of the array: its part of the points, but what is done already."""
    folder, task = pathlib.Path(sys.argv[1]), int(sys.argv[2])
    with open(folder / "points.pickle", "rb") as file:
        work, parts = pickle.load(file)
    with Journal(folder.parent, work.fingerprint, f"journal.slurm-{task}") as journal:
        for point in parts[task]:
            if point not in journal.rows:
                journal.append([run_point(work, point)])


if __name__ == "__main__":
    main()
