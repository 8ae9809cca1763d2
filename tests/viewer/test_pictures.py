"""`hooke plot` and `hooke report` as a user calls them: the files are what their names say."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

from test_viewer import missing_browser, need

PROGRAM = os.environ["HOOKE_PROGRAM"]
ROOT = pathlib.Path(os.environ["HOOKE_ROOT"])
SVG = "{http://www.w3.org/2000/svg}"


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="hooke_pictures_"))
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.hooke(cls, "run", ROOT / "models/slider_crank.yaml", "--out", "run", "--end", 1)

    def hooke(self, *arguments, expect=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, capture_output=True, text=True, timeout=300)
        assert done.returncode == expect, f"{arguments}\n{done.stdout}{done.stderr}"
        return done

    def test_plot_is_svg(self):
        self.hooke("plot", "run", "body.slider.position", "joint.A.angle", "step.iterations", "--title", "A & B")
        svg = xml.etree.ElementTree.parse(self.folder / "run/plot.svg").getroot()
        words = [text.text for text in svg.iter(SVG + "text")]
        for name in ["body.slider.position.x", "joint.A.angle", "step.iterations", "A & B", "time (s)", "rad"]:
            self.assertIn(name, words)
        curves = [path for path in svg.iter(SVG + "path") if path.get("stroke-width") == "1.5"]
        self.assertEqual(len(curves), 5)
        self.assertEqual(curves[0].get("d").count("L"), 100)

    def test_units_are_those_one_asks_for(self):
        self.hooke("plot", "run", "body.slider.position.x", "joint.A.angle", "--units", "mm,deg", "--out", "units.svg")
        words = [text.text for text in xml.etree.ElementTree.parse(self.folder / "units.svg").getroot().iter(SVG + "text")]
        self.assertIn("mm", words)
        self.assertIn("deg", words)
        self.hooke("report", "run", "--units", "mm", "--out", "units.html")
        self.assertIn("mass centre (mm)", (self.folder / "units.html").read_text())
        self.assertIn("'furlong' is no unit", self.hooke("plot", "run", "energy", "--units", "mm,furlong", expect=2).stderr)

    def test_plot_says_what_is_wrong(self):
        self.assertIn("did you mean", self.hooke("plot", "run", "body.slidr.position.x", expect=2).stderr)
        self.assertIn(".svg, .png or .pdf", self.hooke("plot", "run", "energy", "--out", "a.gif", expect=2).stderr)
        self.assertIn("per step", self.hooke("plot", "run", "step.size", "--against", "time", expect=2).stderr)
        self.assertIn("no such file", self.hooke("plot", "nowhere", "energy", expect=6).stderr)

    def test_report_is_html(self):
        self.hooke("report", "run", "--out", "sub/report.html")
        text = (self.folder / "sub/report.html").read_text()
        self.assertTrue(text.startswith("<!doctype html>"))
        self.assertIn("Spatial slider crank", text)
        self.assertIn("joint.D.displacement", text)
        self.assertIn(".html or .pdf", self.hooke("report", "run", "--out", "a.doc", expect=2).stderr)

    def test_png_and_pdf_through_the_browser(self):
        need(missing_browser())
        self.hooke("plot", "run", "energy", "--out", "energy.png", "--width", 500)
        png = (self.folder / "energy.png").read_bytes()
        self.assertEqual(png[:8], b"\x89PNG\r\n\x1a\n")
        self.assertEqual(int.from_bytes(png[16:20], "big"), 1000)  # two dots a pixel
        self.hooke("plot", "run", "energy", "--out", "energy.pdf")
        self.hooke("report", "run", "--out", "report.pdf")
        for name in ["energy.pdf", "report.pdf"]:
            self.assertEqual((self.folder / name).read_bytes()[:5], b"%PDF-")

    def test_without_a_browser_it_says_so(self):
        done = subprocess.run([PROGRAM, "plot", "run", "energy", "--out", "e.png"], cwd=self.folder, capture_output=True, text=True,
                              env={**os.environ, "HOOKE_BROWSER": "no-such-browser"})
        self.assertEqual(done.returncode, 6)
        self.assertIn("needs chromium or chrome", done.stderr)


if __name__ == "__main__":
    unittest.main()
