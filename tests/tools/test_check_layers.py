"""tools/check_layers accepts what the arrows allow and names what they do not."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))

TABLE = """
base            errors            -> (nothing)
math            algebra           -> base
frames          frames            -> math
coupling        participants      -> math
coupling/adapter  one file        -> coupling frames
"""

# One file for each room, so that every arrow of the table is used.
USERS = {
    "math/user.cpp": '#include "hooke/base/a.h"\n',
    "frames/user.cpp": '#include "hooke/math/a.h"\n',
    "coupling/user.cpp": '#include "hooke/math/a.h"\n',
    "coupling/adapter/user.cpp": '#include "hooke/coupling/a.h"\n#include "hooke/frames/a.h"\n',
}


def check(files, table=TABLE):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "docs").mkdir()
        (root / "docs/architecture.md").write_text(f"# Map\n\n```layers{table}```\n")
        for name, text in files.items():
            path = root / "src/hooke" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        command = [sys.executable, "-B", PROJECT / "tools/check_layers", "--root", root]
        return subprocess.run(command, capture_output=True, text=True)


class CheckLayers(unittest.TestCase):
    def assert_accepts(self, files, table=TABLE):
        result = check(USERS | files, table)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def assert_refuses(self, message, files, table=TABLE):
        result = check(files, table)
        self.assertEqual(result.returncode, 1)
        self.assertIn(message, result.stderr)

    def test_own_folder_arrows_and_what_they_reach(self):
        self.assert_accepts({"frames/a.h": '#include "hooke/frames/b.h"\n#include "hooke/math/so3.h"\n#include "hooke/base/error.h"\n'})

    def test_include_against_the_arrows(self):
        self.assert_refuses('src/hooke/math/so3.h:2: #include "hooke/frames/a.h": math may not include frames',
                            {"math/so3.h": '#include <cmath>\n#include "hooke/frames/a.h"\n'})

    def test_spacing_does_not_hide_an_include(self):
        self.assert_refuses("base may not include math", {"base/x.cpp": '  #  include "hooke/math/so3.h"\n'})

    def test_subfolder_belongs_to_its_folder(self):
        self.assert_accepts({"frames/parts/a.h": '#include "hooke/frames/b.h"\n#include "hooke/math/so3.h"\n'})
        self.assert_refuses("frames may not include coupling", {"frames/parts/a.h": '#include "hooke/coupling/b.h"\n'})

    def test_room_of_one_file_has_its_own_arrows(self):
        self.assert_accepts({"coupling/adapter.cpp": '#include "hooke/coupling/relaxed.h"\n#include "hooke/frames/a.h"\n'})
        self.assert_refuses("coupling may not include coupling/adapter",
                            {"coupling/relaxed.h": '#include "hooke/coupling/adapter.h"\n'})

    def test_folder_without_a_row(self):
        self.assert_refuses("src/hooke/new/a.h: its folder has no row", {"new/a.h": ""})

    def test_include_that_is_not_written_in_full(self):
        self.assert_refuses('write project includes as "hooke/room/file.h"', {"math/a.h": '#include "so3.h"\n'})

    def test_arrow_nobody_uses(self):
        unused = USERS | {"frames/user.cpp": '#include "hooke/base/a.h"\n'}
        self.assert_refuses("no file of frames includes one of math: remove that arrow", unused)

    def test_header_that_gathers_rooms(self):
        self.assert_accepts({"hooke.h": '#include "hooke/frames/a.h"\n#include "hooke/coupling/adapter/a.h"\n'})
        self.assert_refuses("write project includes", {"frames/a.h": '#include "hooke/hooke.h"\n'})

    def test_bad_tables(self):
        self.assert_refuses("lead back to it", {}, "\na  one -> b\nb  two -> a\n")
        self.assert_refuses("'b', which has no row", {}, "\na  one -> b\n")
        self.assert_refuses("cannot read the row", {}, "\na  no arrow\n")


if __name__ == "__main__":
    unittest.main()
