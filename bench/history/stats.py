# SPDX-License-Identifier: MIT
"""The arithmetic of the radar: what is normal on main, and how far a branch is from it.

The baseline is an exponentially weighted mean over the newest 30 runs of main with a half-life of 7 runs; sigma is the
population standard deviation of the same runs, unweighted. Everything is in percent of the baseline. For verdicts see
ab.py: one sigma is crossed by a third of the axes that did not change at all.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass

MAIN_RUNS = 30
BRANCH_RUNS = 5
HALF_LIFE = 7.0
PAD_PART = 0.35
PAD_LEAST = 4.0


def ewma(values: Sequence[float], half_life: float = HALF_LIFE) -> float:
    """Oldest first; the oldest is the seed. A run weighs half as much when half_life newer ones have come."""
    if not values:
        raise ValueError("the mean of no runs")
    alpha = 1 - 2 ** (-1 / half_life)
    mean = values[0]
    for value in values[1:]:
        mean += alpha * (value - mean)
    return mean


@dataclass(frozen=True)
class Baseline:
    """What 100 % is for one benchmark. `new` says that main does not have it, so the branch is its own measure."""

    value: float
    sigma_percent: float
    runs: int
    new: bool

    def percent(self, value: float) -> float:
        return 100 * value / self.value

    def band(self, sigmas: int) -> float:
        """The edge of a band: sigmas is -2, -1, 1 or 2. Nothing is under zero."""
        return max(0.0, 100 + sigmas * self.sigma_percent)


def baseline_of(main: Sequence[float], branch: Sequence[float]) -> Baseline | None:
    """Both oldest first, and only the runs that have the benchmark. None where there is no positive baseline, as a
    percentage of it would mean nothing.

    Absent on main: 100 % is the earliest run of the branch that has it, and sigma is that of the branch's runs.
    """
    runs = main[-MAIN_RUNS:] if main else branch
    if not runs:
        return None
    value = ewma(runs) if main else branch[0]
    if value <= 0:
        return None
    return Baseline(value, 100 * statistics.pstdev(runs) / value, len(runs), not main)


@dataclass(frozen=True)
class Change:
    """A branch's newest value against the baseline, by the noise rule."""

    delta: float
    noise: bool
    better: bool | None

    @property
    def mark(self) -> str:
        if self.noise:
            return "▬"
        return "▲" if self.delta > 0 else "▼"

    @property
    def text(self) -> str:
        """The mark says the direction, so only a delta that has no direction mark carries a sign."""
        rounded = round(self.delta)
        if self.noise:
            return f"▬ {rounded:+d}%" if rounded else "▬ 0%"
        return f"{self.mark} {abs(rounded)}%"


def change(percent: float, sigma_percent: float, higher_is_better: bool) -> Change:
    delta = percent - 100
    noise = abs(delta) <= sigma_percent or round(delta) == 0
    return Change(delta, noise, None if noise else (delta > 0) == higher_is_better)


def scale(values: Sequence[float]) -> tuple[int, int]:
    """(centre, edge) of the picture for all that is drawn. Zero at the centre means that no minimum is set."""
    low, high = min(values), max(values)
    pad = max(PAD_PART * (high - low), PAD_LEAST)
    return max(0, math.floor(low - pad)), math.ceil(high + pad)
