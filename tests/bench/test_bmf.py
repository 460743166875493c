# SPDX-License-Identifier: MIT
"""Strict BMF: what is accepted, what is refused and with which words, and files that are updated."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import history_path
from history import bmf

GOOD = {"rps_500 [backhaul=on]": {"throughput": {"value": 1.5e6},
                                  "latency": {"value": 20000, "lower_value": 9000, "upper_value": 55000}}}


class Parse(unittest.TestCase):
    def test_good(self):
        self.assertEqual(bmf.parse(json.dumps(GOOD)), GOOD)

    def test_refused(self):
        for text, why in (
            ("", "not JSON"),
            ("{", r"x:1:2: not JSON"),
            ("[]", "top level is an array"),
            ("{}", "no benchmark"),
            ("[" * 100000, "not JSON"),
            ('{"": {"t": {"value": 1}}}', "no name"),
            ('{"a": 1}', "'a' is a number, not an object of measures"),
            ('{"__metadata": {"commit": "0123"}}', "'__metadata'.commit is a string, not an object"),
            ('{"a": {}}', "no measure"),
            ('{"a": {" ": {"value": 1}}}', "measure without a name"),
            ('{"a": {"t": 1}}', "is a number, not an object"),
            ('{"a": {"t": {}}}', 'no "value"'),
            ('{"a": {"t": {"upper_value": 1}}}', 'no "value"'),
            ('{"a": {"t": {"value": "N/A"}}}', r"'a'.t.value is a string 'N/A', not a number"),
            ('{"a": {"t": {"value": null}}}', "is null, not a number"),
            ('{"a": {"t": {"value": true}}}', "is a boolean, not a number"),
            ('{"a": {"t": {"value": NaN}}}', "NaN"),
            ('{"a": {"t": {"value": -Infinity}}}', "-Infinity"),
            ('{"a": {"t": {"value": 1e999}}}', "not a finite number"),
            ('{"a": {"t": {"value": 1' + "0" * 400 + '}}}', "not a finite number"),
            ('{"a": {"t": {"value": 1, "unit": "ms"}}}', "knows only value, lower_value, upper_value"),
            ('{"a": {"t": {"value": 1, "high_value": 2}}}', "CCF form"),
            ('{"a": {"t": {"value": 1, "lower_value": 2}}}', "over value"),
            ('{"a": {"t": {"value": 1, "upper_value": 0}}}', "under value"),
            ('{"a": {"t": {"value": 1}}, "a": {"t": {"value": 2}}}', "'a' is there twice"),
        ):
            with self.subTest(text=text[:60]), self.assertRaisesRegex(bmf.BmfError, why):
                bmf.parse(text, "x")


class Ccf(unittest.TestCase):
    def test_adapter(self):
        text = json.dumps({"__metadata": {"commit": "0123"},
                           "B (sig_ms_interval=2ms)": {"throughput": {"value": 24354.1},
                                                       "latency": {"value": 11, "high_value": 21.5, "low_value": 2},
                                                       "memory": {"value": 100, "high_value": 120}},
                           "CHAMP get": {"rate": {"value": 38e6}}})
        results, metadata = bmf.parse_ccf(text)
        self.assertEqual(metadata, {"commit": "0123"})
        self.assertEqual(results, {
            "B (sig_ms_interval=2ms)": {"throughput": {"value": 24354.1},
                                        "latency": {"value": 11e6, "lower_value": 2e6, "upper_value": 21.5e6},
                                        "memory": {"value": 100, "upper_value": 120}},
            "CHAMP get": {"rate": {"value": 38e6}}})

    def test_refused(self):
        for data, why in (({"a": {"speed": {"value": 1}}}, "only throughput, latency, memory, rate"),
                          ({"a": {"latency": {"value": 1, "upper_value": 2}}}, "CCF form knows only"),
                          ({"a": {"latency": {"value": "N/A"}}}, "not a number"),
                          ({"a": {"latency": 3}}, "not an object"),
                          ({"a": 3}, "not an object of measures"),
                          ({"__metadata": 3, "a": {"rate": {"value": 1}}}, "__metadata is a number"),
                          ({"__metadata": {}}, "no benchmark")):
            with self.subTest(data=data), self.assertRaisesRegex(bmf.BmfError, why):
                bmf.parse_ccf(json.dumps(data), "x")


class Files(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "bmf.json")

    def test_write_and_read(self):
        bmf.write(self.path, GOOD)
        self.assertEqual(bmf.read(self.path), GOOD)
        self.assertEqual(os.listdir(self.folder.name), ["bmf.json"])

    def test_bad_results_leave_the_file_alone(self):
        bmf.write(self.path, GOOD)
        for bad in ({"a": {"t": {"value": float("nan")}}}, {}, {"a": {"t": {"value": 1, "p99": 2}}}):
            with self.subTest(bad=bad):
                with self.assertRaises(bmf.BmfError):
                    bmf.write(self.path, bad)
                with self.assertRaises(bmf.BmfError):
                    bmf.update(self.path, bad)
        self.assertEqual(bmf.read(self.path), GOOD)
        self.assertEqual(os.listdir(self.folder.name), ["bmf.json"])

    def test_update_merges_by_measure(self):
        bmf.update(self.path, {"a": {"t": {"value": 1}}})
        bmf.update(self.path, {"b": {"t": {"value": 2}}})
        merged = bmf.update(self.path, {"a": {"m": {"value": 3}, "t": {"value": 4}}})
        self.assertEqual(merged, {"a": {"t": {"value": 4}, "m": {"value": 3}}, "b": {"t": {"value": 2}}})
        self.assertEqual(bmf.read(self.path), merged)

    def test_update_refuses_a_broken_file(self):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("{")
        with self.assertRaisesRegex(bmf.BmfError, "not JSON"):
            bmf.update(self.path, GOOD)

    def test_two_processes_lose_nothing(self):
        code = ("import sys; sys.path.insert(0, sys.argv[1]); from history import bmf\n"
                "for i in range(20): bmf.update(sys.argv[2], {f'{sys.argv[3]}{i}': {'t': {'value': i}}})")
        at_once = [subprocess.Popen([sys.executable, "-B", "-c", code, os.path.join(history_path.ROOT, "bench"),
                                     self.path, name]) for name in ("a", "b")]
        self.assertEqual([process.wait() for process in at_once], [0, 0])
        self.assertEqual(len(bmf.read(self.path)), 40)

    def test_no_such_file_and_not_utf8(self):
        with self.assertRaisesRegex(bmf.BmfError, "No such file"):
            bmf.read(self.path)
        with open(self.path, "wb") as file:
            file.write(b'{"\xff": 1}')
        with self.assertRaisesRegex(bmf.BmfError, "not UTF-8"):
            bmf.read(self.path)


if __name__ == "__main__":
    unittest.main()
