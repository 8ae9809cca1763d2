"""Functions of the user's in place of formulas."""

import ctypes
import gc
import math
import traceback
import weakref

import pytest
from test_model import pendulum

import hooke


def angle(model, end=0.5):
    return hooke.run(model, end=end)["joint.pivot.angle"]


def with_force(**law):
    model = pendulum()
    model.forces["f"] = hooke.JointForce("pivot", **law)
    return model


@pytest.fixture(scope="module")
def expected():
    return angle(with_force(stiffness=5, damping=0.5))


def test_laws(expected):
    assert angle(with_force(law=lambda x, v, t: 5 * x + 0.5 * v)) == pytest.approx(expected, abs=1e-9)
    exact = hooke.with_derivatives(lambda x, v, t: (5 * x + 0.5 * v, 5, 0.5))
    assert angle(with_force(law=exact)) == pytest.approx(expected, abs=1e-12)
    parts = with_force(elastic=lambda x: 5 * x, viscous=lambda v: 0.5 * v)
    assert angle(parts) == pytest.approx(expected, abs=1e-9)


def test_formulas_of_signals(expected):
    names = ("joint.pivot.angle", "joint.pivot.rate")
    code = hooke.Code(lambda x, v: 5 * x + 0.5 * v, *names)
    assert angle(with_force(active=code)) == pytest.approx(expected, abs=1e-9)
    exact = hooke.Code(hooke.with_derivatives(lambda x, v: (5 * x + 0.5 * v, 5, 0.5)), *names)
    assert angle(with_force(active=exact)) == pytest.approx(expected, abs=1e-12)
    for section in ("signals", "control"):
        model = with_force(active="pull")
        getattr(model, section)["pull"] = code
        results = hooke.run(model, end=0.5)
        assert results["joint.pivot.angle"] == pytest.approx(expected, abs=1e-9)
        assert results["signal.pull"][0] == pytest.approx(0)


def test_drives_and_loads():
    model = pendulum()
    model.drives["turn"] = hooke.JointDrive("pivot", function=lambda t: 0.1 * t * t)
    assert angle(model, 1)[-1] == pytest.approx(0.1)
    formula, code, compiled = pendulum(), pendulum(), pendulum()
    sine = ctypes.CDLL(None).sin
    sine.restype, sine.argtypes = ctypes.c_double, [ctypes.c_double]
    for made, function in ((formula, "sin(t)"), (code, math.sin), (compiled, sine)):
        made.forces["push"] = hooke.Load("arm", force=[0, 0, function])
    assert angle(code) == pytest.approx(angle(formula), abs=1e-12)
    assert angle(compiled) == pytest.approx(angle(formula), abs=1e-12)


def test_compiled_functions_by_address(expected):
    law = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.c_double, ctypes.c_double, ctypes.c_double)(
        lambda x, v, t: 5 * x + 0.5 * v)
    assert angle(with_force(law=law)) == pytest.approx(expected, abs=1e-9)
    pointer = ctypes.CFUNCTYPE(ctypes.c_double, ctypes.POINTER(ctypes.c_double))(lambda in_: 5 * in_[0] + 0.5 * in_[1])
    address = ctypes.cast(pointer, ctypes.c_void_p).value
    code = hooke.Code(hooke.compiled(address, takes_pointer=True, keep=pointer), "joint.pivot.angle", "joint.pivot.rate")
    assert angle(with_force(active=code)) == pytest.approx(expected, abs=1e-9)


def test_compiled_functions_of_numba(expected):
    numba = pytest.importorskip("numba")
    number = numba.types.float64
    law = numba.cfunc(number(number, number, number))(lambda x, v, t: 5 * x + 0.5 * v)
    assert angle(with_force(law=law)) == pytest.approx(expected, abs=1e-9)


def test_events():
    model = pendulum()
    reached = hooke.Code(lambda angle: angle + 1, "joint.pivot.angle")
    model.events["reached"] = hooke.Event(when=reached, do=[hooke.Stop("there")])
    results = hooke.run(model, end=3)
    assert results["joint.pivot.angle"][-1] == pytest.approx(-1, abs=1e-9)
    model.events["reached"] = hooke.Event(when=lambda t: t - 0.25, do=[hooke.Stop("late")])
    assert hooke.run(model, end=3).time[-1] == pytest.approx(0.25)


def fails_late(x, v, t):
    if t > 0.3:
        raise ZeroDivisionError(f"at {t:g}")
    return 5 * x


def test_an_exception_stops_the_run_with_its_traceback_and_keeps_results():
    with pytest.raises(ZeroDivisionError) as error:
        angle(with_force(law=fails_late))
    assert "fails_late" in "".join(traceback.format_tb(error.value.__traceback__))
    assert error.value.results.status == "failed" and error.value.results.time[-1] == pytest.approx(0.3)


def test_an_exception_while_stepping():
    sim = hooke.Simulation(with_force(law=fails_late))
    with pytest.raises(ZeroDivisionError):
        sim.step(1000)
    assert sim.time == pytest.approx(0.3)
    assert sim.body("arm").position.shape == (3,)  # it can still be looked at
    with pytest.raises(ZeroDivisionError):
        sim.advance(1)
    sim.reset()
    sim.step(10)


def test_an_exception_at_the_start():
    def broken(x, v, t):
        raise KeyError("broken")

    with pytest.raises(KeyError, match="broken"):
        hooke.Simulation(with_force(law=broken))


def test_not_a_number_says_where():
    with pytest.raises(hooke.StepError, match=r"forces.f.law: the law is not a number at x = ") as error:
        angle(with_force(law=lambda x, v, t: math.nan if t > 0.2 else 0.0))
    assert error.value.results.time[-1] == pytest.approx(0.2)


@pytest.mark.parametrize("value", [None, "a", [1, 2], object()])
def test_what_is_returned_must_be_a_number(value):
    with pytest.raises(TypeError, match="expected a number"):
        angle(with_force(law=lambda x, v, t: value))


def test_wrong_number_of_arguments():
    with pytest.raises(TypeError, match="argument"):
        angle(with_force(law=lambda x: x))
    with pytest.raises(TypeError, match="expected the value and 2 derivatives"):
        angle(with_force(law=hooke.with_derivatives(lambda x, v, t: x)))


def test_a_function_where_a_number_belongs():
    with pytest.raises(hooke.ModelError, match="forces.f.stiffness: expected a number, got the function fails_late"):
        with_force(stiffness=fails_late).problem()
    with pytest.raises(TypeError, match="expected a function"):
        hooke.Code(3, "t")


def test_unknown_inputs_of_code():
    with pytest.raises(hooke.ModelError, match="no joint .*'pivto'"):
        hooke.Simulation(with_force(active=hooke.Code(lambda x: x, "joint.pivto.angle")))


def test_a_function_cannot_use_the_simulation_that_calls_it():
    holder = {}
    model = with_force(law=lambda x, v, t: holder["sim"].time if holder else 0.0)
    holder["sim"] = hooke.Simulation(model)
    with pytest.raises(RuntimeError, match="in use"):
        holder["sim"].step()
    holder.clear()


def test_functions_live_as_long_as_they_are_needed():
    class Law:
        def __call__(self, x, v, t):
            return 5 * x

    law = Law()
    gone = weakref.ref(law)
    sim = hooke.Simulation(with_force(law=law))
    del law
    sim.step(10)
    assert gone() is not None
    del sim
    gc.collect()
    assert gone() is None


def test_functions_in_threads():
    model = with_force(law=lambda x, v, t: 5 * x)
    model.run.threads = 2
    assert len(angle(model)) == 51


def test_any_number_of_inputs():
    assert len(angle(with_force(active=hooke.Code(lambda: 0.1)))) == 51
    names = ["joint.pivot.angle"] * 200
    with pytest.raises(hooke.ModelError, match="at most .* inputs, not 200"):
        hooke.Simulation(with_force(active=hooke.Code(lambda *x: sum(x), *names)))


def test_numbers_of_numpy():
    numpy = pytest.importorskip("numpy")
    assert angle(with_force(law=lambda x, v, t: numpy.float32(0))) == pytest.approx(angle(pendulum()), abs=1e-12)
