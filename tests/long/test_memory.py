"""Memory does not grow with the number of steps: a run of a million steps needs what one of a hundred thousand does."""

import os
import pathlib
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(os.environ.get("HOOKE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
PROGRAM = os.environ.get("HOOKE_PROGRAM", str(ROOT / "build/release/hooke"))


def largest_memory(*options):
    """MiB; and the size of the results, MB."""
    with tempfile.TemporaryDirectory() as folder:
        running = subprocess.Popen([PROGRAM, "run", ROOT / "models/double_pendulum.yaml", "--step", "1e-3", *options,
                                    "--set", "outputs.every=1", "--out", folder, "-q"])
        _, status, usage = os.wait4(running.pid, 0)
        assert status == 0, options
        return usage.ru_maxrss / 1024, (pathlib.Path(folder) / "results.h5").stat().st_size / 1e6


class Memory(unittest.TestCase):
    def test_a_million_steps(self):
        for integrator in ("generalized-alpha", "energy-momentum"):
            short, _ = largest_memory("--end", "100", "--integrator", integrator)
            long, size = largest_memory("--end", "1000", "--integrator", integrator)
            print(f"{integrator}: {short:.1f} MiB for 1e5 steps, {long:.1f} MiB for 1e6; results {size:.1f} MB", flush=True)
            self.assertLess(long, short + 4)


if __name__ == "__main__":
    unittest.main()
