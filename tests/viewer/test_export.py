"""`hooke export --vtk` read by VTK, `hooke export --gltf` by Khronos' validator, both against the numbers of the CSV."""

import csv
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

from test_viewer import BAR_MODEL, flexible_results, missing, need

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])

# Run by a Python that has VTK, which may not be this one. Prints what the reader makes of a file.
READ_VTU = """
import json, sys, vtk
reader = vtk.vtkXMLUnstructuredGridReader()
errors = []
reader.AddObserver("ErrorEvent", lambda *about: errors.append("error"))
reader.SetFileName(sys.argv[1])
reader.Update()
grid = reader.GetOutput()
points, cells = grid.GetPointData(), grid.GetCellData()
bodies = [int(cells.GetArray("body").GetTuple1(k)) for k in range(grid.GetNumberOfCells())]
sizes = vtk.vtkCellSizeFilter()
sizes.SetInputData(grid)
sizes.Update()
area = sizes.GetOutput().GetCellData().GetArray("Area")
sums = {}
for cell, body in enumerate(bodies):
    if grid.GetCellType(cell) != 5: continue
    at = [sum(grid.GetCell(cell).GetPoints().GetPoint(k)[axis] for k in range(3)) / 3 for axis in range(3)]
    weight, moment = sums.setdefault(body, [0, [0, 0, 0]])
    sums[body] = [weight + area.GetTuple1(cell), [m + area.GetTuple1(cell) * x for m, x in zip(moment, at)]]
def largest(name):
    array = points.GetArray(name)
    return max(sum(x * x for x in array.GetTuple(k)) ** .5 for k in range(array.GetNumberOfTuples()))
print(json.dumps({"errors": errors, "points": grid.GetNumberOfPoints(), "types": sorted({grid.GetCellType(k) for k in range(grid.GetNumberOfCells())}),
  "centres": {body: [m / weight for m in moment] for body, (weight, moment) in sums.items()},
  "displacement": largest("displacement"), "velocity": largest("velocity"), "radius": largest("radius"), "stress": largest("stress") if points.GetArray("stress") else 0}))
"""


def python_with_vtk():
    for python in [sys.executable, "/usr/bin/python3"]:
        if shutil.which(python) and subprocess.run([python, "-c", "import vtk"], capture_output=True).returncode == 0:
            return python
    return None


class Export(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_export_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.hooke(cls, "run", ROOT / "models/mass_spring.yaml", "--out", "run", "--end", 0.5)
        flexible_results(cls.folder)
        cls.hooke(cls, "export", "run", "--vtk", "out/series.pvd", "--gltf", "out/motion.glb")

    def hooke(self, *arguments, expect=0, encoding="utf-8"):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, encoding=encoding, timeout=300)
        assert done.returncode == expect, f"{arguments}\n{done.stdout}{done.stderr}"
        return done

    def table(self, *names):
        lines = self.hooke("export", "run", "--csv", "-", *names).stdout.splitlines()
        return [[float(x) for x in row] for row in list(csv.reader(lines))[2:]]

    def read_vtu(self, path):
        python = python_with_vtk()
        need("" if python else "python3-vtk9 is not installed")
        done = subprocess.run([python, "-c", READ_VTU, path], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def test_vtk_reads_the_series(self):
        series = xml.etree.ElementTree.parse(self.folder / "out/series.pvd").getroot().findall("Collection/DataSet")
        rows = self.table("body.upper.position", "body.lower.position", "body.upper.velocity.z", "body.lower.velocity.z")
        self.assertEqual(len(series), len(rows))
        for k in [0, 20, len(rows) - 1]:
            self.assertAlmostEqual(float(series[k].get("timestep")), rows[k][0])
            seen = self.read_vtu(self.folder / "out" / series[k].get("file"))
            self.assertEqual(seen["errors"], [])
            self.assertEqual(seen["types"], [5])
            for body, at in [("0", rows[k][1:4]), ("1", rows[k][4:7])]:  # spheres: the middle of the surface is the centre
                for axis in range(3):
                    self.assertAlmostEqual(seen["centres"][body][axis], at[axis], places=6)
            self.assertAlmostEqual(seen["velocity"], max(map(abs, rows[k][7:9])), places=5)  # they only slide along z
            moved = max(abs(rows[k][3] - rows[0][3]), abs(rows[k][6] - rows[0][6]))
            self.assertAlmostEqual(seen["displacement"], moved, places=5)

    def test_vtk_reads_rods(self):
        self.hooke("export", "rod", "--vtk", "rods.pvd")
        seen = self.read_vtu(self.folder / "rods" / "rods_000050.vtu")
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["types"], [4, 5])
        self.assertAlmostEqual(seen["radius"], 0.05, places=6)
        self.assertAlmostEqual(seen["velocity"], self.fastest_node("rods", 50), places=4)

    def fastest_node(self, name, frame):
        """From the places in the outputs before and after, which VTK reads from their files."""
        script = "import sys, vtk\nr = vtk.vtkXMLUnstructuredGridReader()\nr.SetFileName(sys.argv[1])\nr.Update()\ng = r.GetOutput()\n" \
                 "c = [k for k in range(g.GetNumberOfCells()) if g.GetCellType(k) == 4][0]\np = g.GetCell(c).GetPoints()\n" \
                 "print([list(p.GetPoint(k)) for k in range(p.GetNumberOfPoints())])"
        times = {d.get("file"): float(d.get("timestep")) for d in xml.etree.ElementTree.parse(self.folder / f"{name}.pvd").getroot().iter("DataSet")}
        places = []
        for k in [frame - 1, frame + 1]:
            file = f"{name}/{name}_{k:06}.vtu"
            done = subprocess.run([python_with_vtk(), "-c", script, self.folder / file], capture_output=True, text=True, timeout=120)
            places.append((times[file], json.loads(done.stdout)))
        (t0, before), (t1, after) = places
        return max(math.dist(a, b) for a, b in zip(before, after)) / (t1 - t0)

    def test_vtk_reads_solids_with_their_stress(self):
        self.hooke("export", "solid", "--vtk", "solids.pvd")
        seen = self.read_vtu(self.folder / "solids" / "solids_000050.vtu")
        self.assertEqual((seen["errors"], seen["types"], seen["points"]), ([], [5], 4))
        self.assertAlmostEqual(seen["stress"], 5e5, delta=1)
        self.assertAlmostEqual(seen["displacement"], (0.25 ** 2 + 0.5 ** 2) ** 0.5, places=5)

    def glb(self, path):
        data = path.read_bytes()
        self.assertEqual(data[:4], b"glTF")
        version, length, size = struct.unpack("<III", data[4:16])
        self.assertEqual((version, length), (2, len(data)))
        return json.loads(data[20:20 + size]), data[28 + size:]

    def floats(self, document, block, accessor):
        about = document["accessors"][accessor]
        start = document["bufferViews"][about["bufferView"]]["byteOffset"]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[about["type"]]
        numbers = struct.unpack_from(f"<{about['count'] * width}f", block, start)
        return [numbers[k:k + width] for k in range(0, len(numbers), width)]

    def test_gltf_holds_the_motion(self):
        document, block = self.glb(self.folder / "out/motion.glb")
        animation = document["animations"][0]
        rows = self.table("body.lower.position")
        node = next(k for k, node in enumerate(document["nodes"]) if node.get("name") == "lower")
        channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": "translation"})
        sampler = animation["samplers"][channel["sampler"]]
        times, places = (self.floats(document, block, sampler[key]) for key in ["input", "output"])
        self.assertEqual(len(places), len(rows))
        for row, time, place in zip(rows, times, places):
            self.assertAlmostEqual(time[0], row[0], places=5)
            for axis in range(3):
                self.assertAlmostEqual(place[axis], row[1 + axis], places=5)

    def test_gltf_deforms_solids(self):
        self.hooke("export", "solid", "--gltf", "solid.glb")
        document, block = self.glb(self.folder / "solid.glb")
        channel = next(c for c in document["animations"][0]["channels"] if c["target"]["path"] == "weights")
        part = document["meshes"][document["nodes"][channel["target"]["node"]]["mesh"]]["primitives"][0]
        sampler = document["animations"][0]["samplers"][channel["sampler"]]
        times, weights = (self.floats(document, block, sampler[key]) for key in ["input", "output"])
        self.assertEqual(len(weights), len(times) * len(part["targets"]))
        self.hooke("export", "solid", "--vtk", "same.pvd")
        seen = self.read_vtu(max((self.folder / "same").glob("*.vtu")))  # the last output is the last shape
        last = self.floats(document, block, part["targets"][-1]["POSITION"])
        self.assertAlmostEqual(max(math.hypot(*x) for x in last), seen["displacement"], places=5)

    def test_gltf_has_an_animation_of_each_mode(self):
        self.hooke("run", ROOT / "models/mass_spring.yaml", "--analysis", "modes", "--out", "modes")
        modes = list(csv.reader(self.hooke("export", "modes", "--csv", "-", "modes").stdout.splitlines()))[2:]
        self.hooke("export", "modes", "--gltf", "modes.glb")
        document, block = self.glb(self.folder / "modes.glb")
        self.assertEqual([a["name"] for a in document["animations"]], [f"mode {k + 1}: {float(row[1]):.6g} Hz" for k, row in enumerate(modes)])
        node = next(k for k, node in enumerate(document["nodes"]) if node.get("name") == "lower")
        rest = document["nodes"][node]["translation"][2]
        for animation in document["animations"]:
            channel = next(c for c in animation["channels"] if c["target"] == {"node": node, "path": "translation"})
            z = [place[2] - rest for place in self.floats(document, block, animation["samplers"][channel["sampler"]]["output"])]
            self.assertGreater(max(z), 1e-3)
            self.assertAlmostEqual(max(z), -min(z), places=5)
            self.assertAlmostEqual(z[0], z[-1], places=6)

    def test_modes_of_a_solid(self):
        (self.folder / "bar.yaml").write_text(BAR_MODEL)
        self.hooke("run", "bar.yaml", "--out", "bar_modes")
        modes = [[float(x) for x in row] for row in list(csv.reader(self.hooke("export", "bar_modes", "--csv", "-", "modes").stdout.splitlines()))[2:]]
        self.assertEqual(len(modes), 4)
        for _, frequency, damping, *_ in modes:
            self.assertAlmostEqual(damping, math.pi * 1e-3 * frequency, delta=1e-3 * damping)
        bending = 1.8751 ** 2 / (2 * math.pi) * math.sqrt(2e9 * .04 ** 2 / 12 / 1000)  # of a slender bar
        self.assertAlmostEqual(modes[0][1], bending, delta=.02 * bending)
        self.hooke("export", "bar_modes", "--gltf", "bar_modes.glb")
        document, block = self.glb(self.folder / "bar_modes.glb")
        part = next(mesh["primitives"][0] for mesh in document["meshes"] if "targets" in mesh["primitives"][0])
        points = self.floats(document, block, part["attributes"]["POSITION"])
        farthest = 0
        for k, animation in enumerate(document["animations"]):
            self.assertAlmostEqual(animation["extras"]["frequency"], modes[k][1], places=3)
            self.assertAlmostEqual(animation["extras"]["damping"], modes[k][2], places=6)
            channel = next(c for c in animation["channels"] if c["target"]["path"] == "weights")
            weights = self.floats(document, block, animation["samplers"][channel["sampler"]]["output"])
            shown = [w[0] for w in weights]  # a sample after the other, all shapes of each
            shapes = len(part["targets"])
            self.assertAlmostEqual(shown[k], 1, places=6)
            self.assertAlmostEqual(shown[12 * shapes + k], -1, places=6)  # half a period later
            moves = self.floats(document, block, part["targets"][k]["POSITION"])
            sizes = {round(p[0], 6): math.hypot(*move) for p, move in zip(points, moves)}
            self.assertLess(sizes[0], 1e-6)
            self.assertGreater(max(sizes.values()), .05)
            farthest = max(farthest, *map(math.dist, moves, [(0, 0, 0)] * len(moves)))
        first = self.floats(document, block, part["targets"][0]["POSITION"])
        across = {round(p[0], 6): max(abs(x) for x in move[1:]) for p, move in zip(points, first)}
        self.assertAlmostEqual(across[.5] / across[1], .3395, delta=.005)  # of a slender bar
        self.hooke("report", "bar_modes", "--out", "bar_modes.html")
        report = (self.folder / "bar_modes.html").read_text()
        rows = re.findall(r"<tr><td>(\d+)</td><td>([\d.]+)</td><td>([\d.e-]+)</td></tr>", report.split("<h2>Modes</h2>")[1].split("</table>")[0])
        self.assertEqual(rows, [(str(k + 1), f"{row[1]:.6g}", f"{row[2]:.4g}") for k, row in enumerate(modes)])
        key = re.search(r"displacement of solids: 0 <i [^>]*></i> ([\d.e-]+) m<", report)
        self.assertAlmostEqual(float(key[1]), farthest, delta=5e-3 * farthest)  # from rest
        self.assertEqual(len(re.findall(r"<figcaption>mode \d: ", report)), 4)

    def test_vtk_has_the_pressure_of_contacts(self):
        model = ROOT / "models/contact/solid_on_solid.yaml"
        self.hooke("run", model, "--out", "pressed", "--end", .05)
        self.hooke("export", "pressed", "--vtk", "pressed.pvd")
        script = "import sys, vtk\nr = vtk.vtkXMLUnstructuredGridReader()\nr.SetFileName(sys.argv[1])\nr.Update()\na = r.GetOutput().GetPointData().GetArray('pressure')\n" \
                 "print(max(p for p in (a.GetTuple1(k) for k in range(a.GetNumberOfTuples())) if p == p))"  # the floor has none
        python = python_with_vtk()
        need("" if python else "python3-vtk9 is not installed")
        done = subprocess.run([python, "-c", script, self.folder / "pressed/pressed_000005.vtu"], capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertGreater(float(done.stdout), 500)

    def test_modes_have_a_table_of_their_own(self):
        self.hooke("run", ROOT / "models/mass_spring.yaml", "--analysis", "modes", "--out", "modes")
        done = self.hooke("export", "modes", "--csv", "-", "modes.frequency").stdout.splitlines()
        self.assertEqual(done[1], "mode,modes.frequency,modes.damping,modes.eigenvalue.real,modes.eigenvalue.imaginary")
        self.assertEqual(len(done), 4)
        self.assertIn("a table of their own", self.hooke("export", "modes", "--csv", "-", "modes", "energy", expect=2).stderr)
        self.assertIn("hold no modes", self.hooke("export", "run", "--csv", "-", "modes", expect=2).stderr)

    def test_gltf_is_valid(self):
        need(missing())
        self.hooke("export", "rod", "--gltf", "rods.glb")
        self.hooke("export", "solid", "--gltf", "solids.glb")
        script = ("const v = require('gltf-validator'), fs = require('fs');"
                  "v.validateBytes(new Uint8Array(fs.readFileSync(process.argv[1]))).then(r => console.log(JSON.stringify(r.issues)))")
        self.hooke("export", "hostile", "--gltf", "hostile_names.glb")
        self.hooke("run", ROOT / "models/mass_spring.yaml", "--analysis", "modes", "--out", "modes")
        self.hooke("export", "modes", "--gltf", "modes.glb")
        for path in ["out/motion.glb", "modes.glb", "rods.glb", "solids.glb", "hostile_names.glb"]:
            done = subprocess.run(["node", "-e", script, self.folder / path], cwd=ROOT / "viewer", capture_output=True, text=True, timeout=120)
            issues = json.loads(done.stdout)
            self.assertEqual((issues["numErrors"], issues["numWarnings"]), (0, 0), issues["messages"][:5])

    def test_hostile_names_stay_names(self):
        self.hooke("export", "hostile", "--vtk", "hostile.pvd", "--gltf", "hostile.glb")
        document, _ = self.glb(self.folder / "hostile.glb")
        names = [node.get("name") for node in document["nodes"]]
        for name in ["<!--<script>", "../../etc/passwd", "Μηχανισμός 机构 آلية", "\ufffd\ufffd\ufffd\ufffd", "n" * 10000]:
            self.assertIn(name, names)
        head = (self.folder / "hostile/hostile_000000.vtu").read_bytes().split(b"<AppendedData")[0].decode() + "</VTKFile>"
        arrays = [array.get("Name") for array in xml.etree.ElementTree.fromstring(head).iter("DataArray")]
        self.assertIn('x"><img src=x onerror=document.title=1>', arrays)
        self.assertEqual(sorted(path.name for path in self.folder.glob("hostile/*.vtu")), [f"hostile_{k:06}.vtu" for k in range(6)])

    def test_hostile_names_are_no_formulas(self):
        text = self.hooke("export", "hostile", "--csv", "-", encoding="latin-1").stdout
        units, names, *rows = csv.reader(text.rstrip("\n").split("\n"))
        self.assertEqual(len(rows), 6)
        for cell in [*units, *names]:
            self.assertFalse(cell.strip().startswith(("=", "+", "-", "@")), cell[:20])
            self.assertFalse([c for c in cell if ord(c) < 32], cell[:20])
        for name in ["'=1+1.angle", "'+1.angle", "'-1.angle", "'@SUM(A1).angle", "' =1+1.angle", "a/b.c?d#e%41&amp;.angle"]:
            self.assertIn(name, names)
        for row in rows:
            self.assertEqual(len(row), len(names))
            self.assertTrue(all(math.isfinite(float(x)) for x in row))
        self.assertTrue(any(x.startswith("-") for row in rows for x in row))

    def test_hostile_names_do_not_command_the_terminal(self):
        done = self.hooke("export", "hostile", "--list", encoding="latin-1")
        for text in [done.stdout, done.stderr]:
            self.assertFalse([c for c in text if ord(c) < 32 and c not in "\t\n" or ord(c) == 127])
            self.assertNotIn("\u00c2\u009b", text)

    def test_says_what_is_wrong(self):
        self.assertIn(".pvd", self.hooke("export", "run", "--vtk", "a.vtk", expect=2).stderr)
        self.assertIn(".glb", self.hooke("export", "run", "--gltf", "a.gltf", expect=2).stderr)
        self.assertIn("all bodies", self.hooke("export", "run", "body.upper", "--vtk", "a.pvd", expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
