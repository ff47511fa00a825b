# SPDX-License-Identifier: Apache-2.0
"""The open flux without field lines: what enters a hemisphere and does not cross the equatorial plane within
the line at which B_z turns southward."""

from __future__ import annotations

import numpy as np

from .fieldlines import Space

RAYS = 360  # in the equatorial plane, and meridians of the hemisphere
LATITUDES = 32


def beyond_neutral_line(space: Space, radius: float) -> float | None:
    """Of a state whose plane of symmetry is z = 0, in units of the field times length^2. None if there is a
    direction in which B_z does not turn within the grid."""
    angles = _angles()
    ways = np.stack([np.cos(angles), np.sin(angles), 0 * angles], axis=1)
    step = space.spacing / 4
    farthest = float(np.hypot(*np.maximum(space.high, -space.low)[:2]))
    r = np.arange(radius, farthest, step)
    points = r[:, None, None] * ways
    rest = np.where(space.contains(points), space.beyond_dipole(points)[..., 2], np.nan)
    field = rest + r[:, None] ** -3.0
    turned = field <= 0
    first, ray = turned.argmax(axis=0), np.arange(RAYS)
    if not turned.any(axis=0).all() or first.min() == 0:
        return None
    before = field[first - 1, ray]
    part = before / (before - field[first, ray])
    # The integral of B_z r dr: exact for the dipole, by the trapezoidal rule for the rest.
    line = r[first - 1] + part * step
    amount = rest * r[:, None]
    at_line = amount[first - 1, ray] + part * (amount[first, ray] - amount[first - 1, ray])
    sums = np.concatenate([np.zeros((1, RAYS)), np.cumsum(0.5 * step * (amount[1:] + amount[:-1]), axis=0)])
    within = sums[first - 1, ray] + 0.5 * part * step * (amount[first - 1, ray] + at_line)
    closed = 2 * np.pi * float((1 / radius - 1 / line + within).mean())
    return into_hemisphere(space, radius) - closed


def into_hemisphere(space: Space, radius: float) -> float:
    """The flux into the sphere north of the equator: exact for the dipole, by quadrature for the rest."""
    cosine, weight = np.polynomial.legendre.leggauss(LATITUDES)
    cosine, weight = 0.5 * (cosine + 1), 0.5 * weight
    sine, angles = np.sqrt(1 - cosine**2)[:, None], _angles()
    up = np.broadcast_to(cosine[:, None], (LATITUDES, RAYS))
    normals = np.stack([sine * np.cos(angles), sine * np.sin(angles), up], axis=-1)
    outwards = (space.beyond_dipole(radius * normals) * normals).sum(-1)
    return 2 * np.pi / radius - 2 * np.pi * radius**2 * float(weight @ outwards.mean(axis=1))


def _angles() -> np.ndarray:
    return 2 * np.pi * (np.arange(RAYS) + 0.5) / RAYS
