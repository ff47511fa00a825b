# SPDX-License-Identifier: Apache-2.0
"""A planet's case at another spacing of the nodes."""

from __future__ import annotations

import math

from .case import MagnetosphereCase

COEFFICIENTS = ("density", "pressure", "viscosity", "resistivity")


def at_spacing(case: MagnetosphereCase, spacing: float) -> list[str]:
    """KEY=VALUE, as --set takes them: the same box and coefficients in proportion to the spacing. Nodes lie
    on y = 0 and z = 0: where no plane of symmetry begins the box there, as many on both sides."""
    grid, scale = case.grid, spacing / case.grid.spacing
    points, low = [], []
    for axis, (count, first) in enumerate(zip(grid.points, grid.low, strict=True)):
        below = math.floor(-first / spacing + 1e-9) if axis > 0 and first < 0 else None
        points.append(round(count / scale) if below is None else 2 * below + 1)
        low.append(first if below is None else -below * spacing)
    places = [] if low == list(grid.low) else ["grid.low=[" + ",".join(f"{x:g}" for x in low) + "]"]
    coefficients = {name: getattr(case.diffusion, name) * scale for name in COEFFICIENTS}
    return [
        f"grid.points={points}",
        *places,
        f"grid.spacing={spacing:g}",
        *(f"diffusion.{name}={value:g}" for name, value in coefficients.items()),
    ]
