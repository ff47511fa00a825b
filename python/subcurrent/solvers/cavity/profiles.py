# SPDX-License-Identifier: Apache-2.0
"""Velocity along the two centrelines of the cube, against the reference (Kurokawa et al., figure 6)."""

from __future__ import annotations

from pathlib import Path

from matplotlib.axes import Axes

from ...case.reference import Profiles
from ...report.plots import style


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
        _u_of_z(left, runs, reference)
        _w_of_x(right, runs, reference)
        found = [axes.get_legend_handles_labels() for axes in (left, right)]
        labels = max(found, key=lambda pair: len(pair[1]))
        drawing.legend(*labels, loc="outside lower right", ncols=3, fontsize=10)
    return differences


def _u_of_z(axes: Axes, runs: dict[str, Profiles], reference: Profiles | None) -> None:
    for (label, profiles), colour in zip(runs.items(), _colours(), strict=False):
        z, u = profiles.lines["u"]
        axes.plot(u, z, color=colour, label=label)
    if reference and "u" in reference.lines:
        z, u = reference.lines["u"]
        axes.plot(u, z, **_marks(reference))
    axes.axvline(0, color=style.MUTED, linewidth=0.8)
    axes.set(title="u on the vertical line x = y = ½", xlabel="u / lid speed", ylabel="z / side", ylim=(0, 1))


def _w_of_x(axes: Axes, runs: dict[str, Profiles], reference: Profiles | None) -> None:
    for (label, profiles), colour in zip(runs.items(), _colours(), strict=False):
        x, w = profiles.lines["w"]
        axes.plot(x, w, color=colour, label=label)
    if reference and "w" in reference.lines:
        x, w = reference.lines["w"]
        axes.plot(x, w, **_marks(reference))
    axes.axhline(0, color=style.MUTED, linewidth=0.8)
    axes.set(
        title="w on the horizontal line y = z = ½", xlabel="x / side", ylabel="w / lid speed", xlim=(0, 1)
    )


def _colours() -> tuple[str, ...]:
    return style.BLUE, style.GREEN, style.RED, style.VIOLET


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
