# SPDX-License-Identifier: MIT
"""The command bench/compare: two folders of results in, radar charts out."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field

from . import bmf, mermaid, radar, stats, svg
from .bmf import Results

RUN_NAME = re.compile(r"([0-9]+)-([0-9]+)-([0-9]+)\.json", re.ASCII)
RunId = tuple[int, int, int]

DESCRIPTION = """\
Draws what a branch's benchmarks do against main's: one radar chart for each of throughput, latency, memory and rate.

MAIN_DIR and BRANCH_DIR hold one results file a run, named <run_id>-<run_number>-<attempt>.json, in strict Bencher
Metric Format (latency in ns, memory in bytes). The newest 30 of main and the newest 5 of the branch count."""

EPILOG = """\
Writes into DIR: radar.md (all charts as Mermaid, with a table each), radar-<measure>.mmd and radar-<measure>.svg for
each chart, and radar.mmd, which is the first of them again. Nothing is written where an input is bad.

The charts are a picture, not a verdict: bench/history/README.md says why.

Exit status: 0 written, 2 bad input or bad arguments."""


class CompareError(Exception):
    """An input that cannot be compared; the text says which and why."""


@dataclass
class Folder:
    path: str
    found: int
    ids: list[RunId]
    runs: list[Results]
    notes: list[str] = field(default_factory=list)


def load_folder(path: str, newest: int, form: str) -> Folder:
    """The newest runs of a folder, oldest first."""
    try:
        names = sorted(os.listdir(path))
    except OSError as error:
        raise CompareError(f"{path}: {error.strerror}") from None
    by_id: dict[RunId, str] = {}
    notes: list[str] = []
    for name in names:
        match = RUN_NAME.fullmatch(name)
        if match is None:
            if name.endswith(".json"):
                raise CompareError(f"{path}/{name}: a results file is named <run_id>-<run_number>-<attempt>.json")
            notes.append(f"`{name}` in `{path}` is no results file and was not read.")
            continue
        run = (int(match[1]), int(match[2]), int(match[3]))
        if run in by_id:
            raise CompareError(f"{path}: {by_id[run]} and {name} are the same run")
        by_id[run] = name
    if not by_id:
        raise CompareError(f"{path}: no results in it (files <run_id>-<run_number>-<attempt>.json)")
    ids = sorted(by_id)[-newest:]
    runs: list[Results] = []
    for run in ids:
        try:
            runs.append(bmf.READERS[form](os.path.join(path, by_id[run])))
        except bmf.BmfError as error:
            raise CompareError(str(error)) from None
        if runs[-1] in runs[:-1]:
            twin = by_id[ids[runs.index(runs[-1])]]
            notes.append(f"`{by_id[run]}` and `{twin}` in `{path}` have the same figures to the last digit: a copy?")
    return Folder(path, len(by_id), ids, runs, notes)


def check_common(main: Folder, branch: Folder) -> None:
    for run in branch.ids:
        if run in main.ids:
            raise CompareError(f"the run {'-'.join(map(str, run))} is in both {main.path} and {branch.path}")
    drawn = {measure.key for measure in radar.MEASURES}
    on_main = {(name, key) for run in main.runs for name, measures in run.items() for key in measures if key in drawn}
    latest = {(name, key) for name, measures in branch.runs[-1].items() for key in measures if key in drawn}
    if not latest:
        raise CompareError(f"{branch.path}: the newest run has no {', '.join(m.key for m in radar.MEASURES)}")
    if not on_main & latest:
        raise CompareError(f"no common benchmark: nothing in the newest run of {branch.path} is in {main.path}")


def _of(folder: Folder, what: str) -> str:
    used = len(folder.runs)
    return f"{used} run{'s' if used > 1 else ''} of {what}" + (f" (the newest of {folder.found})" if folder.found > used else "")


def _table(chart: radar.Chart) -> list[str]:
    unit, factor = chart.measure.unit, chart.measure.shown_per_stored
    lines = ["| benchmark | branch | main | change | σ |", "|---|---:|---:|---:|---:|"]
    for axis in chart.axes:
        name = axis.name.replace("|", "\\|")
        base = radar.labels.quantity(axis.baseline.value * factor, unit) + (" (new)" if axis.baseline.new else "")
        lines.append(f"| {name} | {radar.labels.quantity(axis.value * factor, unit)} | {base} | {axis.change.mark} "
                     f"{axis.change.delta:+.2f} % | {axis.baseline.sigma_percent:.2f} % |")
    return lines


def markdown(charts: Sequence[radar.Chart], main: Folder, branch: Folder, label: str) -> str:
    lines = [f"# {label} against main", "",
             f"{_of(branch, label)} against {_of(main, 'main')}. 100 is main: the mean of its runs, newer ones weighing "
             f"more (half-life {stats.HALF_LIFE:g} runs). Bands: ±1σ and ±2σ. Lines: the branch, faint to strong is old to "
             "new. ▲ and ▼ are beyond 1σ, green better, red worse; ▬ is not.", "",
             "**A picture, not a verdict**: about one axis in three that did not change is beyond 1σ by chance.", ""]
    for chart in charts:
        lines += [f"## {chart.measure.heading}", "", "```mermaid", mermaid.diagram(chart).rstrip("\n"), "```", ""]
        lines += _table(chart) + [""]
        lines += [f"- {note}" for note in chart.notes] + ([""] if chart.notes else [])
    notes = main.notes + branch.notes
    notes += [f"`{key}` of {count} benchmark(s) has no chart." for key, count in radar.undrawn_measures(branch.runs[-1]).items()]
    if len(main.runs) < 2:
        notes.append("σ of one run is 0: every change beyond rounding looks like one.")
    if notes:
        lines += ["## Notes", ""] + [f"- {note}" for note in notes] + [""]
    return "\n".join(lines)


def outputs(main: Folder, branch: Folder, label: str) -> dict[str, str]:
    """Every file of the output by its name."""
    check_common(main, branch)
    charts = radar.charts(main.runs, branch.runs, label)
    if not charts:
        raise CompareError(f"{branch.path}: nothing to draw, every baseline is zero or less")
    files = {"radar.md": markdown(charts, main, branch, label), "radar.mmd": mermaid.diagram(charts[0])}
    for chart in charts:
        files[f"radar-{chart.measure.key}.mmd"] = mermaid.diagram(chart)
        files[f"radar-{chart.measure.key}.svg"] = svg.picture(chart)
    return files


def write_outputs(folder: str, files: dict[str, str]) -> None:
    """Also takes away charts of an earlier comparison that this one does not have: they would pass for its own."""
    os.makedirs(folder, exist_ok=True)
    for measure in radar.MEASURES:
        for end in ("mmd", "svg"):
            name = f"radar-{measure.key}.{end}"
            if name not in files and os.path.exists(os.path.join(folder, name)):
                os.unlink(os.path.join(folder, name))
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
            file.write(text)


def _label(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise argparse.ArgumentTypeError("a label is some printable text")
    return text.strip()


def main(argv: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="bench/compare", description=DESCRIPTION, epilog=EPILOG, allow_abbrev=False,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("main_dir", metavar="MAIN_DIR", help="results of main")
    parser.add_argument("branch_dir", metavar="BRANCH_DIR", help="results of the branch")
    parser.add_argument("--out", metavar="DIR", default="radar", help="where to write (made if absent; default: radar)")
    parser.add_argument("--label", default="branch", type=_label, help="what to call the branch (default: branch)")
    parser.add_argument("--format", choices=sorted(bmf.READERS), default="bmf",
                        help="of the inputs: bmf, or ccf (bencher.json of CCF, latency in ms); default: bmf")
    args = parser.parse_args(argv)
    try:
        base = load_folder(args.main_dir, stats.MAIN_RUNS, args.format)
        branch = load_folder(args.branch_dir, stats.BRANCH_RUNS, args.format)
        files = outputs(base, branch, args.label)
        write_outputs(args.out, files)
    except CompareError as error:
        print(f"bench/compare: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"bench/compare: {error.filename}: {error.strerror}", file=sys.stderr)
        return 2
    for name in sorted(files):
        print(os.path.join(args.out, name))
    return 0
