# SPDX-License-Identifier: MIT
"""Bencher Metric Format, strictly: {benchmark: {measure: {"value": n, "lower_value": n, "upper_value": n}}}.

Only those three names are allowed in a metric, "value" is required, and every number is finite. Latencies are in
nanoseconds, memory in bytes, rates per second. What is not so is refused with a sentence that names the place, because
a figure that was dropped in silence is a wrong figure.

read_ccf() is the one adapter for the other shape in use, bencher.json files of CCF: latencies in milliseconds, the
bounds called high_value and low_value, and a "__metadata" key beside the benchmarks.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import tempfile
from collections.abc import Callable
from typing import NoReturn

Metric = dict[str, float]
Results = dict[str, dict[str, Metric]]

FIELDS = ("value", "lower_value", "upper_value")
CCF_FIELDS = {"value": "value", "low_value": "lower_value", "high_value": "upper_value"}
CCF_METADATA = "__metadata"
CCF_MEASURES = ("throughput", "latency", "memory", "rate")
NS_PER_MS = 1_000_000


class BmfError(ValueError):
    """A file or a value that is not strict BMF; the text says where and why."""


def _no_constant(name: str) -> NoReturn:
    raise BmfError(f"{name} is not a number that JSON has")


def _no_duplicates(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found: dict[str, object] = {}
    for key, value in pairs:
        if key in found:
            raise BmfError(f"the key {key!r} is there twice")
        found[key] = value
    return found


def _load(text: str, source: str) -> dict[str, object]:
    try:
        data = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_no_duplicates)
    except BmfError as error:
        raise BmfError(f"{source}: {error}") from None
    except json.JSONDecodeError as error:
        raise BmfError(f"{source}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from None
    except (RecursionError, ValueError) as error:
        raise BmfError(f"{source}: not JSON that can be read: {error}") from None
    if not isinstance(data, dict):
        raise BmfError(f"{source}: the top level is {_kind(data)}, not an object of benchmarks")
    return data


def _kind(value: object) -> str:
    if value is None:
        return "null"
    names = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}
    return names.get(type(value), type(value).__name__)


def _number(value: object, where: str) -> float:
    # bool is an int in Python, and "true" tx/s is nonsense.
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        shown = f" {value!r}" if isinstance(value, str) else ""
        raise BmfError(f"{where} is {_kind(value)}{shown}, not a number")
    try:
        finite = math.isfinite(float(value))
    except OverflowError:
        finite = False
    if not finite:
        raise BmfError(f"{where} is not a finite number")
    return value


def _metric(metric: object, where: str) -> Metric:
    if not isinstance(metric, dict):
        raise BmfError(f"{where} is {_kind(metric)}, not an object with a \"value\"")
    for field in metric:
        if field in CCF_FIELDS and field not in FIELDS:
            raise BmfError(f"{where} has {field!r}: that is the CCF form (milliseconds), not BMF; read it as such")
        if field not in FIELDS:
            raise BmfError(f"{where} has {field!r}; BMF knows only {', '.join(FIELDS)}")
    if "value" not in metric:
        raise BmfError(f"{where} has no \"value\"")
    out = {field: _number(metric[field], f"{where}.{field}") for field in FIELDS if field in metric}
    if out.get("lower_value", out["value"]) > out["value"]:
        raise BmfError(f"{where}: lower_value {out['lower_value']} is over value {out['value']}")
    if out.get("upper_value", out["value"]) < out["value"]:
        raise BmfError(f"{where}: upper_value {out['upper_value']} is under value {out['value']}")
    return out


def validate(data: object, source: str = "results") -> Results:
    """The same results, known to be strict BMF."""
    if not isinstance(data, dict):
        raise BmfError(f"{source}: the top level is {_kind(data)}, not an object of benchmarks")
    if not data:
        raise BmfError(f"{source}: no benchmark in it")
    results: Results = {}
    for name, measures in data.items():
        where = f"{source}: {name!r}"
        if not isinstance(name, str) or not name.strip():
            raise BmfError(f"{source}: a benchmark has no name")
        if not isinstance(measures, dict):
            raise BmfError(f"{where} is {_kind(measures)}, not an object of measures")
        if not measures:
            raise BmfError(f"{where} has no measure")
        results[name] = {}
        for measure, metric in measures.items():
            if not isinstance(measure, str) or not measure.strip():
                raise BmfError(f"{where} has a measure without a name")
            results[name][measure] = _metric(metric, f"{where}.{measure}")
    return results


def _text(path: str | os.PathLike[str]) -> str:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except OSError as error:
        raise BmfError(f"{os.fspath(path)}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BmfError(f"{os.fspath(path)}: not UTF-8: {error.reason} at byte {error.start}") from None


def parse(text: str, source: str = "results") -> Results:
    return validate(_load(text, source), source)


def read(path: str | os.PathLike[str]) -> Results:
    return parse(_text(path), os.fspath(path))


def parse_ccf(text: str, source: str = "results") -> tuple[Results, dict[str, object]]:
    """Strict BMF out of the CCF form, and its metadata apart. Milliseconds become nanoseconds."""
    data = _load(text, source)
    metadata = data.pop(CCF_METADATA, {})
    if not isinstance(metadata, dict):
        raise BmfError(f"{source}: {CCF_METADATA} is {_kind(metadata)}, not an object")
    converted: dict[str, object] = {}
    for name, measures in data.items():
        if not isinstance(measures, dict):
            raise BmfError(f"{source}: {name!r} is {_kind(measures)}, not an object of measures")
        out: dict[str, object] = {}
        for measure, metric in measures.items():
            where = f"{source}: {name!r}.{measure}"
            if measure not in CCF_MEASURES:
                raise BmfError(f"{where}: CCF files have only {', '.join(CCF_MEASURES)}")
            if not isinstance(metric, dict):
                raise BmfError(f"{where} is {_kind(metric)}, not an object with a \"value\"")
            scale = NS_PER_MS if measure == "latency" else 1
            renamed: dict[str, object] = {}
            for field, number in metric.items():
                if field not in CCF_FIELDS:
                    raise BmfError(f"{where} has {field!r}; the CCF form knows only {', '.join(CCF_FIELDS)}")
                renamed[CCF_FIELDS[field]] = _number(number, f"{where}.{field}") * scale
            out[measure] = renamed
        converted[name] = out
    return validate(converted, source), metadata


def read_ccf(path: str | os.PathLike[str]) -> Results:
    return parse_ccf(_text(path), os.fspath(path))[0]


#: How a results file can be read; there is no guessing, for the unit of a latency hangs on it.
READERS: dict[str, Callable[[str | os.PathLike[str]], Results]] = {"bmf": read, "ccf": read_ccf}


def write(path: str | os.PathLike[str], results: Results) -> None:
    """The whole file or none of it: a reader never sees a half."""
    checked = validate(results, os.fspath(path))
    folder = os.path.dirname(os.path.abspath(path))
    handle, scratch = tempfile.mkstemp(prefix=".bmf-", dir=folder)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump(checked, file, indent=2, ensure_ascii=False, allow_nan=False)
            file.write("\n")
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


def update(path: str | os.PathLike[str], results: Results) -> Results:
    """Read, merge, write: each test of a run adds its own measures to the one file. A measure that is there already is
    replaced; everything else stays. The folder is locked meanwhile, as ctest may run two tests at once."""
    added = validate(results, "new results")
    folder = os.open(os.path.dirname(os.path.abspath(path)), os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        merged = read(path) if os.path.exists(path) else {}
        for name, measures in added.items():
            merged.setdefault(name, {}).update(measures)
        write(path, merged)
    finally:
        os.close(folder)
    return merged
