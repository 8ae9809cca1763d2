"""Directional and adjoint derivatives of exported FMUs, against differences of what the FMU itself tells."""
import ctypes
import unittest

from fmu import Fmu

DOUBLES = ctypes.POINTER(ctypes.c_double)


def array(kind, values):
    return (kind * len(values))(*values)


def doubles(values):
    return array(ctypes.c_double, values)


class Instance:
    """An instance of either version, for model exchange or co-simulation."""

    def __init__(self, fmu, exchanges):
        self.fmu, self.is_3 = fmu, fmu.version == 3
        self.library = ctypes.CDLL(str(fmu.library))
        for name in "fmi2Instantiate", "fmi3InstantiateModelExchange", "fmi3InstantiateCoSimulation":
            getattr(self.library, name).restype = ctypes.c_void_p
        self.said = []
        here = str(fmu.resources)
        if self.is_3:
            note = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_char_p)
            self.log = note(lambda _, status, category, text: self.said.append(text.decode()))
            begin = b"one", fmu.token.encode(), here.encode(), False, False
            if exchanges:
                made = self.library.fmi3InstantiateModelExchange(*begin, None, self.log)
            else:
                made = self.library.fmi3InstantiateCoSimulation(*begin, False, False, None, ctypes.c_size_t(0), None,
                                                                self.log, None)
        else:
            note = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p,
                                    ctypes.c_char_p, ctypes.c_char_p)
            self.log = note(lambda _, name, status, category, form, text: self.said.append(text.decode()))
            self.callbacks = (ctypes.c_void_p * 5)(ctypes.cast(self.log, ctypes.c_void_p).value, None, None, None, None)
            made = self.library.fmi2Instantiate(b"one", 0 if exchanges else 1, fmu.token.encode(),
                                                ("file://" + here).encode(), self.callbacks, 0, 0)
        assert made, self.said
        self.one = ctypes.c_void_p(made)
        start = ctypes.c_double(fmu.start)
        if self.is_3:
            self.call("EnterInitializationMode", False, ctypes.c_double(0), start, False, ctypes.c_double(0))
        else:
            self.call("SetupExperiment", 0, ctypes.c_double(0), start, 0, ctypes.c_double(0))
            self.call("EnterInitializationMode")
        self.call("ExitInitializationMode")
        if exchanges:
            self.call("EnterContinuousTimeMode")

    def call(self, name, *arguments):
        status = getattr(self.library, f"fmi{self.fmu.version}{name}")(self.one, *arguments)
        if status > 1:
            raise AssertionError(f"{name}: {status} {self.said}")

    def free(self):
        getattr(self.library, f"fmi{self.fmu.version}FreeInstance")(self.one)

    def step(self, k):
        t, h = ctypes.c_double(self.fmu.start + k * self.fmu.step), ctypes.c_double(self.fmu.step)
        if self.is_3:
            flags, last = [ctypes.c_bool() for _ in range(3)], ctypes.c_double()
            self.call("DoStep", t, h, False, *map(ctypes.byref, flags), ctypes.byref(last))
        else:
            self.call("DoStep", t, h, 1)

    def references(self, names):
        return array(ctypes.c_uint32, [int(self.fmu.reference(n)) for n in names])

    def width(self, names):
        return sum(self.fmu.variables[n][1] for n in names)

    def get(self, names):
        values = doubles([0] * self.width(names))
        count, more = ctypes.c_size_t(len(names)), ctypes.c_size_t(len(values))
        self.call("GetFloat64" if self.is_3 else "GetReal", self.references(names), count, values, *([more] if self.is_3 else []))
        return list(values)

    def set(self, name, value):
        one = ctypes.c_size_t(1)
        self.call("SetFloat64" if self.is_3 else "SetReal", self.references([name]), one, doubles([value]),
                  *([one] if self.is_3 else []))

    def states(self, count):
        values = doubles([0] * count)
        self.call("GetContinuousStates", values, ctypes.c_size_t(count))
        return list(values)

    def set_states(self, values):
        self.call("SetContinuousStates", doubles(values), ctypes.c_size_t(len(values)))

    def rates(self, count):
        values = doubles([0] * count)
        self.call("GetContinuousStateDerivatives" if self.is_3 else "GetDerivatives", values, ctypes.c_size_t(count))
        return list(values)

    def derivative(self, unknowns, knowns, seed, adjoint=False):
        found = doubles([0] * (self.width(knowns) if adjoint else self.width(unknowns)))
        size = ctypes.c_size_t
        of, by = (self.references(unknowns), size(len(unknowns))), (self.references(knowns), size(len(knowns)))
        if self.is_3:
            self.call("GetAdjointDerivative" if adjoint else "GetDirectionalDerivative", *of, *by, doubles(seed),
                      size(len(seed)), found, size(len(found)))
        else:
            self.call("GetDirectionalDerivative", *of, *by, doubles(seed), found)
        return list(found)


def roles(fmu):
    """Names of outputs, derivatives, states and inputs."""
    derivatives, states = [], []
    variables = list(fmu.description.find("ModelVariables"))
    for v in variables:
        of = v.get("derivative") or next((c.get("derivative") for c in v if c.get("derivative")), None)
        if of is None:
            continue
        derivatives.append(v.get("name"))
        states.append(variables[int(of) - 1].get("name") if fmu.version == 2 else
                      next(w.get("name") for w in variables if w.get("valueReference") == of))
    return fmu.named("output"), derivatives, states, fmu.named("input")


def slope(at, h):
    """By differences of fourth order."""
    def difference(s):
        above = at(s)
        return [(a - b) / (2 * s) for a, b in zip(above, at(-s))]
    wide, near = difference(h), difference(h / 2)
    return [(4 * n - w) / 3 for n, w in zip(near, wide)]


def off_by(found, expected):
    """The largest difference, as a fraction of the largest value or of 1."""
    return max(abs(a - b) for a, b in zip(found, expected)) / max(1, *map(abs, expected))


OUTPUTS = "body.*.position,body.*.velocity,body.*.acceleration,joint.*,signal.*,force.*,drive.*,energy.total"


class Derivatives(unittest.TestCase):
    def test_by_inputs(self):
        """Co-simulation: a formula of the inputs that is no line, and outputs that forces act on at once."""
        for version in 2, 3:
            with Fmu("fmi/arm.yaml", version, OUTPUTS) as fmu:
                one = Instance(fmu, False)
                outputs, _, _, inputs = roles(fmu)
                for k, name in enumerate(inputs):
                    one.set(name, 0.7 + 0.3 * k)
                for k in range(50):
                    one.step(k)
                largest = 0
                for name in inputs:
                    (value,) = one.get([name])

                    def told(by, name=name, value=value):
                        one.set(name, value + by)
                        return one.get(outputs)
                    expected = slope(told, 1e-2)
                    one.set(name, value)
                    found = one.derivative(outputs, [name], [1])
                    self.assertLess(off_by(found, expected), 1e-8, name)
                    largest = max(largest, max(map(abs, found)))
                    if version == 3:
                        seed = [(-1) ** i / (1 + i) for i in range(one.width(outputs))]
                        (adjoint,) = one.derivative(outputs, [name], seed, adjoint=True)
                        self.assertAlmostEqual(adjoint, sum(s * d for s, d in zip(seed, found)), delta=1e-9 * (1 + abs(adjoint)))
                self.assertGreater(largest, 0.1)
                one.free()

    def test_by_states(self):
        """Model exchange, away from the start and with joints a little open, by every state and input."""
        # how far differences go from the state, of positions and of rates
        models = {"fmi/arm.yaml": (1e-3, 1e-3), "double_pendulum.yaml": (1e-3, 1e-3), "slider_crank.yaml": (1e-3, 1e-3),
                  "control/inverted_pendulum.yaml": (1e-3, 1e-3), "benchmarks/a05_flyball_governor.yaml": (1e-3, 1e-3),
                  "control/servo.yaml": (2e-5, 2e-5),  # next to where its motor is limited
                  "flexible/slider_crank_modal.yaml": (1e-4, 0.05)}  # nothing is linear in modes, nearly all in their rates
        for version in 2, 3:
            for model, near in models.items():
                with self.subTest(model=model, version=version), Fmu(model, version, OUTPUTS, "me") as fmu:
                    one = Instance(fmu, True)
                    outputs, derivatives, states, inputs = roles(fmu)
                    n = len(states)
                    start = one.states(n)
                    for _ in range(20):  # as Euler would: somewhere near a solution
                        x, rates = one.states(n), one.rates(n)
                        one.set_states([a + 0.2 * fmu.step * b for a, b in zip(x, rates)])
                    at = one.states(n)
                    self.assertNotEqual(at, start)
                    worst = 0
                    for k in range(n + len(inputs)):
                        name = (states + inputs)[k]
                        (value,) = one.get([name])

                        def told(by, k=k, name=name, value=value):
                            if k < n:
                                one.set_states([x + (by if i == k else 0) for i, x in enumerate(at)])
                            else:
                                one.set(name, value + by)
                            return one.get(outputs) + one.rates(n)
                        expected = slope(told, near[0 if name.startswith("motion.") else 1])
                        told(0)
                        found = one.derivative(outputs + derivatives, [name], [1])
                        m = one.width(outputs)
                        worst = max(worst, off_by(found[:m], expected[:m]), off_by(found[m:], expected[m:]))
                    self.assertLess(worst, 1e-6)
                    if version == 3:
                        knowns, unknowns = states + inputs, outputs + derivatives
                        seed = [(-1) ** i / (1 + i) for i in range(one.width(unknowns))]
                        along = [1 / (1 + i) for i in range(len(knowns))]
                        forward = sum(s * d for s, d in zip(seed, one.derivative(unknowns, knowns, along)))
                        back = sum(s * d for s, d in zip(along, one.derivative(unknowns, knowns, seed, adjoint=True)))
                        self.assertLess(abs(forward - back), 1e-7 * (1 + abs(forward)))
                    one.free()

    def test_refusals(self):
        with Fmu("fmi/arm.yaml", 3, "joint.*") as fmu:
            one = Instance(fmu, False)
            outputs, _, _, inputs = roles(fmu)
            angle = ["joint.elbow.angle"]
            with self.assertRaisesRegex(AssertionError, "no derivatives by 'joint"):
                one.derivative(angle, angle, [1])
            with self.assertRaisesRegex(AssertionError, "no derivatives of"):
                one.derivative(inputs[:1], inputs[:1], [1])
            one.free()


if __name__ == "__main__":
    unittest.main()
