"""tools/check_equations finds chapters and equations that are not numbered in their order, and no others."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
TABLE = "# Theory\n\n| [1 Rods](rods.md) | a |\n| [2 Solids](solids.md) | b |\n"
RODS = "# 1 Rods\n\n[Theory](README.md) · next: [2 Solids](solids.md)\n\n## 1.1 One\n\n$$ a \\tag{1.1} $$\n\nBy (1.1).\n"
SOLIDS = "# 2 Solids\n\n[Theory](README.md) · previous: [1 Rods](rods.md)\n"


def problems(rods=RODS, solids=SOLIDS, **others):
    with tempfile.TemporaryDirectory() as root:
        folder = pathlib.Path(root) / "docs/theory"
        folder.mkdir(parents=True)
        for page, text in {"README": TABLE, "rods": rods, "solids": solids, **others}.items():
            (folder / f"{page}.md").write_text(text)
        command = [sys.executable, "-B", PROJECT / "tools/check_equations", "--root", root]
        return subprocess.run(command, capture_output=True, text=True).stderr


class CheckEquations(unittest.TestCase):
    def test_what_is_in_order(self):
        self.assertEqual(problems(), "")

    def test_an_equation_without_its_number(self):
        self.assertIn("rods.md:7: this equation should be \\tag{1.1}", problems(rods=RODS.replace(" \\tag{1.1}", "")))
        self.assertIn("rods.md:7: this equation should be \\tag{1.1}", problems(rods=RODS.replace("g{1.1", "g{1.2")))

    def test_an_equation_that_is_not_there(self):
        self.assertIn("there is no equation (1.2)", problems(rods=RODS.replace("By (1.1)", "By (1.2)")))

    def test_chapters_out_of_order(self):
        self.assertIn("the title should be '# 1 Rods'", problems(rods=RODS.replace("# 1 Rods", "# Rods", 1)))
        self.assertIn("the third line should be", problems(solids=SOLIDS.replace(" · previous: [1 Rods](rods.md)", "")))
        self.assertIn("the section 'One' should be 1.1", problems(rods=RODS.replace("1.1 One", "One")))
        self.assertIn("beams.md is not in the table", problems(beams="# 3 Beams\n"))


if __name__ == "__main__":
    unittest.main()
