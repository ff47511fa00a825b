# SPDX-License-Identifier: Apache-2.0
"""Pictures of growing crystals: outlines, temperature in the middle planes, and how they grew."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...report.plots import style
from ...report.plots.plane import paint, scale_bar
from .kind import ARM_VELOCITIES, ARMS
from .units import METRIC, Units, labelled

if TYPE_CHECKING:
    from .crystal_field import CrystalField

PLANES = ((2, 0, 1), (1, 0, 2), (0, 1, 2))  # across, then the axes that are drawn to the right and upwards


def planes_of(crystal: CrystalField) -> list[tuple[int, int, int]]:
    """One plane if the other two would be single rows of cells."""
    thin = [plane for plane in PLANES if crystal.phase.shape[2 - plane[0]] == 1]
    return thin if len(thin) == 1 else list(PLANES)


def named(axis: int, units: Units) -> str:
    return labelled("xyz"[axis], units.length[1])


def draw_temperature(path: Path, crystal: CrystalField, title: str) -> None:
    """T in the three middle planes, with the outline phi = 1/2."""
    low, high = float(crystal.temperature.min()), float(crystal.temperature.max())
    units, planes = crystal.units, planes_of(crystal)
    size = (3.5 * len(planes), 4.0) if len(planes) > 1 else (6.0, 5.6)
    with style.figure(path, *size, f"{title}, {units.moment(crystal.time)}") as drawing:
        panels = drawing.subplots(1, len(planes), squeeze=False)[0]
        for axes, (across, right, up) in zip(panels, planes, strict=True):
            phase, temperature = crystal.middle(across)
            x, y = crystal.axis(right), crystal.axis(up)
            look = {"cmap": "inferno", "vmin": low, "vmax": high}
            mesh = paint(axes, x, y, temperature, unit=units.length[1], **look)
            if min(phase.shape) > 1:
                axes.contour(x, y, phase, levels=[0.5], colors="white", linewidths=0.9)
            axes.set(xlabel=named(right, units), ylabel=named(up, units))
            axes.set_title(f"middle plane across {'xyz'[across]}")
        drawing.colorbar(mesh, ax=panels, label=labelled(units.heat, units.temperature), shrink=0.8)


def draw_outlines(path: Path, crystals: list[CrystalField], title: str) -> None:
    """Contours phi = 1/2 in the three middle planes at several times, if the 3-D view is not available."""
    colours = (style.BLUE, style.GREEN, style.ORANGE, style.RED)
    units, planes = crystals[0].units, planes_of(crystals[0])
    size = (3.5 * len(planes), 4.0) if len(planes) > 1 else (5.2, 5.6)
    with style.figure(path, *size, title, "outlines φ = ½ in the middle planes") as drawing:
        panels = drawing.subplots(1, len(planes), squeeze=False)[0]
        for axes, (across, right, up) in zip(panels, planes, strict=True):
            for crystal, colour in zip(crystals, colours, strict=False):
                phase, _ = crystal.middle(across)
                if min(phase.shape) > 1:
                    axes.contour(crystal.axis(right), crystal.axis(up), phase, levels=[0.5], colors=colour)
                axes.plot([], [], color=colour, label=units.moment(crystal.time))
            axes.set(xlabel=named(right, units), ylabel=named(up, units), aspect="equal")
            axes.set_title(f"middle plane across {'xyz'[across]}")
            scale_bar(axes, crystals[0].axis(right), crystals[0].axis(up), units.length[1])
        panels[0].legend()


def draw_growth(path: Path, history: dict[str, np.ndarray], title: str, units: Units = METRIC) -> None:
    """The longest arm, its speed and those of all arms, the solid fraction, and the conserved mean; the free
    energy where the model has one."""
    time, clock = units.time[0] * history["time"], labelled("time", units.time[1])
    energetic = "free_energy" in history
    with style.figure(path, 10.5, 9.8 if energetic else 6.8, title) as drawing:
        panels = drawing.subplots(3 if energetic else 2, 2, sharex=True)
        (tip, speed), (solid, kept) = panels[:2]
        tip.plot(time, units.length[0] * history["tip"], color=style.BLUE)
        tip.set(title="Longest arm of the first crystal", ylabel=labelled("from its centre", units.length[1]))
        for arm, velocity in zip(ARMS, ARM_VELOCITIES, strict=True):
            if velocity in history and history[arm][-1] > 0:  # 0: it leaves the domain at once
                speed.plot(time, history[velocity], color=style.MUTED, linewidth=0.6)
        speed.plot(time, history["tip_velocity"], color=style.RED, linewidth=1.2)
        speed.set(title="Its speed (thin: each arm's)", ylabel=units.speed or "dimensionless")
        speed.set_ylim(bottom=0)
        solid.plot(time, 100 * history["solid"], color=style.GREEN)
        solid.set(title="Solid fraction", ylabel="% of the domain")
        kept.plot(time, history["total"] - history["total"][0], color=style.VIOLET, linewidth=1.2)
        kept.set(
            title=f"Mean of {units.kept}",
            ylabel=labelled(
                "change since the first row" if units.temperature else "change", units.temperature
            ),
        )
        if energetic:
            energy, warmest = panels[2]
            energy.plot(time, history["free_energy"], color=style.ORANGE)
            energy.set(title="Free energy", ylabel="dimensionless")
            warmest.plot(time, history["T_high"], color=style.RED)
            warmest.set(title="Largest u", ylabel="dimensionless")
        for axes in panels[-1]:
            axes.set_xlabel(clock)
        if {"phi_low", "phi_high"} <= history.keys():
            beyond = max(0.0, -float(history["phi_low"].min()), float(history["phi_high"].max()) - 1)
            drawing.supxlabel(f"φ leaves [0, 1] by {beyond:.1e} at most", x=0.012, ha="left", fontsize=9)
