"""Control from the command line: blocks of a plugin, events in the summary, what results remember."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))


class Control(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def hooke(self, *arguments):
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=60)

    def last(self, results, *names):
        table = self.hooke("export", results, "--csv", "-", *names)
        self.assertEqual(table.returncode, 0, table.stderr)
        row = [float(number) for number in table.stdout.strip().split("\n")[-1].split(",")]
        return row if names == ("time",) else row[1:]

    def test_a_plugin_compiles_in_a_second_and_runs_only_when_allowed(self):
        shutil.copytree(ROOT / "examples/plugin", self.folder / "plugin")
        subprocess.run(["cc", "-shared", "-fPIC", "-O2", "-I", ROOT / "src", "-o", self.folder / "plugin/libstribeck.so",
                        ROOT / "examples/plugin/stribeck.c", "-lm"], check=True)
        refused = self.hooke("run", "plugin/plugin.yaml")
        self.assertEqual(refused.returncode, 3)
        self.assertIn("--allow-code", refused.stderr)
        done = self.hooke("run", "plugin/plugin.yaml", "--allow-code")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("by differences", done.stdout)
        angle, rate = self.last("results/plugin", "joint.pivot.angle", "joint.pivot.angle.rate")[:2]
        self.assertLess(abs(rate), 0.2)  # friction has stopped it, nearly
        missing = self.hooke("run", "plugin/plugin.yaml", "--allow-code", "--set", "control.friction.code=lugr")
        self.assertIn("did you mean 'lugre'", missing.stderr)
        gone = self.hooke("run", "plugin/plugin.yaml", "--allow-code", "--set", "plugin=./nothing.so")
        self.assertEqual(gone.returncode, 3)
        self.assertIn("cannot load", gone.stderr)

    def test_events_are_in_the_summary(self):
        done = self.hooke("run", ROOT / "models/control/bouncing.yaml")
        self.assertIn("t = 0.451523641 s: limit floor met at -4.42945 m/s; impulse 7.973 N s", done.stdout)

    def test_a_parameter_that_is_not_there_is_an_error(self):
        wrong = self.hooke("run", ROOT / "models/control/bouncing.yaml", "--set", "parameters.hight=2")
        self.assertEqual(wrong.returncode, 3)
        self.assertIn("no parameter 'hight' (did you mean 'height'?)", wrong.stderr)

    def test_results_of_another_model_are_set_aside(self):
        first = self.hooke("run", ROOT / "models/pendulum.yaml", "--out", "here", "--end", "0.1")
        again = self.hooke("run", ROOT / "models/pendulum.yaml", "--out", "here", "--end", "0.2")
        other = self.hooke("run", ROOT / "models/control/bouncing.yaml", "--out", "here", "--end", "0.1")
        self.assertEqual([first.returncode, again.returncode, other.returncode], [0, 0, 0])
        self.assertNotIn("set aside", again.stderr)
        self.assertIn("results.old.h5", other.stderr)
        self.assertAlmostEqual(self.last("here/results.old.h5", "time")[0], 0.2)

    def test_results_can_be_run_again(self):
        self.hooke("run", ROOT / "models/control/bouncing.yaml", "--end", "0.7", "--set", "parameters.e=0.5", "--out", "first")
        again = self.hooke("run", "first", "--out", "second")
        self.assertEqual(again.returncode, 0, again.stderr)
        finer = self.hooke("run", "first/results.h5", "--step", "1e-3", "--out", "third")
        self.assertEqual(finer.returncode, 0, finer.stderr)
        tables = [self.hooke("export", name, "--csv", "-").stdout for name in ("first", "second", "third")]
        self.assertEqual(tables[0], tables[1])
        self.assertNotEqual(tables[0], tables[2])

    def test_springs_and_signals_are_columns(self):
        self.hooke("run", ROOT / "models/control/quarter_car.yaml", "--end", "0.01")
        length, rate, tension = self.last("results/quarter_car", "force.suspension.length", "force.suspension.rate",
                                          "force.suspension.tension")
        self.assertAlmostEqual(tension, -400 * 9.81, places=3)
        self.assertAlmostEqual(length, 0.5, places=6)
        self.assertAlmostEqual(self.last("results/quarter_car", "signal.squash")[0], 440 * 9.81 / 2e5, places=8)

    def test_section_forces_of_a_rod(self):
        """A cantilever under its weight: the moment at the wall is that of statics."""
        (self.folder / "beam.yaml").write_text(
            "hooke: 1\ngravity: [0, 0, -9.81]\n"
            "bodies: {b: {cosserat: {section: {circle: 0.02}, material: {young: 2e11, poisson: 0.3, density: 7800}, elements: 16},"
            " between: [[0, 0, 0], [1, 0, 0]]}}\n"
            "joints: {wall: {fixed: [ground, b.start]}}\n"
            "run: {analysis: statics}\n")
        done = self.hooke("run", "beam.yaml")
        self.assertEqual(done.returncode, 0, done.stderr)
        weight = 9.81 * 7800 * 3.141592653589793 * 0.02**2
        forces = self.last("results/beam", "body.b.section.0")
        arc = 0.5 / 16 * (1 - 3**-0.5)
        bending = max(abs(forces[3]), abs(forces[4]))
        self.assertAlmostEqual(bending, weight * (1 - arc) ** 2 / 2, delta=2e-3 * bending)
        self.assertAlmostEqual(max(abs(forces[0]), abs(forces[1])), weight * (1 - arc), delta=2e-3 * weight)


if __name__ == "__main__":
    unittest.main()
