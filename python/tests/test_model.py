"""Models as Python objects: what files say, and mistakes."""

import copy
import os
import pathlib

import numpy
import pytest

import hooke

MODELS = pathlib.Path(os.environ["HOOKE_ROOT"]) / "models"


def pendulum():
    model = hooke.Model(gravity=[0, 0, -9.81])
    model.bodies["arm"] = hooke.Rigid(mass=1, shape=hooke.Box([0.05, 1, 0.05]), at=[0, 0.5, 0])
    model.joints["pivot"] = hooke.Revolute(["ground", "arm"], at=[0, 0, 0], axis="x")
    model.run.step = 1e-3
    return model


def files():
    # Not those of linear subsystems, participants or studies, which are no models, nor those that name a library.
    texts = {path: path.read_text() for path in sorted(MODELS.rglob("*.yaml")) if path.parent.name != "studies"}
    return [path for path, text in texts.items()
            if not any(key in text for key in ("\nlinear:", "\nparticipants:", "\nplugin:"))]


@pytest.mark.parametrize("path", files(), ids=lambda path: path.stem)
def test_a_file_becomes_objects_that_say_the_same(path):
    model = hooke.load(path)
    assert model.to_yaml() == hooke._hooke.load(str(path), []).text()


def test_a_saved_model_loads_as_the_same(tmp_path):
    model = pendulum()
    model.forces["spring"] = hooke.TorsionSpring(["ground", "arm"], at=[0, 0, 0], axis="x", stiffness=3)
    model.run.integrator = hooke.Hht(alpha=-0.05)
    model.save(tmp_path / "pendulum.yaml")
    assert hooke.load(tmp_path / "pendulum.yaml").to_yaml() == model.to_yaml()


def test_a_file_beside_a_loaded_model_is_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = hooke.load(MODELS / "flexible" / "slider_crank_modal.yaml")
    model.check()
    model.save(tmp_path / "elsewhere.yaml")
    hooke.load(tmp_path / "elsewhere.yaml").check()


def test_overrides():
    model = hooke.load(MODELS / "chain.yaml", **{"parameters.n": 3, "run.step": 0.02})
    assert len(model.bodies) == 3 and model.run.step == 0.02


def test_attributes_have_defaults_and_can_be_edited():
    model = hooke.Model()
    assert model.run.end == 1 and model.gravity == [0, 0, 0]
    model.run.end = 2
    model.bodies["ball"] = hooke.Rigid(mass=2, inertia=1)
    model.bodies["ball"].mass = 3
    assert "end: 2" in model.to_yaml() and "mass: 3" in model.to_yaml()
    del model.bodies["ball"]
    assert len(model.bodies) == 0


def test_copies_are_apart():
    model = pendulum()
    other, third = model.copy(), copy.deepcopy(model)
    assert other == model and third == model
    other.bodies["arm"].mass = 7
    other.joints["pivot"].at[2] = 1
    assert model.bodies["arm"].mass == 1 and model.joints["pivot"].at == [0, 0, 0]
    assert other != model


def test_arrays_of_numpy_are_numbers():
    model = pendulum()
    model.bodies["arm"].at = numpy.array([0, 0.5, 0])
    model.bodies["arm"].mass = numpy.float64(2)
    model.check()


def test_dictionaries_in_the_shape_of_a_file():
    model = hooke.Model(bodies={"a": {"rigid": {"mass": 1, "inertia": 1}, "at": [1, 0, 0]}})
    assert "at: [1, 0, 0]" in model.to_yaml()


def test_unknown_keywords_are_refused_at_once():
    with pytest.raises(TypeError, match=r"Rigid has no 'mas' \(did you mean 'mass'\?\)"):
        hooke.Rigid(mas=1)
    with pytest.raises(TypeError, match="did you mean 'stiffness'"):
        hooke.Spring(["a", "b"], stifness=1)
    model = pendulum()
    with pytest.raises(TypeError, match="did you mean 'step'"):
        model.run.stp = 1
    with pytest.raises(TypeError, match="takes one argument"):
        hooke.Revolute("ground", "arm")
    with pytest.raises(KeyError, match="did you mean 'arm'"):
        model.bodies["arn"]


def test_mistakes_have_the_text_and_path_of_files():
    model = pendulum()
    model.bodies["arm"].mass = "heavy"
    model.joints["pivot"].axis = [1, 0]
    with pytest.raises(hooke.ModelError) as error:
        model.problem()
    assert 'bodies.arm.rigid.mass: expected a number, got the text "heavy"' in str(error.value)
    assert "joints.pivot.axis: expected a list of 3 numbers or an axis" in str(error.value)
    assert error.value.code == 3


def test_names_are_suggested():
    model = pendulum()
    model.joints["pivot"].revolute = ["ground", "amr"]
    with pytest.raises(hooke.ModelError, match=r"no body named 'amr' \(did you mean 'arm'\?\)"):
        hooke.Simulation(model)


def test_mistakes_of_a_loaded_model_point_into_its_file():
    model = hooke.load(MODELS / "slider_crank.yaml")
    model.bodies["crank"].mass = -1
    with pytest.raises(hooke.ModelError, match=r"slider_crank.yaml:\d+:\d+: bodies.crank.rigid.mass: must be positive"):
        model.problem()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), None, "x", [1, 2], object(), 1j, lambda: 0])
def test_no_value_crashes(value):
    model = pendulum()
    model.bodies["arm"].mass = value
    with pytest.raises(hooke.ModelError, match="bodies.arm"):
        model.problem()


def test_functions_cannot_be_written():
    model = pendulum()
    model.forces["f"] = hooke.JointForce("pivot", law=lambda x, v, t: x)
    with pytest.raises(hooke.Error, match="code cannot be written to a file"):
        model.to_yaml()


def test_no_class_of_settings_hides_another_name():
    own = {"Body", "Code", "CoSimulation", "Error", "Force", "Joint", "LinearSystem", "Model", "ModelError", "ModeShapes",
           "Participant", "Results", "Simulation", "SimulationParticipant", "SolidMesh", "State", "StepError"}
    assert not own & set(hooke.settings.__all__)


def test_classes_explain_themselves():
    assert "total mass" in hooke.Rigid.__doc__ or "mass" in hooke.Rigid.__doc__
    assert "rho" in hooke.GeneralizedAlpha.__doc__
    assert repr(hooke.Box([1, 2, 3])) == "Box(size=[1, 2, 3])"
