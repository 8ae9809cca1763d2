"""Installs the newest wheel of a folder into a new virtual environment, far from the source tree, and runs it there.

Of Debian's packages only NumPy is used. All libraries that are not part of every system must come from the wheel.
"""

import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = """
import pathlib, re, sys
import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
model.forces["f"] = hooke.JointForce("pivot", law=lambda x, v, t: 0.1 * v)
results = hooke.run(model, end=1, results="results.h5")
print(results, results["joint.pivot.angle"][-1])
results.save_page("page.html")

home = pathlib.Path(hooke.__file__).parent
assert sys.prefix in str(home), home
loaded = {line.split()[-1] for line in open("/proc/self/maps") if ".so" in line}
ours = [path for path in loaded if re.search("libhdf5|libyaml|libmetis|libklu|libopenblas|libsz", path)]
print(len(ours), "libraries from the wheel")
assert ours and all(str(home) in path or "numpy" in path for path in ours), ours
"""


def main():
    wheel = max(pathlib.Path(sys.argv[1]).resolve().glob("hooke-*.whl"), key=os.path.getmtime)
    with tempfile.TemporaryDirectory() as folder:
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "HOOKE_ROOT")}

        def run(*command):
            subprocess.run(command, check=True, cwd=folder, env=environment)

        run(sys.executable, "-m", "venv", "--system-site-packages", "venv")
        python = pathlib.Path(folder) / "venv" / "bin" / "python"
        run(python, "-m", "pip", "install", "-q", "--no-index", "--no-deps", wheel)
        run(python, "-c", PROGRAM)
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB, installed and run without the source tree")


if __name__ == "__main__":
    main()
