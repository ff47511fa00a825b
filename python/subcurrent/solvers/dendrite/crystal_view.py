# SPDX-License-Identifier: Apache-2.0
"""Crystals in space: the surface phi = 1/2, drawn off screen by PyVista (optional)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyvista as pv

from ...launch.rundir import writing
from ...report.plots import style
from ...report.plots.space import Views, linear_scale

if TYPE_CHECKING:
    from ...report.snapshot import CrystalField

LIGHT = "#f4f6f8"
TEMPERATURE = "T (K)"
DISTANCE = (
    "from the\ncentre\n(µm)"  # of the domain: shows the depth of large crystals, whose T differs little
)
SIDE, MARGIN = 700, 28  # pixels of a view, and between its texts and its edges


def surface_of(crystal: CrystalField) -> pv.PolyData:
    """The triangles of phi = 1/2 with T and the distance from the middle of the domain, closed where a
    crystal meets the box."""
    nz, ny, nx = crystal.phase.shape
    origin = [r - h for r, h in zip(crystal.origin, crystal.spacing, strict=True)]
    grid = pv.ImageData(dimensions=(nx + 2, ny + 2, nz + 2), spacing=crystal.spacing, origin=origin)
    grid["phase"] = np.pad(crystal.phase, 1).ravel()
    grid[TEMPERATURE] = np.pad(crystal.temperature, 1, mode="edge").ravel()
    surface = grid.contour([0.5], scalars="phase")
    surface[DISTANCE] = np.linalg.norm(surface.points - np.array(grid.center), axis=1)
    return surface


def draw_surfaces(path: Path, crystals: list[CrystalField], colour: str = TEMPERATURE) -> None:
    """One view a time, side by side, all in the same box; `colour` is TEMPERATURE or DISTANCE."""
    surfaces = [surface_of(crystal) for crystal in crystals]
    values = np.concatenate([s[colour] for s in surfaces])
    scale = linear_scale(values.min(), values.max()) if len(values) else None
    columns = 2 if len(crystals) > 1 else 1
    rows = -(-len(crystals) // columns)
    views, drawn = Views(rows, columns, SIDE, SIDE, LIGHT), None
    for n, (crystal, surface) in enumerate(zip(crystals, surfaces, strict=True)):
        plotter = views.open(n)
        if surface.n_points:
            drawn = plotter.add_mesh(
                surface,
                scalars=colour,
                cmap="inferno",
                clim=scale.limits,
                smooth_shading=True,
                specular=0.4,
                specular_power=20,
                show_scalar_bar=False,
            )
        nz, ny, nx = crystal.phase.shape
        box = [
            bound
            for r, h, count in zip(crystal.origin, crystal.spacing, (nx, ny, nz), strict=True)
            for bound in (r - h / 2, r + (count - 0.5) * h)
        ]
        plotter.add_mesh(pv.Box(box), style="wireframe", color=style.MUTED, line_width=1)
        time = f"t = {1e9 * crystal.time:.1f} ns"
        plotter.add_text(time, position=(MARGIN, SIDE - 2 * MARGIN), font_size=12, color=style.INK)
        if n == columns * (rows - 1):  # the corner that is under no other panel
            sides = (high - low for low, high in zip(box[::2], box[1::2], strict=True))
            said = " × ".join(f"{side:.3g}" for side in sides) + " µm"
            plotter.add_text(said, position=(MARGIN, MARGIN), font_size=12, color=style.INK)
        plotter.view_isometric()
        plotter.camera.azimuth = -20
        plotter.reset_camera(bounds=box)
    if drawn:
        views.bar(drawn, colour, scale, style.INK, "%.4g")
    with writing(path):
        views.save(path)
