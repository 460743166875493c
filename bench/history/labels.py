# SPDX-License-Identifier: MIT
"""Text at the axes of the radar: numbers, units, and names cut to a length that fits."""

from __future__ import annotations

import math
import re

LABEL_LENGTH = 44

# The parameter of a sweep, and the arm of a comparison: their values are enough to tell the axes apart.
_PARAMETER = re.compile(r"\s*\((?:sig_ms_interval|commit_interval)=([^)]+)\)")
_ARM = re.compile(r"\s*\[backhaul=([^\]]+)\]")

KIB = 1024.0
MIB = 1024.0 * KIB


def _cut_zeros(text: str) -> str:
    return text.rstrip("0").rstrip(".") if "." in text else text


def number(value: float) -> str:
    """About three figures: whole from 100 with separators from 1,000, one decimal from 10, two from 1, else three
    significant figures."""
    size = abs(value)
    if size >= 1000:
        return f"{value:,.0f}"
    if size >= 100:
        return f"{value:.0f}"
    if size >= 10:
        return _cut_zeros(f"{value:.1f}")
    if size >= 1:
        return _cut_zeros(f"{value:.2f}")
    if size == 0:
        return "0"
    # As many decimals as leave three figures; never the exponent form, which nobody reads off a chart.
    return _cut_zeros(f"{value:.{2 - math.floor(math.log10(size))}f}")


def quantity(value: float, unit: str) -> str:
    if unit != "bytes":
        return f"{number(value)} {unit}"
    return f"{number(value / MIB)} MiB" if abs(value) >= MIB else f"{number(value / KIB)} KiB"


def short_name(name: str) -> str:
    return " ".join(_ARM.sub(r" \1", _PARAMETER.sub(r" \1", name)).split())


def _elide_word(word: str) -> str:
    return f"{word[0]}…{word[-1]}" if len(word) > 3 else word


def label(name: str, suffix: str, length: int = LABEL_LENGTH) -> str:
    """`<name>: <suffix>` in at most `length` characters where that can be done: words of the name lose their middle,
    from the left, one at a time, so that the last one stays readable longest. The suffix is never cut."""
    words = short_name(name).split(" ")
    for i in range(len(words)):
        if len(" ".join(words)) + len(": ") + len(suffix) <= length:
            break
        words[i] = _elide_word(words[i])
    return f"{' '.join(words)}: {suffix}"
