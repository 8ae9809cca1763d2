"""Results can be read while a run writes them; tests/long does it for longer."""

import os
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(os.environ["HOOKE_ROOT"]) / "tests"))
from support.reading import read_while_written


class Reading(unittest.TestCase):
    def test_every_command_reads_while_a_run_writes(self):
        counts, _ = read_while_written(seconds=6)
        self.assertEqual(set(counts), {"export", "plot", "view", "report"})


if __name__ == "__main__":
    unittest.main()
