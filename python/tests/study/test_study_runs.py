"""Runs of a study: outputs, tables, what fails, what is done again and what is not."""

import csv
import json
import math
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy
import pytest

import hooke
from hooke.study import read_study, shared
from hooke.study.outputs import Output
from hooke.study.work import run_point

MODELS = pathlib.Path(os.environ["HOOKE_ROOT"]) / "models"
CRANK = {
    "model": str(MODELS / "slider_crank.yaml"),
    "set": {"run.end": 0.1},
    "vary": {"crank": {"from": 0.06, "to": 0.1}, "mass": {"key": "bodies.slider.rigid.mass", "from": 1, "to": 4}},
    "outputs": {"stroke": {"span": "joint.D.displacement"}, "speed": {"end": "body.slider.velocity.x"}},
}


def same(one, other):
    """But for the time it took."""
    return all(
        numpy.array_equal(one[name], other[name], equal_nan=one[name].dtype.kind == "f")
        for name in one.names
        if name != "seconds"
    )


TIME = numpy.linspace(0, 2 * numpy.pi, 2001)


@pytest.mark.parametrize(
    "kind, more, expected",
    [
        ("end", {}, 1),
        ("min", {}, -1),
        ("max", {}, 1),
        ("span", {}, 2),
        ("mean", {}, 0),
        ("integral", {"stop": numpy.pi / 2}, 1),
        ("time-of", {"reaches": 0.0}, numpy.pi / 2),
        ("time-of", {"reaches": "min"}, numpy.pi),
        ("time-of", {"reaches": 2.0}, math.nan),
        ("max", {"start": 1.0, "stop": 4.0}, math.cos(1)),
        ("end", {"start": 9.0}, math.nan),
    ],
)
def test_outputs_of_a_cosine(kind, more, expected):
    found = Output("y", kind, "x", **more).value(TIME, numpy.cos(TIME))
    assert found == pytest.approx(expected, abs=2e-3, nan_ok=True)


def test_distance_to_a_curve():
    study = read_study(
        {
            **CRANK,
            "design": {"grid": 2},
            "outputs": {"d": {"distance": "joint.D.displacement", "to": {"time": [0, 1, 2], "value": [0, 1, 0]}}},
        }
    )
    output = study.outputs[0]
    assert output.value(numpy.array([0.0, 2.0]), numpy.array([1.0, 1.0])) == pytest.approx(math.sqrt(2 / 3))
    assert math.isnan(output.value(numpy.array([0.0, 1.5]), numpy.array([1.0, 1.0])))


def test_a_row_is_what_a_run_gives(tmp_path):
    table = hooke.study(
        {**CRANK, "design": {"grid": 2}, "curves": ["joint.A.angle"]}, out=tmp_path, where={"local": {"workers": 1}}
    )
    assert len(table) == 4 and not table.failed
    crank, mass = table["crank"][2], table["mass"][2]
    results = hooke.run(
        hooke.load(CRANK["model"], **{"run.end": 0.1, "parameters.crank": crank, "bodies.slider.rigid.mass": mass})
    )
    assert table["speed"][2] == results["body.slider.velocity.x"][-1]
    assert numpy.array_equal(table.curves(2)["joint.A.angle"], results["joint.A.angle"])
    assert numpy.array_equal(table.repeat(2)["joint.A.angle"], results["joint.A.angle"])


def test_quick_runs_are_the_same_but_for_round_off():
    whole, quick = (
        hooke.study({**CRANK, "set": {"run.end": 1.5}, "design": {"grid": 2}, "quick": quick})
        for quick in (False, True)
    )
    for name in whole.outputs:
        assert quick[name] == pytest.approx(whole[name], rel=1e-12, abs=1e-14)


def test_what_only_results_know_is_not_quick():
    outputs = {"steps": {"max": "step.iterations"}, "error": {"end": "energy.error"}}
    whole, quick = (
        hooke.study({**CRANK, "outputs": outputs, "design": {"grid": 2}, "quick": quick}) for quick in (False, True)
    )
    assert same(whole, quick) and not quick.failed and (quick["steps"] >= 1).all()


def test_the_table_as_files(tmp_path):
    pytest.importorskip("h5py")
    table = hooke.study({**CRANK, "design": {"grid": 2}, "curves": ["joint.A.angle"]}, out=tmp_path)
    again = hooke.read_table(tmp_path)
    assert again.names == table.names and same(again, table)
    assert numpy.array_equal(again.curves(3)["joint.A.angle"], table.curves(3)["joint.A.angle"])
    rows = list(csv.reader(open(tmp_path / "table.csv")))
    assert rows[0] == table.names and [float(row[3]) for row in rows[1:]] == table["stroke"].tolist()
    assert table.to_pandas().loc[1, "stroke"] == table["stroke"][1]


def test_a_run_that_fails_is_a_row(tmp_path):
    vary = {"mass": {"key": "bodies.slider.rigid.mass", "values": [1, -1, 2]}}
    table = hooke.study({**CRANK, "vary": vary, "design": "grid"}, out=tmp_path)
    assert table["status"].tolist() == ["finished", "failed", "finished"]
    assert "must be positive, got -1 kg" in table["reason"][1] and math.isnan(table["stroke"][1])
    assert numpy.isfinite(table["stroke"][[0, 2]]).all()


def test_texts_may_be_varied():
    vary = {"integrator": {"key": "run.integrator", "values": ["hht", "newmark"]}}
    table = hooke.study({**CRANK, "vary": vary, "design": "grid"})
    assert (
        table["integrator"].tolist() == ["hht", "newmark"]
        and not table.failed
        and table["speed"][0] != table["speed"][1]
    )


def test_one_variable_for_several_keys():
    vary = {"mass": {"key": ["bodies.slider.rigid.mass", "bodies.rod.rigid.mass"], "values": [1, 2]}}
    table = hooke.study({**CRANK, "vary": vary, "design": "grid"})
    both = hooke.run(
        hooke.load(CRANK["model"], **{"run.end": 0.1, "bodies.slider.rigid.mass": 2, "bodies.rod.rigid.mass": 2})
    )
    assert table["speed"][1] == both["body.slider.velocity.x"][-1]


def test_functions_and_formulas():
    vary = {"x": {"from": 0, "to": 1}}
    table = hooke.study(function=lambda x: {"y": x**2}, vary=vary, design={"grid": 3}, outputs={})
    assert table["y"].tolist() == [0, 0.25, 1]
    table = hooke.study(
        vary=vary, design={"grid": 3}, outputs={"y": {"formula": "x^2"}, "z": {"formula": "y > 0.1 ? 2*y : -1"}}
    )
    assert table["z"].tolist() == [-1, 0.5, 2]
    table = hooke.study(CRANK, design={"grid": 2}, outputs={**CRANK["outputs"], "ratio": {"formula": "stroke/crank"}})
    assert table["ratio"] == pytest.approx(table["stroke"] / table["crank"])


def test_models_as_objects(tmp_path):
    model = hooke.Model(gravity=[0, 0, -9.81])
    model.bodies["arm"] = hooke.Rigid(mass=1, inertia=0.1, at=[0, 0.5, 0])
    model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
    table = hooke.study(
        model=model,
        vary={"g": {"key": "gravity[2]", "values": [0, -9.81]}},
        design="grid",
        outputs={"angle": {"end": "joint.pivot.angle"}},
        out=tmp_path,
    )
    assert table["angle"][0] == 0 and table["angle"][1] != 0


# ---- going on


def test_nothing_is_done_twice(tmp_path):
    first = hooke.study({**CRANK, "design": {"monte-carlo": 4}}, out=tmp_path)
    assert first.new_runs == 4
    longer = hooke.study({**CRANK, "design": {"monte-carlo": 6}}, out=tmp_path)
    assert longer.new_runs == 2 and len(longer) == 6
    assert numpy.array_equal(longer["seconds"][:4], first["seconds"])
    assert hooke.study({**CRANK, "design": {"list": [{"crank": 0.07, "mass": 1}] * 3}}, out=tmp_path).new_runs == 1
    other = hooke.study({**CRANK, "set": {"run.end": 0.2}, "design": {"monte-carlo": 4}}, out=tmp_path)
    assert other.new_runs == 4, "another model"


def test_a_line_that_was_cut_off_is_done_again(tmp_path):
    whole = hooke.study({**CRANK, "design": {"monte-carlo": 4}}, out=tmp_path)
    journal = tmp_path / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:2]) + lines[2][:40])
    again = hooke.study({**CRANK, "design": {"monte-carlo": 4}}, out=tmp_path)
    assert again.new_runs == 2 and same(again, whole)
    points = [tuple(json.loads(line)["point"]) for line in journal.read_text().splitlines()]
    assert len(points) == len(set(points)) == 4


def test_two_studies_cannot_write_into_one_folder(tmp_path):
    from hooke.study.journal import Journal

    with Journal(tmp_path, "x"), pytest.raises(hooke.Error, match="another study is writing here"):
        hooke.study({**CRANK, "design": {"grid": 2}}, out=tmp_path)


def write_study(path, count, end=0.5):
    study = {"study": 1, **CRANK, "set": {"run.end": end}, "design": {"monte-carlo": count}}
    path.write_text(json.dumps(study))
    return study


def children(process):
    return [int(pid) for pid in pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def wait_for_lines(path, count):
    end = time.monotonic() + 60
    while not path.exists() or path.read_bytes().count(b"\n") < count:
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_killed_worker_and_a_killed_study_lose_nothing(tmp_path):
    study = write_study(tmp_path / "study.json", 60)
    command = [
        sys.executable,
        "-m",
        "hooke.study",
        str(tmp_path / "study.json"),
        "--workers",
        "2",
        "--out",
        str(tmp_path / "out"),
    ]
    journal = tmp_path / "out" / "journal.jsonl"
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        wait_for_lines(journal, 5)
        os.kill(children(process.pid)[0], signal.SIGKILL)
        wait_for_lines(journal, 20)
        process.kill()
    before = journal.read_bytes().count(b"\n")
    assert 20 <= before < 60
    assert subprocess.run(command, stdout=subprocess.DEVNULL).returncode == 0
    points = [tuple(json.loads(line)["point"]) for line in journal.read_text().splitlines()]
    assert len(points) == len(set(points)) == 60
    table = hooke.read_table(tmp_path / "out")
    assert same(table, hooke.study(study)) and not table.failed


def test_a_run_that_kills_its_worker_is_a_row(monkeypatch):
    from hooke.study.runners import local

    study = read_study({**CRANK, "design": {"grid": 2}})
    points = study.plan.make(study.variables)
    runner = local.LocalRunner(workers=1)
    give, deadly = local.Worker.hand, points[1]

    def hand(worker, given):
        give(worker, given)
        if given[0] == deadly:
            worker.process.kill()

    monkeypatch.setattr(local.Worker, "hand", hand)
    monkeypatch.setattr(local, "BATCH_TIME", 0)
    rows = {row.point: row for rows in runner.run(study.work, points) for row in rows}
    runner.close()
    assert len(rows) == 4 and "its process ended by signal 9, 3 times" in rows[deadly].reason
    assert [rows[point].status for point in points] == ["finished", "failed", "finished", "finished"]


def test_meshes_are_reduced_once_on_a_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    shared.shared_settings.cache_clear()
    (tmp_path / "bar.modes").write_text(
        "hooke_modes: 1\nreduce: {mesh: {box: {size: [0.02, 0.02, 0.3], divisions: [2, 2, 8]}}, "
        "material: {young: 2e11, poisson: 0.3, density: 7800}, interfaces: [z_min, z_max], modes: 10}\n"
    )
    (tmp_path / "bar.yaml").write_text(
        "hooke: 1\ngravity: [0, -9.81, 0]\nbodies: {bar: {modal: {file: bar.modes}}}\n"
        "joints: {clamp: {fixed: [ground, bar.z_min]}}\nrun: {end: 0.02, step: 1e-3}\noutputs: {every: 1e-3}\n"
    )
    study = {
        "model": str(tmp_path / "bar.yaml"),
        "vary": {"g": {"key": "gravity[1]", "values": [-5, -10]}},
        "design": "grid",
        "outputs": {"end": {"end": "energy.potential"}},
    }
    table = hooke.study(study)
    assert not table.failed, table["reason"]
    made = list((tmp_path / "cache").rglob("*.modes"))
    assert len(made) == 1
    stamp = made[0].stat().st_mtime_ns
    hooke.study(study)
    assert made[0].stat().st_mtime_ns == stamp
    plain = hooke.run(hooke.load(tmp_path / "bar.yaml", **{"gravity[1]": -10}))
    assert table["end"][1] == pytest.approx(plain["energy.potential"][-1], rel=1e-9)


def test_the_command(tmp_path, capsys):
    write_study(tmp_path / "study.json", 3, end=0.1)
    command = [
        sys.executable,
        "-m",
        "hooke.study",
        str(tmp_path / "study.json"),
        "--workers",
        "0",
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run([*command, "--view", "1"], capture_output=True, text=True)
    assert done.returncode == 0 and "3 runs (3 new), 0 failed" in done.stdout, done.stderr
    assert (tmp_path / "out" / "views" / "1.html").exists()
    done = subprocess.run(
        [sys.executable, "-m", "hooke.study", str(tmp_path / "none.yaml")], capture_output=True, text=True
    )
    assert done.returncode == 2 and "hooke: cannot read" in done.stderr


def test_rows_can_be_sent():
    import pickle

    study = read_study({**CRANK, "design": {"grid": 2}, "curves": ["joint.A.angle"]})
    row = run_point(pickle.loads(pickle.dumps(study.work)), (0.08, 2.0))
    assert pickle.loads(pickle.dumps(row)).outputs == row.outputs and row.status == "finished"


def test_a_model_that_only_its_inputs_vary_is_built_once(tmp_path):
    from hooke.study import work

    model = hooke.Model(gravity=[0, 0, -9.81])
    model.bodies["arm"] = hooke.Rigid(mass=1, inertia=0.1, at=[0, 0.5, 0])
    model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
    model.control["torque"] = hooke.ParameterBlock(0)
    model.forces["motor"] = hooke.JointForce("pivot", active="-torque")
    vary = {"torque": {"key": "control.torque.parameter", "from": 0, "to": 10}}
    keys = {
        "vary": vary,
        "design": {"grid": 5},
        "outputs": {"angle": {"end": "joint.pivot.angle"}},
        "where": {"local": {"workers": 0}},
    }
    work._built_once.cache_clear()
    quick = hooke.study(model=model, quick=True, out=tmp_path, **keys)
    assert work._built_once.cache_info().misses == 1 and not quick.failed
    whole = hooke.study(model=model, **keys)
    assert quick["angle"] == pytest.approx(whole["angle"], rel=1e-9) and len(set(quick["angle"])) == 5


def test_a_damaged_line_is_named(tmp_path):
    hooke.study({**CRANK, "design": {"monte-carlo": 3}}, out=tmp_path)
    journal = tmp_path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text(lines[0] + "{oops\n" + lines[2])
    with pytest.raises(hooke.Error, match="journal.jsonl:2: the line is damaged; remove it"):
        hooke.study({**CRANK, "design": {"monte-carlo": 3}}, out=tmp_path)


def test_another_function_is_another_study(tmp_path):
    keys = {"vary": {"x": {"from": 0, "to": 1}}, "design": {"grid": 3}, "outputs": {}, "out": tmp_path}
    assert hooke.study(function=lambda x: {"y": x}, **keys).new_runs == 3
    assert hooke.study(function=lambda x: {"y": 2 * x}, **keys).new_runs == 3


def test_a_worker_that_cannot_start(monkeypatch):
    monkeypatch.setenv("PYTHONHOME", "/nowhere")
    with pytest.raises(hooke.Error, match="a worker could not start"):
        hooke.study({**CRANK, "design": {"grid": 2}})
