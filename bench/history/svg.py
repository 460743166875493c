# SPDX-License-Identifier: MIT
"""A chart as a self-contained SVG: the geometry of Mermaid's radar, with what a lone file needs besides.

A lone file has no page to take colours from, so it has a canvas of its own in light and in dark. It is as wide as its
labels (Mermaid's canvas cuts long ones off), labels that would lie on each other are moved apart, and a line below says
what is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

from . import radar
from .mermaid import LABEL_FACTOR, SIZE
from .radar import Chart

RADIUS = min(SIZE["width"], SIZE["height"]) / 2
LABEL_PAD = 4
LINE_HEIGHT = 17
# Of the 12 px label font; fonts differ, and a margin that is too wide is no fault.
CHARACTER_WIDTH = 7.2
EDGE = 16
LEGEND_GAP = 40

CANVAS = {"light": "#FFFFFF", "dark": "#0D1117"}
INK = {"light": "#1F2328", "dark": "#E6EDF3"}
FAINT = {"light": "#59636E", "dark": "#9198A1"}
AXIS = {"light": "#9CA3AF", "dark": "#4B5563"}


@dataclass
class Label:
    x: float
    y: float
    anchor: str
    baseline: str
    text: str
    colour: str
    name: str
    moved: bool = False

    @property
    def width(self) -> float:
        return CHARACTER_WIDTH * len(self.text)

    @property
    def span(self) -> tuple[float, float]:
        start = {"start": 0.0, "end": -self.width, "middle": -self.width / 2}[self.anchor]
        return self.x + start, self.x + start + self.width


def angle(i: int, n: int) -> float:
    return 2 * math.pi * i / n - math.pi / 2


def radius(value: float, low: float, high: float) -> float:
    """How far out a value lies; one beyond the scale lies on its edge."""
    return RADIUS * (min(max(value, low), high) - low) / (high - low)


def points(values: list[float], low: float, high: float) -> list[tuple[float, float]]:
    n = len(values)
    return [(radius(v, low, high) * math.cos(angle(i, n)), radius(v, low, high) * math.sin(angle(i, n)))
            for i, v in enumerate(values)]


def _xy(x: float, y: float) -> str:
    return f"{round(x, 2) + 0:g},{round(y, 2) + 0:g}"


def mix(part: float, canvas: str) -> str:
    """The blue over a canvas as a plain colour, as not every viewer of SVG knows color-mix()."""
    def channel(at: int) -> int:
        return round(part * int(radar.BLUE[at:at + 2], 16) + (1 - part) * int(canvas[at:at + 2], 16))
    return "#" + "".join(f"{channel(at):02X}" for at in (1, 3, 5))


def labels(chart: Chart) -> list[Label]:
    out = []
    for i, axis in enumerate(chart.axes):
        cos, sin = math.cos(angle(i, len(chart.axes))), math.sin(angle(i, len(chart.axes)))
        anchor = "start" if cos > 0.01 else "end" if cos < -0.01 else "middle"
        baseline = "hanging" if sin > 0.01 else "auto" if sin < -0.01 else "central"
        reach = RADIUS * LABEL_FACTOR + LABEL_PAD
        out.append(Label(reach * cos, reach * sin, anchor, baseline, axis.label, axis.colour, axis.name))
    _spread(out)
    return out


def _spread(placed: list[Label]) -> None:
    """Away from the middle height, upwards above it and downwards below, until no two lie on each other."""
    for sign in (-1, 1):
        half = sorted((p for p in placed if (p.y >= 0 if sign > 0 else p.y < 0)), key=lambda p: sign * p.y)
        done: list[Label] = []
        for label in half:
            at = label.y
            for other in done:
                left, right = label.span
                if left < other.span[1] and other.span[0] < right and sign * (label.y - other.y) < LINE_HEIGHT:
                    label.y = other.y + sign * LINE_HEIGHT
            label.moved = abs(label.y - at) > LINE_HEIGHT / 2
            done.append(label)
            done.sort(key=lambda p: sign * p.y)


def _near(label: Label) -> tuple[float, float]:
    """Where the line to a moved label ends: beside the text, not in it."""
    if label.anchor == "middle":
        return label.x, label.y - math.copysign(LINE_HEIGHT / 2, label.y)
    return label.x + (-LABEL_PAD if label.anchor == "start" else LABEL_PAD), label.y


def _style() -> str:
    def theme(mode: str) -> str:
        canvas = CANVAS[mode]
        return (f"--canvas:{canvas};--ink:{INK[mode]};--faint:{FAINT[mode]};--axis:{AXIS[mode]};"
                f"--outer:{mix(radar.OUTER_PART, canvas)};--inner:{mix(radar.INNER_PART, canvas)}")
    return "\n".join((
        f"svg{{{theme('light')}}}",
        f"@media (prefers-color-scheme:dark){{svg{{{theme('dark')}}}}}",
        "text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif;font-size:12px}",
        ".canvas,.hole{fill:var(--canvas)}.outer{fill:var(--outer)}.inner{fill:var(--inner)}",
        ".axis,.leader{stroke:var(--axis);stroke-width:1}.leader{stroke-dasharray:2 2;fill:none}",
        f".branch{{fill:none;stroke:{radar.ORANGE};stroke-linejoin:round}}",
        ".title{fill:var(--ink);font-size:18px;font-weight:600}.legend{fill:var(--faint)}",
    ))


def _legend(chart: Chart) -> list[str]:
    label = chart.branch[-1].label
    earlier = len(chart.branch) - 1
    lines = f"orange: {label}" + (f", fainter: {earlier} earlier run{'s' if earlier > 1 else ''}" if earlier else "")
    return [f"100 = main; blue: ±1σ, paler: ±2σ; {lines}",
            f"in percent of main: centre {chart.low}, edge {chart.high}. Green is better, red worse, grey within noise."]


def picture(chart: Chart) -> str:
    placed = labels(chart)
    legend = _legend(chart)
    title = chart.measure.heading
    spans = [p.span for p in placed] + [(-CHARACTER_WIDTH * len(line) / 2, CHARACTER_WIDTH * len(line) / 2)
                                         for line in legend]
    left = min(-SIZE["width"] / 2, min(s[0] for s in spans)) - EDGE
    right = max(SIZE["width"] / 2, max(s[1] for s in spans)) + EDGE
    top = min(-SIZE["height"] / 2 - SIZE["marginTop"], min(p.y for p in placed) - 62)
    under = max(RADIUS, max(p.y for p in placed) + LINE_HEIGHT) + LEGEND_GAP
    bottom = under + LINE_HEIGHT * len(legend)
    width, height = math.ceil(right - left), math.ceil(bottom - top)
    summary = "; ".join(axis.label for axis in chart.axes)
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="{left:.2f} {top:.2f} {width} {height}" role="img" aria-labelledby="t d">',
        f'<title id="t">{escape(title)}</title>', f'<desc id="d">{escape(summary)}</desc>',
        f"<style>{_style()}</style>",
        f'<rect class="canvas" x="{left:.2f}" y="{top:.2f}" width="{width}" height="{height}"/>',
    ]
    n = len(chart.axes)
    for i in range(n):
        end = (RADIUS * math.cos(angle(i, n)), RADIUS * math.sin(angle(i, n)))
        x2, y2 = _xy(*end).split(",")
        out.append(f'<line class="axis" x1="0" y1="0" x2="{x2}" y2="{y2}"/>')
        if placed[i].moved:
            out.append(f'<polyline class="leader" points="{_xy(*end)} {_xy(*_near(placed[i]))}"/>')
    for curve, ring in zip(chart.bands, ("outer", "inner", "outer", "hole")):
        out.append(_polygon(ring, points(curve.values, chart.low, chart.high), curve.label))
    for curve in chart.branch:
        stroke = radar.STROKE_LATEST if curve.age == 0 else radar.STROKE
        out.append(_polygon("branch", points(curve.values, chart.low, chart.high), curve.label,
                            f' stroke-width="{stroke}" opacity="{radar.OPACITY[curve.age]:g}"'))
    for p in placed:
        x, y = _xy(p.x, p.y).split(",")
        out.append(f'<text x="{x}" y="{y}" text-anchor="{p.anchor}" dominant-baseline="{p.baseline}" fill="{p.colour}">'
                   f"<title>{escape(p.name)}</title>{escape(p.text)}</text>")
    out.append(f'<text class="title" x="0" y="{top + 26:.2f}" text-anchor="middle">{escape(title)}</text>')
    for i, line in enumerate(legend):
        out.append(f'<text class="legend" x="0" y="{under + LINE_HEIGHT * i:.2f}" text-anchor="middle">'
                   f"{escape(line)}</text>")
    out.append("</svg>")
    return "\n".join(out) + "\n"


def _polygon(kind: str, corners: list[tuple[float, float]], text: str, more: str = "") -> str:
    at = " ".join(_xy(x, y) for x, y in corners)
    return f'<polygon class="{kind}" points="{at}"{more}><title>{escape(text)}</title></polygon>'
