# SPDX-License-Identifier: Apache-2.0
"""Field lines of a magnetosphere in space, drawn off screen by PyVista (optional)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyvista as pv

from ...launch.rundir import writing
from ...report.flowfield import PlasmaField
from ...report.plots.space import Views, log_scale
from .units import Units

LATITUDES = (48.0, 60.0, 68.0, 74.0, 80.0)  # of the lines' feet, degrees: from closed to open ones
LONGITUDES = 8
BACKGROUND = "#1f2933"
PRESSURE = "pressure (nPa)"
WIDTH, HEIGHT = 1320, 1000  # pixels


def draw_view(
    path: Path, plasma: PlasmaField, units: Units, inner: float, mirrored: tuple[bool, bool]
) -> None:
    """Lines from feet just outside of what is held, before the pressure in the plane y = 0; what a plane of
    symmetry leaves out is completed. Lengths in radii, the pressure in nPa."""
    whole = plasma.completed(mirrored)
    # An even grid: points are found by their index, where a StructuredGrid would search for each.
    axes = [whole.axis(k) for k in range(3)]
    grid = pv.ImageData(
        dimensions=[len(axis) for axis in axes],
        spacing=[axis[1] - axis[0] for axis in axes],
        origin=[axis[0] for axis in axes],
    )
    outside = np.linalg.norm(whole.points, axis=0) > inner  # where lines may go on
    grid["B"] = np.stack([(outside * whole.magnetic[k]).ravel() for k in range(3)], axis=1)
    pressure = 1e9 * units.pressure * np.maximum(whole.pressure, 1e-300)
    grid[PRESSURE] = pressure.ravel()
    far = np.linalg.norm(whole.points, axis=0) > 1.5 * inner
    scale = log_scale(*np.percentile(pressure[far], (2, 99.7)))
    views = Views(1, 1, WIDTH, HEIGHT, BACKGROUND)
    plotter = views.open(0)
    plane = plotter.add_mesh(
        grid.slice(normal="y", origin=(0.0, 0.0, 0.0)),
        scalars=PRESSURE,
        cmap="magma",
        clim=scale.limits,
        log_scale=True,
        lighting=False,
        show_scalar_bar=False,
    )
    size = float(np.ptp(whole.axis(0)))
    lines = grid.streamlines_from_source(
        pv.PolyData(_feet(1.15 * inner)), vectors="B", max_length=3 * size, max_steps=600
    )
    if lines.n_points:
        plotter.add_mesh(lines.tube(radius=0.002 * size), color="white")
    plotter.add_mesh(pv.Sphere(radius=inner), color="slategray")
    _surround(plotter, grid, units.said(plasma.time))
    views.bar(plane, PRESSURE, scale, "white", "%.3g")
    with writing(path):
        views.save(path)


def _surround(plotter: pv.Plotter, grid: pv.ImageData, time: str) -> None:
    """The camera, axes in radii along three edges of the domain, from one round number to another, and the
    time."""
    x0, x1, y0, y1, z0, z1 = ends = _round_ends(grid.bounds)
    plotter.show_bounds(
        bounds=ends,
        location="outer",
        n_xlabels=_labels(x0, x1),
        n_ylabels=_labels(y0, y1),
        n_zlabels=_labels(z0, z1),
        xtitle="x (radii), sun at low x",
        ytitle="y (radii)",
        ztitle="z (radii)",
        fmt="%.0f",
        color="white",
        font_size=11,
        ticks="outside",
    )
    plotter.add_text(f"t = {time}", position=(30, HEIGHT - 60), font_size=13, color="white")
    middle = np.array([(x0 + x1) / 2, (y0 + y1) / 2, (z0 + z1) / 2])
    size = max(x1 - x0, y1 - y0, z1 - z0)
    plotter.camera_position = [middle + size * np.array([-0.75, -0.85, 0.5]), middle, (0, 0, 1)]
    plotter.reset_camera(bounds=grid.bounds)


def _round_ends(bounds: Sequence[float]) -> list[float]:
    """Of x, y and z, outwards to numbers with few digits: the last nodes may lie beside such a number."""
    ends: list[float] = []
    for lo, hi in zip(bounds[::2], bounds[1::2], strict=True):
        digit = 10.0 ** math.floor(math.log10((hi - lo) / 5))
        ends += [digit * math.floor(lo / digit), digit * math.ceil(hi / digit)]
    return ends


def _labels(lo: float, hi: float) -> int:
    """How many equally spaced numbers an axis gets: three to six, so that they are nearest to round ones."""

    def off(count: int) -> float:
        numbers = np.linspace(lo, hi, count)
        return float(np.mean(np.abs(numbers - 10 * np.round(numbers / 10))))

    return min(range(3, 7), key=off)


def _feet(radius: float) -> np.ndarray:
    """Points on a sphere, at LATITUDES north and south and all around."""
    angles = 2 * np.pi * np.arange(LONGITUDES) / LONGITUDES
    return np.array(
        [
            (radius * np.cos(lat) * np.cos(a), radius * np.cos(lat) * np.sin(a), side * radius * np.sin(lat))
            for lat in np.radians(LATITUDES)
            for side in (1.0, -1.0)
            for a in angles
        ]
    )
