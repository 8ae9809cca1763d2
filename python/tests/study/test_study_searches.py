"""Optimisation, calibration and sensitivity: answers that are known."""

import csv
import math
import os
import pathlib

import numpy
import pytest

import hooke
from hooke.study import read_study
from hooke.study.calibration import Calibration, Target
from hooke.study.curves import Curve
from hooke.study.variables import Variable
from hooke.study.work import Row, run_point

pytest.importorskip("scipy")
STUDIES = pathlib.Path(os.environ["HOOKE_ROOT"]) / "models" / "studies"


def test_sobols_indices_of_ishigamis_function():
    """Known: V1 = (1 + b pi^4/5)^2/2, V2 = a^2/8, V13 = b^2 pi^8 (1/18 - 1/50), a = 7, b = 0.1."""
    v1, v2, v13 = (1 + 0.1 * math.pi**4 / 5) ** 2 / 2, 49 / 8, 0.01 * math.pi**8 * (1 / 18 - 1 / 50)
    variance = v1 + v2 + v13
    table = hooke.study(read_study(STUDIES / "ishigami.yaml").tree)
    found = table.findings["indices"]["y"]
    first = [found["first"][name]["value"] for name in ("x1", "x2", "x3")]
    total = [found["total"][name]["value"] for name in ("x1", "x2", "x3")]
    assert first[:2] == pytest.approx([v1 / variance, v2 / variance], rel=0.01) and first[2] == pytest.approx(
        0, abs=0.01
    )
    assert total == pytest.approx([(v1 + v13) / variance, v2 / variance, v13 / variance], rel=0.01)
    assert all(
        found[kind][name]["interval"][0] < found[kind][name]["value"] < found[kind][name]["interval"][1]
        for kind in ("first", "total")
        for name in ("x1", "x2", "x3")
    )


def test_failed_runs_are_left_out_of_indices():
    table = hooke.study(
        vary={"a": {"from": 0, "to": 1}, "b": {"from": 0, "to": 1}},
        sensitivity={"sobol-indices": 256},
        outputs={"y": {"formula": "a > 0.97 ? sqrt(-1) : 2*a + b"}},
    )
    found = table.findings["indices"]["y"]
    assert 200 < found["rows"] < 256 and found["first"]["a"]["value"] == pytest.approx(0.8, abs=0.05)


BOWL = {
    "vary": {"x": {"from": -2, "to": 2}, "y": {"from": -2, "to": 2}},
    "outputs": {"cost": {"formula": "(x - 1)^2 + (y + 0.5)^2"}, "sum": {"formula": "x + y"}},
}


@pytest.mark.parametrize(
    "method, runs, error",
    [("differential-evolution", 1500, 1e-3), ("cobyla", 100, 1e-3), ("bayesian", 120, 0.1), ("cma-es", 300, 1e-3)],
)
def test_the_least_value_within_constraints(method, runs, error):
    """On the line x + y = 0, nearest to (1, -0.5)."""
    if method in ("bayesian", "cma-es"):
        pytest.importorskip("optuna")
    plan = {"minimise": "cost", "method": method, "runs": runs, "tolerance": 1e-6, "constraints": {"sum": {"max": 0}}}
    table = hooke.study(BOWL, optimise=plan)
    assert table.findings["value"] == pytest.approx(0.125, abs=error) and table.findings["value"] >= 0.125
    assert len(table) <= runs and table.findings["convergence"][-1] == table.findings["value"]
    best = [row for row in table if row.outputs["cost"] == table.findings["value"]]
    assert best[0].outputs["sum"] <= 0


def test_the_greatest_value_at_a_limit():
    table = hooke.study(BOWL, optimise={"maximise": "sum", "method": "nelder-mead", "runs": 200})
    assert table.findings["value"] == pytest.approx(4, abs=1e-3) and table.findings["at_limits"] == ["x", "y"]


def test_a_method_that_knows_no_constraints():
    with pytest.raises(hooke.ModelError, match="optimise.method: nelder-mead knows no constraints: take cobyla"):
        hooke.study(BOWL, optimise={"minimise": "cost", "method": "nelder-mead", "constraints": {"sum": {"min": 0}}})


def test_a_method_that_needs_two_variables():
    keys = {"vary": {"x": {"from": 0, "to": 1}}, "outputs": {"y": {"formula": "x^2"}}}
    with pytest.raises(hooke.ModelError, match="optimise.method: cma-es needs two variables at least"):
        hooke.study(keys, optimise={"minimise": "y", "method": "cma-es"})


def test_no_point_fulfils_the_constraints():
    table = hooke.study(BOWL, optimise={"minimise": "cost", "runs": 40, "constraints": {"sum": {"min": 9}}})
    assert table.findings["best"] is None and "constraints" in table.findings["reason"]


@pytest.mark.parametrize("method", ["differential-evolution", "bayesian", "cma-es"])
def test_a_search_goes_on_where_it_was(tmp_path, method):
    if method != "differential-evolution":
        pytest.importorskip("optuna")
    plan = {"minimise": "cost", "runs": 120, "method": method}
    whole = hooke.study(BOWL, optimise=plan, out=tmp_path)
    journal = tmp_path / "journal.jsonl"
    lines = journal.read_text().splitlines(keepends=True)
    journal.write_text("".join(lines[:50]))
    again = hooke.study(BOWL, optimise=plan, out=tmp_path)
    assert again.new_runs == len(lines) - 50 and again.findings == whole.findings


class Line:
    """An engine whose runs are a + b t."""

    def __init__(self, time):
        self.time = time

    def rows(self, points):
        return [
            Row(point, "finished", curves={"time": self.time, "y": point[0] + point[1] * self.time}) for point in points
        ]


def test_intervals_of_a_straight_line():
    """Against the closed form of linear regression."""
    from scipy import stats

    time = numpy.linspace(0, 1, 30)
    value = 2 + 3 * time + numpy.random.default_rng(3).normal(0, 0.2, 30)
    variables = [Variable("a", (), low=0, high=10), Variable("b", (), low=0, high=10)]
    found = Calibration((Target("y", Curve(tuple(time), tuple(value))),)).carry_out(Line(time), variables)
    line = stats.linregress(time, value)
    reach = stats.t.ppf(0.975, 28)
    assert found["best"]["b"] == pytest.approx(line.slope, rel=1e-6)
    assert found["interval"]["b"] == pytest.approx(
        [line.slope - reach * line.stderr, line.slope + reach * line.stderr], rel=1e-5
    )
    assert found["interval"]["a"][1] - found["best"]["a"] == pytest.approx(reach * line.intercept_stderr, rel=1e-5)
    assert found["residual"] == pytest.approx(
        numpy.sqrt(numpy.sum((value - line.intercept - line.slope * time) ** 2) / 28)
    )


TRUTH = {"bending_x": 0.45, "bending_y": 0.36, "damping": 2.5e-3}
SIGNAL = "body.rod.section.4.bending.x"


def test_calibration_of_the_flexible_slider_crank(tmp_path):
    """Two stiffnesses and a damping from a noisy curve lie in the intervals that are reported."""
    study = read_study(STUDIES / "calibration.yaml")
    true = run_point(study.work, tuple(TRUTH.values())).curves
    noise = numpy.random.default_rng(1).normal(0, 0.02 * abs(true[SIGNAL]).max(), len(true["time"]))
    with open(STUDIES / "measured_rod.csv") as file:
        measured = [float(value) for _, value in list(csv.reader(file))[1:]]
    assert measured == pytest.approx(true[SIGNAL] + noise, abs=1e-4), "the file is what it says"
    table = hooke.study(STUDIES / "calibration.yaml", out=tmp_path)
    for name, (low, high) in table.findings["interval"].items():
        assert low < TRUTH[name] < high
        assert high - low < 0.25 * TRUTH[name], "and they say something"
    assert table.findings["residual"] == pytest.approx(noise.std(), rel=0.1)


def test_hard_points_for_bump_steer(tmp_path):
    study = dict(read_study(STUDIES / "bump_steer.yaml").tree)
    study["model"] = str(STUDIES / study["model"])
    study["optimise"] = {**study["optimise"], "method": "cobyla", "runs": 60}
    table = hooke.study(study, out=tmp_path)
    assert table["bump_steer"][0] > 0.9 and table.findings["value"] < 0.15
    best = table.findings["best"]
    assert math.hypot(0.68 - best["rack_y"], best["rack_z"] + 0.2 - best["steer_z"]) <= 0.39


def test_a_model_with_its_study(tmp_path):
    """A pendulum that swings in two seconds: l = g/pi^2 for small angles."""
    table = hooke.study(STUDIES / "pendulum.yaml", out=tmp_path)
    assert table.findings["best"]["length"] == pytest.approx(9.81 / math.pi**2, rel=1e-3)


def test_a_calibration_that_cannot_be():
    study = dict(read_study(STUDIES / "calibration.yaml").tree)
    study["model"] = str(STUDIES / study["model"])
    study["set"] = {**study["set"], "run.end": 0.05}
    study["calibrate"] = {"curves": [{"of": SIGNAL, "to": str(STUDIES / "measured_rod.csv")}]}
    with pytest.raises(hooke.Error, match="runs end before the measurement does"):
        hooke.study(study)
