# SPDX-License-Identifier: Apache-2.0
"""Field lines of a magnetosphere in space, drawn off screen by PyVista (optional)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyvista as pv

from ...report.flowfield import PlasmaField
from ...report.plots.space import off_screen

LATITUDES = (48.0, 60.0, 68.0, 74.0, 80.0)  # of the lines' feet, degrees: from closed to open ones
LONGITUDES = 8


def draw_view(path: Path, plasma: PlasmaField, inner: float, mirrored: tuple[bool, bool]) -> None:
    """Lines from feet just outside of what is held, before the pressure in the plane y = 0; what a plane of
    symmetry leaves out is completed."""
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
    grid["log10 pressure"] = np.log10(np.maximum(whole.pressure, 1e-300)).ravel()
    far = np.linalg.norm(whole.points, axis=0) > 1.5 * inner
    limits = np.log10(np.percentile(whole.pressure[far], (2, 99.7)))
    plotter = off_screen(window_size=(1500, 950))
    plotter.add_mesh(
        grid.slice(normal="y", origin=(0.0, 0.0, 0.0)),
        scalars="log10 pressure",
        cmap="magma",
        clim=limits,
        lighting=False,
        scalar_bar_args={"color": "white", "title_font_size": 18, "label_font_size": 16, "fmt": "%.1f"},
    )
    size = float(np.ptp(whole.axis(0)))
    lines = grid.streamlines_from_source(
        pv.PolyData(_feet(1.15 * inner)), vectors="B", max_length=3 * size, max_steps=600
    )
    if lines.n_points:
        plotter.add_mesh(lines.tube(radius=0.002 * size), color="white")
    plotter.add_mesh(pv.Sphere(radius=inner), color="slategray")
    plotter.set_background("#1f2933")
    plotter.camera_position = [(-0.75 * size, -0.85 * size, 0.5 * size), (0.05 * size, 0, 0), (0, 0, 1)]
    plotter.screenshot(str(path))
    plotter.close()


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
