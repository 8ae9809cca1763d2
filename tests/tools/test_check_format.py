"""tools/check_format does not pass where it could not check."""

import os
import pathlib
import subprocess
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))


class CheckFormat(unittest.TestCase):
    def check(self, version, **environment):
        with tempfile.TemporaryDirectory() as folder:
            formatter = pathlib.Path(folder) / "clang-format"
            formatter.write_text(f"#!/bin/sh\necho clang-format version {version}\n")
            formatter.chmod(0o755)
            return subprocess.run([PROJECT / "tools/check_format"], capture_output=True, text=True,
                                  env={**os.environ, **environment, "PATH": f"{folder}:{os.environ['PATH']}"})

    def test_another_version_fails_and_says_so(self):
        done = self.check("15.0.7")
        self.assertEqual(done.returncode, 1)
        self.assertIn("version 15, not 14: THE FORMAT IS NOT CHECKED", done.stderr)

    def test_unless_told_to_let_it_pass(self):
        done = self.check("15.0.7", HOOKE_ANY_FORMAT="1")
        self.assertEqual(done.returncode, 0)
        self.assertIn("NOT CHECKED", done.stderr)

    def test_the_right_version_is_asked(self):
        self.assertEqual(self.check("14.0.6").returncode, 0)


if __name__ == "__main__":
    unittest.main()
