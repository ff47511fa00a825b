# SPDX-License-Identifier: Apache-2.0
"""Velocity along the two centrelines of the cube, against the reference (Kurokawa et al., figure 6)."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from ...case.reference import Profiles
from ...report.plots import style

COLOURS = style.BLUE, style.GREEN, style.RED, style.VIOLET


def draw_profiles(
    path: Path,
    runs: dict[str, Profiles],
    reference: Profiles | None = None,
    title: str = "Centreline profiles",
) -> dict[str, float]:
    """Draws u(z) and w(x) of runs keyed by their label; returns the first one's largest differences."""
    first = next(iter(runs.values()))
    differences = first.difference(reference) if reference else {}
    note = ""
    if differences:
        worst = ", ".join(f"{name} {100 * value:.2f} %" for name, value in differences.items())
        note = f"largest difference, in lid speeds: {worst}"
    with style.figure(path, 10.5, 5.0, title, note) as drawing:
        left, right = drawing.subplots(1, 2)
        _draw_lines(left, "u", runs, reference)
        left.axvline(0, color=style.MUTED, linewidth=0.8)
        left.set(
            title="u on the vertical line x = y = ½", xlabel="u / lid speed", ylabel="z / side", ylim=(0, 1)
        )
        _draw_lines(right, "w", runs, reference)
        right.axhline(0, color=style.MUTED, linewidth=0.8)
        right.set(
            title="w on the horizontal line y = z = ½", xlabel="x / side", ylabel="w / lid speed", xlim=(0, 1)
        )
        found = [axes.get_legend_handles_labels() for axes in (left, right)]
        labels = max(found, key=lambda pair: len(pair[1]))
        drawing.legend(*labels, loc="outside lower right", ncols=3, fontsize=10)
    return differences


def _draw_lines(axes: Axes, name: str, runs: dict[str, Profiles], reference: Profiles | None) -> None:
    """Of u the height is upwards, of w the place to the right."""
    turn = slice(None, None, -1 if name == "u" else 1)
    for (label, profiles), colour in zip(runs.items(), COLOURS, strict=False):
        axes.plot(*profiles.lines[name][turn], color=colour, label=label)
    if reference and name in reference.lines:
        axes.plot(*reference.lines[name][turn], **_marks(reference))


def _marks(reference: Profiles) -> dict[str, object]:
    return {
        "linestyle": "none",
        "marker": "o",
        "markersize": 6,
        "markerfacecolor": "white",
        "markeredgecolor": style.ORANGE,
        "markeredgewidth": 1.6,
        "label": f"reference: {reference.source}",
        "zorder": 3,
        "clip_on": False,
    }
