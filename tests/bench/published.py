# SPDX-License-Identifier: MIT
"""Runs that must give the published charts in charts/*.txt.

Published are four radar charts: labels (the newest value, rounded, and its change) and curves in percent of a baseline,
to two decimals. Not published are the runs. So runs are made here that have exactly those properties, and the whole
program has to come back to the published text from them. Nothing of the program is used to make them. For one axis:

newest value   the label's number (67,791), in the unit of the files
baseline       B = newest value / (its published percentage / 100), so label and percentage are both met
branch runs    B * published percentage / 100
sigma          the four bands are 100 ± s and 100 ± 2s, each rounded to 0.01; s is the middle of what all four allow
main runs      30 values whose EWMA is B and whose deviation is s * B. Take any uneven pattern e: its EWMA m and its
               deviation d are numbers, and B + (e - m) * s * B / d is such a series, as the EWMA of a shifted and
               scaled series is shifted and scaled likewise, and its deviation only scaled. (Ten older runs of nonsense
               come before, which must not count.)

Three benchmarks ("... Locust ...") are new on the branch. For them there is no main run: B is the first branch run that
has the benchmark, and s is the deviation of the branch's runs, so s is not free. But every percentage is known only to
±0.005, and within that the runs are moved apart or together until s is what the bands say. The run "4 runs earlier" is
missing in three of the charts because it has no "2ms" benchmark; its other values are free (100 %), but for the new
benchmarks it is the first run, so exactly B.
"""

from __future__ import annotations

import json
import os
import re
import statistics
from dataclasses import dataclass

from history_path import CHARTS

MEASURES = ("throughput", "latency", "memory", "rate")
LABEL = "#8158"
BRANCH_RUNS = 5
STORED_PER_SHOWN = {"tx/s": 1, "ops/s": 1, "ms": 1_000_000, "MiB": 1024 * 1024}

# Full names behind the labels that are not already the full name.
FULL_NAMES = {"KV s…t deserialisation": "KV snapshot deserialisation"}
LATE = "Basic Blocking Locust (sig_ms_interval=2ms)"


@dataclass
class PublishedAxis:
    name: str
    stored: float
    bands: list[float]
    percents: dict[int, float]
    new: bool


def body(text: str) -> list[str]:
    """The lines of a diagram that are figures or labels, without indentation."""
    return [line.strip() for line in text.splitlines()
            if line.strip().split(" ")[0] in ("axis", "curve", "max", "min", "ticks")]


def chart_text(measure: str) -> str:
    with open(os.path.join(CHARTS, f"{measure}.txt"), encoding="utf-8") as file:
        return file.read()


def full_name(label: str) -> str:
    name = FULL_NAMES.get(label, label)
    return re.sub(r" (\d+ms)$", r" (sig_ms_interval=\1)", name)


def axes(measure: str) -> list[PublishedAxis]:
    text = chart_text(measure)
    labels = re.findall(r'axis b\d+\["(.*?): ([0-9.,]+) (\S+) . \S+"\]', text)
    curves = {key: [float(v) for v in values.split(",")]
              for key, values in re.findall(r'curve (\w+)\[".*?"\]\{(.*?)\}', text)}
    out = []
    for i, (label, shown, unit) in enumerate(labels):
        name = full_name(label)
        bands = [curves[key][i] for key in ("stddev2_high", "stddev1_high", "stddev1_low", "stddev2_low")]
        percents = {int(key[-1]): values[i] for key, values in curves.items() if key.startswith("branch_")}
        stored = float(shown.replace(",", "")) * STORED_PER_SHOWN[unit]
        out.append(PublishedAxis(name, stored, bands, percents, "Locust" in name))
    return out


def sigma_bounds(axis: PublishedAxis) -> tuple[float, float]:
    """What s can be, in percent, for all four bands to round to what is published."""
    high2, high1, low1, low2 = axis.bands
    half = 0.005
    centres = ((high1 - 100, half), (100 - low1, half), ((high2 - 100) / 2, half / 2), ((100 - low2) / 2, half / 2))
    return max(0.0, max(c - h for c, h in centres)), min(c + h for c, h in centres)


def main_series(baseline: float, sigma_percent: float, runs: int = 30) -> list[float]:
    pattern = [float((i * 37) % 11 - (5 if i % 3 else 0)) for i in range(runs)]
    keep = 2 ** (-1 / 7)
    mean = pattern[0]
    for value in pattern[1:]:
        mean = keep * mean + (1 - keep) * value
    deviation = statistics.pstdev(pattern)
    return [baseline * (1 + (value - mean) * sigma_percent / 100 / deviation) for value in pattern]


def fit_new(axis: PublishedAxis) -> dict[int, float]:
    """Percentages of the branch's runs, within what rounds to the published ones, with the published deviation."""
    low, high = sigma_bounds(axis)
    percents = dict(axis.percents)
    if axis.name != LATE:
        percents[0] = 100.0
    first = min(percents)
    assert percents[first] == 100.0, axis
    mean = statistics.fmean(percents.values())
    fitting = []
    for step in range(-200, 201):
        shift = 0.0049 * step / 200
        moved = {i: p if p == 100.0 else p + (shift if p > mean else -shift) for i, p in percents.items()}
        sigma = statistics.pstdev(moved.values())
        if low <= sigma <= high:
            fitting.append((abs(sigma - (low + high) / 2), step, moved))
    assert fitting, f"{axis}: no runs have the published bands"
    return min(fitting)[2]


def runs() -> tuple[list[dict], list[dict]]:
    """(main, branch), oldest first, as strict BMF."""
    main: list[dict] = [{} for _ in range(40)]
    branch: list[dict] = [{} for _ in range(BRANCH_RUNS)]
    for measure in MEASURES:
        for axis in axes(measure):
            low, high = sigma_bounds(axis)
            assert low < high, axis
            percents = fit_new(axis) if axis.new else {0: 100.0, **axis.percents}
            baseline = axis.stored / (percents[BRANCH_RUNS - 1] / 100)
            for i, percent in percents.items():
                branch[i].setdefault(axis.name, {})[measure] = {"value": baseline * percent / 100}
            if axis.new:
                continue
            series = [baseline * (3 + i) for i in range(10)] + main_series(baseline, (low + high) / 2)
            for run, value in zip(main, series):
                run.setdefault(axis.name, {})[measure] = {"value": value}
    for run in main:
        run["Retired Long Ago"] = {"rate": {"value": 5.0}}
    return main, branch


def as_ccf(run: dict) -> dict:
    """The same run in the form of CCF: latency in ms, the bounds under other names, metadata beside the benchmarks."""
    out: dict = {"__metadata": {"commit": "0123456"}}
    for name, measures in run.items():
        out[name] = {}
        for measure, metric in measures.items():
            value = metric["value"] / 1_000_000 if measure == "latency" else metric["value"]
            out[name][measure] = {"value": value, "high_value": value * 1.1}
            if measure == "latency":
                out[name][measure]["low_value"] = value * 0.9
    return out


def write_runs(folder: str, contents: list[dict], first_id: int) -> None:
    """Names whose alphabetical order is not their order in time: 98, 99, 100 ... and the last ones by number and attempt."""
    os.makedirs(folder)
    for i, run in enumerate(contents):
        run_id, rest = first_id + i, "3-1"
        if i == len(contents) - 1:
            run_id, rest = first_id + i - 1, "12-1"
        with open(os.path.join(folder, f"{run_id}-{rest}.json"), "w", encoding="utf-8") as file:
            json.dump(run, file)
