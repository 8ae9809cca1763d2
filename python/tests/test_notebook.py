"""In a notebook that is executed: the animation below the cell, figures and progress."""

import pathlib

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

CELLS = [
    """import hooke

model = hooke.Model(gravity=[0, 0, -9.81])
model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
results = hooke.run(model, end=2)""",
    """%matplotlib inline
results.plot("joint.pivot.angle");""",
    "results.view(height=420)",
    "bar = hooke.analyses._ProgressBar(); bar(0.5, 1, 10); bar(1, 1, 20); bar.close()",
    "hooke.load('nowhere.yaml')",
]


def outputs_of(cell, kind):
    return [output["data"][kind] for output in cell.outputs if kind in output.get("data", {})]


def test_a_notebook(tmp_path):
    cells = [nbformat.v4.new_code_cell(text, metadata={"tags": ["raises-exception"]}) for text in CELLS]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}).execute()
    made, plotted, shown, waited, failed = notebook.cells
    assert not any(output.output_type in ("error", "stream") for cell in notebook.cells[:4] for output in cell.outputs)
    assert len(outputs_of(plotted, "image/png")) == 1
    (page,) = outputs_of(shown, "text/html")
    assert page.startswith('<iframe style="width: 100%; height: 420px') and "srcdoc=" in page
    assert outputs_of(waited, "text/html") == [""], "nothing is left of the progress"
    assert failed.outputs[0].ename == "Error" and "nowhere.yaml" in failed.outputs[0].evalue
    nbformat.write(notebook, pathlib.Path(tmp_path) / "pendulum.ipynb")
