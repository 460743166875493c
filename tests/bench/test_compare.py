# SPDX-License-Identifier: MIT
"""bench/compare from outside: what it writes, and what it says to each bad input."""

import contextlib
import io
import json
import os
import re
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from history_path import COMPARE
from history import compare, radar, svg

SVG = "{http://www.w3.org/2000/svg}"


def run(value, name="rps_500 [backhaul=on]", measure="throughput"):
    return {name: {measure: {"value": value}}}


class Case(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.base = folder.name

    def put(self, place, contents):
        os.makedirs(os.path.join(self.base, place), exist_ok=True)
        for name, data in contents.items():
            with open(os.path.join(self.base, place, name), "w", encoding="utf-8") as file:
                file.write(data if isinstance(data, str) else json.dumps(data))

    def compare(self, *args):
        """In this process, for speed; test_golden.py and test_program run the program itself."""
        out, err, back = io.StringIO(), io.StringIO(), os.getcwd()
        os.chdir(self.base)
        try:
            with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
                code = compare.main(["main", "branch", *args])
        except SystemExit as left:
            code = left.code
        finally:
            os.chdir(back)
        return subprocess.CompletedProcess(args, code, out.getvalue(), err.getvalue())

    def text(self, name):
        with open(os.path.join(self.base, "radar", name), encoding="utf-8") as file:
            return file.read()


class Bad(Case):
    def refuse(self, main, branch, why, *args):
        if main is not None:
            self.put("main", main)
        if branch is not None:
            self.put("branch", branch)
        done = self.compare(*args)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        self.assertRegex(done.stderr, why)
        self.assertNotIn("Traceback", done.stderr)
        self.assertFalse(os.path.exists(os.path.join(self.base, "radar")))

    def test_no_folder(self):
        self.refuse(None, {"1-1-1.json": run(1)}, "^bench/compare: main: No such file or directory$")

    def test_empty_main(self):
        self.refuse({}, {"1-1-1.json": run(1)}, "^bench/compare: main: no results in it")

    def test_empty_branch(self):
        self.refuse({"1-1-1.json": run(1)}, {}, "^bench/compare: branch: no results in it")

    def test_no_common_benchmark(self):
        self.refuse({"1-1-1.json": run(1, "a")}, {"2-1-1.json": run(1, "b")}, "no common benchmark")

    def test_same_benchmark_other_measure(self):
        self.refuse({"1-1-1.json": run(1)}, {"2-1-1.json": run(1, measure="memory")}, "no common benchmark")

    def test_only_measures_without_a_chart(self):
        self.refuse({"1-1-1.json": run(1, measure="ttl")}, {"2-1-1.json": run(1, measure="ttl")},
                    "newest run has no throughput, latency, memory, rate")

    def test_not_a_number(self):
        self.refuse({"1-1-1.json": run("N/A")}, {"2-1-1.json": run(1)},
                    r"main/1-1-1.json: 'rps_500 \[backhaul=on\]'.throughput.value is a string 'N/A', not a number")

    def test_not_json(self):
        self.refuse({"1-1-1.json": run(1)}, {"2-1-1.json": "{"}, "branch/2-1-1.json:1:2: not JSON")

    def test_duplicate_run(self):
        self.refuse({"1-1-1.json": run(1), "01-1-1.json": run(2)}, {"2-1-1.json": run(1)},
                    "01-1-1.json and 1-1-1.json are the same run")

    def test_run_in_both_folders(self):
        self.refuse({"1-1-1.json": run(1)}, {"1-1-1.json": run(1)}, "the run 1-1-1 is in both main and branch")

    def test_name_of_a_file(self):
        self.refuse({"1-1-1.json": run(1), "newest.json": run(1)}, {"2-1-1.json": run(1)},
                    "main/newest.json: a results file is named <run_id>-<run_number>-<attempt>.json")

    def test_only_baselines_of_zero(self):
        self.refuse({"1-1-1.json": run(0)}, {"2-1-1.json": run(1)}, "nothing to draw")

    def test_ccf_without_saying_so(self):
        bad = {"a": {"latency": {"value": 1, "high_value": 2}}}
        self.refuse({"1-1-1.json": bad}, {"2-1-1.json": bad}, "CCF form")

    def test_arguments(self):
        for args, why in ((("--label=",), "printable"), (("--label=a\nb",), "printable"), (("--format=csv",), "choice"),
                          (("more",), "unrecognized")):
            with self.subTest(args=args):
                self.refuse({"1-1-1.json": run(1)}, {"2-1-1.json": run(1)}, why, *args)

    def test_out_that_is_a_file(self):
        self.put(".", {"taken": "x"})
        self.refuse({"1-1-1.json": run(1)}, {"2-1-1.json": run(1)}, "taken", "--out=taken")


class Good(Case):
    def test_program(self):
        self.put("main", {"1-1-1.json": run(1)})
        self.put("branch", {})
        for args, code in ((["main", "branch"], 2), (["main"], 2), (["--help"], 0)):
            done = subprocess.run([COMPARE, *args], cwd=self.base, capture_output=True, text=True)
            self.assertEqual(done.returncode, code, done.stderr)

    def test_help(self):
        done = self.compare("--help")
        self.assertEqual(done.returncode, 0)
        for word in ("MAIN_DIR", "BRANCH_DIR", "--out", "--label", "picture, not a verdict"):
            self.assertIn(word, done.stdout)

    def test_newest_is_by_number_not_by_letter(self):
        self.put("main", {"5-1-1.json": run(100)})
        self.put("branch", {"9-1-1.json": run(50), "10-2-1.json": run(60), "10-10-1.json": run(70), "10-10-2.json": run(80)})
        done = self.compare("--label=#7")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        body = self.text("radar.mmd")
        self.assertIn('axis b0["rps_500 on: 80 tx/s ▼ 20%"]', body)
        curves = re.findall(r'curve branch_(\d)\["(.*?)"\]\{(.*?)\}', body)
        self.assertEqual(curves, [("0", "#7 (3 runs earlier)", "50.00"), ("1", "#7 (2 runs earlier)", "60.00"),
                                  ("2", "#7 (1 run earlier)", "70.00"), ("3", "#7", "80.00")])

    def test_only_five_of_the_branch(self):
        self.put("main", {"1-1-1.json": run(100)})
        self.put("branch", {f"{i}-1-1.json": run(i) for i in range(10, 18)})
        self.assertEqual(self.compare().returncode, 0)
        self.assertEqual(re.findall(r"curve branch_\d\[.*\]\{(.*?)\}", self.text("radar.mmd")),
                         ["13.00", "14.00", "15.00", "16.00", "17.00"])
        self.assertIn("5 runs of branch (the newest of 8)", self.text("radar.md"))

    def test_nanoseconds_are_shown_as_milliseconds(self):
        self.put("main", {"1-1-1.json": run(61_000, measure="latency")})
        self.put("branch", {"2-1-1.json": run(60_000, measure="latency")})
        self.assertEqual(self.compare().returncode, 0)
        self.assertIn('"rps_500 on: 0.06 ms ▼ 2%"', self.text("radar-latency.mmd"))

    def test_nothing_is_dropped_in_silence(self):
        self.put("main", {"1-1-1.json": {**run(100), **run(0, "zero"), **run(1, "gone")}, "notes.txt": "x",
                          "2-1-1.json": {**run(100), **run(0, "zero"), **run(1, "gone")}})
        first = run(50, "new")
        last = {**run(90), **run(60, "new"), **run(5, "zero"), **{"other": {"ttl": {"value": 1}}}}
        self.put("branch", {"3-1-1.json": first, "4-1-1.json": last})
        self.assertEqual(self.compare().returncode, 0)
        text = self.text("radar.md")
        for said in ("`zero` is not drawn: its baseline is zero or less", "`new` is not on main: 100 % is its earliest run",
                     "branch (1 run earlier) is not drawn: it has no throughput of `rps_500 [backhaul=on]`",
                     "not in the newest run of the branch: `gone`", "`ttl` of 1 benchmark(s) has no chart",
                     "`notes.txt` in `main` is no results file", "`2-1-1.json` and `1-1-1.json` in `main` have the same",
                     "Fewer than three axes", "**A picture, not a verdict**"):
            self.assertIn(said, text)
        self.assertIn('"new: 60 tx/s ▲ 20%"', text)

    def test_charts_of_an_earlier_comparison_go(self):
        self.put("main", {"1-1-1.json": {**run(1), **run(1, "r", "rate")}})
        self.put("branch", {"2-1-1.json": {**run(1), **run(1, "r", "rate")}})
        self.compare()
        self.assertTrue(os.path.exists(os.path.join(self.base, "radar", "radar-rate.svg")))
        self.put("branch", {"3-1-1.json": run(1)})
        done = self.compare()
        self.assertEqual(sorted(os.listdir(os.path.join(self.base, "radar"))),
                         ["radar-throughput.mmd", "radar-throughput.svg", "radar.md", "radar.mmd"])
        self.assertEqual(len(done.stdout.split()), 4)

    def test_odd_names_stay_well_formed(self):
        name = 'a "q" & <b> \\ | x'
        self.put("main", {"1-1-1.json": run(1, name)})
        self.put("branch", {"2-1-1.json": run(1, name)})
        self.assertEqual(self.compare("--label=<&>").returncode, 0)
        root = ElementTree.fromstring(self.text("radar-throughput.svg"))
        self.assertIn(name, [t.text for t in root.iter(f"{SVG}title")])
        self.assertIn("""axis b0["a 'q' & <b> / | x: 1 tx/s ▬ 0%"]""", self.text("radar.mmd"))

    def test_svg_needs_nothing_from_outside(self):
        self.put("main", {"1-1-1.json": run(1)})
        self.put("branch", {"2-1-1.json": run(1)})
        self.compare()
        text = self.text("radar-throughput.svg")
        self.assertIn("@media (prefers-color-scheme:dark)", text)
        self.assertEqual(re.findall(r"(?:href|url\(|src=|@import|<script)", text), [])
        self.assertEqual(re.findall(r"https?://\S+?\"", text), ['http://www.w3.org/2000/svg"'])


class Picture(unittest.TestCase):
    """Labels neither lie on each other nor reach out of the canvas, for as many axes as the suite may have."""

    def test_labels(self):
        for count in (1, 2, 3, 6, 10, 28, 60):
            runs = [{f"benchmark number {i} of the suite": {"rate": {"value": 1000.0 + (i * 7 + j) % 5}}
                     for i in range(count)} for j in range(3)]
            chart = radar.chart(radar.MEASURES[3], runs, runs, "b")
            placed = svg.labels(chart)
            root = ElementTree.fromstring(svg.picture(chart))
            left, top, width, height = map(float, root.get("viewBox").split())
            with self.subTest(count=count):
                self.assertEqual(len(placed), count)
                for i, label in enumerate(placed):
                    self.assertGreaterEqual(label.span[0], left)
                    self.assertLessEqual(label.span[1], left + width)
                    self.assertGreater(label.y - 12, top)
                    self.assertLess(label.y + 12, top + height)
                    for other in placed[:i]:
                        apart = label.span[1] <= other.span[0] or other.span[1] <= label.span[0]
                        self.assertTrue(apart or abs(label.y - other.y) >= svg.LINE_HEIGHT - 1e-9, (label, other))

    def test_colours_over_the_canvas(self):
        """13 % of #62B5E5 over white: 255 - 0.13 * (255 - 98) = 234.6, and so on."""
        self.assertEqual(svg.mix(0.13, "#FFFFFF"), "#EBF5FC")
        self.assertEqual(svg.mix(1.0, "#000000"), "#62B5E5")


if __name__ == "__main__":
    unittest.main()
