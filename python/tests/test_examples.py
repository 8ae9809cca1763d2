"""Every example runs; its figures are drawn and not shown."""

import os
import pathlib
import runpy

import pytest

EXAMPLES = sorted((pathlib.Path(os.environ["HOOKE_ROOT"]) / "python" / "examples").glob("*.py"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, capsys):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    if "scipy" in path.read_text():
        pytest.importorskip("scipy")
    runpy.run_path(str(path), run_name="__main__")
    assert pyplot.get_fignums()
    pyplot.close("all")
