# SPDX-License-Identifier: MIT
"""The arithmetic of the radar, against values worked out by hand."""

import math
import unittest

import history_path  # noqa: F401  (sets the path)
from history import labels, stats

ALPHA = 1 - 2 ** (-1 / 7)


class Ewma(unittest.TestCase):
    def test_oldest_is_the_seed(self):
        self.assertEqual(stats.ewma([5.0]), 5.0)
        self.assertAlmostEqual(stats.ewma([0.0, 1.0]), ALPHA, places=15)

    def test_alpha(self):
        self.assertAlmostEqual(ALPHA, 0.0943, places=4)

    def test_half_life(self):
        """From 0, seven runs of 1 come half the way, seven more half of the rest."""
        self.assertAlmostEqual(stats.ewma([0.0] + [1.0] * 7), 0.5, places=12)
        self.assertAlmostEqual(stats.ewma([0.0] + [1.0] * 14), 0.75, places=12)

    def test_order_matters(self):
        self.assertLess(stats.ewma([2.0, 1.0]) - 1, 1)
        self.assertNotEqual(stats.ewma([1.0, 2.0, 3.0]), stats.ewma([3.0, 2.0, 1.0]))

    def test_no_runs(self):
        with self.assertRaisesRegex(ValueError, "no runs"):
            stats.ewma([])


class Baseline(unittest.TestCase):
    def test_population_deviation_over_main(self):
        found = stats.baseline_of([90.0, 110.0], [500.0])
        self.assertAlmostEqual(found.value, 90 + 20 * ALPHA, places=12)
        self.assertAlmostEqual(found.sigma_percent, 100 * 10 / (90 + 20 * ALPHA), places=12)
        self.assertFalse(found.new)

    def test_only_the_newest_30_count(self):
        found = stats.baseline_of([1e9] * 5 + [50.0] * 30, [50.0])
        self.assertEqual((found.value, found.sigma_percent, found.runs), (50.0, 0.0, 30))

    def test_new_benchmark_is_measured_by_itself(self):
        """The published 2 ms axis: 100, 137, 133, 133.9 percent give a band of 15.07."""
        found = stats.baseline_of([], [200.0, 274.0, 266.0, 267.8])
        self.assertTrue(found.new)
        self.assertEqual(found.value, 200.0)
        self.assertEqual(round(found.sigma_percent, 2), 15.07)

    def test_no_percentage_of_nothing(self):
        self.assertIsNone(stats.baseline_of([0.0, 0.0], [1.0]))
        self.assertIsNone(stats.baseline_of([-1.0], [1.0]))
        self.assertIsNone(stats.baseline_of([], []))

    def test_bands(self):
        found = stats.Baseline(1.0, 60.0, 30, False)
        self.assertEqual([found.band(s) for s in (2, 1, -1, -2)], [220, 160, 40, 0])


class Change(unittest.TestCase):
    def mark(self, percent, sigma, higher=True):
        found = stats.change(percent, sigma, higher)
        return found.text, found.better

    def test_noise_rule(self):
        self.assertEqual(self.mark(101.5, 1.5), ("▬ +2%", None))
        self.assertEqual(self.mark(98.4, 2.0), ("▬ -2%", None))
        self.assertEqual(self.mark(100.4, 0.0), ("▬ 0%", None))
        self.assertEqual(self.mark(100.0, 0.0), ("▬ 0%", None))
        self.assertEqual(self.mark(99.7, 3.0), ("▬ 0%", None))

    def test_which_way_is_better(self):
        self.assertEqual(self.mark(105, 1), ("▲ 5%", True))
        self.assertEqual(self.mark(95, 1), ("▼ 5%", False))
        self.assertEqual(self.mark(105, 1, higher=False), ("▲ 5%", False))
        self.assertEqual(self.mark(95, 1, higher=False), ("▼ 5%", True))


class Scale(unittest.TestCase):
    def test_published(self):
        self.assertEqual(stats.scale([137.00, 69.86]), (46, 161))
        self.assertEqual(stats.scale([172.54, 27.46]), (0, 224))

    def test_flat_has_a_pad(self):
        self.assertEqual(stats.scale([100.0, 100.0]), (96, 104))


class Labels(unittest.TestCase):
    def test_numbers(self):
        for value, text in ((67790.6, "67,791"), (1000, "1,000"), (999.4, "999"), (204.4, "204"), (99.04, "99"),
                            (90.14, "90.1"), (10.0, "10"), (9.0, "9"), (4.614, "4.61"), (1.5, "1.5"), (0, "0"),
                            (0.06, "0.06"), (0.12345, "0.123"), (0.00012345, "0.000123"), (0.00000001, "0.00000001"),
                            (-4.614, "-4.61"), (100.0, "100"), (0.9999, "1")):
            with self.subTest(value=value):
                self.assertEqual(labels.number(value), text)

    def test_bytes(self):
        self.assertEqual(labels.quantity(90.14 * 1024 * 1024, "bytes"), "90.1 MiB")
        self.assertEqual(labels.quantity(2048, "bytes"), "2 KiB")
        self.assertEqual(labels.quantity(3 * 1024 ** 3, "bytes"), "3,072 MiB")
        self.assertEqual(labels.quantity(315, "tx/s"), "315 tx/s")

    def test_parameters_become_words(self):
        self.assertEqual(labels.short_name("Basic (sig_ms_interval=2ms)"), "Basic 2ms")
        self.assertEqual(labels.short_name("blocking (commit_interval=20ms) [backhaul=on]"), "blocking 20ms on")

    def test_elision_from_the_left_until_it_fits(self):
        suffix = "4,169 ops/s ▬ 0%"
        full = f"KV snapshot deserialisation: {suffix}"
        self.assertEqual(len(full), 45)
        self.assertEqual(labels.label("KV snapshot deserialisation", suffix), f"KV s…t deserialisation: {suffix}")
        self.assertEqual(labels.label("KV snapshot deserialisation", suffix, 45), full)
        self.assertEqual(labels.label("KV snapshot deserialisation", suffix, 30), f"KV s…t d…n: {suffix}")

    def test_what_cannot_fit_keeps_its_figures(self):
        self.assertEqual(labels.label("a b c", "1 tx/s ▬ 0%", 5), "a b c: 1 tx/s ▬ 0%")


if __name__ == "__main__":
    unittest.main()
