"""tools/check_includes names headers of which nothing is used, and only those."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

PROJECT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))

HEADER = """#pragma once
namespace hooke {
struct Wheel {
  int spokes = 36;
};
/// Not a name: Tyre.
double radius(const Wheel& wheel);
inline constexpr int most_wheels = 8;
}  // namespace hooke
"""


def problems(source):
    with tempfile.TemporaryDirectory() as folder:
        room = pathlib.Path(folder) / "src/hooke/math"
        room.mkdir(parents=True)
        (room / "wheel.h").write_text(HEADER)
        (room / "cart.cpp").write_text(source)
        command = [sys.executable, "-B", PROJECT / "tools/check_includes", "--root", folder]
        return subprocess.run(command, capture_output=True, text=True).stderr


class CheckIncludes(unittest.TestCase):
    def test_used(self):
        for use in ["hooke::Wheel w;", "double r = radius(x);", "int n = most_wheels;"]:
            self.assertEqual(problems(f'#include "hooke/math/wheel.h"\n{use}\n'), "")
        self.assertEqual(problems("#include <vector>\nstd::vector<int> v;\n"), "")
        self.assertEqual(problems('#include "hooke/math/wheel.h"  // its side effects\n'), "")

    def test_unused(self):
        for text in ["int spokes;", "// a Wheel", 'const char* t = "Wheel";', "int Tyre;"]:
            self.assertIn("cart.cpp:1", problems(f'#include "hooke/math/wheel.h"\n{text}\n'))
        self.assertIn("<vector>", problems("#include <vector>\nint vector;\n"))


if __name__ == "__main__":
    unittest.main()
