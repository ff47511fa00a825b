# SPDX-License-Identifier: Apache-2.0
"""The forces on the walls over time."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.lines import Line2D

from ...report.plots import style
from .forces import column

COLOURS = {
    "x-": style.BLUE,
    "x+": style.VIOLET,
    "y-": style.GREEN,
    "y+": style.MUTED,
    "z-": style.ORANGE,
    "z+": style.RED,
}
FORCE, MOMENT = "density × speed² × length²", "density × speed² × length³"


def draw_forces(path: Path, table: dict[str, np.ndarray], title: str, time_unit: str) -> None:
    """Draws the components of force (all of it, and dashed its viscous part) and moment of every face."""
    faces = [face for face in COLOURS if column(face, "pressure", "x") in table]
    with style.figure(path, 10.5, 7.4, title) as drawing:
        panels = drawing.subplots(3, 2, sharex=True)
        for (left, right), axis in zip(panels, "xyz", strict=True):
            for face in faces:
                _force(left, table, face, axis)
                right.plot(table["time"], table[column(face, "moment", axis)], color=COLOURS[face], lw=1.4)
            left.set_title(f"Force on the wall along {axis}", fontsize=11)
            right.set_title(f"Moment about {axis}", fontsize=11)
        drawing.supylabel(f"left: {FORCE}; right: {MOMENT}", fontsize=9)
        for panel in panels[-1]:
            panel.set_xlabel(f"time ({time_unit})")
        lines = [Line2D([], [], color=COLOURS[face], label=face) for face in faces]
        lines.append(Line2D([], [], color=style.MUTED, linestyle="--", label="viscous part"))
        drawing.legend(handles=lines, loc="outside lower center", ncols=len(lines))


def _force(panel, table: dict[str, np.ndarray], face: str, axis: str) -> None:
    time, viscous = table["time"], table[column(face, "viscous", axis)]
    panel.plot(time, table[column(face, "pressure", axis)] + viscous, color=COLOURS[face], lw=1.4)
    panel.plot(time, viscous, "--", color=COLOURS[face], lw=1.1)
