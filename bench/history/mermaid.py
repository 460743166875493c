# SPDX-License-Identifier: MIT
"""A chart as a Mermaid block (11.6 or newer), as GitHub draws it in Markdown."""

from __future__ import annotations

import json

from . import radar
from .radar import Chart, Curve

SIZE = {"width": 620, "height": 620, "marginTop": 90, "marginRight": 220, "marginBottom": 60, "marginLeft": 220}
LABEL_FACTOR = 1.12
TENSION = 0.08

# The page's own colours where there is a page (GitHub has two names for each), so that light and dark both work.
CANVAS = "var(--color-canvas-default,var(--bgColor-default,#fff))"
INK = "var(--color-fg-default,var(--fgColor-default,#111827))"


def _text(text: str) -> str:
    """A string that YAML and Mermaid both read. Mermaid ends a string at any quote, escaped or not."""
    return json.dumps(text.replace('"', "'").replace("\\", "/"), ensure_ascii=False)


def _mix(part: float) -> str:
    return f"color-mix(in srgb, {radar.BLUE} {round(100 * part)}%, {CANVAS})"


def _style(chart: Chart) -> list[str]:
    fills = (_mix(radar.OUTER_PART), _mix(radar.INNER_PART), _mix(radar.OUTER_PART), CANVAS)
    rules = [f".radarCurve-{i}{{fill:{fill}!important;fill-opacity:1!important;stroke:none!important}}"
             for i, fill in enumerate(fills)]
    rules.append(f".radarAxisLabel,.radarTitle{{fill:{INK}!important;color:{INK}!important}}")
    for i, curve in enumerate(chart.branch):
        width = radar.STROKE_LATEST if curve.age == 0 else radar.STROKE
        rules.append(f".radarCurve-{len(fills) + i}{{stroke-width:{width}px!important;"
                     f"opacity:{radar.OPACITY[curve.age]}!important}}")
    rules += [f".radarAxisLabel:nth-of-type({k}){{fill:{axis.colour}!important}}"
              for k, axis in enumerate(chart.axes, start=1)]
    return rules


def _curve(curve: Curve) -> str:
    values = ", ".join(f"{value:.2f}" for value in curve.values)
    return f"  curve {curve.id}[{_text(curve.label)}]{{{values}}}"


def diagram(chart: Chart) -> str:
    curves = chart.bands + chart.branch
    lines = ["---", f"title: {_text(chart.measure.heading)}", "config:", "  radar:"]
    lines += [f"    {key}: {value}" for key, value in SIZE.items()]
    lines += [f"    axisLabelFactor: {LABEL_FACTOR}", f"    curveTension: {TENSION}", "  theme: base", "  themeCSS: |"]
    lines += [f"    {rule}" for rule in _style(chart)]
    lines.append("  themeVariables:")
    for i in range(len(curves)):
        lines.append(f'    cScale{i}: "{radar.BLUE if i < len(chart.bands) else radar.ORANGE}"')
    lines += ["    radar:", '      axisColor: "#9CA3AF"', '      graticuleColor: "#E5E7EB"', "      graticuleOpacity: 0",
              "      axisStrokeWidth: 1", "      curveOpacity: 0", "---", "radar-beta"]
    lines += [f"  axis b{i}[{_text(axis.label)}]" for i, axis in enumerate(chart.axes)]
    lines += [_curve(curve) for curve in curves]
    lines.append("  graticule polygon")
    lines.append(f"  max {chart.high}")
    if chart.low:
        lines.append(f"  min {chart.low}")
    lines += ["  ticks 0", "  showLegend false"]
    return "\n".join(lines) + "\n"
