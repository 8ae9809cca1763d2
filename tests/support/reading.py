"""Results are read by every command while runs write them, one run after the other into the same file."""

import csv
import math
import os
import pathlib
import subprocess
import tempfile
import threading
import time

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))

# Over in seconds, with blocks of outputs that follow each other as fast as they can.
MODEL = """hooke: 1
gravity: [0, 0, -9.81]
bodies:
  arm: {rigid: {mass: 1, shape: {box: [0.1, 0.1, 1]}}, at: [0, 0.5, 0]}
joints:
  pivot: {revolute: [ground, arm], at: [0, 0, 0], axis: x}
run: {step: 1e-3, end: 10}
outputs: {every: 0}
"""


class Readers:
    """What each command makes of the results at this moment; a mistake is an AssertionError."""

    def __init__(self, folder):
        self.folder = folder
        self.counts = {}

    def hooke(self, *arguments):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120)
        if "another run has replaced it" in done.stderr:  # which it says, and the next try reads
            return self.hooke(*arguments)
        assert done.returncode == 0, f"hooke {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stderr}"
        self.counts[arguments[0]] = self.counts.get(arguments[0], 0) + 1
        return done.stdout

    def export(self):
        text = self.hooke("export", "out", "--csv", "-", "time", "body.arm.position", "energy")
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        values = [[float(x) for x in row] for row in rows[1:]]
        assert all(math.isfinite(x) for row in values for x in row), "a number is missing"
        times = [row[0] for row in values]
        assert all(a < b for a, b in zip(times, times[1:])), "times are not in order"

    def plot(self):
        self.hooke("plot", "out", "energy.kinetic", "--out", "plot.svg")

    def view(self):
        self.hooke("view", "out", "--export", "page.html")

    def report(self):
        self.hooke("report", "out", "--out", "report.html")


def write_again_and_again(folder, is_over, codes):
    while not is_over.is_set():
        done = subprocess.run([PROGRAM, "run", "model.yaml", "--out", "out", "-q"], cwd=folder)
        codes.append(done.returncode)


def read_while_written(seconds):
    """How often each command read, and of how many runs."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "model.yaml").write_text(MODEL)
        readers, is_over, codes = Readers(folder), threading.Event(), []
        writer = threading.Thread(target=write_again_and_again, args=(folder, is_over, codes))
        writer.start()
        end = time.monotonic() + seconds
        try:
            while not (folder / "out/results.h5").exists():
                time.sleep(0.01)
            while time.monotonic() < end:
                for read in (readers.export, readers.plot, readers.view, readers.report):
                    read()
        finally:
            is_over.set()
            writer.join()
        assert set(codes) == {0}, f"runs ended with {codes}"
        return readers.counts, len(codes)
