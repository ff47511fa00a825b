# SPDX-License-Identifier: Apache-2.0
"""The picture of the polar caps: the potential over latitude and local time, the sun at the top."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import Triangulation

from ...report.plots import style
from .convection import Chart, Convection
from .units import Units

LEVELS = 12  # of the contours
HOURS = {"12 h, sun": (0, 1), "6 h": (1, 0), "0 h": (0, -1), "18 h": (-1, 0)}  # and where they stand


def draw_polar_caps(path: Path, convection: Convection, title: str, units: Units) -> None:
    """The north alone where the south is the same."""
    caps = {"north": convection.north}
    if convection.south is not convection.north:
        caps["south"] = convection.south
    caps = {name: cap for name, cap in caps.items() if cap.chart is not None}
    widest = max(cap.chart.colatitudes.max() for cap in caps.values())
    highest = max(np.nanmax(np.abs(cap.chart.potentials)) for cap in caps.values())
    levels = MaxNLocator(LEVELS, symmetric=True).tick_values(-highest, highest)
    width = 6.8 if len(caps) == 1 else style.WIDEST
    with style.figure(path, width, 6.4, f"{title}, {units.said(convection.time)}", NOTE) as drawing:
        panels = np.atleast_1d(drawing.subplots(1, len(caps)))
        for axes, (name, cap) in zip(panels, caps.items(), strict=True):
            filled = _dial(axes, cap.chart, levels, widest)
            said = f"{name}: open flux {cap.open_flux:.4g} MWb, potential {cap.potential:.4g} kV"
            axes.set_title(said, fontsize=10, fontweight="normal")
        drawing.colorbar(filled, ax=list(panels), label="potential (kV)", shrink=0.7)


NOTE = (
    "Seen from above the north pole: latitude at the planet's surface, around it local time.\n"
    "Dots: boundary of the open field lines."
)


def _dial(axes: Axes, chart: Chart, levels: np.ndarray, widest: float) -> object:
    """Colatitude outwards, in degrees; the sun at the top, dawn on the right."""
    right, up = chart.colatitudes * np.sin(chart.azimuths), -chart.colatitudes * np.cos(chart.azimuths)
    triangles = Triangulation(right, up, *_triangles(chart))
    filled = axes.tricontourf(triangles, chart.potentials, levels=levels, cmap="RdBu_r")
    axes.tricontour(triangles, chart.potentials, levels=levels, colors=style.INK, linewidths=0.5)
    axes.plot(right[chart.inside :], up[chart.inside :], ".", color="black", markersize=2.5)
    step = next(step for step in (1.0, 5.0, 10.0) if widest <= 6 * step or step == 10)
    rim = step * np.ceil(widest / step)
    angles = np.linspace(0, 2 * np.pi, 181)
    for colatitude in np.arange(step, rim + step / 2, step):
        axes.plot(colatitude * np.cos(angles), colatitude * np.sin(angles), color=style.MUTED, linewidth=0.6)
        place = colatitude * np.sqrt(0.5)
        axes.annotate(f"{90 - colatitude:g}°", (place, place), fontsize=9)
    for hour, (x, y) in HOURS.items():
        axes.plot([0, rim * x], [0, rim * y], color=style.MUTED, linewidth=0.6)
        axes.annotate(hour, (1.1 * rim * x, 1.08 * rim * y), ha="center", va="center")
    axes.set(xlim=(-1.15 * rim, 1.15 * rim), ylim=(-1.15 * rim, 1.15 * rim), aspect="equal")
    axes.set_axis_off()
    return filled


def _triangles(chart: Chart) -> tuple[np.ndarray, np.ndarray]:
    """Their corners, and which to leave out: those that are not between neighbours, or have no potential."""
    corners = Triangulation(*chart.flat.T).triangles
    places = chart.flat[corners]
    longest = np.linalg.norm(places - np.roll(places, 1, axis=1), axis=-1).max(axis=1)
    return corners, (longest > 1.6 * chart.spacing) | np.isnan(chart.potentials)[corners].any(axis=1)
