"""An FMU with sources, as somebody with another machine has it: all of it is compiled with a plain compiler for C++20 and
the headers of Eigen, and the library that comes of it computes what the one in the archive does."""
import concurrent.futures
import os
import pathlib
import sys
import unittest
import xml.etree.ElementTree as xml

sys.path.insert(0, str(pathlib.Path(os.environ["HOOKE_ROOT"]) / "tests/fmi"))
from fmu import Fmu, call, numbers  # noqa: E402

EIGEN = next(path for path in ("/usr/include/eigen3", "/usr/local/include/eigen3") if pathlib.Path(path).exists())


class Sources(unittest.TestCase):
    def test_compiled_whole_and_run(self):
        with Fmu("slider_crank.yaml", 3, "body.*.position,joint.*", options=["--sources"]) as fmu:
            usual = numbers(fmu.drive("run", 100).stdout)
            sources = fmu.path / "unpacked/sources"
            about = xml.parse(sources / "buildDescription.xml").getroot()
            self.assertEqual(about.find("BuildConfiguration").get("modelIdentifier"), fmu.library.stem)
            files = [file.get("name") for file in about.iter("SourceFile")]

            def compiled(name):
                made = sources / (name + ".o")
                call("c++", "-std=c++20", "-O0", "-fPIC", "-fvisibility=hidden", "-DNDEBUG", "-I", sources, "-I", EIGEN, "-c",
                     sources / name, "-o", made, timeout=3000)
                return made

            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                objects = list(pool.map(compiled, files))
            fmu.library.unlink()
            call("c++", "-shared", "-o", fmu.library, *objects)
            made = numbers(fmu.drive("run", 100).stdout)
            self.assertEqual(len(made), len(usual))
            self.assertLess(max(abs(a - b) for x, y in zip(made, usual) for a, b in zip(x, y)), 1e-9)


if __name__ == "__main__":
    unittest.main()
