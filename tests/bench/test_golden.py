# SPDX-License-Identifier: MIT
"""The published charts come out of bench/compare to the last character. published.py says how their runs are made."""

import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from history_path import COMPARE
import published

SVG = "{http://www.w3.org/2000/svg}"


def corners(values, low, high):
    """Where a curve's corners lie: the first axis points up, the rest follow clockwise, 310 px are the edge."""
    out = []
    for i, value in enumerate(values):
        far, turn = 310 * (value - low) / (high - low), 2 * math.pi * i / len(values)
        out.append((far * math.sin(turn), -far * math.cos(turn)))
    return out


class Golden(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        main, branch = published.runs()
        for form, change in (("bmf", lambda run: run), ("ccf", published.as_ccf)):
            base = os.path.join(cls.folder.name, form)
            os.makedirs(base)
            published.write_runs(os.path.join(base, "main"), [change(run) for run in main], 71)
            published.write_runs(os.path.join(base, "branch"), [change(run) for run in branch], 997)
            done = subprocess.run([sys.executable, COMPARE, os.path.join(base, "main"), os.path.join(base, "branch"),
                                   f"--out={base}/out", f"--label={published.LABEL}", f"--format={form}"],
                                  capture_output=True, text=True)
            if done.returncode != 0:
                raise AssertionError(done.stderr)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def output(self, name, form="bmf"):
        with open(os.path.join(self.folder.name, form, "out", name), encoding="utf-8") as file:
            return file.read()

    def test_there_are_four_charts_and_31_labels(self):
        self.assertEqual(sum(len(published.axes(measure)) for measure in published.MEASURES), 31)

    def test_labels_curves_and_scale(self):
        for form in ("bmf", "ccf"):
            for measure in published.MEASURES:
                with self.subTest(measure=measure, form=form):
                    self.assertEqual(published.body(self.output(f"radar-{measure}.mmd", form)),
                                     published.body(published.chart_text(measure)))

    def test_markdown_has_all_four_in_order(self):
        blocks = re.findall(r"```mermaid\n(.*?)```", self.output("radar.md"), re.S)
        self.assertEqual([published.body(block) for block in blocks],
                         [published.body(published.chart_text(measure)) for measure in published.MEASURES])
        self.assertEqual(self.output("radar.mmd"), self.output("radar-throughput.mmd"))

    def test_ten_of_31_labels_are_coloured(self):
        colours = []
        for measure in published.MEASURES:
            colours += re.findall(r"nth-of-type\(\d+\)\{fill:(#\w+)!important\}", self.output(f"radar-{measure}.mmd"))
        self.assertEqual(len(colours), 31)
        self.assertEqual(sum(colour != "#808A94" for colour in colours), 10)

    def test_colours_follow_what_is_better(self):
        def colour(measure, label):
            text = self.output(f"radar-{measure}.mmd")
            at = re.search(rf'axis b(\d+)\["{re.escape(label)}', text)
            return re.search(rf"nth-of-type\({int(at[1]) + 1}\)\{{fill:(#\w+)", text)[1]
        self.assertEqual(colour("throughput", "Basic Blocking Locust 2ms"), "#2DA44E")
        self.assertEqual(colour("latency", "Basic Blocking Locust 2ms"), "#2DA44E")
        self.assertEqual(colour("memory", "Basic:"), "#E5484D")
        self.assertEqual(colour("rate", "KV serialisation"), "#E5484D")
        self.assertEqual(colour("latency", "Commit Latency 16ms"), "#808A94")

    def test_svg_is_the_same_picture(self):
        for measure in published.MEASURES:
            with self.subTest(measure=measure):
                text = published.chart_text(measure)
                root = ElementTree.fromstring(self.output(f"radar-{measure}.svg"))
                labels = [t.find(f"{SVG}title").tail for t in root.iter(f"{SVG}text") if t.get("dominant-baseline")]
                self.assertEqual(labels, re.findall(r'axis b\d+\["(.*?)"\]', text))
                low = int((re.search(r"^min (\d+)", text, re.M) or [0, "0"])[1])
                high = int(re.search(r"^max (\d+)", text, re.M)[1])
                curves = re.findall(r'curve \w+\["(.*?)"\]\{(.*?)\}', text)
                polygons = list(root.iter(f"{SVG}polygon"))
                self.assertEqual([p.find(f"{SVG}title").text for p in polygons], [label for label, _ in curves])
                # Published values are rounded to 0.005, and coordinates to 0.01.
                near = 0.005 * 310 / (high - low) + 0.02
                for polygon, (_, values) in zip(polygons, curves):
                    want = corners([float(v) for v in values.split(",")], low, high)
                    got = [tuple(map(float, at.split(","))) for at in polygon.get("points").split()]
                    self.assertEqual(len(got), len(want))
                    for (x, y), (wx, wy) in zip(got, want):
                        self.assertLess(max(abs(x - wx), abs(y - wy)), near)

    def test_what_is_not_drawn_is_said(self):
        text = self.output("radar.md")
        self.assertIn("The run #8158 (4 runs earlier) is not drawn: it has no throughput of "
                      "`Basic Blocking Locust (sig_ms_interval=2ms)`.", text)
        self.assertIn("On main, but not in the newest run of the branch: `Retired Long Ago`.", text)
        self.assertIn("5 runs of #8158 against 30 runs of main (the newest of 40)", text)


if __name__ == "__main__":
    unittest.main()
