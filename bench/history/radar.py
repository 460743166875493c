# SPDX-License-Identifier: MIT
"""From runs to charts: which axes there are, their labels, the bands of main and the lines of the branch."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from . import labels, stats
from .bmf import Results

BLUE = "#62B5E5"
ORANGE = "#F97316"
GOOD = "#2DA44E"
BAD = "#E5484D"
SAME = "#808A94"

# Part of the blue over the canvas for the outer and the inner band.
OUTER_PART = 0.13
INNER_PART = 0.40

# Outermost first: each is painted over the one before, and the last with the canvas colour, which leaves two rings.
BANDS = ((2, "stddev2_high", "main EWMA + 2 std dev"), (1, "stddev1_high", "main EWMA + 1 std dev"),
         (-1, "stddev1_low", "main EWMA - 1 std dev"), (-2, "stddev2_low", "main EWMA - 2 std dev"))

# By age, the newest run first.
OPACITY = (1.0, 0.5, 0.4, 0.3, 0.2)
STROKE = 1.5
STROKE_LATEST = 1.75


@dataclass(frozen=True)
class Measure:
    """A chart: the measure of the files, how it is shown, and which way is better."""

    key: str
    title: str
    unit: str
    higher_is_better: bool
    shown_per_stored: float = 1.0

    @property
    def heading(self) -> str:
        return f"{self.title} ({self.unit})"


MEASURES = (
    Measure("throughput", "Throughput", "tx/s", True),
    Measure("latency", "Latency", "ms", False, 1e-6),
    Measure("memory", "Memory", "bytes", False),
    Measure("rate", "Rate", "ops/s", True),
)


@dataclass(frozen=True)
class Axis:
    name: str
    label: str
    colour: str
    value: float
    baseline: stats.Baseline
    change: stats.Change


@dataclass(frozen=True)
class Curve:
    id: str
    label: str
    values: list[float]
    age: int = 0


@dataclass
class Chart:
    measure: Measure
    axes: list[Axis]
    bands: list[Curve]
    branch: list[Curve]
    low: int
    high: int
    notes: list[str] = field(default_factory=list)


def _values(runs: Iterable[Results], name: str, key: str) -> list[float]:
    return [run[name][key]["value"] for run in runs if key in run.get(name, {})]


def _axis(measure: Measure, name: str, main: Sequence[Results], branch: Sequence[Results]) -> Axis | None:
    own = _values(branch, name, measure.key)
    baseline = stats.baseline_of(_values(main, name, measure.key), own)
    if baseline is None:
        return None
    change = stats.change(baseline.percent(own[-1]), baseline.sigma_percent, measure.higher_is_better)
    shown = labels.quantity(own[-1] * measure.shown_per_stored, measure.unit)
    colour = SAME if change.better is None else GOOD if change.better else BAD
    return Axis(name, labels.label(name, f"{shown} {change.text}"), colour, own[-1], baseline, change)


def _ago(age: int, label: str) -> str:
    return label if age == 0 else f"{label} ({age} run{'s' if age > 1 else ''} earlier)"


def chart(measure: Measure, main: Sequence[Results], branch: Sequence[Results], label: str) -> Chart | None:
    """Both oldest first. None where the newest run of the branch has nothing to draw for this measure."""
    notes: list[str] = []
    axes: list[Axis] = []
    for name in sorted(n for n, measures in branch[-1].items() if measure.key in measures):
        axis = _axis(measure, name, main, branch)
        if axis is None:
            notes.append(f"`{name}` is not drawn: its baseline is zero or less, so there is no percentage of it.")
            continue
        if axis.baseline.new:
            notes.append(f"`{name}` is not on main: 100 % is its earliest run on the branch, σ that of the "
                         f"{axis.baseline.runs} branch run(s).")
        axes.append(axis)
    if not axes:
        return None

    bands = [Curve(id, text, [axis.baseline.band(sigmas) for axis in axes]) for sigmas, id, text in BANDS]
    lines: list[Curve] = []
    for i, run in enumerate(branch):
        age = len(branch) - 1 - i
        lacking = [axis.name for axis in axes if measure.key not in run.get(axis.name, {})]
        if lacking:
            notes.append(f"The run {_ago(age, label)} is not drawn: it has no {measure.key} of "
                         + ", ".join(f"`{name}`" for name in lacking) + ".")
            continue
        values = [axis.baseline.percent(run[axis.name][measure.key]["value"]) for axis in axes]
        lines.append(Curve(f"branch_{i}", _ago(age, label), values, age))
    if len(axes) < 3:
        notes.append("Fewer than three axes enclose no area: read the labels.")
    gone = sorted({name for run in main for name, measures in run.items() if measure.key in measures}
                  - {name for name, measures in branch[-1].items() if measure.key in measures})
    if gone:
        notes.append("On main, but not in the newest run of the branch: " + ", ".join(f"`{name}`" for name in gone) + ".")
    low, high = stats.scale([v for curve in bands + lines for v in curve.values])
    return Chart(measure, axes, bands, lines, low, high, notes)


def charts(main: Sequence[Results], branch: Sequence[Results], label: str) -> list[Chart]:
    return [c for m in MEASURES if (c := chart(m, main, branch, label)) is not None]


def undrawn_measures(run: Results) -> dict[str, int]:
    """Measures that no chart has, with the number of benchmarks that report each."""
    known = {m.key for m in MEASURES}
    found: dict[str, int] = {}
    for measures in run.values():
        for key in measures:
            if key not in known:
                found[key] = found.get(key, 0) + 1
    return dict(sorted(found.items()))
