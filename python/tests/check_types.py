"""mypy --strict finds nothing to say about the examples; without mypy this is skipped (77)."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile

if importlib.util.find_spec("mypy") is None:
    sys.exit(77)

here = pathlib.Path(__file__).resolve().parents[1]
environment = dict(os.environ, MYPYPATH=os.environ.get("MYPYPATH") or os.environ.get("PYTHONPATH", ""))
with tempfile.TemporaryDirectory() as cache:
    arguments = ["--config-file", str(here / "pyproject.toml"), "--cache-dir", cache, *map(str, sorted((here / "examples").glob("*.py")))]
    sys.exit(subprocess.run([sys.executable, "-m", "mypy", *arguments], env=environment, cwd=cache).returncode)
