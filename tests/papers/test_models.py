"""The papers' cases as model files: each runs, and gives the number that the paper's page has."""

import csv
import math
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
MODELS = ROOT / "models" / "papers"
SLOW = {"zhou_ffrf": 1e-3, "zhou_ancf": 2e-4, "zhou_rigid": 0.02, "kan_slider_crank": 0.05, "kan_cantilever": 0.01}  # run until then


def on_page(name, pattern):
    return float(re.search(pattern, (ROOT / "docs" / "papers" / f"{name}.md").read_text())[1])


class Models(unittest.TestCase):
    def run_model(self, name, *options):
        done = subprocess.run([os.environ["HOOKE_PROGRAM"], "run", MODELS / f"{name}.yaml", "--out", self.out, *map(str, options)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def table(self, *names):
        done = subprocess.run([os.environ["HOOKE_PROGRAM"], "export", f"{self.out}/results.h5", "--csv", "-", *names],
                              capture_output=True, text=True, check=True)
        return [[float(x) for x in row] for row in csv.reader(done.stdout.splitlines()) if not row[0].startswith(("#", "time"))]

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = folder.name + "/out"

    def test_every_file_runs(self):
        for model in sorted(MODELS.glob("*.yaml")):
            with self.subTest(model.stem):
                self.run_model(model.stem, *(("--end", SLOW[model.stem]) if model.stem in SLOW else ()))

    def test_yen_bushing(self):
        for steps, rho in ((200, 0.5), (500, 0), (500, 0.75)):
            self.run_model("yen_bushing", "--set", f"parameters.steps={steps}", "--set", f"run.integrator={{dae-alpha-cm: {{rho: {rho}}}}}")
            energy = self.table("energy.total")
            self.assertAlmostEqual(energy[-1][1] / energy[0][1], on_page("yen", rf"\| {steps} +\| {rho} +\| [\d.]+ +\| [\d.]+ +\| ([\d.]+)"),
                                   delta=1e-3)

    def test_yen_spring_pendulum(self):
        self.run_model("yen_spring_pendulum")
        last = [row[1] for row in self.table("energy.total") if row[0] > 4]
        self.assertAlmostEqual(sum(last) / len(last), on_page("yen", r"\| 0.01 s +(?:\| [\d.]+ +){4}\| ([\d.]+)"), delta=5e-3)

    def test_yen_slider_crank(self):
        self.run_model("yen_slider_crank")
        self.assertAlmostEqual(self.table("energy.total")[-1][1], on_page("yen", r"\| rho 0.75 \|[^|]*\| ([\d.]+)"), delta=2e-4)

    def test_kan_cuboid(self):
        """Beside CalculiX, with the limit of the page."""
        self.run_model("kan_cuboid")
        run = self.table("signal.tip", "signal.middle")
        with open(ROOT / "tests" / "data" / "reference" / "cuboid_A.csv") as file:
            reference = list(csv.DictReader(file))
        off = [run[10 * k][1] - math.hypot(*(float(row[f"u{d}_tip"]) for d in "xyz")) for k, row in enumerate(reference)]
        self.assertEqual(len(off), 101)
        self.assertLess(max(map(abs, off)), on_page("kan", r"beside CalculiX's.*at most ([\d.]+)"))
        self.assertLess(1e-3, max(row[2] for row in run))  # "at the level of 1e-3", says the paper
        self.assertLess(max(row[2] for row in run), 1e-2)

    def test_kan_cantilever(self):
        self.run_model("kan_cantilever", "--set", "run.analysis=statics", "--set", "run.start=0.1")
        deflection = on_page("kan", r"\| 20 components +\| ([\d.]+) m")  # of a corner, 1.5 mm off the middle at most
        self.assertAlmostEqual(-self.table("signal.end")[-1][1], deflection, delta=1.5e-3)

    def test_kan_slider_crank(self):
        dofs = on_page("kan", r"elements of 10 mm, (\d+) dofs")
        self.assertIn(f"({dofs:.0f} coordinates", self.run_model("kan_slider_crank", "--end", 0.01))

    def test_malczyk_chain(self):
        self.run_model("malczyk_chain")
        energy = self.table("energy.total", "energy.kinetic")
        lowest, largest = min(energy, key=lambda row: row[1]), max(energy, key=lambda row: row[2])
        self.assertAlmostEqual(lowest[1], on_page("malczyk", r"Hooke, SO\(3\) \| (\S+) J"), delta=0.05)
        self.assertAlmostEqual(largest[0], 5.22, delta=0.011)  # the paper's

    def test_malczyk_chain_in_euler_parameters(self):
        """Dip and end, which geometric stiffness brings to the paper's."""
        for row, options in (("Hooke, Euler parameters", ()),
                             ("Hooke, Euler parameters, geometric stiffness", ("--set", "run.geometric_stiffness=true"))):
            self.run_model("malczyk_chain_euler", "--set", "outputs.every=0.01", *options)
            energy = self.table("energy.total")
            found = [min(row[1] for row in energy) - energy[0][1], energy[-1][1] - energy[0][1]]
            for value, pattern in zip(found, (r" \| (\S+) J at", r" \|[^|]*\| (\S+) J")):
                self.assertAlmostEqual(value, on_page("malczyk", re.escape(row) + pattern), delta=0.1)

    def test_malczyk_four_bar(self):
        self.run_model("malczyk_four_bar")
        energy = self.table("energy.total")
        self.assertAlmostEqual(energy[-1][1] - energy[0][1], on_page("malczyk", r"\| SO\(3\) \| 30 s \|.*\| (\S+) J of"), delta=1e-3)

    def test_zhou_rigid(self):
        self.run_model("zhou_rigid", "--step", 1e-3, "--set", "coupling.tolerance=1e-16")
        energy = self.table("energy.total")
        self.assertAlmostEqual(max(abs(row[1] - energy[0][1]) for row in energy),
                               on_page("zhou", r"\| 0.001 +\| 1000 +(?:\| [\d.e-]+ +){4}\| ([\d.e-]+)"), delta=2e-5)


unittest.main()
