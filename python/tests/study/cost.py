#!/usr/bin/python3
"""What a study costs beside its runs, and what runs share: prints the table of docs/studies.md.

    python/tests/study/cost.py          of build/release, about a minute where nobody else computes
"""

import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "build" / os.environ.get("PRESET", "release") / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:1])
    os.environ["OPENBLAS_NUM_THREADS"] = "1"

CRANKS = ROOT / "models" / "studies" / "slider_cranks.yaml"
COUNT = 500

LOOP = """
import os, sys
from hooke.study import read_study
from hooke.study.work import run_batch
found = read_study(sys.argv[1])
points = found.plan.make(found.variables)
run_batch(found.work, points[:20])
begin = os.times()
run_batch(found.work, points)
end = os.times()
print(sum(end[:4]) - sum(begin[:4]))
"""


def in_a_loop():
    """Seconds of processor that the runs alone take."""
    loop = [sys.executable, "-c", LOOP, str(CRANKS)]
    return float(subprocess.run(loop, capture_output=True, text=True, check=True).stdout)


def as_a_study(folder, workers):
    """Seconds on the clock, and of all processors with all child processes: with starting, checking, the table and the page."""
    before, begin = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run(
        [sys.executable, "-m", "hooke.study", str(CRANKS), "--workers", str(workers), "--out", str(folder), "-q"],
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.monotonic() - begin, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def overhead(rounds):
    """Of each round: seconds of processor of the runs alone and of the study, and efficiency on 2 cores."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for i in range(rounds):
            plain = in_a_loop()
            one, computing = as_a_study(f"{folder}/{i}-1", 1)
            two, _ = as_a_study(f"{folder}/{i}-2", 2)
            found.append((plain, computing, one / (2 * two)))
    return found


def milliseconds_of_process(program):
    """Of processor, of a whole process, at best."""
    times = []
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", program], check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return 1e3 * min(times)


def first_and_again(text):
    """Milliseconds of processor of something done in a new process, and done there again."""
    program = f"import sys, time, hooke\nfrom hooke import _hooke\n{text}\n" + (
        "times = []\nfor _ in range(15):\n    begin = time.process_time()\n    act()\n"
        "    times.append(1e3 * (time.process_time() - begin))\nprint(times[0], min(times[1:]))"
    )
    lines = [subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True) for _ in range(5)]
    return [min(column) for column in zip(*(map(float, line.stdout.split()) for line in lines))]


def main():
    found = overhead(5)
    plain, computing, _ = (statistics.median(column) for column in zip(*found))
    print("| | |\n| --- | --- |")
    print(f"| a slider crank in a loop, with its outputs | {1e3 * plain / COUNT:.1f} ms |")
    print(
        f"| processor time beside the runs: starting, checking, table, page | {computing - plain:.2f} s for {COUNT} runs: "
        f"{1e3 * (computing - plain) / COUNT:.2f} ms each, {100 * (computing - plain) / plain:.1f} % |"
    )
    print(f"| efficiency on 2 cores | {max(row[2] for row in found):.2f} |")
    program = "import hooke.study.worker"
    start = milliseconds_of_process(program) - milliseconds_of_process("pass")
    print(f"| a process for each run instead of one for each worker would add | {start:.0f} ms a run |")
    for label, model in (
        ("reading a model with a body of modes (`slider_crank_modal.yaml`)", "slider_crank_modal.yaml"),
        ("reading a model with a mesh that is reduced to modes (`swinging_plate.yaml`)", "swinging_plate.yaml"),
    ):
        path = str(ROOT / "models" / "flexible" / model)
        first, again = first_and_again(f"act = lambda: _hooke.load({path!r}, [])")
        print(f"| {label} | {first:.1f} ms, again in the same process {again:.2f} ms |")
    work = f"from hooke.study import read_study\nfrom hooke.study.work import run_point\nfound = read_study({str(CRANKS)!r}, quick=QUICK)\n"
    act = "point = found.plan.make(found.variables)[0]\nact = lambda: run_point(found.work, point)"
    whole, quick = (first_and_again(work.replace("QUICK", word) + act)[1] for word in ("False", "True"))
    print(f"| a slider crank with `quick: true` | {quick:.1f} ms instead of {whole:.1f} |")


if __name__ == "__main__":
    main()
