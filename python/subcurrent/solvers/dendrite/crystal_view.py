# SPDX-License-Identifier: Apache-2.0
"""Crystals in space: the surface phi = 1/2, drawn off screen by PyVista (optional)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyvista as pv

from ...launch.rundir import writing
from ...report.plots import style
from ...report.plots.space import off_screen

if TYPE_CHECKING:
    from ...report.snapshot import CrystalField

LIGHT = "#f4f6f8"
TEMPERATURE = "T (K)\n"  # the line below keeps the title off the highest number
BAR = {  # upright at the right edge, where no crystal comes
    "vertical": True,
    "position_x": 0.88,
    "position_y": 0.2,
    "width": 0.05,
    "height": 0.6,
    "color": style.INK,
    "title_font_size": 20,
    "label_font_size": 18,
    "fmt": "%.0f",
}


def surface_of(crystal: CrystalField) -> pv.PolyData:
    """The triangles of phi = 1/2 with T on them, closed where a crystal meets the box."""
    nz, ny, nx = crystal.phase.shape
    origin = [r - h for r, h in zip(crystal.origin, crystal.spacing, strict=True)]
    grid = pv.ImageData(dimensions=(nx + 2, ny + 2, nz + 2), spacing=crystal.spacing, origin=origin)
    grid["phase"] = np.pad(crystal.phase, 1).ravel()
    grid[TEMPERATURE] = np.pad(crystal.temperature, 1, mode="edge").ravel()
    return grid.contour([0.5], scalars="phase")


def draw_surfaces(path: Path, crystals: list[CrystalField]) -> None:
    """One panel a time, side by side, all in the same box."""
    surfaces = [surface_of(crystal) for crystal in crystals]
    values = [s[TEMPERATURE] for s in surfaces if s.n_points]
    limits = (min(v.min() for v in values), max(v.max() for v in values)) if values else (0, 1)
    columns = 2 if len(crystals) > 1 else 1
    rows = -(-len(crystals) // columns)
    plotter = off_screen(shape=(rows, columns), window_size=(800 * columns, 760 * rows), border=False)
    for n, (crystal, surface) in enumerate(zip(crystals, surfaces, strict=True)):
        plotter.subplot(n // columns, n % columns)
        plotter.set_background(LIGHT)
        if surface.n_points:
            plotter.add_mesh(
                surface,
                scalars=TEMPERATURE,
                cmap="inferno",
                clim=limits,
                smooth_shading=True,
                specular=0.4,
                specular_power=20,
                show_scalar_bar=n == len(crystals) - 1,
                scalar_bar_args=BAR,
            )
        nz, ny, nx = crystal.phase.shape
        box = [
            bound
            for r, h, count in zip(crystal.origin, crystal.spacing, (nx, ny, nz), strict=True)
            for bound in (r - h / 2, r + (count - 0.5) * h)
        ]
        plotter.add_mesh(pv.Box(box), style="wireframe", color=style.MUTED, line_width=1)
        plotter.add_text(f"t = {1e9 * crystal.time:.1f} ns", font_size=12, color=style.INK)
        if n == columns * (rows - 1):  # the corner that is under no other panel
            sides = (high - low for low, high in zip(box[::2], box[1::2], strict=True))
            said = " × ".join(f"{side:.3g}" for side in sides) + " µm"
            plotter.add_text(said, position="lower_left", font_size=12, color=style.INK)
        plotter.view_isometric()
        plotter.camera.azimuth = -20
        plotter.reset_camera(bounds=box)
        plotter.camera.SetWindowCenter(0.08, 0.0)  # a little to the left: the bar has the right edge
    with writing(path):
        plotter.screenshot(str(path))
    plotter.close()
