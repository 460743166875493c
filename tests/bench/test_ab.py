# SPDX-License-Identifier: MIT
"""A/B statistics, against values worked out by hand."""

import math
import unittest

import history_path  # noqa: F401  (sets the path)
from history import ab


class LogRatios(unittest.TestCase):
    def test_paired(self):
        self.assertEqual(ab.log_ratios([1.0, 2.0], [2.0, 1.0]), [math.log(2), math.log(0.5)])

    def test_refuses(self):
        for a, b, why in (([1], [1, 2], "not pairs"), ([], [], "no rounds"), ([0.0], [1.0], "no logarithm"),
                          ([1.0], [-1.0], "no logarithm"), ([1.0], [float("nan")], "no logarithm")):
            with self.subTest(a=a, b=b), self.assertRaisesRegex(ValueError, why):
                ab.log_ratios(a, b)


class Bootstrap(unittest.TestCase):
    def test_three_values(self):
        """The median of three draws is the least value with 7/27, far over 2.5 %: the interval is the whole range."""
        self.assertEqual(ab.bootstrap_median([3.0, 1.0, 2.0]), (1.0, 3.0))

    def test_nine_values(self):
        """It is the least with 0.14 % and at most the second with 3.0 %, so 2.5 % lies on the second."""
        self.assertEqual(ab.bootstrap_median([float(v) for v in range(1, 10)]), (2.0, 8.0))

    def test_same_data_same_interval(self):
        values = [0.1, -0.3, 0.25, 0.7, 0.02, 0.11]
        self.assertEqual(ab.bootstrap_median(values), ab.bootstrap_median(values))
        self.assertEqual(ab.bootstrap_median(values), ab.bootstrap_median(sorted(values)))

    def test_one_value_and_none(self):
        self.assertEqual(ab.bootstrap_median([0.5]), (0.5, 0.5))
        with self.assertRaisesRegex(ValueError, "no values"):
            ab.bootstrap_median([])


class Wilcoxon(unittest.TestCase):
    def test_all_on_one_side(self):
        self.assertEqual(ab.wilcoxon([1, 2, 3, 4, 5]), 2 / 32)
        self.assertEqual(ab.wilcoxon([-v for v in range(1, 11)]), 2 / 1024)

    def test_one_against(self):
        """W- = 4. Of the 32 subsets of ranks 1 to 5, seven sum to 4 or less: {} 1 2 3 4 12 13."""
        self.assertEqual(ab.wilcoxon([1, 2, 3, -4, 5]), 14 / 32)

    def test_ties_share_their_rank(self):
        """Three ranks of 2, W- = 2: four of the eight subsets sum to 2 or less, twice that is all."""
        self.assertEqual(ab.wilcoxon([1, 1, -1]), 1.0)

    def test_a_tie_and_more(self):
        """Ranks 1.5 1.5 3 4, W- = 1.5: three of 16 subsets, {} and the two singles of 1.5."""
        self.assertEqual(ab.wilcoxon([-1, 1, 2, 3]), 6 / 16)

    def test_a_tie_in_the_middle(self):
        """Ranks 1 2.5 2.5 4 5, W- = 5: ten of 32 subsets, {} 1 2.5 2.5 4 5 3.5 3.5 1+4 2.5+2.5."""
        self.assertEqual(ab.wilcoxon([1, 2, 2, 3, -4]), 20 / 32)

    def test_zeros_are_left_out(self):
        self.assertEqual(ab.wilcoxon([0, 0, 1, 2, 3, 4, 5]), 2 / 32)
        self.assertEqual(ab.wilcoxon([0, 0]), 1.0)


class Holm(unittest.TestCase):
    def test_by_hand(self):
        """0.01*3, then 0.03*2, then max(0.04*1, 0.06)."""
        for got, want in zip(ab.holm([0.01, 0.04, 0.03]), [0.03, 0.06, 0.06]):
            self.assertAlmostEqual(got, want, places=12)

    def test_capped_and_empty(self):
        self.assertEqual(ab.holm([0.6, 0.9]), [1.0, 1.0])
        self.assertEqual(ab.holm([]), [])


class Effects(unittest.TestCase):
    def test_a_clear_one(self):
        found = ab.effect([100.0] * 10, [137.0] * 10)
        self.assertAlmostEqual(found.ratio, 1.37, places=12)
        self.assertAlmostEqual(found.low, 1.37, places=12)
        self.assertAlmostEqual(found.high, 1.37, places=12)
        self.assertEqual((found.p, found.rounds), (2 / 1024, 10))

    def test_median_of_rounds(self):
        found = ab.effect([1.0, 1.0, 1.0], [2.0, 4.0, 1000.0])
        self.assertAlmostEqual(found.ratio, 4.0, places=12)

    def test_minimum_detectable(self):
        self.assertEqual(ab.minimum_detectable(ab.Effect(1.0, 0.9999, 1.0001, 1.0, 10)), 0.01)
        self.assertAlmostEqual(ab.minimum_detectable(ab.Effect(1.0, 1 / 1.05, 1.05, 1.0, 10)), 0.05, places=12)

    def test_aa_gate(self):
        good = ab.Effect(1.0, 1 / 1.015, 1.015, 0.9, 10)
        self.assertIsNone(ab.aa_gate(good, capacity=False))
        wide = ab.Effect(1.0, 1 / 1.04, 1.04, 0.9, 10)
        self.assertIn("±4.0 %, allowed ±2 %", ab.aa_gate(wide, capacity=False))
        self.assertIsNone(ab.aa_gate(wide, capacity=True))
        self.assertIn("without 1", ab.aa_gate(ab.Effect(1.01, 1.005, 1.015, 0.01, 10), capacity=True))

    def test_drift_gate(self):
        aa = ab.Effect(1.0, 1 / 1.02, 1.02, 0.9, 10)
        self.assertIsNone(ab.drift_gate("null server", ab.Effect(0.985, 0.98, 0.99, 0.5, 10), aa))
        self.assertIn("null server", ab.drift_gate("null server", ab.Effect(0.95, 0.9, 1.0, 0.5, 10), aa))


class Verdicts(unittest.TestCase):
    def say(self, ratio, low, high, p=0.002, mde=0.01, rounds=10, higher=True, sessions=1):
        return ab.verdict(ab.Effect(ratio, low, high, p, rounds), p, mde, higher, sessions)

    def test_faster_and_slower(self):
        self.assertEqual(self.say(1.37, 1.31, 1.42).word, "faster")
        self.assertEqual(self.say(1.37, 1.31, 1.42, higher=False).word, "slower")
        self.assertEqual(self.say(0.5, 0.45, 0.55, higher=False).word, "faster")
        self.assertEqual(self.say(1.37, 1.31, 1.42).text,
                         "faster by 37.0 % (ratio 1.370, 95 % interval 1.310 to 1.420, p 0.002, 10 rounds)")

    def test_each_of_the_three_conditions_is_needed(self):
        for case in (dict(ratio=1.37, low=0.99, high=1.6), dict(ratio=1.37, low=1.31, high=1.42, p=0.05),
                     dict(ratio=1.04, low=1.03, high=1.05, mde=0.05)):
            with self.subTest(**case):
                found = self.say(**case)
                self.assertEqual(found.word, "no difference")
                self.assertIn(f"no difference ≥ {100 * case.get('mde', 0.01):.1f} % shown", found.text)

    def test_too_few_rounds(self):
        self.assertIn("4 rounds, 10 needed", self.say(1.37, 1.31, 1.42, rounds=4).text)
        self.assertEqual(self.say(1.37, 1.31, 1.42, rounds=9).word, "no verdict")

    def test_a_small_claim_needs_three_sessions(self):
        self.assertEqual(self.say(1.02, 1.015, 1.025).word, "no verdict")
        self.assertIn("needs 3 sessions, this is 1", self.say(1.02, 1.015, 1.025).text)
        self.assertEqual(self.say(1.02, 1.015, 1.025, sessions=3).word, "faster")


class Order(unittest.TestCase):
    def test_abba_over_every_two_rounds(self):
        order = ab.rounds_order(11)
        self.assertEqual(len(order), 11)
        for first, second in zip(order[::2], order[1::2]):
            self.assertEqual(first, second[::-1])
        self.assertEqual(len({first for first in order[::2]}), 2)
        self.assertEqual(order, ab.rounds_order(11))


if __name__ == "__main__":
    unittest.main()
