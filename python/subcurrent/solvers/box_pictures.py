# SPDX-License-Identifier: Apache-2.0
"""What pictures of turbulence in a periodic box have in common: planes of the box, a reference over time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..report.plots import style
from ..report.plots.plane import paint_cells

COLOURS = (style.BLUE, style.GREEN, style.ORANGE, style.VIOLET, style.RED)


def paint_plane(
    axes: Any, values: np.ndarray, title: str, label: str, colours: str, *, signed: bool, shrink: float = 0.85
) -> None:
    """Values in the plane z = pi, shape (ny, nx). The colours span all but the largest 0.2 %, from 0 or, if
    `signed`, to either side of it."""
    edges = [np.linspace(0, 2 * np.pi, count + 1) for count in values.shape[::-1]]
    top = float(np.quantile(np.abs(values), 0.998)) or 1.0
    paint_cells(axes, edges, values, label, colours, top=top, low=None if signed else 0, shrink=shrink)
    axes.set_title(title)


def draw_box_plane(
    path: Path, values: np.ndarray, time: float, title: str, *, label: str, colours: str, signed: bool
) -> None:
    with style.figure(path, 7.4, 6.6, f"{title}, time {time:.4g}") as drawing:
        name = "plane z = π of the box of 2π"
        paint_plane(drawing.subplots(), values, name, label, colours, signed=signed)


def draw_vorticity(path: Path, vorticity: np.ndarray, time: float, title: str) -> None:
    """|curl u| in the plane z = pi over its mean there; shape (3, ny, nx)."""
    magnitude = np.sqrt(np.sum(vorticity**2, axis=0))
    mean = magnitude.mean()
    values = magnitude / mean if mean > 0 else magnitude
    draw_box_plane(path, values, time, title, label="|ω| / mean of |ω|", colours="magma", signed=False)


def draw_reference(
    panels: dict[str, Any], reference: dict[str, np.ndarray], until: float, label: str
) -> None:
    """Columns of a reference on the axes given for each, over its column t up to a time."""
    seen = reference["t"] <= until * (1 + 1e-9)
    for name, axes in panels.items():
        axes.plot(
            reference["t"][seen],
            reference[name][seen],
            color=style.ORANGE,
            linestyle="--",
            linewidth=1.3,
            label=label,
        )
