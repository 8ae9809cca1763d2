"""What is varied, which points are run, and mistakes in study files."""

import math
import os
import pathlib
import statistics

import numpy
import pytest

import hooke
from hooke.study import read_study
from hooke.study.designs import latin_hypercube
from hooke.study.variables import Variable

MODELS = pathlib.Path(os.environ["HOOKE_ROOT"]) / "models"


def formula(design, **vary):
    vary = vary or {"a": {"from": 0, "to": 1}, "b": {"from": 10, "to": 20}}
    return {"vary": vary, "design": design, "outputs": {"y": {"formula": "+".join(vary)}}}


def points(design, **vary):
    study = read_study(formula(design, **vary))
    return study.plan.make(study.variables)


def test_a_grid_has_all_combinations():
    assert points("grid", a=[1, 2], b={"from": 0, "to": 1, "count": 3}) == [
        (1, 0),
        (1, 0.5),
        (1, 1),
        (2, 0),
        (2, 0.5),
        (2, 1),
    ]
    assert points({"grid": 2}, a={"from": 1, "to": 100, "log": True, "count": 3}) == [
        (pytest.approx(x),) for x in (1, 10, 100)
    ]


def test_a_list_of_points(tmp_path):
    assert points({"list": [{"a": 0.25, "b": 11}, {"a": 0.5}]}) == [(0.25, 11), (0.5, 15)]
    (tmp_path / "points.csv").write_text("b,a\n11,0.25\n12,0.5\n")
    (tmp_path / "study.yaml").write_text(
        "study: 1\nvary: {a: {from: 0, to: 1}, b: {from: 10, to: 20}}\n"
        "design: {list: points.csv}\noutputs: {y: {formula: a + b}}\n"
    )
    study = read_study(tmp_path / "study.yaml")
    assert study.plan.make(study.variables) == [(0.25, 11), (0.5, 12)]


def test_one_at_a_time():
    assert points({"one-at-a-time": 3}) == [(0.5, 15), (0, 15), (1, 15), (0.5, 10), (0.5, 20)]
    assert points({"one-at-a-time": 2}, a={"from": 0, "to": 1, "start": 0.2}) == [(0.2,), (0,), (1,)]


def test_a_latin_hypercube_has_one_point_in_every_part():
    cube = latin_hypercube(50, 3, seed=4)
    for column in cube.T:
        assert sorted(int(50 * u) for u in column) == list(range(50))
    assert points({"latin-hypercube": 7, "seed": 3}) == points({"latin-hypercube": 7, "seed": 3})
    assert points({"latin-hypercube": 7, "seed": 3}) != points({"latin-hypercube": 7, "seed": 4})


def test_sobols_points_fill_evenly():
    pytest.importorskip("scipy")
    found = numpy.array(points({"sobol": 256}))
    counts, _, _ = numpy.histogram2d(found[:, 0], found[:, 1], bins=16, range=[[0, 1], [10, 20]])
    assert (counts == 1).all()


def test_a_longer_monte_carlo_begins_as_the_shorter():
    assert points({"monte-carlo": 30})[:10] == points({"monte-carlo": 10})


@pytest.mark.parametrize(
    "variable, mean, deviation",
    [
        (Variable("x", (), kind="normal", shape=(3, 0.5)), 3, 0.5),
        (
            Variable("x", (), kind="lognormal", shape=(2, 0.25)),
            2 * math.exp(0.25**2 / 2),
            2 * math.exp(0.25**2 / 2) * math.sqrt(math.expm1(0.25**2)),
        ),
        (
            Variable("x", (), kind="triangular", shape=(1,), low=0, high=4),
            5 / 3,
            math.sqrt((0 + 1 + 16 - 0 - 4 - 0) / 18),
        ),
        (Variable("x", (), low=-1, high=3), 1, 4 / math.sqrt(12)),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_distributions_have_their_moments(variable, mean, deviation):
    values = [variable.at((i + 0.5) / 20000) for i in range(20000)]
    assert statistics.fmean(values) == pytest.approx(mean, rel=1e-3)
    assert statistics.pstdev(values) == pytest.approx(deviation, rel=5e-3)


def test_a_normal_distribution_between_limits():
    variable = Variable("x", (), kind="normal", shape=(0, 1), low=0, high=1)
    assert variable.at(0) == pytest.approx(0, abs=1e-9) and variable.at(1) == pytest.approx(1)
    assert variable.at(0.5) == pytest.approx(
        statistics.NormalDist().inv_cdf((0.5 + statistics.NormalDist().cdf(1)) / 2)
    )


STUDY = """study: 1
model: {model}
vary:
  crank: {{from: 0.06, to: 0.1}}
  slider_mass: {{key: bodies.slider.rigid.mass, from: 1, to: 4}}
design: {{grid: 3}}
outputs:
  stroke: {{span: joint.D.displacement}}
"""


@pytest.mark.parametrize(
    "before, after, message",
    [
        ("vary:", "vray:", r"study.yaml:3:1: vray: unknown key 'vray' \(did you mean 'vary'\?\)"),
        (
            "{from: 0.06",
            "{form: 0.06",
            r"study.yaml:4:11: vary.crank.form: unknown key 'form' \(did you mean 'from'\?\)",
        ),
        ("0.06", "0.6", r"study.yaml:4:22: vary.crank.to: must be above 'from', 0.6; got 0.1"),
        ("0.06", "pi", r'vary.crank.from: expected a number, got \'pi\' \(write "\$\{pi\}" if it is an expression\)'),
        ("crank:", "crnk:", r"study.yaml:4:3: vary.crnk: .* no parameter 'crnk' \(did you mean 'crank'\?\)"),
        ("rigid.mass", "rigid.mas", r"study.yaml:5:3: vary.slider_mass: .*unknown key 'mas' \(did you mean 'mass'\?\)"),
        ("grid", "gird", r"study.yaml:6:1: design: expected one of grid, .*got gird \(did you mean 'grid'\?\)"),
        ("grid: 3", "grid: 1", r"design.grid: expected a whole number, at least 2, got 1"),
        ("grid: 3", "grid: ", r"design.grid: say how many values each variable takes"),
        (
            "{span: ",
            "{spin: ",
            r"study.yaml:8:3: outputs.stroke: expected one of end, .*got spin \(did you mean 'span'\?\)",
        ),
        (
            "joint.D",
            "joint.E",
            r"study.yaml:8:3: outputs.stroke: the results of the model have no quantity 'joint.E.displacement' \(did you mean 'joint.D.displacement'\?\)",
        ),
        ("model: ", "model: no", r"study.yaml:2:1: model: there is no file '.*'"),
        ("study: 1", "study: 2", r"study.yaml:1:1: study: a study file begins with 'study: 1'"),
        (
            "design: {grid: 3}",
            "optimise: {minimise: strok}",
            r"optimise.minimise: no output named 'strok' \(did you mean 'stroke'\?\)",
        ),
        (
            "design: {grid: 3}",
            "where: dusk",
            r"where: expected local, dask, mpi or slurm, got 'dusk' \(did you mean 'dask'\?\)",
        ),
        ("crank: {", "crank: {{", r"study.yaml:\d+:\d+: "),
    ],
)
def test_mistakes(tmp_path, before, after, message):
    text = STUDY.format(model=MODELS / "slider_crank.yaml")
    assert before in text
    (tmp_path / "study.yaml").write_text(text.replace(before, after, 1))
    with pytest.raises(hooke.ModelError, match=message):
        read_study(tmp_path / "study.yaml")


def test_mistakes_in_formulas():
    with pytest.raises(hooke.ModelError, match="outputs.y: unknown name 'c'"):
        read_study({**formula({"grid": 2}), "outputs": {"y": {"formula": "a + c"}}})


def test_all_mistakes_are_told_together():
    with pytest.raises(hooke.ModelError) as error:
        read_study({"vary": {"a": {"form": 1}}, "design": "gird", "outputs": {"y": {"formula": "a"}}})
    assert len(str(error.value).splitlines()) == 3


SECTION = """hooke: 1
title: A fall
parameters: {g: -9.81}
gravity: [0, 0, "${g}"]
bodies: {stone: {rigid: {mass: 1, inertia: 1}}}
run: {end: 0.1, step: 0.01}
study:
  vary: {g: {from: "${-2*pi}", to: -1}}
  design: {grid: 3}
  outputs: {depth: {min: body.stone.position.z}}
"""


def test_a_section_of_a_model_file(tmp_path):
    path = tmp_path / "fall.yaml"
    path.write_text(SECTION)
    table = hooke.study(path, out=tmp_path / "out")
    assert table.title == "A fall" and table["depth"] == pytest.approx(table["g"] * 0.1**2 / 2)
    assert hooke.run(hooke.load(path))["body.stone.position.z"][-1] == pytest.approx(-9.81 * 0.1**2 / 2)
    path.write_text(SECTION.replace("grid: 3", "grid: 5"))  # another design of the same model: two points are known
    assert hooke.study(path, out=tmp_path / "out").new_runs == 2


def test_mistakes_in_a_section_of_a_model_file(tmp_path):
    def complaint(text):
        (tmp_path / "fall.yaml").write_text(text)
        with pytest.raises(hooke.ModelError) as error:
            read_study(tmp_path / "fall.yaml")
        return str(error.value)

    assert "fall.yaml:9:3: study.desing: unknown key 'desing' (did you mean 'design'?)" in complaint(
        SECTION.replace("  design:", "  desing:")
    )
    assert "fall.yaml:8:3: study.model: stands in study files alone" in complaint(
        SECTION.replace("study:\n", "study:\n  model: other.yaml\n")
    )
    assert "fall.yaml:10:13: study.outputs.depth: the results of the model have no quantity" in complaint(
        SECTION.replace("body.stone.position.z", "body.stoen.position.z")
    )
    assert "a model without a section 'study'" in complaint(SECTION[: SECTION.index("study:")])
