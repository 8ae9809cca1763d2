"""Nothing is lost: runs are killed (kill -9) at any moment and continued until they end; what they then have written
is, bit for bit, what an undisturbed run writes.

    tests/long/test_kill.py [--kills N]    1000 by default, over seven kinds of runs
"""

import argparse
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))

KINDS = {
    "rigid": ("models/slider_crank.yaml", ["--step", "5e-5", "--end", "1"]),
    "tolerance": ("models/double_pendulum.yaml", ["--tolerance", "1e-11", "--integrator", "dormand-prince", "--end", "400"]),
    "chain on two threads": ("models/chain.yaml", ["--set", "parameters.n=64", "--threads", "2", "--step", "2e-4", "--end", "0.8"]),
    "rod": ("models/flexible/cable.yaml", ["--step", "2e-4", "--end", "0.6"]),
    "solid": ("models/flexible/solid_beam.yaml", ["--step", "1e-4", "--end", "0.3"]),
    "relaxed coupling": ("models/coupled/slider_crank.yaml", ["--step", "2e-4", "--end", "1"]),
    "force-displacement coupling": ("models/coupled/cable.yaml", ["--step", "2e-4", "--end", "0.6"]),
}


def table(folder):
    """All quantities in all digits."""
    done = subprocess.run([PROGRAM, "export", folder, "--csv", folder / "all.csv"], capture_output=True, text=True, timeout=120)
    return done, (folder / "all.csv").read_text() if done.returncode == 0 else ""


def attack(name, kills, chance, folder):
    """Returns how often it was killed, and of those, how often before there was anything to continue."""
    model, options = KINDS[name]
    start = [PROGRAM, "run", ROOT / model, *options, "--set", "run.checkpoint=1e-3", "-q"]
    began = time.time()
    subprocess.run([*start, "--out", folder / "whole"], check=True, timeout=600)
    takes = time.time() - began
    _, expected = table(folder / "whole")
    done = early = 0
    while done < kills:
        cut = folder / "cut"
        for old in cut.glob("*"):
            old.unlink()
        command = [*start, "--out", cut]
        while True:
            running = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
            if done < kills:
                try:
                    running.wait(timeout=chance.uniform(0, 1.3 * takes / 3))
                except subprocess.TimeoutExpired:
                    running.kill()
            _, errors = running.communicate(timeout=600)
            if running.returncode == 0:
                break
            if running.returncode != -9:
                raise AssertionError(f"{name}: exit {running.returncode}: {errors}")
            done += 1
            results, can_continue = cut / "results.h5", (cut / "results.checkpoint").exists()
            if results.exists():
                read, _ = table(cut)
                if read.returncode != 0:
                    raise AssertionError(f"{name}: not readable after kill {done}: {read.stderr}")
            elif can_continue:
                raise AssertionError(f"{name}: a checkpoint without results")
            early += not can_continue
            command = [PROGRAM, "run", "--continue", cut, "-q"] if can_continue else [*start, "--out", cut]
        _, found = table(cut)
        if found != expected:
            raise AssertionError(f"{name}: after {done} kills the results differ from those of an undisturbed run")
    return done, early


class Kill(unittest.TestCase):
    def test_killed_runs_end_like_undisturbed_ones(self):
        each = max(1, arguments.kills // len(KINDS))
        for number, name in enumerate(KINDS):
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                done, early = attack(name, each, random.Random(number), pathlib.Path(folder))
                print(f"{name}: killed {done} times, {early} of them before the first checkpoint", flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--kills", type=int, default=1000)
arguments, rest = parser.parse_known_args()
if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *rest])
