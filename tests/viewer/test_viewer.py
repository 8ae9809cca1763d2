"""The page of `hooke view` in a real browser (tests/viewer/page.mjs), and whether it is the one its source gives.

Needs what `make viewer` installs: chromium, node and the packages of viewer/package-lock.json. Without them these tests
are skipped, unless HOOKE_REQUIRE_VIEWER is set, as it is in continuous integration.
"""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
VIEWER = ROOT / "viewer"


def missing():
    if not shutil.which("node"):
        return "node is not installed"
    if not (VIEWER / "node_modules" / "playwright-core").is_dir():
        return "the packages of viewer/ are not installed"
    return ""


def missing_browser():
    names = [os.environ.get("HOOKE_BROWSER", ""), "chromium", "chromium-browser", "google-chrome"]
    return missing() or ("" if any(name and shutil.which(name) for name in names) else "chromium is not installed")


def need(reason):
    if reason and os.environ.get("HOOKE_REQUIRE_VIEWER"):
        raise AssertionError(f"{reason}; run 'make viewer'")
    if reason:
        raise unittest.SkipTest(f"{reason}; 'make viewer' installs what these tests need")


def flexible_results(folder):
    """Results with a rod, with a solid and with hostile texts, which a test of the library makes."""
    program = pathlib.Path(PROGRAM).parent / "tests" / "test_view"
    subprocess.run([program, "--gtest_filter=ForTheBrowser.*"], check=True, capture_output=True, timeout=120,
                   env={**os.environ, "HOOKE_FLEXIBLE_RESULTS": str(folder)})


LOST_MODEL = """\
hooke: 1
title: One flies away
bodies:
  a: {rigid: {mass: 1, shape: {sphere: 0.1}}}
  b: {rigid: {mass: 1, shape: {box: [0.2, 0.2, 0.2]}}, at: [1, 0, 0]}
  lost: {rigid: {mass: 1, shape: {sphere: 0.1}}, at: [0, 0.5, 0], velocity: [0, 1e3, 0]}
run: {step: 0.01, end: 1}
"""

# Damped by its stiffness: the damping ratio is pi times that factor times the frequency.
BAR_MODEL = """\
hooke: 1
title: Modes of a bar
bodies:
  bar:
    solid: {mesh: {box: {size: [1, 0.06, 0.04], divisions: [12, 1, 1], element: hex20}}, material: {young: 2e9, poisson: 0.3, density: 1000}, stiffness_damping: 1e-3}
    at: [0.5, 0, 0]
joints: {clamp: {tie: [ground, bar.x_min]}}
run: {analysis: {modes: 4}}
"""

HOSTILE_MODEL = """\
# </script><script>document.title='owned'</script> <!--<script>
hooke: 1
title: "</title><img src=x onerror=document.title='owned'>\\u2028"
bodies: {NAME: {rigid: {mass: 1, inertia: 1}, velocity: [1, 0, 0]}}
run: {step: 0.01, end: 0.1}
"""


class Viewer(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_viewer_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def run_quietly(self, *command, **options):
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=600, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_page_is_what_its_source_gives(self):
        need(missing())
        self.run_quietly("node", VIEWER / "build.mjs", "--check")

    def test_a_model_cannot_name_things_as_it_likes(self):
        for name in ["<b>", "a/b", "..", "a.b", "=1", "\\e[31m"]:
            (self.folder / "model.yaml").write_text(HOSTILE_MODEL.replace("NAME", f'"{name}"'))
            done = subprocess.run([PROGRAM, "run", self.folder / "model.yaml", "--out", self.folder / "out"], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3, name)
            self.assertIn("letters, digits, _ and -", done.stderr)
            self.assertNotIn("\033", done.stdout + done.stderr)

    def test_in_the_browser(self):
        need(missing_browser())
        models = {"slider_crank": "slider_crank", "mass_spring": "mass_spring", "rocker": "crank_rocker_driven"}
        for name, model in models.items():
            self.run_quietly(PROGRAM, "run", ROOT / "models" / f"{model}.yaml", "--out", self.folder / name, "--end", 2)
        self.run_quietly(PROGRAM, "run", ROOT / "models/slider_crank.yaml", "--out", self.folder / "coarse", "--end", 2,
                         "--integrator", "hht", "--step", 5e-3)
        flexible_results(self.folder)
        (self.folder / "model.yaml").write_text(HOSTILE_MODEL)
        self.run_quietly(PROGRAM, "run", self.folder / "model.yaml", "--out", self.folder / "hostile_model")
        (self.folder / "lost.yaml").write_text(LOST_MODEL)
        self.run_quietly(PROGRAM, "run", self.folder / "lost.yaml", "--out", self.folder / "lost")
        self.run_quietly(PROGRAM, "run", ROOT / "tests/data/trust/sat_min.yaml", "--out", self.folder / "panel")
        self.run_quietly(PROGRAM, "run", ROOT / "models/mass_spring.yaml", "--analysis", "modes", "--out", self.folder / "modes")
        self.run_quietly(PROGRAM, "run", ROOT / "models/contact/gripper.yaml", "--out", self.folder / "gripper", "--end", 0.6)
        (self.folder / "bar.yaml").write_text(BAR_MODEL)
        self.run_quietly(PROGRAM, "run", self.folder / "bar.yaml", "--out", self.folder / "bar")
        for name in [*models, "modes", "gripper", "bar", "lost", "panel", "rod", "solid", "hostile", "hostile_model"]:
            self.run_quietly(PROGRAM, "view", self.folder / name, "--export", self.folder / f"{name}.html")
        self.run_quietly(PROGRAM, "view", self.folder / "slider_crank", self.folder / "coarse", "--export",
                         self.folder / "both.html")
        self.run_quietly(PROGRAM, "report", self.folder / "hostile", "--out", self.folder / "hostile-report.html")
        self.run_quietly(PROGRAM, "plot", self.folder / "hostile", "*.angle", "--out", self.folder / "hostile.svg")
        print(self.run_quietly("node", "--test", ROOT / "tests/viewer/page.mjs", ROOT / "tests/viewer/drawn.mjs",
                               env={**os.environ, "HOOKE_PAGES": str(self.folder)}))


if __name__ == "__main__":
    unittest.main()
