"""The quick statements of docs/papers/malczyk.md, computed anew: each must hold, or fail, as the page says."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
PROGRAM = pathlib.Path(os.environ["HOOKE_PROGRAM"]).parent / "papers" / "paper_malczyk"
sys.path.insert(0, str(ROOT / "papers" / "malczyk"))
import statements  # noqa: E402


def verdicts(text):
    """What is stated, without what was measured, and whether it holds."""
    found = re.findall(r"^- (.*?)(?:: [0-9.e+-]+[^:]*, at most [^:]*)?: (holds|\*\*does not hold\*\*)$", text, re.MULTILINE)
    return {what: holds == "holds" for what, holds in found}


class Statements(unittest.TestCase):
    def test_are_as_on_the_page(self):
        page = verdicts((ROOT / "docs" / "papers" / "malczyk.md").read_text())
        with tempfile.TemporaryDirectory() as data:
            subprocess.run([PROGRAM, data, "pendulum", "forces", "four_bar", "chain"], check=True, stdout=subprocess.DEVNULL)
            for section in (statements.pendulum, statements.force_errors, statements.four_bar, statements.chain):
                with self.subTest(section.__name__):
                    found = verdicts(section(data))
                    self.assertTrue(found)
                    for what, holds in found.items():
                        self.assertIn(what, page, "make the page again: papers/malczyk/run")
                        self.assertEqual(holds, page[what], what)


if __name__ == "__main__":
    unittest.main()
