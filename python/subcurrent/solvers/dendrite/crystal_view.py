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
from .units import NONE

if TYPE_CHECKING:
    from .crystal_field import CrystalField

LIGHT = "#f4f6f8"
TEMPERATURE = "T (K)"
DISTANCE = (
    "from the\ncentre\n(µm)"  # of the domain: shows the depth of large crystals, whose T differs little
)
SIDE, MARGIN = 700, 28  # pixels of a view, and between its texts and its edges


def surface_of(crystal: CrystalField) -> pv.PolyData:
    """The triangles of phi = 1/2 with T and the distance from the middle of the domain, closed where a
    crystal meets the box, with their images beyond planes of symmetry."""
    nz, ny, nx = crystal.phase.shape
    origin = [r - h for r, h in zip(crystal.origin, crystal.spacing, strict=True)]
    grid = pv.ImageData(dimensions=(nx + 2, ny + 2, nz + 2), spacing=crystal.spacing, origin=origin)
    phase = np.pad(crystal.phase, 1)
    for axis in (a for a in range(3) if crystal.mirrored[a]):  # the layer beyond a plane of symmetry
        layers = np.moveaxis(phase, 2 - axis, 0)
        layers[0] = layers[1]
    grid["phase"] = phase.ravel()
    grid[TEMPERATURE] = np.pad(crystal.temperature, 1, mode="edge").ravel()
    surface = grid.contour([0.5], scalars="phase")
    for axis in (a for a in range(3) if crystal.mirrored[a] and surface.n_points):
        surface = with_image(surface, axis)
    bounds = crystal.bounds()
    centre = [(low + high) / 2 for low, high in zip(bounds[::2], bounds[1::2], strict=True)]
    surface[DISTANCE] = np.linalg.norm(surface.points - np.array(centre), axis=1)
    return surface


def with_image(surface: pv.PolyData, axis: int) -> pv.PolyData:
    """The triangles on the upper side of a plane of symmetry through 0, and their images, facing outwards."""
    normal = tuple(float(a == axis) for a in range(3))
    half = surface.clip(normal, origin=(0.0, 0.0, 0.0), invert=False).triangulate()
    triangles = half.faces.reshape(-1, 4)[:, 1:]
    points = half.points * np.where(np.arange(3) == axis, -1, 1).astype(half.points.dtype)
    both = np.concatenate([triangles, triangles[:, ::-1] + half.n_points])
    whole = pv.PolyData(np.concatenate([half.points, points]), np.insert(both, 0, 3, axis=1).ravel())
    whole[TEMPERATURE] = np.tile(half[TEMPERATURE], 2)
    return whole.clean()  # one point for two on the plane


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
        box = crystal.bounds()
        plotter.add_mesh(pv.Box(box), style="wireframe", color=style.MUTED, line_width=1)
        time = crystal.units.moment(crystal.time)
        plotter.add_text(time, position=(MARGIN, SIDE - 2 * MARGIN), font_size=12, color=style.INK)
        if n == columns * (rows - 1):  # the corner that is under no other panel
            sides = (high - low for low, high in zip(box[::2], box[1::2], strict=True))
            said = f"{' × '.join(f'{side:.3g}' for side in sides)} {crystal.units.length[1]}".rstrip()
            plotter.add_text(said, position=(MARGIN, MARGIN), font_size=12, color=style.INK)
        plotter.view_isometric()
        plotter.camera.azimuth = -20
        plotter.reset_camera(bounds=box)
    if drawn:
        title = "u" if colour == TEMPERATURE and crystals[0].units is NONE else colour
        views.bar(drawn, title, scale, style.INK, "%.4g")
    with writing(path):
        views.save(path)
