"""The page of `hooke view` is fast enough, also drawn in software; needs what tests/viewer/test_viewer.py needs."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
sys.path.insert(0, str(ROOT / "tests/viewer"))

from test_viewer import missing_browser, need  # noqa: E402

MANY = """\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  for i in 1..1000:
    b${i}:
      rigid: {mass: 1, inertia: [0.1, 0.1, 0.01]}
      at: ["${2*mod(i, 32)}", "${2*floor(i/32)}", 0]
      velocity: [0, 0, "${10 + 2*sin(i)}"]
      angular_velocity: [3, "${cos(i)}", 1]
run: {integrator: dormand-prince, step: 2e-3, end: 2}
outputs: {every: 2e-3}
"""


class Speed(unittest.TestCase):
    def test_pictures_a_second(self):
        need(missing_browser())
        folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_speed_"))
        self.addCleanup(shutil.rmtree, folder)
        (folder / "many.yaml").write_text(MANY)
        for command in [["run", ROOT / "models/chain.yaml", "--set", "parameters.n=128", "--end", 4, "--out", folder / "chain"],
                        ["run", folder / "many.yaml", "--out", folder / "many"],
                        ["view", folder / "chain", "--export", folder / "chain.html"]]:
            subprocess.run([PROGRAM, *map(str, command)], check=True, capture_output=True, timeout=600)
        done = subprocess.run(["node", "--test", ROOT / "tests/viewer/speed.mjs"], capture_output=True, text=True, timeout=600,
                              env={**os.environ, "HOOKE_PAGES": str(folder)})
        print(done.stdout)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
