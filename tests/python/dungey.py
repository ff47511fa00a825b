# SPDX-License-Identifier: Apache-2.0
"""A dipole in a uniform southward field (Dungey 1961): its open flux, and a convection that is known exactly.

In units of the dipole's field at the equator of r = 1, with rho the distance from the axis and b the strength
of the uniform field, B = dipole - b z has the flux pi psi, psi = rho^2 (2 / r^3 + b), within a circle around
the axis. B_z = 1 / r^3 - b on the equator, so that B vanishes on a ring at r = b^(-1/3). The lines through it
have psi = 3 b^(1/3) and bound the open ones. The azimuth and psi are the same all along a line, and so is

    Phi = -e y sqrt(2 / (b r^3) + 1) = -e sqrt(psi / b) sin(azimuth),

which far away is that of a uniform field e along y. v = E x B / B^2 with E = -grad Phi is a steady flow of an
ideal plasma: -v x B = E. Where b grows, E has the part db/dt / 2 z x r more (Faraday).
"""

import numpy as np

from subcurrent.case.reading import typed_case
from subcurrent.report.flowfield import PlasmaField


def ring(b: float) -> float:
    """The radius at which B vanishes."""
    return b ** (-1 / 3)


def open_flux(b: float) -> float:
    return 3 * np.pi / ring(b)


def drop(b: float, e: float) -> float:
    """Of Phi, across the open lines: as across a disc of radius sqrt(3) ring far away."""
    return 2 * abs(e) * np.sqrt(3) * ring(b)


def sine_of_boundary(b: float, r: float) -> float:
    """Of the colatitude at which the open lines end on a sphere."""
    return np.sqrt(3 / ring(b) / (2 / r + b * r**2))


def magnetic(points: np.ndarray, b: float, moment: np.ndarray) -> np.ndarray:
    """Components first; b < 0: a uniform field northward."""
    r = np.sqrt((points**2).sum(0))
    m = moment.reshape(3, *(1,) * (points.ndim - 1))
    return (r**2 * m - 3 * (m * points).sum(0) * points) / r**5 - b * m


def electric(points: np.ndarray, b: float, e: float, moment: np.ndarray) -> np.ndarray:
    """-grad Phi; the axis of y lies across that of the dipole."""
    r, y = np.sqrt((points**2).sum(0)), points[1]
    g = np.sqrt(2 / (b * r**3) + 1)
    across = np.array([0.0, 1.0, 0.0]).reshape(3, *(1,) * (points.ndim - 1))
    return e * (g * across - 3 * y / (b * r**5 * g) * points)


def state(
    low, counts, spacing: float, b: float, e: float = 0.0, tilt: float = 0.0, growth: float = 0.0
) -> PlasmaField:
    """On a grid; within half a radius, and where B is weak, at rest. `growth`: db/dt, without a tilt."""
    axes = [first + spacing * np.arange(count) for first, count in zip(low, counts, strict=True)]
    points = np.stack(np.meshgrid(*axes, indexing="ij"))
    points = np.moveaxis(points, (1, 2, 3), (3, 2, 1)).copy()
    moment = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    away = (points**2).sum(0) > 0.25
    places = np.where(away, points, 1.0)
    field = magnetic(places, b, moment)
    flow = np.zeros_like(points)
    if e or growth:
        square = np.maximum((field**2).sum(0), 1e-12)
        induced = 0.5 * growth * np.stack([-points[1], points[0], 0 * points[0]])
        flow = away * np.cross(electric(places, b, e, moment) + induced, field, axis=0) / square
    one = np.ones(points.shape[1:])
    return PlasmaField(points, one, flow, one, away * field, 0.0)


HALF = 14.0


def case_of(mirrored="", spacing=1.0, resistivity=0.0, **planet):
    """A planet whose box has this half of a side, with planes of symmetry across y and z."""
    low = [-HALF, *(0.0 if axis in mirrored else -HALF for axis in "yz")]
    counts = [round((HALF - first) / spacing) + 1 for first in low]
    faces = {"x-": "wind", "x+": "free", **dict.fromkeys(("y-", "y+", "z-", "z+"), "free")}
    faces |= {"y-": "mirror"} if "y" in mirrored else {}
    faces |= {"z-": "equator"} if "z" in mirrored else {}
    tables = {
        "solver": "magnetosphere",
        "plasma": {"initial": "planet"},
        "grid": {"points": counts, "spacing": spacing, "low": low},
        "boundaries": faces,
        "planet": {"inner": 1.5, "outer": 3.0, **planet},
        "wind": {"density": 5.0, "velocity": [300.0, 0.0, 0.0], "temperature": 2e5},
        "diffusion": {"resistivity": resistivity},
        "run": {"steps": 1},
    }
    return typed_case(tables, None)
