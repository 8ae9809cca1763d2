"""Models as FMUs: what an independent program computes with them is what Hooke computes."""
import csv
import pathlib
import re
import tempfile
import unittest
import xml.etree.ElementTree as xml

from fmu import PROGRAM, ROOT, Fmu, call, numbers

# rigid, flexible, solid, control, contact; number of steps
MODELS = {
    "slider_crank.yaml": 200,
    "double_pendulum.yaml": 200,
    "crank_rocker_driven.yaml": 100,
    "benchmarks/a05_flyball_governor.yaml": 100,
    "flexible/slider_crank.yaml": 30,
    "flexible/slider_crank_modal.yaml": 30,
    "flexible/solid_beam.yaml": 4,
    "control/servo.yaml": 100,
    "control/inverted_pendulum.yaml": 100,
    "control/bouncing.yaml": 200,
    "contact/cam.yaml": 100,
    "contact/bouncing_balls.yaml": 100,
}
ARM = ["--inputs", "torque,push"]
OUTPUTS = "body.*.position,body.*.acceleration,joint.*,signal.*,energy.total"


class Export(unittest.TestCase):
    def test_equals_the_direct_run_in_every_bit(self):
        for version in 2, 3:
            for model, count in MODELS.items():
                with self.subTest(model=model, version=version), Fmu(model, version, OUTPUTS) as fmu:
                    through, direct = fmu.drive("run", count).stdout, fmu.direct(count)
                    self.assertEqual(len(numbers(through)), count + 1)
                    self.assertEqual(through, direct)

    def differences_to_hooke_run(self, model, count, version, options=()):
        """Of positions, coordinates and signals, and of reactions (N, N m): the largest at any step."""
        with tempfile.TemporaryDirectory() as folder, Fmu(model, version, "body.*.position,joint.*,signal.*", options=options) as fmu:
            through = numbers(fmu.drive("run", count).stdout)
            call(PROGRAM, "run", ROOT / "models" / model, "--out", folder, "--set", f"run.end={fmu.start + count * fmu.step!r}",
                 "--set", f"outputs.every={fmu.step!r}", *options)
            names = [name + part for name in fmu.named("output")
                     for part in ([".x", ".y", ".z"] if fmu.variables[name][1] == 3 else [""])]
            table = call(PROGRAM, "export", folder, "--csv", "-", *names).stdout
            rows = csv.DictReader(line for line in table.splitlines() if not line.startswith("#"))
            steps = {}
            for row in rows:
                k = (float(row["time"]) - fmu.start) / fmu.step
                if abs(k - round(k)) < 1e-6:  # or it is the moment of an event
                    steps[round(k)] = row
        motion = reactions = 0
        for k, name in enumerate(names):
            off = max(abs(through[i][k + 1] - float(steps[i][name])) for i in range(count + 1))
            if ".force." in name or ".torque." in name:
                reactions = max(reactions, off)
            else:
                motion = max(motion, off)
        return motion, reactions

    def test_equals_hooke_run(self):
        """The program itself, at the same steps: in every bit by a solver that both have, but for steps that an impact ends.
        The program's sparse solvers call KLU, METIS and BLAS, which FMUs do without: their sums are in another order, and
        what that changes of positions the stiffness of solids makes reactions of."""
        for version in 2, 3:
            for model, count in MODELS.items():
                with self.subTest(model=model, version=version):
                    worst = max(self.differences_to_hooke_run(model, count, version, ["--set", "run.solver=dense"]))
                    self.assertLessEqual(worst, 1e-14 if model == "contact/bouncing_balls.yaml" else 0)
        for model, count in MODELS.items():
            with self.subTest(model=model):
                motion, reactions = self.differences_to_hooke_run(model, count, 2)
                self.assertLess(motion, 1e-9)
                self.assertLess(reactions, 1e-6)

    def test_states(self):
        for version in 2, 3:
            for model in "slider_crank.yaml", "control/servo.yaml", "flexible/slider_crank.yaml", "contact/cam.yaml":
                with self.subTest(model=model, version=version), Fmu(model, version) as fmu:
                    self.assertEqual(fmu.drive("state", 150).stdout, "equal\n")
                    file = fmu.path / "state"
                    first = fmu.drive(f"save:{file}", 150).stdout
                    self.assertEqual(first, fmu.drive(f"resume:{file}", 150).stdout)
                    file.write_bytes(file.read_bytes()[:-20])
                    self.assertNotEqual(fmu.drive(f"resume:{file}", 150, check=False).returncode, 0)

    def test_parameters_build_the_model_anew(self):
        for version in 2, 3:
            with Fmu("slider_crank.yaml", version) as fmu:
                reference = fmu.reference("crank")
                usual = fmu.drive("run", 20).stdout
                changed = fmu.drive("run", 20, ["-p", f"{reference}:0.07"]).stdout
                self.assertNotEqual(usual, changed)
                self.assertEqual(changed, fmu.direct(20, ["-p", "crank=0.07"]))

    def test_inputs_and_derivatives(self):
        for version in 2, 3:
            with Fmu("fmi/arm.yaml", version, "body.*,joint.*,signal.*,force.*", options=ARM) as fmu:
                inputs = [w for n in fmu.named("input") for w in ("-i", f"{fmu.reference(n)}:1.5")]
                self.assertEqual(len(inputs), 4)
                direct = [w for n in fmu.named("input") for w in ("-i", f"{n}=1.5")]
                self.assertEqual(fmu.drive("run", 100, inputs).stdout, fmu.direct(100, direct))
                for line in fmu.drive("derivative", 50, inputs).stdout.splitlines():
                    _, size, off = map(float, line.split())
                    self.assertGreater(size, 0)
                    self.assertLess(off, 1e-6 * max(1, size))

    def test_order_of_calls(self):
        for version in 2, 3:
            with Fmu("double_pendulum.yaml", version) as fmu:
                self.assertEqual(fmu.drive("order", 1).stdout, "equal\n")

    def test_many_instances_and_threads(self):
        for version in 2, 3:
            with Fmu("slider_crank.yaml", version) as fmu:
                self.assertEqual(fmu.drive("instances", 1000).stdout, "equal\n")
                self.assertEqual(fmu.drive("threads", 300).stdout, "equal\n")

    def test_event_mode_and_early_return(self):
        """Stops of joints, and impacts of rigid contact."""
        for model in "control/bouncing.yaml", "contact/bounce.yaml":
            with self.subTest(model), Fmu(model, 3, "body.*.position") as fmu:
                count, step = 160, 5 * fmu.step  # so that there are steps inside of a communication step
                done = fmu.drive("events", count, step=step)
                plain, stopped = numbers(fmu.drive("run", count, step=step).stdout), numbers(done.stdout)
                self.assertEqual(len(plain), len(stopped))
                self.assertLess(max(abs(a - b) for x, y in zip(plain, stopped) for a, b in zip(x, y)), 1e-6)
                events, returns, updates = (int(word.split(":")[1]) for word in done.stderr.split(","))
                self.assertGreater(events, 2)
                self.assertGreater(returns, events)
                self.assertGreater(updates, count / 2)

    def test_inputs_within_a_communication_step(self):
        """Derivatives of inputs (2.0) and intermediate updates (3.0) do what setting them at every step does."""
        for version in 2, 3:
            with Fmu("fmi/arm.yaml", version, "body.*.position,body.*.acceleration,joint.*.angle", options=ARM) as fmu:
                inputs = [w for n in fmu.named("input") for w in ("-i", f"{fmu.reference(n)}:1.5")]
                done = fmu.drive("ramp:5", 100, inputs)
                inside, often = numbers(done.stdout), numbers(fmu.drive("ramp:1", 100, inputs).stdout)
                held = numbers(fmu.drive("run", 100, inputs).stdout)
                self.assertEqual((len(inside), len(often)), (20, 100))
                self.assertLess(max(abs(a - b) for x, y in zip(inside, often[4::5]) for a, b in zip(x, y)), 1e-10)
                self.assertGreater(max(abs(a - b) for a, b in zip(inside[-1], held[-1])), 1e-3)
                self.assertEqual(done.stderr, "updates: 80\n" if version == 3 else "updates: 0\n")
                if version == 3:
                    may = {n for n, (v, _) in fmu.variables.items() if v.get("intermediateUpdate") == "true"}
                    self.assertEqual(may, set(fmu.named("input") + fmu.named("output")))

    def test_any_integrator_and_solver(self):
        settings = [f"run.integrator={{{name}: {{}}}}" for name in (
            "hht", "newmark", "trapezoidal", "dae-alpha", "dae-alpha-cs", "dae-alpha-cm", "energy-momentum", "stabilised-ode",
            "dormand-prince", "merson")] + [f"run.solver={name}" for name in ("dense", "sparse", "schur", "dca")] + ["run.tolerance=1e-6"]
        for k, setting in enumerate(settings):
            with self.subTest(setting=setting), Fmu("slider_crank.yaml", 2 + k % 2, "body.*.position,joint.A.angle*",
                                                    options=["--set", setting]) as fmu:
                self.assertEqual(fmu.drive("run", 20).stdout, fmu.direct(20))

    def test_an_input_is_what_a_drive_follows(self):
        options = ["--set", "control.u={parameter: 0, unit: rad}", "--set", "drives.motor={joint: A, function: u, every: 1e-3}",
                   "--set", "run.step=1e-3"]
        for version in 2, 3:
            with Fmu("crank_rocker_driven.yaml", version, "joint.A.angle", options=options) as fmu:
                self.assertEqual(fmu.named("input"), ["u"])
                rows = numbers(fmu.drive("ramp:1", 200, ["-i", f"{fmu.reference('u')}:0.5"]).stdout)
                for t, angle in rows[10:]:
                    self.assertLess(abs(angle - 0.5 * (t - fmu.start)), 2e-3)

    def test_states_are_looked_at_in_co_simulation(self):
        """An FMU for both kinds that steps: who reads its states and their derivatives changes nothing."""
        for version in 2, 3:
            with Fmu("fmi/arm.yaml", version, "joint.*.angle*", "both", ARM) as fmu:
                locals = [n for n, (v, _) in fmu.variables.items() if v.get("causality") == "local"]
                rates = [n for n in locals if n.startswith("rate.")]
                self.assertEqual(len(locals), 2 * (len(rates) + sum(n.startswith("motion.") for n in locals)))
                plain = numbers(fmu.drive("run", 100).stdout)
                looked = numbers(fmu.drive("run", 100, [fmu.reference(n) for n in locals]).stdout)
                self.assertEqual([row[1:] for row in plain], [row[1 + len(locals):] for row in looked])
                self.assertNotEqual(plain[0][1:], plain[-1][1:])
                of = {n: [row[1 + k] for row in looked] for k, n in enumerate(locals)}
                for n in rates:  # a derivative is how its state goes on
                    change = (of[n][51] - of[n][49]) / (2 * fmu.step)
                    self.assertLess(abs(change - of[f"der({n})"][50]), 1e-3 * max(1, abs(change)), n)

    def test_description(self):
        with Fmu("fmi/arm.yaml", 2, "joint.*,signal.*", options=ARM) as fmu:
            root = fmu.description
            order = [child.tag for child in root]
            self.assertEqual(order, ["CoSimulation", "UnitDefinitions", "TypeDefinitions", "LogCategories", "DefaultExperiment",
                                     "ModelVariables", "ModelStructure"])
            names = [v.get("name") for v in root.find("ModelVariables")]
            depends = {names[int(u.get("index")) - 1]: [names[int(i) - 1] for i in u.get("dependencies").split()]
                       for u in root.find("ModelStructure/Outputs")}
            self.assertEqual(depends["joint.shoulder.angle"], [])
            self.assertEqual(depends["signal.effort"], ["torque"])
            self.assertEqual(sorted(depends["joint.shoulder.force.x"]), ["push", "torque"])
            calculated = [v.get("name") for v in root.find("ModelVariables") if v.get("causality") == "calculatedParameter"]
            self.assertEqual(calculated, ["half"])

    def test_matrices_types_and_icon(self):
        for version in 2, 3:
            with Fmu("slider_crank.yaml", version, "body.crank.position,body.*.pose,body.crank.rotation,joint.A.angle") as fmu:
                names = fmu.named("output")
                first, *_, last = numbers(fmu.drive("run", 30).stdout)
                icon = fmu.path / "unpacked" / ("model.png" if version == 2 else "terminalsAndIcons/icon.png")
                self.assertTrue(icon.read_bytes().startswith(b"\x89PNG"))
                types = {t.get("name") for t in fmu.description.find("TypeDefinitions")}
                self.assertLessEqual({"Angle", "Length"}, types)
                angle = fmu.variables["joint.A.angle"][0]
                self.assertEqual((angle if version == 3 else angle[0]).get("declaredType"), "Angle")
                at, values = 1, {}
                for name in names:
                    width = 1 if version == 2 else [3, 9, 16, 1][["position", "rotation", "pose", "angle"].index(name.split(".")[-1])]
                    values[name], at = last[at:at + width], at + width
                if version == 3:
                    pose, rotation, position = (values[f"body.crank.{n}"] for n in ("pose", "rotation", "position"))
                    self.assertEqual([d.get("start") for d in fmu.variables["body.crank.pose"][0].findall("Dimension")], ["4", "4"])
                else:
                    pose = [values[f"body.crank.pose[{i},{j}]"][0] for i in range(1, 5) for j in range(1, 5)]
                    rotation = [values[f"body.crank.rotation[{i},{j}]"][0] for i in range(1, 4) for j in range(1, 4)]
                    position = [values[f"body.crank.position.{x}"][0] for x in "xyz"]
                self.assertEqual(pose[3:12:4], position)
                self.assertEqual(pose[0:3] + pose[4:7] + pose[8:11], rotation)
                self.assertEqual(pose[12:], [0, 0, 0, 1])
                for i in range(3):
                    self.assertAlmostEqual(sum(rotation[3 * i + j] ** 2 for j in range(3)), 1, places=12)
                self.assertNotEqual(first[1:], last[1:])

    def test_terminals_and_documentation(self):
        with tempfile.TemporaryDirectory() as folder:
            call(PROGRAM, "run", ROOT / "models/pendulum.yaml", "--set", "run.end=0.1", "--out", folder)
            with Fmu("pendulum.yaml", 3, "joint.*,body.*", options=["--run", folder]) as fmu:
                unpacked = fmu.path / "unpacked"
                root = xml.parse(unpacked / "terminalsAndIcons/terminalsAndIcons.xml").getroot()
                members = [m.get("variableName") for m in root.iter("TerminalMemberVariable")]
                self.assertEqual(sorted(members), sorted(fmu.named("output")))
                names = [t.get("name") for t in root.iter("Terminal")]
                self.assertEqual(len(names), len(set(names)))
                page = (unpacked / "documentation/index.html").read_text()
                for words in "<td>bodies<td>1 rigid", "<td>degrees of freedom<td>1", "generalized-alpha":
                    self.assertIn(words, page)
                self.assertEqual(fmu.description.get("description"),
                                 "Mechanism (bodies: 1, joints: 1, degrees of freedom: 1)")
                for file in "model.svg", "run.html":
                    self.assertIn(file, page)
                    self.assertGreater((unpacked / "documentation" / file).stat().st_size, 100)

    def terminals(self, fmu):
        """Of its XML: name to kind, rule and members; all that they name are variables, and forces go in or out."""
        root = xml.parse(fmu.path / "unpacked/terminalsAndIcons/terminalsAndIcons.xml").getroot()
        found = {}
        for t in root.iter("Terminal"):
            members = {m.get("memberName"): m.get("variableName") for m in t}
            self.assertEqual(len(members), len(t))
            for m in t:
                causality = fmu.variables[m.get("variableName")][0].get("causality")
                is_flow = t.get("matchingRule") == "plug" and m.get("memberName").split(".")[0] in ("force", "torque")
                self.assertEqual(m.get("variableKind"), {"input": "inflow", "output": "outflow"}[causality] if is_flow else "signal")
            self.assertNotIn(t.get("name"), found)
            found[t.get("name")] = t.get("terminalKind"), t.get("matchingRule"), members
        return found

    def test_terminals_are_pairs_of_force_and_motion(self):
        options = ["--terminal", "joint.elbow", "--terminal", "frame.lower.tip", "--terminal",
                   "motor=position:joint.shoulder.angle,rate:joint.shoulder.angle.rate,torque:torque"]
        with Fmu("fmi/arm.yaml", 3, "body.*.position,joint.*.angle*", options=options) as fmu:
            found = self.terminals(fmu)
            self.assertEqual(found["joint.elbow.angle"][:2], ("org.hooke.angle", "plug"))
            self.assertEqual(list(found["joint.elbow.angle"][2]), ["position", "rate", "acceleration", "torque"])
            self.assertEqual(found["motor"], ("org.hooke.angle", "plug", {
                "position": "joint.shoulder.angle", "rate": "joint.shoulder.angle.rate", "torque": "torque"}))
            kind, _, tip = found["frame.lower.tip"]
            self.assertEqual(kind, "org.hooke.frame")
            # what acts at the terminal is what acts at the model's own load
            own = numbers(fmu.drive("run", 200, ["-i", f"{fmu.reference('push')}:1.5"]).stdout)
            ours = numbers(fmu.drive("run", 200, [w for name, value in (("force.x", 1.5), ("force.z", 0.15)) for w in (
                "-i", f"{fmu.reference(tip[name])}:{value}")]).stdout)
            free = numbers(fmu.drive("run", 200).stdout)
            self.assertLess(max(abs(a - b) for x, y in zip(own, ours) for a, b in zip(x, y)), 1e-11)
            self.assertGreater(max(abs(a - b) for a, b in zip(free[-1], ours[-1])), 1e-2)
            # a torque raises its coordinate
            torque = found["joint.elbow.angle"][2]["torque"]
            names, at = [], 1
            for name in fmu.named("output"):
                names += [name] * fmu.variables[name][1]
            column = 1 + names.index("joint.elbow.angle")
            raised = numbers(fmu.drive("run", 50, ["-i", f"{fmu.reference(torque)}:0.5"]).stdout)
            self.assertGreater(raised[-1][column] - free[50][column], 1e-4)
        with Fmu("fmi/arm.yaml", 2, "joint.*.angle", options=options[:4]) as fmu:
            self.assertIn("frame_lower_tip_torque_y", fmu.named("input"))
            self.assertIn("frame.lower.tip.velocity.z", fmu.named("output"))

    def test_frames_of_rods_and_solids(self):
        """The end of a rod is at the slider, ends of two solids are at their hinge, and move as they do."""
        def columns(fmu):
            at, found = 1, {}
            for name in fmu.named("output"):
                found[name] = slice(at, at + fmu.variables[name][1])
                at += fmu.variables[name][1]
            return found

        for model, count, one, other, near in (
                ("flexible/slider_crank.yaml", 30, "frame.rod.end", "frame.slider", 1e-9),
                ("flexible/slider_crank_modal.yaml", 30, "frame.rod.end", "frame.slider", 1e-9),
                ("flexible/solid_beam.yaml", 4, "frame.beam.x_max", "frame.arm.x_min", 1e-9)):
            with self.subTest(model=model), Fmu(model, 3, "body.*.position", options=["--terminal", one, "--terminal", other]) as fmu:
                self.assertLessEqual({one, other}, set(self.terminals(fmu)))
                rows, at = numbers(fmu.drive("run", count).stdout), columns(fmu)
                for row in rows:
                    for quantity, factor in ("position", 1), ("velocity", 1e2):
                        off = max(abs(a - b) for a, b in zip(row[at[f"{one}.{quantity}"]], row[at[f"{other}.{quantity}"]]))
                        self.assertLess(off, factor * near, quantity)
                    turn = row[at[one + ".rotation"]]
                    self.assertAlmostEqual(sum(x * x for x in turn[:3]), 1, places=9)
                self.assertNotEqual(rows[0][at[one + ".acceleration"]], rows[-1][at[one + ".acceleration"]])

    def test_warns_of_components(self):
        with tempfile.TemporaryDirectory() as folder:
            beam = ROOT / "models/flexible/solid_beam.yaml"
            for options, words in (["--set", "bodies.beam.solid.components=2"], "has no METIS"), ([], None):
                said = call(PROGRAM, "export-fmu", beam, "--out", f"{folder}/beam.fmu", *options).stderr
                self.assertEqual("METIS" in said, words is not None, said)

    def test_sources(self):
        """All that is to be compiled is there, with all it includes; one of the files is compiled."""
        for version in 2, 3:
            with Fmu("pendulum.yaml", version, options=["--sources"]) as fmu:
                sources = fmu.path / "unpacked/sources"
                if version == 3:
                    about = xml.parse(sources / "buildDescription.xml").getroot()
                    files = [file.get("name") for file in about.iter("SourceFile")]
                else:
                    files = [file.get("name") for file in fmu.description.iter("File")]
                self.assertGreater(len(files), 20)
                seen, queue = set(), list(files)
                while queue:
                    name = queue.pop()
                    if name in seen:
                        continue
                    seen.add(name)
                    queue += re.findall(r'^#include "(.*)"', (sources / name).read_text(), re.MULTILINE)
                self.assertLess(fmu.archive.stat().st_size, 5e6)
                if version == 3:
                    eigen = next(p for p in ("/usr/include/eigen3", "/usr/local/include/eigen3") if pathlib.Path(p).exists())
                    call("c++", "-std=c++20", "-fsyntax-only", "-I", sources, "-I", eigen,
                         sources / "compile_runtime_component.cpp")

    def test_needs_libc_and_libm_only(self):
        with Fmu("pendulum.yaml", 2) as fmu:
            needed = [line.split("[")[1].rstrip("]") for line in call("readelf", "-d", fmu.library).stdout.splitlines()
                      if "(NEEDED)" in line]
            self.assertEqual({name.split(".")[0] for name in needed} - {"ld-linux-x86-64"}, {"libc", "libm"})
            names = call("nm", "-D", "--defined-only", fmu.library).stdout.split("\n")
            self.assertTrue(all(" fmi2" in n or " fmi3" in n for n in names if n))
            self.assertLess(fmu.archive.stat().st_size, 5e6)

    def test_refusals(self):
        def refused(model, *options):
            done = call(PROGRAM, "export-fmu", model, "--out", "/dev/null/x.fmu", *options, check=False)
            self.assertNotEqual(done.returncode, 0)
            return done.stderr

        pendulum = ROOT / "models/pendulum.yaml"
        self.assertIn("no input named 'u'", refused(pendulum, "--inputs", "u"))
        self.assertIn("no quantity fits", refused(pendulum, "--outputs", "body.pendulum.positon"))
        self.assertIn("cs, me or both", refused(pendulum, "--kind", "cosim"))
        self.assertIn("rigid contact", refused(ROOT / "models/contact/stack.yaml", "--kind", "me"))
        self.assertIn("cannot be", refused(pendulum))
        self.assertIn("FMUs are without klu", refused(pendulum, "--set", "run.solver=klu"))
        self.assertIn("did you mean 'joint.pivot.angle'", refused(pendulum, "--terminal", "joint.pivott.angle"))
        self.assertIn("no body 'rodd' (did you mean 'rod'", refused(pendulum, "--terminal", "frame.rodd.end"))
        self.assertIn("give joint.NAME", refused(pendulum, "--terminal", "body"))
        self.assertIn("is no MEMBER:VARIABLE", refused(pendulum, "--terminal", "end=position"))
        self.assertIn("'x' is no variable of the FMU", refused(pendulum, "--terminal", "end=position:x"))

    def test_model_exchange(self):
        """By a method of fourth order: near what Hooke's own integrator finds with small steps."""
        for version in 2, 3:
            for model, count, near in ("double_pendulum.yaml", 200, 2e-5), ("slider_crank.yaml", 300, 1e-4), \
                    ("control/bouncing.yaml", 600, 1e-4), ("fmi/arm.yaml", 200, 1e-5):
                with self.subTest(model=model, version=version), \
                        Fmu(model, version, "body.*.position", "both") as fmu:
                    states = sum(1 for v, _ in fmu.variables.values() if v.get("derivative") or
                                 any(child.get("derivative") for child in v))
                    indicators = int(fmu.description.get("numberOfEventIndicators") or
                                     len(fmu.description.findall("ModelStructure/EventIndicator")))
                    if version == 3:  # or programs leave it out, and turned shafts and impacts with it
                        self.assertEqual(fmu.description.find("ModelExchange").get("needsCompletedIntegratorStep"), "true")
                    exchange = numbers(fmu.drive(f"exchange:{states}:{indicators}", count).stdout)
                    direct = numbers(fmu.drive("run", 8 * count, step=fmu.step / 8).stdout)[::8]
                    self.assertEqual(len(exchange), len(direct))
                    off = max(abs(a - b) for x, y in zip(exchange, direct) for a, b in zip(x, y))
                    self.assertLess(off, near)


if __name__ == "__main__":
    unittest.main()
