# SPDX-License-Identifier: MIT
"""A against B: paired rounds, log-ratios, intervals, and a verdict or none.

A round measures both arms close together, so what drifts (a neighbour, a clock) hits both; the ratio within a round is
the figure, and the median over rounds is the estimate. Verdicts need three things at once: an interval without 1, a
Holm-corrected p under 0.05, and an effect over the minimum that this session could have detected, which is what two
equal arms (A/A) showed. Everything is on the log scale, where twice and half are equally far from 1.
"""

from __future__ import annotations

import math
import random
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

ROUNDS_LEAST = 10
RESAMPLES = 10_000
SEED = 20_260_814
CONFIDENCE = 0.95
SIGNIFICANT = 0.05
MDE_LEAST = 0.01
# An effect under this is claimed only when this many sessions (days, hosts) show it.
SMALL_CLAIM = 0.03
SESSIONS_FOR_SMALL = 3
# Half-width that an A/A may have at most, for points bound by latency and for capacity.
GATE_LATENCY = 0.02
GATE_CAPACITY = 0.05


def log_ratios(a: Sequence[float], b: Sequence[float]) -> list[float]:
    """ln(b/a) for each round; a is the reference arm."""
    if len(a) != len(b):
        raise ValueError(f"{len(a)} rounds of one arm and {len(b)} of the other: they are not pairs")
    if not a:
        raise ValueError("no rounds")
    for value in (*a, *b):
        if not math.isfinite(value) or value <= 0:
            raise ValueError(f"{value!r} has no logarithm: a ratio needs positive figures")
    return [math.log(y / x) for x, y in zip(a, b)]


def bootstrap_median(values: Sequence[float], resamples: int = RESAMPLES, seed: int = SEED,
                     confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Percentile interval of the median. The seed is fixed: the same data give the same interval."""
    if not values:
        raise ValueError("an interval of no values")
    draw = random.Random(seed)
    ordered = sorted(values)
    medians = sorted(statistics.median(draw.choices(ordered, k=len(ordered))) for _ in range(resamples))
    tail = int((1 - confidence) / 2 * resamples)
    return medians[tail], medians[-1 - tail]


def wilcoxon(values: Sequence[float]) -> float:
    """Exact two-sided p of the signed-rank test: zeros are left out, ties share their mean rank, and all 2^n signs are
    counted (by sums, not one by one)."""
    kept = sorted((v for v in values if v != 0), key=abs)
    if not kept:
        return 1.0
    # Ranks are doubled so that shared ones stay whole numbers.
    ranks: list[int] = []
    start = 0
    while start < len(kept):
        end = start
        while end < len(kept) and abs(kept[end]) == abs(kept[start]):
            end += 1
        ranks += [start + 1 + end] * (end - start)
        start = end
    total = sum(ranks)
    ways = [1] + [0] * total
    for rank in ranks:
        for at in range(total, rank - 1, -1):
            ways[at] += ways[at - rank]
    positive = sum(rank for rank, v in zip(ranks, kept) if v > 0)
    tail = sum(ways[: min(positive, total - positive) + 1])
    return min(1.0, 2 * tail / 2 ** len(kept))


def holm(p_values: Sequence[float]) -> list[float]:
    """Corrected p values, in the order given: the chance of even one false finding among all of them stays in bounds."""
    order = sorted(range(len(p_values)), key=lambda i: p_values[i])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for step, i in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - step) * p_values[i]))
        adjusted[i] = highest
    return adjusted


@dataclass(frozen=True)
class Effect:
    """b over a: 1.10 is "b's figure is 10 % higher"."""

    ratio: float
    low: float
    high: float
    p: float
    rounds: int

    @property
    def half_width(self) -> float:
        """Of the interval on the log scale, said as a part: 0.02 is ±2 %."""
        return math.expm1((math.log(self.high) - math.log(self.low)) / 2)

    @property
    def includes_one(self) -> bool:
        return self.low <= 1 <= self.high


def effect(a: Sequence[float], b: Sequence[float], seed: int = SEED) -> Effect:
    logs = log_ratios(a, b)
    low, high = bootstrap_median(logs, seed=seed)
    return Effect(math.exp(statistics.median(logs)), math.exp(low), math.exp(high), wilcoxon(logs), len(logs))


def minimum_detectable(aa: Effect) -> float:
    """The least effect that is worth a word: 1 %, or what two equal arms already differ by."""
    return max(MDE_LEAST, aa.half_width)


def aa_gate(aa: Effect, capacity: bool) -> str | None:
    """None where the session may go on to A/B, else why it is void."""
    allowed = GATE_CAPACITY if capacity else GATE_LATENCY
    if not aa.includes_one:
        return (f"A/A gate failed: two equal arms differ, interval {aa.low:.4f} to {aa.high:.4f} without 1; "
                "the session is void")
    if aa.half_width > allowed:
        return (f"A/A gate failed: two equal arms are told apart only to ±{100 * aa.half_width:.1f} %, allowed "
                f"±{100 * allowed:.0f} %; the session is void")
    return None


def drift_gate(name: str, control: Effect, aa: Effect) -> str | None:
    """A control is a figure that the switch cannot touch. If it moves more than two equal arms do, something else did."""
    if abs(math.log(control.ratio)) > math.log1p(aa.half_width):
        return (f"drift: {name}, which the switch cannot change, moved by {100 * (control.ratio - 1):+.1f} % "
                f"(A/A ±{100 * aa.half_width:.1f} %); the session is void")
    return None


@dataclass(frozen=True)
class Verdict:
    """word is "faster", "slower", "no difference" or "no verdict"; text is the sentence for the report."""

    word: str
    text: str


def verdict(found: Effect, p_holm: float, mde: float, higher_is_better: bool, sessions: int = 1) -> Verdict:
    figures = (f"ratio {found.ratio:.3f}, 95 % interval {found.low:.3f} to {found.high:.3f}, p {p_holm:.3g}, "
               f"{found.rounds} rounds")
    if found.rounds < ROUNDS_LEAST:
        return Verdict("no verdict", f"no verdict: {found.rounds} rounds, {ROUNDS_LEAST} needed ({figures})")
    size = abs(math.log(found.ratio))
    if found.includes_one or p_holm >= SIGNIFICANT or size <= math.log1p(mde):
        return Verdict("no difference", f"no difference ≥ {100 * mde:.1f} % shown ({figures})")
    word = "faster" if (found.ratio > 1) == higher_is_better else "slower"
    percent = f"{100 * abs(found.ratio - 1):.1f} %"
    if size < math.log1p(SMALL_CLAIM) and sessions < SESSIONS_FOR_SMALL:
        return Verdict("no verdict", f"no verdict: {word} by {percent} here, but a claim under "
                       f"{100 * SMALL_CLAIM:.0f} % needs {SESSIONS_FOR_SMALL} sessions, this is {sessions} ({figures})")
    return Verdict(word, f"{word} by {percent} ({figures})")


def rounds_order(rounds: int, seed: int = SEED) -> list[tuple[str, str]]:
    """Which arm goes first in each round: AB BA or BA AB over every two rounds, at random which."""
    draw = random.Random(seed)
    order: list[tuple[str, str]] = []
    while len(order) < rounds:
        first = draw.choice([("a", "b"), ("b", "a")])
        order += [first, (first[1], first[0])]
    return order[:rounds]
