"""tools/check_links finds links to files and headings that are not there, and no others."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))


def problems(**pages):
    with tempfile.TemporaryDirectory() as folder:
        for name, text in pages.items():
            (pathlib.Path(folder) / f"{name}.md").write_text(text)
        command = [sys.executable, "-B", PROJECT / "tools/check_links", "--root", folder]
        return subprocess.run(command, capture_output=True, text=True).stderr


class CheckLinks(unittest.TestCase):
    def test_links_that_lead_somewhere(self):
        self.assertEqual(problems(a="[b](b.md), [part](b.md#two-words), [web](https://example.org/x), [here](#own)\n# Own\n",
                                  b="# Two `words`\n"), "")

    def test_links_that_do_not(self):
        self.assertIn("a.md:2: c.md: there is no such file", problems(a="x\n[c](c.md)\n"))
        self.assertIn("b.md#three: b.md has no such heading", problems(a="[b](b.md#three)\n", b="# Two\n"))

    def test_code_is_not_read(self):
        self.assertEqual(problems(a="`[x](y)`\n```\n[x](y.md)\n# Not a heading\n```\n    [x](y.md)\n"), "")


if __name__ == "__main__":
    unittest.main()
