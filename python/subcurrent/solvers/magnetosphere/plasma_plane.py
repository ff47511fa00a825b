# SPDX-License-Identifier: Apache-2.0
"""Pictures of tests of the MHD scheme in a plane: the blast wave, the field loop."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...report.flowfield import PlasmaField
from ...report.plots import style
from ...report.plots.plane import paint
from .plasma import DENSITY, PRESSURE, paint_with_lines

LINES = (("along", style.BLUE), ("across", style.RED))
NAMES = {"density": "density", "pressure": "pressure", "magnetic": "B²/2"}


def diagonals(plane: PlasmaField, values: np.ndarray) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Values of a plane of nodes around the origin on y = x and y = -x, as (distance, value), "along" and
    "across" a field along (1, 1)."""
    ny, nx = values.shape
    x = plane.points[0][0]
    inner, columns = slice((ny - nx) // 2, (ny + nx) // 2), np.arange(nx)
    square = values[inner]
    return {
        "along": (np.sqrt(2) * x, square[columns, columns]),
        "across": (np.sqrt(2) * x, square[columns[::-1], columns]),
    }


def draw_blast(path: Path, plasma: PlasmaField, reference: dict[str, np.ndarray] | None, title: str) -> None:
    """Density and pressure with field lines; below, three quantities along the field and across it."""
    plane = plasma.plane(2)
    magnetic = 0.5 * (plane.magnetic**2).sum(0)
    quantities = {"density": plane.density, "pressure": plane.pressure, "magnetic": magnetic}
    with style.figure(path, 10.5, 8.0, f"{title}, time {plasma.time:.4g}") as drawing:
        panels = drawing.subplots(2, 3, height_ratios=(3, 2))
        for axes, (name, values), colours in zip(
            panels[0], quantities.items(), (DENSITY, PRESSURE, "cividis"), strict=True
        ):
            bar = {"shrink": 0.7, "label": NAMES[name]}
            paint_with_lines(axes, plane, values, plane.magnetic, density=1.0, bar=bar, cmap=colours)
            axes.set(title=f"{NAMES[name]}, field lines")
        for axes, (name, values) in zip(panels[1], quantities.items(), strict=True):
            for (where, colour), line in zip(LINES, diagonals(plane, values).values(), strict=True):
                axes.plot(*line, color=colour, linewidth=1.8, label=f"{where} the field")
            for n, (where, _) in enumerate(LINES if reference else ()):
                label = "reference" if n == 0 else None  # one entry for both curves
                axes.plot(reference["s"], reference[f"{name} {where}"], **style.REFERENCE, label=label)
            axes.set(xlabel="distance from the centre", ylabel=NAMES[name])
        drawing.legend(
            *panels[1][0].get_legend_handles_labels(), loc="outside lower left", ncols=3, fontsize=9
        )


def draw_loop(
    path: Path,
    plasma: PlasmaField,
    energies: dict[str, np.ndarray],
    reference: dict[str, np.ndarray] | None,
    title: str,
) -> None:
    """B^2 / 2 and the current along z; below, the field's energy over that of the start, `energies` and
    `reference` with columns time and magnetic_energy."""
    plane = plasma.plane(2)
    x, y = plane.points[0][0], plane.points[1][:, 0]
    bx, by = plane.magnetic[:2]
    h = x[1] - x[0]
    current = ((np.roll(by, -1, 1) - np.roll(by, 1, 1)) - (np.roll(bx, -1, 0) - np.roll(bx, 1, 0))) / (2 * h)
    with style.figure(path, 10.5, 6.2, f"{title}, time {plasma.time:.4g}") as drawing:
        top, bottom = drawing.subfigures(2, 1, height_ratios=(3, 2))
        largest = np.abs(current).max()
        panels = (
            ("B²/2", 0.5 * (bx**2 + by**2), {"cmap": "viridis", "vmin": 0}),
            ("current along z", current, {"cmap": "RdBu_r", "vmin": -largest, "vmax": largest}),
        )
        for axes, (name, values, colours) in zip(top.subplots(1, 2), panels, strict=True):
            paint(axes, x, y, values, bar={"shrink": 0.6, "label": name}, shading="nearest", **colours)
            axes.set(title=name, xlabel="x", ylabel="y")
            axes.locator_params(axis="x", nbins=5)
        axes = bottom.subplots()
        if reference:
            axes.plot(*_normed(reference), **style.REFERENCE, label="reference")
        axes.plot(*_normed(energies), color=style.BLUE, linewidth=1.4, label="this run")
        axes.set(title="Energy of the field", xlabel="time (1: a crossing)", ylabel="of that at time 0")
        axes.set(xlim=(0, energies["time"].max()))
        axes.legend()


def _normed(columns: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    return columns["time"], columns["magnetic_energy"] / columns["magnetic_energy"][0]
