# SPDX-License-Identifier: Apache-2.0
"""The averages of a flow: speed of the mean flow, and the energy of what fluctuates around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from ...report.flowfield import FlowField
from ...report.plots import style
from .flow import LONGEST


def draw_averages(path: Path, mean: FlowField, stress: np.ndarray, across: int, title: str) -> None:
    """Draws both in the middle plane across an axis. `stress` has components first, the normal ones before
    the others."""
    first, second = (axis for axis in range(3) if axis != across)
    energy = 0.5 * stress[:3].sum(axis=0)
    k = FlowField(mean.points, np.broadcast_to(energy, mean.points.shape)).plane(across)
    flow = mean.plane(across)
    with style.figure(path, style.WIDEST, 6.4, title) as drawing:
        upper, lower = drawing.subplots(2, 1, sharex=True)
        panels = (
            (upper, np.sqrt((flow.velocity**2).sum(axis=0)), "Mean flow", "speed"),
            (lower, k.velocity[0], "Turbulent kinetic energy", "½ ⟨u'u' + v'v' + w'w'⟩ (speed²)"),
        )
        for axes, values, name, label in panels:
            colours = _colours(axes, flow.points[first], flow.points[second], values)
            axes.set_title(f"{name} in the middle plane across {'xyz'[across]}", fontsize=11)
            axes.set(ylabel="xyz"[second])
            drawing.colorbar(colours, ax=axes, label=label, fraction=0.046, pad=0.03)
        lower.set(xlabel="xyz"[first])


def _colours(axes: Axes, a: np.ndarray, b: np.ndarray, values: np.ndarray):
    colours = axes.pcolormesh(a, b, values, cmap=style.SPEED, shading="gouraud", vmin=0, rasterized=True)
    axes.grid(visible=False)
    sides = np.ptp(a) / np.ptp(b)
    axes.set_aspect("equal" if 1 / LONGEST <= sides <= LONGEST else "auto")
    return colours
