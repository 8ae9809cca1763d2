"""Messages of an FMU by category: those asked for are told, errors always."""
import ctypes
import unittest

from fmu import Fmu
from test_derivatives import Instance, array


class Logging(unittest.TestCase):
    def told(self, fmu, on, *categories):
        """Over 2 s of a ball that hits its stop, and a value that there is not."""
        one = Instance(fmu, exchanges=False)
        self.addCleanup(one.free)
        one.call("SetDebugLogging", on, ctypes.c_size_t(len(categories)), array(ctypes.c_char_p, [c.encode() for c in categories]))
        for k in range(round(2 / fmu.step)):
            one.step(k)
        events = list(one.said)
        with self.assertRaises(AssertionError):
            one.call("GetFloat64" if one.is_3 else "GetReal", array(ctypes.c_uint32, [123456]), ctypes.c_size_t(1),
                     array(ctypes.c_double, [0]), *([ctypes.c_size_t(1)] if one.is_3 else []))
        return len(events), len(one.said) - len(events)

    def test_categories(self):
        for version in 2, 3:
            with self.subTest(version), Fmu("control/bouncing.yaml", version, "body.*.position") as fmu:
                events, errors = self.told(fmu, True, "logEvents")
                self.assertGreater(events, 1)
                self.assertEqual(errors, 1)
                self.assertEqual(self.told(fmu, True), (events, 1))  # without a list: all
                self.assertEqual(self.told(fmu, True, "logStatusWarning"), (0, 1))
                self.assertEqual(self.told(fmu, False), (0, 1))


if __name__ == "__main__":
    unittest.main()
