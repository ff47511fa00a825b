# SPDX-License-Identifier: Apache-2.0
"""Pictures of growing crystals: outlines, temperature in the middle planes, and how they grew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...report.plots import style
from ...report.plots.plane import scale_bar
from .kind import ARM_VELOCITIES, ARMS

if TYPE_CHECKING:
    from ...report.snapshot import CrystalField

PLANES = ((2, 0, 1), (1, 0, 2), (0, 1, 2))  # across, then the axes that are drawn to the right and upwards
NANO = 1e9


def draw_temperature(path: Path, crystal: CrystalField, title: str) -> None:
    """T in the three middle planes, with the outline phi = 1/2."""
    low, high = float(crystal.temperature.min()), float(crystal.temperature.max())
    with style.figure(path, 10.5, 4.0, f"{title}, {NANO * crystal.time:.1f} ns") as drawing:
        panels = drawing.subplots(1, 3)
        for axes, (across, right, up) in zip(panels, PLANES, strict=True):
            phase, temperature = crystal.middle(across)
            x, y = crystal.axis(right), crystal.axis(up)
            mesh = axes.pcolormesh(x, y, temperature, cmap="inferno", vmin=low, vmax=high, rasterized=True)
            if min(phase.shape) > 1:
                axes.contour(x, y, phase, levels=[0.5], colors="white", linewidths=0.9)
            axes.set(xlabel=f"{'xyz'[right]} (µm)", ylabel=f"{'xyz'[up]} (µm)", aspect="equal")
            axes.set_title(f"middle plane across {'xyz'[across]}")
            axes.grid(visible=False)
            scale_bar(axes, x, y, "µm")
        drawing.colorbar(mesh, ax=panels, label="temperature (K)", shrink=0.8)


def draw_outlines(path: Path, crystals: list[CrystalField], title: str) -> None:
    """Contours phi = 1/2 in the three middle planes at several times, if the 3-D view is not available."""
    colours = (style.BLUE, style.GREEN, style.ORANGE, style.RED)
    with style.figure(path, 10.5, 4.0, title, "outlines φ = ½ in the middle planes") as drawing:
        panels = drawing.subplots(1, 3)
        for axes, (across, right, up) in zip(panels, PLANES, strict=True):
            for crystal, colour in zip(crystals, colours, strict=False):
                phase, _ = crystal.middle(across)
                if min(phase.shape) > 1:
                    axes.contour(crystal.axis(right), crystal.axis(up), phase, levels=[0.5], colors=colour)
                axes.plot([], [], color=colour, label=f"{NANO * crystal.time:.1f} ns")
            axes.set(xlabel=f"{'xyz'[right]} (µm)", ylabel=f"{'xyz'[up]} (µm)", aspect="equal")
            axes.set_title(f"middle plane across {'xyz'[across]}")
            scale_bar(axes, crystals[0].axis(right), crystals[0].axis(up), "µm")
        panels[0].legend()


def draw_growth(path: Path, history: dict[str, np.ndarray], title: str) -> None:
    """The longest arm, its speed and those of all arms, the solid fraction, and the conserved mean."""
    time = NANO * history["time"]
    with style.figure(path, 10.5, 6.8, title) as drawing:
        (tip, speed), (solid, kept) = drawing.subplots(2, 2, sharex=True)
        tip.plot(time, 1e6 * history["tip"], color=style.BLUE)
        tip.set(title="Longest arm of the first crystal", ylabel="from its centre (µm)")
        for arm, velocity in zip(ARMS, ARM_VELOCITIES, strict=True):
            if velocity in history and history[arm][-1] > 0:  # 0: it leaves the domain at once
                speed.plot(time, history[velocity], color=style.MUTED, linewidth=0.6)
        speed.plot(time, history["tip_velocity"], color=style.RED, linewidth=1.2)
        speed.set(title="Its speed (thin: each arm's)", ylabel="m/s")
        speed.set_ylim(bottom=0)
        solid.plot(time, 100 * history["solid"], color=style.GREEN)
        solid.set(title="Solid fraction", ylabel="% of the domain", xlabel="time (ns)")
        kept.plot(time, history["total"] - history["total"][0], color=style.VIOLET, linewidth=1.2)
        kept.set(title="Mean of T − (L/C) h(φ)", ylabel="change since the first row (K)", xlabel="time (ns)")
        if {"phi_low", "phi_high"} <= history.keys():
            beyond = max(0.0, -float(history["phi_low"].min()), float(history["phi_high"].max()) - 1)
            drawing.supxlabel(f"φ leaves [0, 1] by {beyond:.1e} at most", x=0.012, ha="left", fontsize=9)
