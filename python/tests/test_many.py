"""Many instances at once, and co-simulation."""

import numpy
import pytest
from test_model import MODELS, pendulum

import hooke


def driven():
    model = pendulum()
    model.control["torque"] = hooke.ParameterBlock(0)
    model.forces["motor"] = hooke.JointForce("pivot", active="-torque")
    return model


def test_a_rollout_is_stepping():
    model = driven()
    controls = numpy.random.default_rng(1).normal(size=(6, 10, 1))
    outputs = ["joint.pivot.angle", "joint.pivot.rate"]
    found = hooke.rollout(model, controls=controls, outputs=outputs, steps=5, threads=2)
    assert found.shape == (6, 11, 2)
    for row, control in zip(found, controls):
        sim = hooke.Simulation(model)
        for period, value in enumerate(control[:, 0]):
            sim.set_input("torque", value)
            sim.step(5)
            assert [sim[name] for name in outputs] == pytest.approx(row[period + 1], abs=1e-12)


def test_results_do_not_depend_on_threads():
    model = hooke.load(MODELS / "slider_crank.yaml")
    sim = hooke.Simulation(model)
    states = []
    for _ in range(5):
        sim.step(20)
        states.append(sim.state)
    one = hooke.rollout(model, states, periods=4, steps=3, threads=1)
    two = hooke.rollout(model, states, periods=4, steps=3, threads=3)
    assert numpy.array_equal(one, two) and one.shape == (5, 5, len(states[0].q) + len(states[0].v))
    assert one[0, 0, : len(states[0].q)] == pytest.approx(states[0].q)


def test_states_as_an_array():
    model = driven()
    start = hooke.Simulation(model).state
    rows = numpy.tile(numpy.concatenate([start.q, start.v]), (3, 1))
    found = hooke.rollout(model, rows, periods=2)
    assert found[:, 0] == pytest.approx(rows)


def test_parameters_of_a_file():
    lengths, outputs = [0.5, 1.0, 2.0], ["joint.pivot.angle", "body.rod.position.x"]
    model = hooke.load(MODELS / "pendulum.yaml", **{"joints.pivot.friction": None})
    masses = [1.0, 2.0, 3.0]
    found = hooke.rollout(
        model,
        parameters={"length": lengths, "bodies.rod.rigid.mass": masses},
        periods=5,
        steps=20,
        outputs=outputs,
        threads=2,
    )
    assert found.shape == (3, 6, 2)
    for row, length, mass in zip(found, lengths, masses):
        own = {"parameters.length": length, "bodies.rod.rigid.mass": mass, "joints.pivot.friction": None}
        sim = hooke.Simulation(hooke.load(MODELS / "pendulum.yaml", **own))
        assert sim["body.rod.position.x"] == pytest.approx(0.5 * length)
        for period in range(1, 6):
            sim.step(20)
            assert [sim[name] for name in outputs] == list(row[period])
    assert found[0, -1, 0] < found[2, -1, 0] < 0  # the short one is faster


def test_a_model_for_each_instance():
    def made(mass):
        model = driven()
        model.bodies["arm"].mass = mass
        return model

    controls = numpy.ones((2, 4, 1))
    found = hooke.rollout([made(1.0), made(5.0)], controls=controls, outputs=["joint.pivot.angle"])
    for row, mass in zip(found, (1.0, 5.0)):
        assert numpy.array_equal(row, hooke.rollout(made(mass), controls=controls[:1], outputs=["joint.pivot.angle"])[0])
    assert found[0, -1, 0] != found[1, -1, 0]


def test_parameters_that_make_no_model_fail_alone():
    model = hooke.load(MODELS / "pendulum.yaml")
    with pytest.warns(RuntimeWarning, match="1 of 3 instances failed; number 1: .*pendulum.yaml"):
        found = hooke.rollout(model, parameters={"length": [1.0, -1.0, 2.0]}, periods=2, threads=2)
    assert numpy.isfinite(found[[0, 2]]).all() and numpy.isnan(found[1]).all()


def test_mistakes_in_parameters():
    model = hooke.load(MODELS / "pendulum.yaml")
    with pytest.raises(hooke.ModelError, match="lenght"):
        hooke.rollout(model, parameters={"lenght": [1.0, 2.0]}, periods=1)
    with pytest.raises(ValueError, match="there are 2 values of parameters, 3 states"):
        hooke.rollout(model, [hooke.Simulation(model).state] * 3, parameters={"length": [1, 2]}, periods=1)
    with pytest.raises(ValueError, match="a value of each for every instance"):
        hooke.rollout(model, parameters={"length": [1, 2], "run.step": [1e-3]}, periods=1)
    model.gravity = [0, 0, 0]
    with pytest.raises(ValueError, match="hooke.load and be unchanged; give a list of models"):
        hooke.rollout(model, parameters={"length": [1, 2]}, periods=1)
    with pytest.raises(ValueError, match="an empty list"):
        hooke.rollout([], periods=1)


def test_a_device_does_it_or_says_why_not():
    with pytest.warns(RuntimeWarning, match="device: gpu is not used: the device does not do"):
        on_device = hooke.rollout(driven(), periods=3, device="gpu")
    assert numpy.array_equal(on_device, hooke.rollout(driven(), periods=3))
    with pytest.raises(ValueError, match="device: expected cpu or gpu"):
        hooke.rollout(driven(), periods=1, device="tpu")


def test_mistakes():
    model = driven()
    with pytest.raises(ValueError, match=r"expected an array \[instance, period, 1\]"):
        hooke.rollout(model, controls=numpy.zeros((3, 4, 2)))
    with pytest.raises(ValueError, match="number of periods"):
        hooke.rollout(model)
    with pytest.raises(ValueError, match="rows of 13 numbers"):
        hooke.rollout(model, numpy.zeros((2, 5)), periods=1)
    with pytest.raises(hooke.Error, match="no quantity"):
        hooke.rollout(model, periods=1, outputs=["bdy.arm.position.x"])
    with pytest.raises(hooke.Error, match="no input"):
        hooke.rollout(model, controls=numpy.zeros((1, 1, 1)), inputs=["nothing"])
    with pytest.raises(TypeError):
        hooke.rollout(model, [1, 2], periods=1)


def test_an_instance_that_fails_is_not_a_number():
    model = pendulum()
    model.control["u"] = hooke.ParameterBlock(0)
    model.forces["f"] = hooke.JointForce("pivot", active="sqrt(u)")
    with pytest.warns(RuntimeWarning, match="1 of 3 instances failed; number 1"):
        found = hooke.rollout(model, controls=numpy.array([[[1.0]], [[-1.0]], [[2.0]]]), threads=2)
    assert numpy.isfinite(found[[0, 2]]).all() and numpy.isnan(found[1, 1]).all()


def test_exceptions_in_functions_are_raised():
    def broken(x, v, t):
        if t > 0.01:
            raise LookupError("broken")
        return 0.0

    model = pendulum()
    model.forces["f"] = hooke.JointForce("pivot", law=broken)
    with pytest.raises(LookupError):
        hooke.rollout(model, [hooke.Simulation(model).state] * 4, periods=100, threads=2)


class Mass:
    """m x'' = force - k x, exact over a macro step with the force held."""

    inputs = ["force"]
    outputs = ["x"]

    def __init__(self, mass, stiffness, x):
        self.omega = (stiffness / mass) ** 0.5
        self.stiffness, self.x, self.v, self.force = stiffness, x, 0.0, 0.0

    def set_input(self, u):
        self.force = float(u[0])

    def advance(self, h):
        rest, c, s = self.force / self.stiffness, numpy.cos(self.omega * h), numpy.sin(self.omega * h)
        y = self.x - rest
        self.x, self.v = rest + y * c + self.v / self.omega * s, self.v * c - y * self.omega * s

    def output(self):
        return [self.x]

    def save(self):
        self.saved = (self.x, self.v)

    def restore(self):
        self.x, self.v = self.saved


class Spring:
    inputs = ["a", "b"]
    outputs = ["on_a", "on_b"]

    def __init__(self, stiffness):
        self.stiffness, self.u = stiffness, (1.0, 0.0)

    def set_input(self, u):
        self.u = tuple(u)

    def advance(self, h):
        pass

    def output(self):
        pull = self.stiffness * (self.u[1] - self.u[0])
        return [pull, -pull]

    def save(self):
        pass

    def restore(self):
        pass


def two_masses():
    members = {"a": Mass(1, 100, 1.0), "b": Mass(1, 100, 0.0), "spring": Spring(20)}
    connections = {"a.force": "spring.on_a", "b.force": "spring.on_b", "spring.a": "a.x", "spring.b": "b.x"}
    return members, connections


def test_participants_written_in_python():
    members, connections = two_masses()
    both = hooke.CoSimulation(members, connections)
    both.advance(1, step=1e-3)
    t = both.time
    slow, fast = numpy.cos(10 * t) / 2, numpy.cos(140**0.5 * t) / 2  # both the same way, and against each other
    assert both["a.x"] == pytest.approx(slow + fast, abs=1e-2)
    assert both["b.x"] == pytest.approx(slow - fast, abs=1e-2)
    assert both.iterations >= 1000


def test_a_model_and_a_participant_in_python():
    model = driven()
    sim = hooke.Simulation(model)
    plant = hooke.SimulationParticipant(sim, ["torque"], ["joint.pivot.angle", "joint.pivot.rate"])

    class Motor:
        inputs = ["angle", "rate"]
        outputs = ["torque"]

        def set_input(self, u):
            self.torque = -5 * u[0] - 0.5 * u[1]

        def advance(self, h):
            pass

        def output(self):
            return [getattr(self, "torque", 0.0)]

        save = restore = lambda self: None

    both = hooke.CoSimulation(
        {"plant": plant, "motor": Motor()},
        {"plant.torque": "motor.torque", "motor.angle": "plant.joint.pivot.angle", "motor.rate": "plant.joint.pivot.rate"})
    both.advance(0.5, step=1e-3)
    whole = pendulum()
    whole.forces["motor"] = hooke.JointForce("pivot", stiffness=5, damping=0.5)
    assert sim["joint.pivot.angle"] == pytest.approx(hooke.run(whole, end=0.5)["joint.pivot.angle"][-1], abs=5e-3)


def test_connections_are_checked():
    members, connections = two_masses()
    with pytest.raises(ValueError, match="'b.force' is not connected"):
        hooke.CoSimulation(members, {k: v for k, v in connections.items() if k != "b.force"})
    with pytest.raises(ValueError, match="no output named 'a.y'.*did you mean 'a.x'"):
        hooke.CoSimulation(members, {**connections, "spring.a": "a.y"})
    with pytest.raises(ValueError, match="no input named"):
        hooke.CoSimulation(members, {**connections, "spring.c": "a.x"})


def test_a_participant_that_raises():
    members, connections = two_masses()
    members["a"].advance = lambda h: 1 / 0
    with pytest.raises(ZeroDivisionError):
        hooke.CoSimulation(members, connections).step(1e-3)
    members["a"].output = lambda: [1, 2]
    with pytest.raises(ValueError, match=r"a.output\(\): expected 1 numbers, got 2"):
        hooke.CoSimulation(members, connections)


def test_stability_of_a_coupling():
    found = hooke.coupling_survey(hooke.load(MODELS / "coupled" / "cable.yaml"))
    assert found and all(verdict["radii"].shape == (13,) for verdict in found)
    assert any(verdict["largest_step"] > 0 for verdict in found)
    assert isinstance(found[0]["settings"], hooke.ForceDisplacement)
