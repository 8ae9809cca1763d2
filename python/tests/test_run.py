"""Runs, stepping and what they tell."""

import os
import pathlib
import pickle
import signal
import threading

import numpy
import pytest
from test_model import MODELS, pendulum

import hooke


def test_results_by_name_with_units():
    results = hooke.run(pendulum(), end=0.5, every=0.05)
    assert results.status == "finished" and len(results.time) == 11
    assert results["joint.pivot.angle"].shape == (11,) and results.unit("joint.pivot.angle") == "rad"
    assert results["energy.total"] == pytest.approx(results["energy.total"][0], abs=1e-3)
    assert "joint.pivot.angle" in results and results.summary["steps"] == 500
    with pytest.raises(hooke.Error, match="did you mean"):
        results["joint.pivot.angel"]


def test_tables_and_plots():
    pandas = pytest.importorskip("pandas")
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    results = hooke.run(pendulum(), end=0.1)
    table = results.to_pandas("joint.pivot.angle", "energy")
    assert isinstance(table, pandas.DataFrame) and "energy.total" in table and table.index[-1] == pytest.approx(0.1)
    axes = results.plot("joint.pivot.angle")
    assert axes.get_ylabel() == "rad" and len(axes.lines) == 1
    assert len(results.plot("joint.pivot.angle", "energy.total")) == 2


def test_the_page_holds_everything():
    results = hooke.run(pendulum(), end=0.1)
    text = hooke.results.View(results, 300)._repr_html_()
    assert text.startswith("<iframe") and len(text) > 100_000 and "page.html" not in text


def test_results_files_are_kept_and_read_again(tmp_path):
    results = hooke.run(pendulum(), end=0.2, results=tmp_path / "results.h5")
    again = hooke.read_results(tmp_path)
    assert numpy.array_equal(results["joint.pivot.angle"], again["joint.pivot.angle"])
    with pytest.raises(hooke.Error):
        hooke.read_results(tmp_path / "nothing.h5")


def test_temporary_results_go_with_the_object():
    results = hooke.run(pendulum(), end=0.1)
    path = pathlib.Path(results.path)
    assert path.exists()
    del results
    assert not path.exists()


def test_stepping_is_the_run():
    model = pendulum()
    results = hooke.run(model, end=0.5)
    sim = hooke.Simulation(model)
    sim.step(500)
    assert sim.time == pytest.approx(0.5)
    assert sim.joint("pivot").angle == pytest.approx(results["joint.pivot.angle"][-1], abs=1e-12)
    assert sim["joint.pivot.angle"] == sim.joint("pivot").angle
    sim.advance(0.7)
    assert sim.time == pytest.approx(0.7)


def test_states_are_values():
    sim = hooke.Simulation(pendulum())
    sim.step(100)
    state = sim.state
    sim.step(100)
    later = sim.joint("pivot").angle
    sim.state = state
    sim.step(100)
    assert sim.joint("pivot").angle == pytest.approx(later, abs=1e-12)
    again = pickle.loads(pickle.dumps(state))
    assert numpy.array_equal(again.q, state.q) and again.time == state.time
    sim.reset()
    assert sim.time == 0


def test_arrays_are_views():
    state = hooke.Simulation(pendulum()).state
    state.v[0] = 3.5
    assert state.v[0] == 3.5
    q = state.q
    del state
    assert len(q) == 7  # the array keeps the state alive
    with pytest.raises(ValueError, match="expected 7 numbers"):
        other = hooke.Simulation(pendulum()).state
        other.q = [1, 2]
    with pytest.raises(TypeError, match="expected numbers"):
        other.q = "abc"


def test_bodies_joints_and_forces():
    model = pendulum()
    model.forces["strut"] = hooke.Spring(["ground", "arm"], points=[[0, 1, 1], None], stiffness=10, free=1)
    sim = hooke.Simulation(model)
    sim.step(200)
    arm = sim.body("arm")
    jacobian = arm.jacobian()
    twist = numpy.concatenate([arm.velocity, arm.angular_velocity])
    assert jacobian @ sim.state.v == pytest.approx(twist, abs=1e-12)
    assert arm.orientation @ arm.orientation.T == pytest.approx(numpy.eye(3), abs=1e-12)
    assert arm.mass == pytest.approx(1) and arm.inertia.shape == (3, 3)
    assert sim.force("strut").length == pytest.approx(numpy.linalg.norm(arm.position - [0, 1, 1]))
    assert sim.joint("pivot").reaction.shape == (6,)
    assert sim.mass_matrix().shape == (6, 6) and sim.constraint_matrix().shape == (5, 6)
    kinetic, _ = sim.energy()
    assert kinetic == pytest.approx(0.5 * sim.state.v @ sim.mass_matrix() @ sim.state.v)
    for wrong in (sim.body, sim.joint, sim.force):
        with pytest.raises(hooke.Error, match="no .* named"):
            wrong("nobody")


def test_handles_keep_their_simulation():
    arm = hooke.Simulation(pendulum()).body("arm")
    assert arm.position == pytest.approx([0, 0.5, 0])


def test_inputs():
    model = pendulum()
    model.control["torque"] = hooke.ParameterBlock(0)
    model.forces["motor"] = hooke.JointForce("pivot", active="-torque")
    sim = hooke.Simulation(model)
    assert sim.inputs == ["torque"]
    before = sim["body.arm.angular_acceleration.x"]
    sim.set_input("torque", 2)
    inertia = 1 / 3 + 0.05**2 / 12
    assert sim["body.arm.angular_acceleration.x"] - before == pytest.approx(2 / inertia)
    with pytest.raises(hooke.Error, match="did you mean 'torque'"):
        sim.set_input("torqe", 1)


def test_linear_system_of_a_pendulum():
    model = pendulum()
    model.control["torque"] = hooke.ParameterBlock(0)
    model.forces["motor"] = hooke.JointForce("pivot", active="-torque", damping=0.1)
    sim = hooke.Simulation(model)
    sim.find_equilibrium()
    system = sim.linearise(["torque"], ["joint.pivot.angle", "joint.pivot.rate"])
    inertia = 1 / 3 + 0.05**2 / 12
    # What is measured does not depend on the coordinates it is written in: C B, C A B and the eigenvalues.
    assert system.C @ system.B == pytest.approx(numpy.array([[0], [1 / inertia]]), abs=1e-8)
    assert system.C @ system.A @ system.B == pytest.approx(
        numpy.array([[1 / inertia], [-0.1 / inertia**2]]), abs=1e-7)
    expected = numpy.roots([inertia, 0.1, 9.81 * 0.5])
    assert numpy.sort_complex(numpy.linalg.eigvals(system.A)) == pytest.approx(numpy.sort_complex(expected))
    with pytest.raises(hooke.Error, match="moves"):
        sim.reset()
        sim.step(10)
        sim.linearise()


def test_modes():
    found = hooke.modes(pendulum())
    assert found.frequency == pytest.approx([(9.81 * 0.5 / (1 / 3 + 0.05**2 / 12)) ** 0.5 / (2 * numpy.pi)])
    assert found.shape.shape == (1, 6) and numpy.iscomplexobj(found.shape) and len(found.dofs) == 6


def test_analyses():
    statics = hooke.run(pendulum(), analysis=hooke.Statics())
    assert abs(statics["joint.pivot.angle"][-1]) == pytest.approx(numpy.pi / 2)
    model = pendulum()
    model.drives["turn"] = hooke.JointDrive("pivot", function="2*t")
    driven = hooke.run(model, end=1, analysis="inverse-dynamics")
    assert driven["joint.pivot.angle"][-1] == pytest.approx(2)
    frequencies, _ = hooke.run(pendulum(), analysis=hooke.Modes()).modes
    assert frequencies == pytest.approx(hooke.modes(pendulum()).frequency)


def test_two_threads_get_an_exception_and_no_crash():
    sim = hooke.Simulation(pendulum())
    faults = []

    def work():
        try:
            for _ in range(300):
                sim.step(10)
        except RuntimeError as error:
            faults.append(str(error))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults and "in use" in faults[0]


def test_simulations_of_their_own_step_side_by_side():
    model = pendulum()
    angles = []

    def work():
        sim = hooke.Simulation(model)
        sim.step(300)
        angles.append(sim["joint.pivot.angle"])

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(angles) == 4 and len(set(angles)) == 1


def test_interrupt_keeps_results():
    model = hooke.load(MODELS / "chain.yaml", **{"run.end": 1e4, "run.step": 1e-3})
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt) as interrupt:
        hooke.run(model)
    assert interrupt.value.results.status == "interrupted" and len(interrupt.value.results.time) > 1


def test_progress_is_told_and_may_stop():
    model = hooke.load(MODELS / "chain.yaml", **{"run.end": 1e4})
    told = []

    def progress(t, end, steps):
        told.append((t, end, steps))
        if len(told) == 2:
            raise InterruptedError("enough")

    with pytest.raises(InterruptedError):
        hooke.run(model, progress=progress)
    assert told[-1][1] == 1e4 and told[-1][2] > 0


def test_a_state_of_another_model_is_refused():
    sim = hooke.Simulation(pendulum())
    other = hooke.Simulation(hooke.load(MODELS / "slider_crank.yaml"))
    with pytest.raises(hooke.Error, match="another model"):
        sim.state = other.state
    with pytest.raises(TypeError):
        sim.state = None


def test_runs_side_by_side_in_threads():
    lengths = []

    def work():
        for _ in range(3):
            lengths.append(len(hooke.run(pendulum(), end=0.1).time))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lengths == [11] * 12
