"""Runs the built program as a user does: what it prints, what it writes, how it ends."""

import csv
import json
import math
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])

FREE_FALL = """\
# A ball falls.
hooke: 1
title: Falling ball
parameters: {speed: 3, end: 0.5}
gravity: [0, 0, -10]
bodies:
  ball: {rigid: {mass: 2, inertia: 1}, at: [1, 2, 3], velocity: ["${speed}", 0, 0]}
run: {step: 0.01, end: "${end}"}
outputs: {every: 0.1}
"""

LARGE_BAR = """\
hooke: 1
parameters: {n: 6}
bodies:
  bar: {solid: {mesh: {box: {size: [0.4, 0.04, 0.04], divisions: ["${10*n}", "${n}", "${n}"]}}, material: {young: 7e10, poisson: 0.3, density: 2700}}}
"""

PENDULUM = """\
hooke: 1
title: Pendulum
gravity: [0, 0, -9.81]
bodies:
  rod: {rigid: {mass: 1, inertia: [0.0833, 0.0833, 0.001]}, at: [0.5, 0, 0]}
joints:
  pivot: {revolute: [ground, rod], at: [0, 0, 0], axis: y}
run: {step: 1e-3, end: 0.5}
outputs: {every: 0.01}
"""


class ProgramTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def hooke(self, *arguments, expect=0, **options):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=120,
                              **options)
        self.assertEqual(done.returncode, expect, f"{arguments}\n{done.stdout}{done.stderr}")
        return done

    def write(self, name, text):
        (self.folder / name).write_text(text)
        return name

    def table(self, results, *names):
        text = self.hooke("export", results, "--csv", "-", *names).stdout
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        return rows[0], [[float(number) for number in row] for row in rows[1:]]

    def attribute(self, path, name):
        text = subprocess.run(["h5dump", "-a", "/" + name, self.folder / path], capture_output=True, text=True, check=True).stdout
        return re.search(r'\(0\): "(.*)"', text)[1]

    def assert_one_error(self, done, *parts):
        """stderr has one line for the one thing that is wrong, and no more."""
        lines = done.stderr.splitlines()
        self.assertEqual(len(lines), 1, done.stderr)
        self.assertTrue(lines[0].startswith("hooke: "), done.stderr)
        for part in parts:
            self.assertIn(part, lines[0])


class Run(ProgramTest):
    def test_stability_of_a_coupling(self):
        self.write("linear.yaml", """
            hooke: 1
            linear:
              multibody: {mass: [[5]], damping: [[1]], stiffness: [[100]], coupling: [[1]]}
              structure: {mass: [[0.5, 0], [0, 0.5]], damping: [[0.1, -0.1], [-0.1, 0.2]],
                          stiffness: [[50, -50], [-50, 100]], coupling: [[1, 0]]}
            coupling: {force-displacement: {displaced: structure}}
            run: {step: 0.01}""")
        said = self.hooke("stability", "linear.yaml", "--draw", "radius.svg").stdout
        self.assertRegex(said, r"approximate +side-by-side +1, 1 +0\.8518 ")
        self.assertRegex(said, r"approximate +side-by-side +2, 2 +1\.4108 +never")
        self.assertRegex(said, r"Recommended with the step 0.01 s:\n  coupling: \{force-displacement: \{displaced: structure, ")
        self.assertIn("<svg", (self.folder / "radius.svg").read_text())
        wrong = self.hooke("stability", "linear.yaml", "--set", "linear.structure.mass=[[1]]", expect=3).stderr
        self.assertRegex(wrong, r"linear.yaml:5:\d+: linear.structure.damping: expected 1 rows of 1 numbers")
        self.assertIn("no force-displacement coupling", self.hooke("stability", ROOT / "models/pendulum.yaml", expect=3).stderr)

    def test_check_says_what_touches_and_what_is_measured(self):
        said = self.hooke("check", ROOT / "models/contact/stack.yaml").stdout
        self.assertRegex(said, r"contact +law +surfaces\n +all +rigid +among 8 surfaces")
        said = self.hooke("check", ROOT / "models/contact/gripper.yaml").stdout
        self.assertRegex(said, r"left +compliant +left with block")
        said = self.hooke("check", ROOT / "models/control/servo.yaml").stdout
        self.assertRegex(said, r"signal +unit\n +wanted +rad")

    def test_linear_subsystems_are_run_and_mapped(self):
        model = ROOT / "models" / "coupled" / "two_masses.yaml"
        self.assertIn("The model can be run", self.hooke("check", model).stdout)
        self.hooke("run", model, "--step", 1e-3, "--out", "two")
        names, rows = self.table("two/results.h5", "linear.multibody.z1", "linear.structure.z1", "linear.structure.z2")
        self.assertEqual(len(rows), 201)
        self.assertLess(max(abs(x - 1) for x in rows[0][1:]), 1e-15)
        self.assertLess(max(abs(row[1] - row[2]) for row in rows), 1e-14)  # no drift
        force = "coupling.force-displacement."
        grows = ("--set", force + "forces=approximate", "--set", force + "force_degree=2")
        failed = self.hooke("run", model, *grows, "--end", 20, "--out", "grows", expect=5).stderr
        self.assertIn("unstable at the start with any macro step", failed)
        self.assertIn("motions grow without bound", failed)
        self.assertGreater(len(self.table("grows/results.h5", "linear.multibody.z1")[1]), 10)
        said = self.hooke("stability", model, *grows[:2], "--map", "linear.multibody.mass=1:50:4", "--draw", "map.svg").stdout
        self.assertRegex(said, r"\n +1 +1\.0861 +never +1\.\d+ +never")
        self.assertRegex(said, r"\n +3\.684 +0\.6258 .* 0\.9524 .* 1\.5578 +never")  # 7.37 times m_F: above 6.4641, below 31.640
        self.assertRegex(said, r"\n +50 .* 0\.7353 ")
        self.assertIn("<svg", (self.folder / "map.svg").read_text())
        self.assertIn("expected KEY=LOW:HIGH:COUNT", self.hooke("stability", model, "--map", "run.step=1", expect=2).stderr)
        wrong = self.hooke("run", model, "--set", "linear.structure.coupling=[[1,0],[0,1]]", expect=3).stderr
        self.assertIn("couples 2 motions, but 'multibody' 1", wrong)

    def test_an_unstable_coupling_ends_with_a_message(self):
        force = "coupling.force-displacement."
        done = self.hooke("run", ROOT / "models" / "coupled" / "cable.yaml", "--set", "parameters.ratio=3", "--set", force + "force_degree=2",
                          "--set", force + "motion_degree=2", "--out", "cable", expect=5)
        self.assertIn("unstable at the start with any macro step", done.stderr)
        self.assertIn("the coupling may be unstable, see 'hooke stability'", done.stderr)
        self.assertGreater(len(self.table("cable/results.h5", "body.hand.position.z")[1]), 0)

    def test_bodies_with_a_short_step_are_split_off(self):
        model = ROOT / "models" / "coupled" / "two_booms.yaml"
        fine = [word for body in ("housing", "crank", "rod", "piston", "valve", "anvil") for word in ("--fine", body)]
        small = ("--set", "parameters.n=1")
        proposal = self.hooke("split", model, *small, *fine, "--step", 1e-4, "--seconds", 0.02).stdout
        self.assertRegex(proposal, "# Cut at bolt, bolt2.\n")
        self.assertIn("  coarse1: [boom]\n  coarse2: [boom2]\n  fine: {bodies: [housing, crank, rod, piston, valve, anvil], step: 0.0001}\ncoupling: multirate\n", proposal)
        self.assertNotIn("fails", proposal)
        self.assertIn("did you mean 'housing'", self.hooke("split", model, *small, "--fine", "hosing", "--step", 1e-4, expect=2).stderr)
        self.assertIn("named by --fine", self.hooke("split", model, *small, "--step", 1e-4, expect=2).stderr)
        self.assertIn("a fraction of run.step, 0.001 s", self.hooke("split", model, *small, "--fine", "housing", expect=2).stderr)

    def test_a_model_is_split_and_run_in_parts(self):
        model = ROOT / "models" / "chain.yaml"
        done = self.hooke("split", model, "--into", 3, "--set", "parameters.n=6", "--seconds", 0.02)
        proposal = done.stdout
        whole_wins = "the split is" not in proposal
        self.assertEqual("Do not split it so: the whole is at least as fast" in proposal, whole_wins, proposal)
        self.assertEqual("--fine BODY --step S" in done.stderr, whole_wins, done.stderr)
        self.assertRegex(proposal, r"#   1 thread: whole [0-9.e+-]+ s, split [0-9.e+-]+ s: the (whole|split) is [0-9.]+ times as fast")
        self.assertIn("subsystems:\n", proposal)
        self.assertEqual(len(re.findall(r"link\d", proposal)), 6)
        self.assertIn("joint3, joint5", proposal)
        self.write("split.yaml", f"hooke: 1\ninclude: {model}\nparameters: {{n: 6}}\n{proposal}")
        run = ("--integrator", "stabilised-ode", "--step", 0.01, "--end", 0.2)
        done = self.hooke("run", "split.yaml", *run, "--out", "parts")
        self.assertRegex(done.stdout, r"coupling: [0-9.]+ iterations a step")
        self.hooke("run", model, "--set", "parameters.n=6", *run, "--out", "whole")
        name = "body.link6.position.y"
        parts, whole = (self.table(f"{folder}/results.h5", name)[1] for folder in ("parts", "whole"))
        self.assertEqual(len(parts), len(whole))
        self.assertLess(max(abs(a - b) for rows in zip(parts, whole) for a, b in zip(*rows)), 1e-6)
        done = self.hooke("run", "split.yaml", expect=3)
        self.assertIn("run.integrator: a model with subsystems needs", done.stderr)

    def test_summary_says_what_was_done(self):
        model = self.write("pendulum.yaml", PENDULUM)
        out = self.hooke("run", model).stdout
        for line in [r"Pendulum: finished", r"bodies +1\n", r"joints +1\n", r"degrees of freedom +1 \(6 coordinates, 5 constraints\)",
                     r"method +generalized-alpha, solver \w+", r"simulated +0\.5 s", r"steps +500 \(0 rejected\)",
                     r"Newton iterations +\d\.\d\d per step", r"tangents +\d+ factorized",
                     r"energy balance +off by at most \S+ J, \S+ of the energy in play", r"estimated error +\S+ of the mechanism",
                     r"constraint violation +at most \S+ m", r"wall time +\S+ s", r"real-time factor +\S+ \(simulated / wall",
                     r"results +results/pendulum/results\.h5 \(51 outputs\)", r"next:\n", r"export results/pendulum/results\.h5"]:
            self.assertRegex(out, line)
        self.assertNotIn("\033", out, "no colours where there is no terminal")

    def test_results_are_those_of_a_parabola(self):
        self.hooke("run", self.write("ball.yaml", FREE_FALL), "--out", "there")
        names, rows = self.table("there/results.h5", "body.ball.position", "body.ball.velocity.z", "energy.total")
        self.assertEqual(names, ["time", "body.ball.position.x", "body.ball.position.y", "body.ball.position.z",
                                 "body.ball.velocity.z", "energy.total"])
        self.assertEqual([row[0] for row in rows], [0, 0.1, 0.2, 0.3, 0.4, 0.5])
        for t, x, y, z, speed, energy in rows:
            for number, right in [(x, 1 + 3 * t), (y, 2), (z, 3 - 5 * t * t), (speed, -10 * t), (energy, 69)]:
                self.assertAlmostEqual(number, right, delta=1e-9)

    def test_set_changes_values(self):
        model = self.write("ball.yaml", FREE_FALL)
        self.hooke("run", model, "--set", "parameters.speed=7", "--set", "gravity[2]=0", "--end", "1")
        _, rows = self.table("results/ball", "body.ball.position.x", "body.ball.position.z")
        self.assertAlmostEqual(rows[-1][0], 1)
        self.assertAlmostEqual(rows[-1][1], 8)
        self.assertAlmostEqual(rows[-1][2], 3)

    def test_method_is_chosen_on_the_command_line(self):
        model = self.write("pendulum.yaml", PENDULUM)
        self.assertRegex(self.hooke("run", model, "--integrator", "hht:alpha=-0.2,form=index3", "--step", "5e-3").stdout,
                         r"method +hht, (.|\n)*steps +100 ")
        self.assertRegex(self.hooke("run", model, "--integrator", "generalized-alpha:0.5").stdout, "generalized-alpha")
        self.assertRegex(self.hooke("run", model, "--integrator", "dormand-prince", "--tolerance", "1e-9").stdout, "dormand-prince")
        for name in ("dae-alpha:alpha=-0.1", "dae-alpha-cs:0.5", "dae-alpha-cm"):
            self.assertRegex(self.hooke("run", model, "--integrator", name).stdout, f"method +{name.split(':')[0]}, ")
        self.assertRegex(self.hooke("run", model, "--solver", "sparse").stdout, r"solver (sparse|klu)")
        self.assertRegex(self.hooke("run", model, "--analysis", "statics").stdout, "statics")

    def test_quiet_prints_nothing(self):
        done = self.hooke("run", self.write("ball.yaml", FREE_FALL), "--quiet")
        self.assertEqual(done.stdout + done.stderr, "")

    def test_interrupted_run_keeps_its_results(self):
        for stop in (signal.SIGINT, signal.SIGTERM):
            model = self.write("pendulum.yaml", PENDULUM)
            results = self.folder / "results/pendulum/results.h5"
            results.unlink(missing_ok=True)
            running = subprocess.Popen([PROGRAM, "run", model, "--end", "1e6"], cwd=self.folder, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
            deadline = time.time() + 60
            while not results.exists() and time.time() < deadline:
                time.sleep(0.02)
            time.sleep(0.5)
            running.send_signal(stop)
            out, errors = running.communicate(timeout=60)
            self.assertEqual(running.returncode, 130, out + errors)
            self.assertRegex(out, "Pendulum: interrupted at t = ")
            self.assertEqual(self.attribute("results/pendulum/results.h5", "status"), "interrupted")
            exported = self.hooke("export", "results/pendulum", "--csv", "a.csv", "joint.pivot")
            self.assertIn("warning", exported.stderr)
            self.assertGreater(len((self.folder / "a.csv").read_text().splitlines()), 10)

    def test_modes_of_a_large_solid(self):
        """Ctrl-C ends it, and so does its end: with a number of modes, and what can be seen of them."""
        model = self.write("bar.yaml", LARGE_BAR)
        running = subprocess.Popen([PROGRAM, "run", model, "--analysis", "modes", "--set", "parameters.n=24"], cwd=self.folder, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 300
        while not (self.folder / "results/bar/results.h5").exists() and time.time() < deadline:
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        out, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 130, out + errors)
        self.assertEqual(self.attribute("results/bar/results.h5", "status"), "interrupted")

        out = self.hooke("run", model, "--analysis", "modes").stdout
        self.assertIn("the lowest 20 modes of this large model", out)
        self.hooke("export", "results/bar", "--csv", "modes.csv", "modes")
        rows = (self.folder / "modes.csv").read_text().splitlines()[2:]
        self.assertEqual(len(rows), 20)
        self.assertEqual([float(row.split(",")[1]) for row in rows[:6]], 6 * [0])
        self.assertGreater(float(rows[6].split(",")[1]), 100)
        self.hooke("report", "results/bar", "--out", "bar.html")
        self.assertIn("mode 7: ", (self.folder / "bar.html").read_text())

    def test_a_stopped_run_goes_on(self):
        model = self.write("pendulum.yaml", PENDULUM)
        self.hooke("run", model, "--end", "3", "--out", "whole")
        self.hooke("run", model, "--end", "2", "--out", "cut")
        done = self.hooke("run", "--continue", "cut", "--end", "3")
        self.assertIn("equal to an uninterrupted run in every bit", done.stdout)
        for folder in ("whole", "cut"):
            self.hooke("export", folder, "--csv", f"{folder}.csv")
        self.assertEqual((self.folder / "whole.csv").read_text(), (self.folder / "cut.csv").read_text())
        refused = self.hooke("run", "--continue", "cut", "--step", "1e-4", expect=2)
        self.assertIn("only --end and --threads", refused.stderr)
        self.assert_one_error(self.hooke("run", "--continue", "nowhere", expect=6), "there is none")
        self.assert_one_error(self.hooke("run", expect=2), "--continue")

    def test_two_runs_do_not_write_into_one_folder(self):
        model = self.write("pendulum.yaml", PENDULUM)
        results = self.folder / "results/pendulum/results.h5"
        running = subprocess.Popen([PROGRAM, "run", model, "--end", "1e6", "-q"], cwd=self.folder)
        try:
            deadline = time.time() + 60
            while not results.exists() and time.time() < deadline:
                time.sleep(0.02)
            self.assert_one_error(self.hooke("run", model, expect=6), "another run is writing there")
        finally:
            running.kill()
            running.wait()
        self.hooke("run", model, "--end", "0.1")  # a dead program holds no lock

    def test_a_run_that_dies_at_its_start_leaves_the_old_results(self):
        model = self.write("pendulum.yaml", PENDULUM)
        self.hooke("run", model, "--end", "0.1")
        old = (self.folder / "results/pendulum/results.h5").read_bytes()
        for delay in (0.002, 0.005, 0.01, 0.015, 0.02, 0.03):
            running = subprocess.Popen([PROGRAM, "run", model, "--end", "1e6", "-q"], cwd=self.folder)
            time.sleep(delay)
            running.kill()
            running.wait()
            found = (self.folder / "results/pendulum/results.h5").read_bytes()
            if found != old:
                self.hooke("export", "results/pendulum", "--list")  # the new one, and it can be read

    def test_results_removed_during_a_run_are_told(self):
        model = self.write("pendulum.yaml", PENDULUM)
        results = self.folder / "results/pendulum/results.h5"
        running = subprocess.Popen([PROGRAM, "run", model, "--end", "1e6", "-q"], cwd=self.folder,
                                   stderr=subprocess.PIPE, text=True)
        deadline = time.time() + 60
        while not results.exists() and time.time() < deadline:
            time.sleep(0.02)
        shutil.rmtree(results.parent)
        _, errors = running.communicate(timeout=60)
        self.assertEqual(running.returncode, 6, errors)
        self.assertIn("removed while the run went on", errors)

    def test_results_of_a_killed_program_can_be_exported(self):
        model = self.write("pendulum.yaml", PENDULUM)
        results = self.folder / "results/pendulum/results.h5"
        running = subprocess.Popen([PROGRAM, "run", model, "--end", "1e6", "-q"], cwd=self.folder)
        deadline = time.time() + 60
        while not (results.exists() and results.stat().st_size > 200_000) and time.time() < deadline:
            time.sleep(0.02)
        running.kill()
        running.wait()
        _, rows = self.table("results/pendulum", "joint.pivot.angle")
        self.assertGreaterEqual(len(rows), 64)
        self.assertTrue(all(math.isfinite(number) for row in rows for number in row))


class Errors(ProgramTest):
    def test_failed_step_keeps_the_results(self):
        """The middle of the rod is pulled up at 2 m/s, but at 0.25 s the rod stands upright and cannot reach higher."""
        model = self.write("pendulum.yaml", PENDULUM + "drives: {pull: {body: rod, coordinate: z, function: {polynomial: [0, 2]}}}\n")
        done = self.hooke("run", model, expect=5)
        self.assertRegex(done.stdout, r"Pendulum: failed at t = 0\.2[45]")
        self.assertRegex(done.stderr, "^hooke: no step from t = ")
        self.assertEqual(self.attribute("results/pendulum/results.h5", "status"), "failed")
        _, rows = self.table("results/pendulum", "joint.pivot.angle")
        self.assertEqual(rows[0], [0, 0])
        self.assertGreaterEqual(len(rows), 24)

    def test_formula_without_a_value_is_named(self):
        spring = "forces:\n  it: {joint-force: pivot, law: \"sqrt(0.3 - t)\"}\n"
        model = self.write("pendulum.yaml", PENDULUM + spring)
        done = self.hooke("run", model, expect=5)
        self.assertRegex(done.stderr, r"^hooke: pendulum\.yaml:11:33: forces\.it\.law: sqrt\(0\.3 - t\) is not a number at x = ")
        self.assertRegex(done.stdout, r"Pendulum: failed at t = (0\.3|0\.29\d*) s")
        self.assertEqual(self.attribute("results/pendulum/results.h5", "status"), "failed")
        at_start = self.hooke("check", model, "--set", "forces.it.law=sqrt(-1 - t)", expect=3)
        self.assert_one_error(at_start, "forces.it.law: sqrt(-1 - t) is not a number at x = 0, v = 0, t = 0 s")

    def test_formula_without_a_value_between_steps_is_named(self):
        model = self.write("pole.yaml", """\
hooke: 1
bodies: {a: {rigid: {mass: 1, inertia: 1}}}
forces: {f: {load: a, force: [0, 0, "1/(t - 0.02)"]}}
run: {step: 3e-3, end: 0.05}
outputs: {every: 0.01}
""")
        self.assertIn("at t = 0.02 s force 'f' is not a number", self.hooke("run", model, expect=5).stderr)

    def test_subsystems_that_nothing_couples_are_run(self):
        self.hooke("run", self.write("apart.yaml", """\
hooke: 1
bodies: {a: {rigid: {mass: 1, inertia: 1}}, b: {rigid: {mass: 1, inertia: 1}, at: [1, 0, 0]}}
subsystems: {one: [a]}
run: {integrator: stabilised-ode}
"""))

    def test_what_a_damper_takes_is_no_gain(self):
        """A rod that hangs: its vibrations are not resolved, and the account of its damper is far off."""
        done = self.hooke("run", self.write("rod.yaml", """\
hooke: 1
gravity: [0, 0, -9.81]
bodies:
  rod: {ancf: {section: {circle: 0.001}, material: {young: 2e11, density: 7800}, elements: 1, damping: 1e-4},
        between: [[0, 0, 0], [0, 0, -0.2]]}
joints: {clamp: {fixed: [ground, rod], at: [0, 0, 0]}}
run: {step: 1e-3, end: 0.5}
"""))
        self.assertIn("take smaller steps", done.stderr)

    def test_mistyped_numbers_are_pointed_out(self):
        text = PENDULUM.replace("axis: y", "axis: y, start: {angle: 90}") + "forces: {it: {joint-force: pivot, damping: -1}}\n"
        for command in ("check", "run"):
            lines = self.hooke(command, self.write("odd.yaml", text)).stderr.splitlines()
            self.assertEqual(len(lines), 2, lines)
            self.assertRegex(lines[0], r"^hooke: warning: odd\.yaml:10:\d+: forces\.it\.damping: is negative: it feeds energy in$")
            self.assertRegex(lines[1], r"^hooke: warning: odd\.yaml:7:\d+: joints\.pivot\.start\.angle: 90 rad is 14\.3 turns")

    def test_motion_without_bound_ends(self):
        """The law has the sign of a force, not of a tension: it feeds energy in."""
        text = FREE_FALL + "forces: {it: {spring: [ground, ball], law: \"4*sin(3*t) - 1*v - 0.5*x\"}}\n"
        done = self.hooke("run", self.write("fall.yaml", text), "--integrator", "dormand-prince", "--tolerance", "1e-8", "--end", 1000,
                          expect=5)
        self.assertIn("forces.it.law: falls with the rate v", done.stderr)
        self.assertRegex(done.stderr, r"\nhooke: the motion grows without bound: at t = [\d.]+ s body 'ball' is [\d.e+]+ m away")

    def test_missing_file(self):
        self.assert_one_error(self.hooke("run", "nothing.yaml", expect=6), "nothing.yaml: there is no such file")
        self.assert_one_error(self.hooke("check", "pendulum.yaml", expect=6), "'hooke examples pendulum' copies")

    def test_all_mistakes_of_a_model_are_told(self):
        text = PENDULUM.replace("mass: 1", "mass: -1").replace("revolute", "revolut")
        done = self.hooke("check", self.write("bad.yaml", text), expect=3)
        lines = done.stderr.splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r"^hooke: bad\.yaml:\d+:\d+: ")
        self.assertIn("did you mean 'revolute'?", done.stderr)

    def test_unknown_integrator(self):
        done = self.hooke("run", self.write("pendulum.yaml", PENDULUM), "--integrator", "generalised-alpha", expect=3)
        self.assertIn("did you mean 'generalized-alpha'?", done.stderr)

    def test_contradiction(self):
        text = PENDULUM.replace("run:", "  far: {spherical: [ground.far, rod.end]}\nrun:")
        text = text.replace("at: [0.5, 0, 0]}", "at: [0.5, 0, 0], frames: {end: {at: [0.5, 0, 0]}}}")
        text += "ground: {frames: {far: {at: [9, 0, 0]}}}\n"
        self.hooke("run", self.write("torn.yaml", text), expect=4)
        self.assertFalse((self.folder / "results").exists())

    def test_mistyped_command_and_option(self):
        self.assert_one_error(self.hooke("rnu", "x.yaml", expect=2), "did you mean 'run'?")
        self.assert_one_error(self.hooke("x.yaml", expect=2), "hooke run x.yaml")
        self.assert_one_error(self.hooke("run", "x.yaml", "--stpe", "1", expect=2), "did you mean '--step'?", "hooke run --help")
        self.assert_one_error(self.hooke("run", "x.yaml", "--step", "small", expect=2), "small")
        self.assert_one_error(self.hooke("run", expect=2), "model")
        self.assert_one_error(self.hooke("run", self.write("ball.yaml", FREE_FALL), "--set", "nonsense", expect=2), "key.path=value")
        self.hooke(expect=2)

    def test_results_cannot_be_written(self):
        self.write("results", "a file where a folder should be")
        self.assert_one_error(self.hooke("run", self.write("ball.yaml", FREE_FALL), expect=6), "results/ball/results.h5")

    def test_export_of_wrong_names_and_files(self):
        self.hooke("run", self.write("ball.yaml", FREE_FALL))
        self.assert_one_error(self.hooke("export", "results/ball", "body.bal.position.x", expect=2),
                              "did you mean 'body.ball.position.x'?")
        self.assert_one_error(self.hooke("export", "ball.yaml", expect=6), "cannot read it as HDF5")
        self.assert_one_error(self.hooke("export", "results/none.h5", expect=6), "no such file")


class Others(ProgramTest):
    def test_version_and_help(self):
        self.assertRegex(self.hooke("--version").stdout, r"^hooke \d+\.\d+\.\d+\n$")
        for command in self.commands():
            self.assertIn("Examples:\n  hooke " + command, self.hooke(command, "--help").stdout)

    def commands(self):
        listed = self.hooke("--help").stdout.split("Subcommands:\n")[1].split("\n\n")[0]
        return re.findall(r"^  ([a-z-]+) ", listed, re.MULTILINE)

    def test_the_page_of_the_command_line_has_every_command_and_no_other(self):
        page = (ROOT / "docs/command-line.md").read_text()
        table = page.split("| command | what it does |")[1].split("\n\n")[0]
        self.assertEqual(sorted(re.findall(r"^\| `hooke ([a-z-]+)", table, re.MULTILINE)), sorted(self.commands()))
        sections = ", ".join(re.findall(r"^## (?:hooke )?([a-z, -]+)$", page, re.MULTILINE)).split(", ")
        self.assertEqual([c for c in self.commands() if c not in sections], [])

    def test_check_lists_the_parts(self):
        out = self.hooke("check", self.write("pendulum.yaml", PENDULUM)).stdout
        self.assertRegex(out, r"rod +rigid +1 +0\.5, 0, 0")
        self.assertRegex(out, r"pivot +revolute +ground, rod +5")
        self.assertRegex(out, r"degrees of freedom +1 = 6 coordinates - 5 independent constraints")
        self.assertRegex(out, r"energy at the start +kinetic 0 J, potential 0 J")
        self.assertFalse((self.folder / "results").exists())

    def test_check_tells_redundancy(self):
        out = self.hooke("check", ROOT / "models/four_bar.yaml").stdout
        self.assertRegex(out, r"3 more are redundant")

    def test_schema_is_json(self):
        self.assertIn("$schema", json.loads(self.hooke("schema").stdout))

    def test_examples_are_listed_copied_and_run(self):
        out = self.hooke("examples").stdout
        self.assertRegex(out, r"slider_crank +A crank turns")
        self.assertIn("benchmarks/heavy_top", out)
        self.hooke("examples", "pendulum", "--to", "mine")
        self.assertEqual((self.folder / "mine/pendulum.yaml").read_text(), (ROOT / "models/pendulum.yaml").read_text())
        self.hooke("run", "mine/pendulum.yaml", "--end", "0.1")
        self.assert_one_error(self.hooke("examples", "pendulum", "--to", "mine", expect=6), "is there already")
        self.assert_one_error(self.hooke("examples", "pendulun", expect=2), "did you mean 'pendulum'?")

    def test_examples_may_be_elsewhere(self):
        self.write("ball.yaml", FREE_FALL)
        environment = dict(os.environ, HOOKE_MODELS=str(self.folder))
        self.assertRegex(self.hooke("examples", env=environment).stdout, r"ball +A ball falls\n")
        environment["HOOKE_MODELS"] = str(self.folder / "none")
        self.assert_one_error(self.hooke("examples", env=environment, expect=6), "HOOKE_MODELS")

    def test_study_is_handed_to_python(self):
        python = self.folder / "python"
        python.write_text('#!/bin/sh\nshift 2\necho "$@"\n')
        python.chmod(0o755)
        done = self.hooke("study", "a b.yaml", "--where", "dask", "--workers", 3, "--view", 7, "--view", 8, "-q",
                          env={**os.environ, "HOOKE_PYTHON": str(python)})
        self.assertEqual(done.stdout, "a b.yaml --where dask --workers 3 --view 7 --view 8 --quiet\n")

    def test_study_without_python_or_the_package(self):
        done = self.hooke("study", "a.yaml", expect=6, env={**os.environ, "HOOKE_PYTHON": "/nowhere/python3"})
        self.assertIn("cannot start '/nowhere/python3': install Python 3.10 or later, or name it in $HOOKE_PYTHON", done.stderr)
        (self.folder / "hooke.py").write_text("raise ImportError('broken')")
        shutil.copy(PROGRAM, self.folder / "program")  # where there is no package beside it
        done = subprocess.run([self.folder / "program", "study", "a.yaml"], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PYTHONPATH": str(self.folder)})
        self.assertEqual(done.returncode, 6)
        self.assertIn("does not have the Python package of Hooke (broken): in the source tree 'make python'", done.stderr)

    def test_drives_that_contradict_each_other_later_end_the_run(self):
        model = self.write("two.yaml", """\
hooke: 1
bodies:
  cart: {rigid: {mass: 1, inertia: 1}}
joints:
  rail: {prismatic: [ground, cart], axis: x}
drives:
  one: {joint: rail, function: "0.1*t^2"}
  two: {joint: rail, function: "0.2*t^2"}
run: {end: 5}
""")
        done = self.hooke("run", model, expect=4)
        self.assertIn("drives contradict each other", done.stderr)
        self.assertIn("follows from joint 'two', driving force", done.stderr)
        self.assertFalse((self.folder / "results").exists())

    def test_a_long_step_is_warned_of(self):
        done = self.hooke("run", self.write("pendulum.yaml", PENDULUM), "--step", "5", "--end", "20")
        self.assertIn("steps do not resolve the motion", done.stderr)

        page = self.hooke("report", "results/pendulum", "--out", "report.html") and (self.folder / "report.html").read_text()
        self.assertIn("steps do not resolve the motion", page)

    def test_joints_start_after_any_number_of_turns(self):
        for start, angle, advance in (("angle: {value: 4}", 4, 0.4/(2*math.pi)), ("angle: {value: -11}", -11, -1.1/(2*math.pi)),
                                      ("displacement: {value: 0.23}", 4.6*math.pi, 0.23)):
            model = self.write("screw.yaml", f"""hooke: 1
bodies: {{nut: {{rigid: {{mass: 1, inertia: 1}}}}}}
joints: {{thread: {{screw: [ground, nut], axis: z, pitch: 0.1, start: {{{start}}}}}}}
run: {{end: 0.01}}
""")
            self.hooke("run", model)
            _, rows = self.table("results/screw", "joint.thread.angle", "joint.thread.displacement")
            for found, expected in zip(rows[-1][-2:], (angle, advance)):
                self.assertAlmostEqual(float(found), expected, places=9)
        model = self.write("hinge.yaml", """hooke: 1
bodies: {door: {rigid: {mass: 1, inertia: 1}}}
joints: {hinge: {revolute: [ground, door], axis: z, start: {angle: {value: 7, rate: 100}}}}
run: {end: 1}
""")
        self.hooke("run", model)
        _, rows = self.table("results/hinge", "joint.hinge.angle")
        self.assertAlmostEqual(float(rows[-1][-1]), 107, places=6)

    def test_a_subsystem_may_name_a_solid_that_is_cut(self):
        model = self.write("cut.yaml", """hooke: 1
bodies:
  beam: {solid: {mesh: {box: {size: [1, 0.1, 0.1], divisions: [4, 1, 1]}},
                 material: {young: 1e8, poisson: 0.3, density: 1000}, components: 2}, at: [0.5, 0, 0]}
  arm: {rigid: {mass: 1, inertia: 1}, at: [1.5, 0, 0]}
joints:
  wall: {fixed: [ground, beam.x_min]}
  hinge: {revolute: [beam.x_max, arm], at: [1, 0, 0], axis: y}
subsystems: {one: [beam], two: [arm]}
run: {end: 0.01, integrator: {stabilised-ode: {method: implicit}}}
""")
        self.hooke("run", model)

    def test_export_lists_and_writes(self):
        self.hooke("run", self.write("ball.yaml", FREE_FALL))
        self.assertRegex(self.hooke("export", "results/ball", "--list").stdout, r"body\.ball\.position\.x +m +origin of")
        self.assertRegex(self.hooke("export", "results/ball/results.h5").stdout, r"wrote results/ball/results\.csv: 6 rows, 29 columns")
        lines = (self.folder / "results/ball/results.csv").read_text().splitlines()
        self.assertTrue(lines[0].startswith("# s,m,m,m,1,"))
        self.assertTrue(lines[1].startswith("time,body.ball.position.x,"))
        names, rows = self.table("results/ball", "step")
        self.assertEqual(names[:2], ["step.time", "step.size"])
        self.assertEqual(len(rows), 50)


if __name__ == "__main__":
    unittest.main()
