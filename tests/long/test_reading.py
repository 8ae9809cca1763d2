"""Results can be read while runs write them, thousands of times.

    tests/long/test_reading.py [--seconds S]    600 by default
"""

import argparse
import os
import pathlib
import sys
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
sys.path.insert(0, str(ROOT / "tests"))
from support.reading import read_while_written


class Reading(unittest.TestCase):
    def test_every_command_reads_while_runs_write(self):
        counts, runs = read_while_written(arguments.seconds)
        print(f"{runs} runs, read while they wrote: {counts}", flush=True)


parser = argparse.ArgumentParser()
parser.add_argument("--seconds", type=float, default=600)
arguments, rest = parser.parse_known_args()
if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *rest])
