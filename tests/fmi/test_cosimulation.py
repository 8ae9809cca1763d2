"""FMUs as participants: coupled with models and with each other, shown, and met when they fail."""
import csv
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import zipfile

from fmu import PROGRAM, ROOT, call

SLIDE = "signal.left.joint.slide.displacement"


class Cosimulation(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        for name in "left", "right", "whole", "coupled", "arm", "multibody", "structure", "forced_displaced", \
                "crank", "piston", "crank_whole", "crank_piston", "crank_iterated":
            text = (ROOT / f"models/fmi/{name}.yaml").read_text()
            (self.path / f"{name}.yaml").write_text(text.replace("include: ../", "include: "))
        shutil.copy(ROOT / "models/slider_crank.yaml", self.path)

    def hooke(self, *words, expect=0):
        done = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True, timeout=200, cwd=self.path)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def export(self, name, version, out, *options):
        self.hooke("export-fmu", f"{name}.yaml", "--fmi", version, "--out", out, *options)

    def table(self, results, *names):
        text = self.hooke("export", results, "--csv", "-", *names).stdout
        rows = list(csv.reader(line for line in text.splitlines() if not line.startswith("#")))
        return {name: [float(row[k]) for row in rows[1:]] for k, name in enumerate(rows[0])}

    def couple(self, left, right, *options):
        text = (self.path / "coupled.yaml").read_text()
        (self.path / "pair.yaml").write_text(text.replace("{model: left.yaml}", left).replace("{model: right.yaml}", right))
        return self.hooke("run", "pair.yaml", "--out", "pair", "--set", "run.end=1", *options)

    def error(self, step):
        """Of the coupled run against the whole model with small steps."""
        whole = list(self.table("whole", "joint.slide.displacement").values())[1]
        pair = list(self.table("pair", SLIDE).values())[1]
        self.assertEqual(len(whole), len(pair))
        return max(abs(a - b) for a, b in zip(whole, pair))

    def test_two_participants_are_the_whole(self):
        self.hooke("run", "whole.yaml", "--set", "run.step=1e-4", "--set", "run.end=1", "--out", "whole")
        for version in 2, 3:
            self.export("left", version, f"left{version}.fmu")
            self.export("right", version, f"right{version}.fmu")
        models = "{model: left.yaml}", "{model: right.yaml}"
        kinds = [models, ("{fmu: left2.fmu}", "{fmu: right2.fmu}"), ("{fmu: left3.fmu}", "{fmu: right3.fmu}"),
                 ("{fmu: left2.fmu, runs: here}", "{model: right.yaml}")]
        for left, right in kinds:
            with self.subTest(left=left, right=right):
                errors = []
                for step in 4e-3, 2e-3, 1e-3:
                    self.couple(left, right, "--set", f"run.step={step}")
                    errors.append(self.error(step))
                self.assertLess(errors[-1], 2e-3)
                for coarse, fine in zip(errors, errors[1:]):  # where inputs are interpolated, the tolerance is reached
                    self.assertLess(fine, max(0.6 * coarse, 2e-6))
        for scheme in "jacobi", "gauss-seidel":
            for acceleration in "aitken", "iqn-ils":
                self.couple("{fmu: left2.fmu}", "{fmu: right2.fmu}", "--set", f"coupling.scheme={scheme}", "--set",
                            f"coupling.acceleration={acceleration}", "--set", "coupling.tolerance=1e-7")
                self.assertLess(self.error(1e-3), 2e-3)

    def test_motion_and_force_are_stable_where_the_advisor_says_so(self):
        two_masses = ROOT / "models/coupled/two_masses.yaml"
        table = [line.split() for line in self.hooke("stability", two_masses).stdout.split("multibody displaced")[0].splitlines()]
        radius = {tuple(row[:-5 if row[-2] == "more" else -3]): float(row[-1]) for row in table
                  if row and row[0] in ("exact", "approximate")}
        for name in "multibody", "structure":
            self.export(name, 2, f"{name}.fmu", "--outputs", "joint.*.displacement*,body.*.acceleration,signal.*")
        text = (self.path / "forced_displaced.yaml").read_text()
        for name in "multibody", "structure":
            text = text.replace(f"{{model: {name}.yaml}}", f"{{fmu: {name}.fmu}}")
        (self.path / "pair.yaml").write_text(text)
        self.hooke("run", two_masses, "--out", "linear")
        exact = list(self.table("linear", "linear.multibody.z1").values())[1]
        seen = set()
        for forces, exchange, degrees in ("exact", "", (1, 2)), ("approximate", "in-turn", (1, 2)), \
                ("approximate", "side-by-side", (1, 2)), ("approximate", "in-turn", (3, 3)):
            key = (forces, exchange) if exchange else (forces,)
            is_stable = radius[*key, f"{degrees[0]},", str(degrees[1])] <= 1
            seen.add(is_stable)
            settings = {"forces": forces, "exchange": exchange or "side-by-side", "force_degree": degrees[0],
                        "motion_degree": degrees[1]}
            with self.subTest(forces=forces, exchange=exchange, degrees=degrees):
                self.hooke("run", "pair.yaml", "--out", "pair", *[w for k, v in settings.items() for w in (
                    "--set", f"coupling.force-displacement.{k}={v}")], expect=0 if is_stable else 5)
                if is_stable:
                    motion = list(self.table("pair", "signal.multibody.joint.slide.displacement").values())[1]
                    self.assertLess(max(abs(a - b) for a, b in zip(exact, motion)), 1e-3)
        self.assertEqual(seen, {True, False})

    def crank(self, version, file, kind="both"):
        """The slider crank and its piston as FMUs, coupled as the file says."""
        motion = "joint.D.displacement*,body.slider.acceleration"
        for name, outputs in ("crank", ["--outputs", motion]), ("piston", []):
            self.export(name, version, f"{name}.fmu", "--kind", kind, *outputs)
        text = (self.path / f"{file}.yaml").read_text()
        for name in "crank", "piston":
            text = text.replace(f"{{model: {name}.yaml}}", f"{{fmu: {name}.fmu}}")
        if version == 3:
            text = text.replace("body.slider.acceleration.x,", '"body.slider.acceleration[1]",')
            text = text.replace("acceleration.x", "acceleration[1]")
        (self.path / "pair.yaml").write_text(text)

    def advice(self, file, *options):
        """Of each setting: up to which step it is stable, and its radius at that of the run."""
        found = {}
        for row in map(str.split, self.hooke("stability", file, *options).stdout.splitlines()):
            if row and row[0] in ("exact", "approximate"):
                k = 1 if row[1].endswith(",") else 2
                found[tuple(row[:k + 2])] = 0 if row[k + 3] in ("never", "below") else float(row[k + 3]), float(row[-1])
        self.assertGreater(len(found), 10)
        return found

    def test_advice_without_equations(self):
        """FMUs that step alone, and models: what their answers say is what their derivatives say."""
        self.crank(2, "crank_piston", "both")
        derivatives = self.advice("pair.yaml")
        for version, kind in (2, "cs"), (3, "cs"), (None, None):
            with self.subTest(version=version):
                if kind:
                    self.crank(version, "crank_piston", kind)
                answers = self.advice("pair.yaml" if kind else "crank_piston.yaml")
                self.assertEqual(set(answers), set(derivatives))
                for setting, (step, radius) in derivatives.items():
                    self.assertEqual(answers[setting][0] >= 1e-3, step >= 1e-3, setting)
                    self.assertAlmostEqual(answers[setting][1], radius, delta=0.01 * radius, msg=setting)
        unpacked = self.path / "without"
        zipfile.ZipFile(self.path / "piston.fmu").extractall(unpacked)
        about = unpacked / "modelDescription.xml"
        about.write_text(about.read_text().replace('canGetAndSetFMUState="true"', "").replace('canSerializeFMUState="true"', ""))
        with zipfile.ZipFile(self.path / "piston.fmu", "w") as archive:
            for file in unpacked.rglob("*"):
                archive.write(file, file.relative_to(unpacked))
        self.assertIn("'piston' offers neither model exchange nor states", self.hooke("stability", "pair.yaml", expect=3).stderr)

    def test_interface_by_terminals(self):
        """Two lines join FMUs that say where they can be joined; the motion is that of named variables."""
        self.crank(3, "crank_piston", "cs")
        self.hooke("run", "pair.yaml", "--out", "named")
        self.export("crank", 3, "crank.fmu", "--terminal", "joint.D")
        self.export("piston", 3, "piston.fmu", "--terminal", "end=position:x,rate:v,acceleration:a,force:signal.w")
        self.assertIn("joint.D.displacement  org.hooke.displacement  position, rate, acceleration, force",
                      self.hooke("fmu", "crank.fmu").stdout)
        text = (self.path / "pair.yaml").read_text()
        begin, end = text.index("    force: ["), text.index("coupling:")
        (self.path / "pair.yaml").write_text(text[:begin] + "    terminals: [joint.D.displacement, end]\n" + text[end:])
        self.hooke("run", "pair.yaml", "--out", "joined")
        name = "signal.crank.joint.D.displacement"
        named, joined = self.slide("named", name), self.slide("joined", name)
        self.assertLess(max(abs(a - b) for a, b in zip(named, joined)), 1e-9)
        for old, new, words in ("terminals: [joint.D", "terminals: [joint.E", "no terminal 'joint.E.displacement' (did you mean"), \
                ("terminals: [", "force: [w, signal.w]\n    terminals: [", "goes without 'terminals'"), \
                ("terminals: [joint.D.displacement, end]", "force: [w, signal.w]", "give it, or 'terminals'"):
            (self.path / "bad.yaml").write_text((self.path / "pair.yaml").read_text().replace(old, new))
            self.assertIn(words, self.hooke("run", "bad.yaml", expect=3).stderr)

    def slide(self, results, name):
        return list(self.table(results, name).values())[1]

    def test_slider_crank_is_stable_where_the_advisor_says_so(self):
        self.hooke("run", "crank_whole.yaml", "--out", "whole", "--set", "outputs.every=0.01")
        whole = self.slide("whole", "joint.D.displacement")
        for version in 2, 3:
            self.crank(version, "crank_piston")
            stable = {setting: step for setting, (step, _) in self.advice("pair.yaml").items()}
            seen = set()
            for forces, exchange, degrees in ("exact", "", (1, 2)), ("exact", "", (0, 1)), ("approximate", "in-turn", (1, 1)), \
                    ("approximate", "side-by-side", (1, 2)), ("approximate", "side-by-side", (2, 2)):
                key = (forces, exchange) if exchange else (forces,)
                is_stable = stable[*key, f"{degrees[0]},", str(degrees[1])] >= 1e-3
                seen.add(is_stable)
                settings = {"forces": forces, "exchange": exchange or "side-by-side", "force_degree": degrees[0],
                            "motion_degree": degrees[1]}
                with self.subTest(version=version, forces=forces, exchange=exchange, degrees=degrees):
                    call(PROGRAM, "run", self.path / "pair.yaml", "--out", self.path / "pair", *[
                        w for k, v in settings.items() for w in ("--set", f"coupling.force-displacement.{k}={v}")],
                         check=is_stable)
                    pair = self.slide("pair", "signal.crank.joint.D.displacement")
                    off = max(abs(a - b) for a, b in zip(whole, pair))  # of 0.2 m, which the joints allow
                    self.assertTrue(off < 2e-3 if is_stable else off > 0.02, off)
            self.assertEqual(seen, {True, False})

    def test_slider_crank_iterated_is_the_whole(self):
        """With states taken back and IQN-ILS, by FMUs that step and by FMUs that Hooke integrates."""
        self.hooke("run", "crank_whole.yaml", "--out", "whole", "--set", "outputs.every=0.01")
        whole = self.slide("whole", "joint.D.displacement")
        for version in 2, 3:
            self.crank(version, "crank_iterated")
            for kind in "steps", "equations":
                if kind == "equations":
                    text = (self.path / "pair.yaml").read_text()
                    (self.path / "pair.yaml").write_text(text.replace(".fmu}", ".fmu, exchange: {}}"))
                with self.subTest(version=version, kind=kind):
                    errors = []
                    for step in 2e-3, 1e-3:
                        said = self.hooke("run", "pair.yaml", "--out", "pair", "--set", f"run.step={step}").stdout
                        pair = self.slide("pair", "signal.crank.joint.D.displacement")
                        self.assertEqual(len(pair), len(whole))
                        errors.append(max(abs(a - b) for a, b in zip(whole, pair)))
                    self.assertIn("algebraic loop: ", said)
                    self.assertLess(errors[1], 2e-5)
                    self.assertLess(errors[1], max(0.6 * errors[0], 2e-6))

    def test_model_exchange_is_integrated_here(self):
        """By both integrators; with events (a ball that bounces), and a macro step that adapts."""
        self.hooke("run", "whole.yaml", "--set", "run.step=1e-4", "--set", "run.end=1", "--out", "whole")
        for version in 2, 3:
            for name in "left", "right":
                self.export(name, version, f"{name}.fmu", "--kind", "me")
            for exchange in "", ", exchange: {integrator: generalized-alpha, step: 5e-4}":
                with self.subTest(version=version, exchange=exchange):
                    fmus = [f"{{fmu: {name}.fmu{exchange}}}" for name in ("left", "right")]
                    self.couple(*fmus, "--set", "run.step=1e-3")
                    self.assertLess(self.error(1e-3), 1e-4)
            coarse = self.couple(*fmus, "--set", "run.tolerance=1e-3").stdout
            error = self.error(1e-3)
            fine = self.couple(*fmus, "--set", "run.tolerance=1e-5").stdout
            self.assertLess(self.error(1e-3), 0.1 * error)
            ratio = self.steps(fine) / self.steps(coarse)  # lines are off by the square of the step
            self.assertTrue(6 < ratio < 15, ratio)
            ball = ROOT / "models/control/bouncing.yaml"
            self.hooke("export-fmu", ball, "--fmi", version, "--kind", "me", "--outputs", "body.ball.position", "--out", "ball.fmu")
            (self.path / "ball.yaml").write_text("hooke: 1\nparticipants: {ball: {fmu: ball.fmu, set: {}}}\n"
                                                 "run: {step: 0.01, end: 2}\n")
            self.hooke("run", "ball.yaml", "--out", "ball")
            self.hooke("run", ball, "--out", "direct", "--set", "run.end=2", "--set", "outputs.every=0.01", "--set",
                       "run.step=1e-4")
            height = self.slide("direct", "body.ball.position.z")
            name = "signal.ball.body.ball.position" + (".z" if version == 2 else "[3]")
            self.assertLess(max(abs(a - b) for a, b in zip(height, self.slide("ball", name))), 1e-5)

    def steps(self, said):
        return int(next(words[1] for words in map(str.split, said.splitlines()) if words[:1] == ["steps"]))

    def test_model_in_the_same_file(self):
        text = (self.path / "left.yaml").read_text().replace("run: {step: 1e-3, end: 3}", "")
        coupled = (self.path / "coupled.yaml").read_text().replace("{model: left.yaml}", "{model: this}")
        coupled = "\n".join(line for line in coupled.splitlines() if not line.startswith(("hooke:", "title:")))
        (self.path / "both.yaml").write_text(text + coupled)
        for file in "coupled", "both":
            self.hooke("run", f"{file}.yaml", "--out", file, "--set", "run.end=0.5")
        self.assertEqual(self.slide("coupled", SLIDE), self.slide("both", SLIDE))

    def test_without_states_values_are_exchanged_once(self):
        self.export("left", 2, "left.fmu")
        unpacked = self.path / "unpacked"
        zipfile.ZipFile(self.path / "left.fmu").extractall(unpacked)
        about = unpacked / "modelDescription.xml"
        about.write_text(about.read_text().replace('canGetAndSetFMUstate="true"', "").replace(
            'canSerializeFMUstate="true"', ""))
        with zipfile.ZipFile(self.path / "once.fmu", "w") as archive:
            for file in unpacked.rglob("*"):
                archive.write(file, file.relative_to(unpacked))
        self.hooke("run", "whole.yaml", "--set", "run.step=1e-4", "--set", "run.end=1", "--out", "whole")
        errors = []
        for step in 1e-3, 5e-4:
            said = self.couple("{fmu: once.fmu}", "{model: right.yaml}", "--set", f"run.step={step}").stderr
            self.assertIn("'left' cannot be taken back", said)
            errors.append(self.error(step))
        self.assertLess(errors[1], 0.6 * errors[0])

    def test_shows_and_checks(self):
        self.export("arm", 3, "arm.fmu", "--inputs", "torque,push")
        said = self.hooke("fmu", "arm.fmu").stdout
        for words in "Arm with a motor", "3.0, co-simulation", "x86_64-linux", "torque", "joint.shoulder.angle", \
                "No fault was found":
            self.assertIn(words, said)
        self.assertIn("and as bytes", said)
        (self.path / "none.fmu").write_text("none")
        self.assertIn("zip archive", self.hooke("fmu", "none.fmu", expect=6).stderr)
        self.assertIn("no such file", self.hooke("fmu", "nothing.fmu", expect=6).stderr)
        self.assertIn("left", self.hooke("check", "coupled.yaml").stdout)

    def test_mistakes_are_named(self):
        text = (self.path / "coupled.yaml").read_text()

        def refused(old, new):
            (self.path / "bad.yaml").write_text(text.replace(old, new))
            return self.hooke("run", "bad.yaml", expect=3).stderr

        self.assertIn("no input named 'pul' (did you mean 'pull'?)", refused("left.pull:", "left.pul:"))
        self.assertIn("did you mean 'signal.pull'", refused("right.signal.pull", "right.signal.pul"))
        self.assertIn("is no variable PARTICIPANT.NAME of left or right", refused("left.pull:", "middle.pull:"))
        self.assertIn("give either 'fmu' or 'model'", refused("{model: left.yaml}", "{}"))
        self.assertIn("unknown key 'fmmu'", refused("{model: left.yaml}", "{fmmu: a}"))

    def test_a_crash_ends_the_run_with_words(self):
        """A library that crashes in its hundredth step: results stay, and say why there are no more."""
        self.export("left", 2, "left.fmu")
        unpacked = self.path / "unpacked"
        zipfile.ZipFile(self.path / "left.fmu").extractall(unpacked)
        library = unpacked / "binaries/linux64/left.so"
        library.rename(library.with_name("real.so"))
        source = self.path / "crash.c"
        source.write_text("""#define _GNU_SOURCE
            int fmi2DoStep(void* c, double t, double h, int n) {
              extern int real_step(void*, double, double, int);
              static int steps = 0;
              if (++steps == 100) *(volatile int*)0 = 1;
              return real_step(c, t, h, n);
            }
            #include <dlfcn.h>
            int real_step(void* c, double t, double h, int n) {
              Dl_info here;
              dladdr((void*)fmi2DoStep, &here);
              char path[4096];
              int k = 0;
              for (; here.dli_fname[k]; ++k) path[k] = here.dli_fname[k];
              while (path[k - 1] != '/') --k;
              const char* name = "real.so";
              for (int i = 0; i < 8; ++i) path[k + i] = name[i];
              static int (*step)(void*, double, double, int);
              if (!step) step = (int (*)(void*, double, double, int))dlsym(dlopen(path, RTLD_NOW), "fmi2DoStep");
              return step(c, t, h, n);
            }
        """)
        call("cc", "-shared", "-fPIC", "-w", "-Wl,--no-as-needed", "-o", library, source,
             library.with_name("real.so"))
        with zipfile.ZipFile(self.path / "crash.fmu", "w") as archive:
            for file in unpacked.rglob("*"):
                archive.write(file, file.relative_to(unpacked))
        (self.path / "pair.yaml").write_text((self.path / "coupled.yaml").read_text().replace(
            "{model: left.yaml}", "{fmu: crash.fmu}"))
        said = self.hooke("run", "pair.yaml", "--out", "pair", expect=5).stderr
        self.assertIn("crash.fmu: the FMU crashed (Segmentation fault) during a step", said)
        self.assertGreaterEqual(len(list(self.table("pair", SLIDE).values())[1]), 2)


if __name__ == "__main__":
    unittest.main()
