"""tools/check_layers accepts what the arrows allow and names what they do not."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))

TABLE = """
src/base            errors            -> (nothing)
src/math            algebra           -> base
src/frames          frames            -> math
src/coupling        participants      -> math
src/coupling/adapter  one file        -> coupling frames
"""


def check(files, table=TABLE):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/architecture.md").write_text(f"# Map\n\n```layers{table}```\n")
        for name, text in files.items():
            path = root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, "-B", PROJECT / "tools/check_layers", "--root", root]
        return subprocess.run(command, capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def assert_accepts(self, files, table=TABLE):
        result = check(files, table)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_refuses(self, message, files, table=TABLE):
        result = check(files, table)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)

    def test_own_folder_arrows_and_what_they_reach(self):
        self.assert_accepts({"frames/a.h": '#include "frames/b.h"\n#include "math/so3.h"\n#include "base/error.h"\n'})

    def test_include_against_the_arrows(self):
        self.assert_refuses('src/math/so3.h:2: #include "frames/a.h": math may not include frames',
                            {"math/so3.h": '#include <cmath>\n#include "frames/a.h"\n'})

    def test_spacing_does_not_hide_an_include(self):
        self.assert_refuses("base may not include math", {"base/x.cpp": '  #  include "math/so3.h"\n'})

    def test_subfolder_belongs_to_its_folder(self):
        self.assert_accepts({"frames/parts/a.h": '#include "frames/b.h"\n#include "math/so3.h"\n'})
        self.assert_refuses("frames may not include coupling", {"frames/parts/a.h": '#include "coupling/b.h"\n'})

    def test_room_of_one_file_has_its_own_arrows(self):
        self.assert_accepts({"coupling/adapter.cpp": '#include "coupling/relaxed.h"\n#include "frames/a.h"\n'})
        self.assert_refuses("coupling may not include coupling/adapter",
                            {"coupling/relaxed.h": '#include "coupling/adapter.h"\n'})

    def test_folder_without_a_row(self):
        self.assert_refuses("src/new/a.h: its folder has no row", {"new/a.h": ""})

    def test_include_that_is_not_written_from_src(self):
        self.assert_refuses('write project includes from src/', {"math/a.h": '#include "so3.h"\n'})

    def test_bad_tables(self):
        self.assert_refuses("lead back to it", {}, "\nsrc/a  one -> b\nsrc/b  two -> a\n")
        self.assert_refuses("'b', which has no row", {}, "\nsrc/a  one -> b\n")
        self.assert_refuses("cannot read the row", {}, "\nsrc/a  no arrow\n")


if __name__ == "__main__":
    unittest.main()
