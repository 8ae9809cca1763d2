"""A write or an allocation fails, one at a time, everywhere in a short run: the program does not crash, says what
happened, and what it had written before can be read. (The library underneath, HDF5, ends the program by itself or
crashes when some of its own allocations fail. Nothing written before is lost by that either; it is counted apart.)

    tests/long/test_faults.py [--tries N]    of each kind; 400 by default, spread over all calls of the run
"""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from collections import Counter

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()) if hasattr(self, "enterContext")
                                   else tempfile.mkdtemp())
        self.shim = self.folder / "shim.so"
        subprocess.run(["cc", "-O1", "-shared", "-fPIC", "-o", self.shim, ROOT / "tests/support/fault_shim.c", "-ldl"], check=True)

    def run_with(self, kind, number):
        out = self.folder / "out"
        for old in out.glob("*"):
            old.unlink()
        environment = dict(os.environ, LD_PRELOAD=str(self.shim), HOOKE_FAIL_KIND=kind, HOOKE_FAIL_CALL=str(number),
                           HOOKE_FAIL_COUNT=str(self.folder / "count"), HOOKE_FAIL_WHERE=str(self.folder / "where"))
        return out, subprocess.run([PROGRAM, "run", ROOT / "models/slider_crank.yaml", "--end", "0.2", "--set", "outputs.every=1e-3",
                                    "--set", "run.checkpoint=1e-3", "--out", out, "-q"],
                                   env=environment, capture_output=True, text=True, timeout=60)

    def times(self, out, why):
        """All that can be read, if there are results."""
        if not (out / "results.h5").exists():
            return None
        read = subprocess.run([PROGRAM, "export", out, "--csv", "-", "time"], capture_output=True, text=True, timeout=60)
        self.assertEqual(read.returncode, 0, f"{why}\n{read.stderr}")
        return read.stdout

    def attack(self, kind, allowed):
        out, done = self.run_with(kind, 0)
        self.assertEqual(done.returncode, 0, done.stderr)
        undisturbed = self.times(out, "undisturbed")
        calls = int((self.folder / "count").read_text())
        self.assertGreater(calls, 20)
        tries = min(arguments.tries, calls)
        numbers = [1 + k * calls // tries for k in range(tries)]
        outcomes = Counter()
        for number in numbers:
            out, done = self.run_with(kind, number)
            why = f"{kind} {number} of {calls}, in {(self.folder / 'where').read_text()}: {done.stderr}"
            is_below = "libhdf5" in why and done.returncode not in allowed
            outcomes["in HDF5" if is_below else done.returncode] += 1
            times = self.times(out, why)
            if done.returncode == 0:
                self.assertEqual(times, undisturbed, why)
            elif not is_below:
                self.assertIn(done.returncode, allowed, why)
                self.assertRegex(done.stderr, r"(?m)^hooke: (?!.*mistake in hooke)", why)
        print(f"{kind}: {len(numbers)} of {calls} calls failed one at a time; exit codes {dict(outcomes)}", flush=True)

    def test_every_write(self):
        self.attack("write", (0, 6))

    def test_every_allocation(self):
        self.attack("memory", (0, 1, 6))


parser = argparse.ArgumentParser()
parser.add_argument("--tries", type=int, default=400)
arguments, rest = parser.parse_known_args()
if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *rest])
