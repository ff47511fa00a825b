# SPDX-License-Identifier: Apache-2.0
"""Field lines of a magnetosphere in space, drawn off screen by PyVista (optional)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyvista as pv

from ..flowfield import PlasmaField


def draw_view(path: Path, plasma: PlasmaField, inner: float) -> None:
    """Field lines from a ring just outside of what is held, the pressure in the noon-midnight plane below."""
    ny = plasma.density.shape[1]
    grid = pv.StructuredGrid(*(np.transpose(plasma.points[k], (2, 1, 0)) for k in range(3)))
    grid["B"] = np.stack([plasma.magnetic[k].ravel() for k in range(3)], axis=1)
    grid["log p"] = np.log10(np.maximum(plasma.pressure, 1e-300)).ravel()
    seeds = [
        (1.1 * r * np.cos(a), abs(1.1 * r * np.sin(a)), 0.0)
        for r in (inner, 2 * inner, 3 * inner)
        for a in np.linspace(0, 2 * np.pi, 17)[:-1]
    ]
    lines = grid.streamlines_from_source(pv.PolyData(np.array(seeds)), vectors="B", max_length=400)
    plotter = pv.Plotter(off_screen=True, window_size=(1400, 900))
    plane = grid.slice(normal="y", origin=(0, plasma.axis(1)[min(1, ny - 1)] * 0.5, 0))
    plotter.add_mesh(plane, scalars="log p", cmap="magma", show_scalar_bar=True)
    if lines.n_points:
        plotter.add_mesh(lines.tube(radius=0.12), color="white")
    plotter.add_mesh(pv.Sphere(radius=inner), color="slategray")
    plotter.set_background("#1f2933")
    plotter.camera_position = [(-45, 60, 45), (5, 0, 0), (0, 0, 1)]
    plotter.screenshot(str(path))
    plotter.close()
