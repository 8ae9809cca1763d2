"""Files that once ended in a crash, a hang or an internal error: now each ends in a message that names what is wrong."""

import os
import pathlib
import resource
import shutil
import subprocess
import tempfile
import unittest

PROGRAM = os.environ["HOOKE_PROGRAM"]
FAULTS = pathlib.Path(os.environ["HOOKE_ROOT"]) / "tests/data/faults"

# model: exit status of `hooke check`, words of its message
EXPECTED = {
    "all_held": (3, "all_held.modes:3:3: reduce", "the interfaces leave only 0 dofs of the mesh free"),
    "tiny_density": (3, "tiny_density.modes:4:50: reduce.material.density: must be positive, at least 1e-50"),
    "inp_dens": (3, "inp_dens.yaml:4:", "dens.inp", "line 10: *DENSITY needs a number here"),
    "inp_gen": (0,),
    "inp_genel": (0,),
    "bdf_thru": (0,),
    "gltf_expempty": (3, "expempty.gltf", "has two parents"),
    "gltf_neg2": (3, "neg2.gltf", "a triangle has a corner that is not there"),
    "vtu_b64short": (3, "b64short.vtu", "the array 'Points' ends early"),
    "vtu_broken": (3, "broken.vtu", "the array 'Points' is not base64"),
    "vtu_offsets": (3, "offsets.vtu", "ends early"),
    "far_joint": (3, "joints.P5.at[2]: 1e+308 is too large: the limit is 1e+50"),
    "far_point": (3, "bodies.rod1.between[0][2]: 1e+308 is too large"),
    "long_rod": (3, "bodies.beam.cosserat.elements: 62500000 elements of a rod", "HOOKE_LIMIT_ROD_ELEMENTS raises it"),
    "tiny_step": (3, "run.step: 5e+16 steps of a run", "HOOKE_LIMIT_STEPS raises it"),
    "large_matrix": (3, "linear.structure.B[0][2]: 1e+308 is too large"),
}


def confined():
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))


class Faults(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_"))
        self.addCleanup(shutil.rmtree, self.folder)

    def hooke(self, *arguments, variables={}):
        sanitized = "sanitize" in PROGRAM  # reserves terabytes of addresses
        return subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=60,
                              env={**os.environ, **variables}, preexec_fn=None if sanitized else confined)

    def test_each_ends_in_a_message(self):
        self.assertEqual({path.stem for path in FAULTS.glob("*.yaml")}, set(EXPECTED))
        for name, (status, *words) in EXPECTED.items():
            with self.subTest(name):
                done = self.hooke("check", FAULTS / f"{name}.yaml")
                self.assertEqual(done.returncode, status, done.stdout + done.stderr)
                for word in words:
                    self.assertIn(word, done.stderr)

    def test_limits_can_be_raised(self):
        model = self.folder / "m.yaml"
        model.write_text("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}}}\nrun: {end: 1e-9, step: 1e-12}\noutputs: {every: 1e-19}\n")
        done = self.hooke("check", model)
        self.assertEqual(done.returncode, 3)
        self.assertIn("outputs of a run: the limit is 1000000000", done.stderr)
        self.assertEqual(self.hooke("check", model, variables={"HOOKE_LIMIT_OUTPUTS": "1e11"}).returncode, 0)
        done = self.hooke("check", model, variables={"HOOKE_LIMIT_OUTPUT": "1e11"})
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'HOOKE_LIMIT_OUTPUTS'?", done.stderr)

    def test_threads(self):
        model = self.folder / "m.yaml"
        model.write_text("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}}}\nrun: {end: 0.01}\n")
        done = self.hooke("run", model, "--threads", "100000")
        self.assertEqual(done.returncode, 3)
        self.assertIn("run.threads: 100000 threads: the limit is 64", done.stderr)

    def test_large_results_are_announced(self):
        model = self.folder / "m.yaml"
        model.write_text("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}}}\nrun: {end: 1e-5, step: 1e-5}\noutputs: {every: 1e-12}\n")
        process = subprocess.Popen([PROGRAM, "run", model, "--set", "outputs.every=1.1e-12"], cwd=self.folder, stderr=subprocess.PIPE, text=True)
        try:
            self.assertIn("results may take", process.stderr.readline())
        finally:
            process.kill()
            process.communicate(timeout=60)

    def test_damaged_results(self):
        model = self.folder / "m.yaml"
        model.write_text("hooke: 1\nbodies: {a: {rigid: {mass: 1, inertia: 1}}}\nrun: {end: 0.1}\n")
        self.assertEqual(self.hooke("run", model, "--out", ".").returncode, 0)
        whole = (self.folder / "results.h5").read_bytes()
        for start in range(0, len(whole), len(whole) // 12):
            damaged = bytearray(whole)
            damaged[start:start + 600] = bytes(k * 37 % 256 for k in range(600))
            (self.folder / "results.h5").write_bytes(damaged[:len(whole)])
            for command in (["export"], ["export", "--gltf", "a.glb"], ["plot", "energy.total"], ["report"], ["view", "--export", "a.html"]):
                with self.subTest(start=start, command=command):
                    done = self.hooke(command[0], "results.h5", *command[1:])
                    self.assertIn(done.returncode, (0, 2, 6), done.stderr)


if __name__ == "__main__":
    unittest.main()
