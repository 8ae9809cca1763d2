"""Exports models and runs them through fmu_driver, a program in C that knows the standard alone."""
import json
import math
import os
import pathlib
import subprocess
import tempfile
import xml.etree.ElementTree as xml
import zipfile

ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
PROGRAM = pathlib.Path(os.environ["HOOKE_PROGRAM"])
DRIVER, DIRECT = PROGRAM.parent / "tests/fmu_driver", PROGRAM.parent / "tests/fmu_direct"


def call(*words, check=True, timeout=280):
    done = subprocess.run([str(w) for w in words], capture_output=True, text=True, timeout=timeout)
    if check and done.returncode:
        raise AssertionError(f"{words[0]} ended with {done.returncode}:\n{done.stdout[-2000:]}{done.stderr[-4000:]}")
    return done


class Fmu:
    """A model as an FMU, unpacked, with what its description says."""

    def __init__(self, model, version, outputs="", kind="cs", options=()):
        self.version = version
        self.folder = tempfile.TemporaryDirectory()
        self.path = pathlib.Path(self.folder.name)
        self.archive = self.path / "model.fmu"
        call(PROGRAM, "export-fmu", ROOT / "models" / model, "--fmi", version, "--kind", kind, "--out", self.archive,
             *(["--outputs", outputs] if outputs else []), *options)
        zipfile.ZipFile(self.archive).extractall(self.path / "unpacked")
        self.resources = self.path / "unpacked/resources"
        (self.library,) = (self.path / "unpacked/binaries").glob("*/*.so")
        self.description = xml.parse(self.path / "unpacked/modelDescription.xml").getroot()
        self.token = self.description.get("guid") or self.description.get("instantiationToken")
        self.step = float(self.description.find("DefaultExperiment").get("stepSize"))
        self.start = float(self.description.find("DefaultExperiment").get("startTime"))
        self.variables = {}
        for v in self.description.find("ModelVariables"):
            self.variables[v.get("name")] = v, math.prod(int(d.get("start")) for d in v.findall("Dimension"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def named(self, causality):
        return [name for name, (v, _) in self.variables.items() if v.get("causality") == causality]

    def reference(self, name):
        return self.variables[name][0].get("valueReference")

    def outputs(self):
        return [f"{self.reference(n)}/{self.variables[n][1]}" for n in self.named("output")]

    def quantities(self):
        """As Hooke calls them: 2.0 has their components one by one."""
        manifest = json.loads((self.resources / "hooke.json").read_text())
        return [v["name"] for v in manifest["variables"] if v.get("role", "output") == "output"]

    def drive(self, work, count, options=(), check=True, step=None):
        return call(DRIVER, self.version, self.library, self.resources, self.token, work, self.start,
                    step or self.step, count, *options, *self.outputs(), check=check)

    def direct(self, count, options=()):
        return call(DIRECT, self.resources, count, *options, *self.quantities()).stdout


def numbers(text):
    return [[float.fromhex(x) for x in line.split()] for line in text.splitlines()]
