# SPDX-License-Identifier: Apache-2.0
"""A planet's noon-midnight plane, y = 0: the current sheet of the tail, and the foremost point of the
magnetopause. With an equator as boundary condition both are symmetric about z = 0; a tilted dipole lifts
them out of that plane."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...report.flowfield import PlasmaField
from .case import MagnetosphereCase
from .fieldlines import space_of
from .standoff import find_standoff

STEP = 3  # in nodes; the height of the current sheet changes less from node to node
WIDEST, RAYS = 60.0, 41  # of the rays from the planet to the day side, in degrees from the line to the sun


@dataclass(frozen=True)
class Sheet:
    """The current sheet at midnight, behind where the plasma is held: B_x turns there from the direction away
    from the planet, in the south, towards it. One value for each x; NaN where B_x does not turn."""

    x: np.ndarray
    z: np.ndarray
    bz: np.ndarray
    vx: np.ndarray

    def height(self, x: float) -> float:
        return float(np.interp(x, self.x, self.z))

    def neutral_line(self) -> float | None:
        """Where B_z first turns: near the planet it is that of the dipole, northward."""
        return _first(_crossings(self.x, self.bz))

    def southward_to(self) -> float | None:
        return _first(self.x[self.bz < 0][::-1])

    def flows_away_beyond(self) -> float | None:
        """Where v_x turns last."""
        return _first(_crossings(self.x, self.vx)[::-1])


def find_sheet(plasma: PlasmaField, case: MagnetosphereCase) -> Sheet:
    plane = plasma.plane(1)
    x, z = plane.points[0][0], plane.points[2][:, 0]
    behind = x > case.planet.outer
    bx, bz, vx = (values[:, behind] for values in (plane.magnetic[0], plane.magnetic[2], plane.velocity[0]))
    x = x[behind]
    if case.mirrored()[1]:
        return Sheet(x, np.zeros_like(x), bz[0], vx[0])
    at = _followed(bx)  # in rows of nodes
    below = np.clip(np.nan_to_num(at).astype(int), 0, len(z) - 2)
    columns, part = np.arange(len(x)), at - below

    def on_sheet(values: np.ndarray) -> np.ndarray:
        low, high = values[below, columns], values[below + 1, columns]
        return low + part * (high - low)

    return Sheet(x, on_sheet(np.broadcast_to(z[:, None], bx.shape)), on_sheet(bz), on_sheet(vx))


def _followed(bx: np.ndarray) -> np.ndarray:
    """Where B_x turns from positive to negative along each column: nearest to the planet where it falls most,
    beyond in steps of STEP rows at most. The wind and the outer faces have such places of their own."""
    found, last = np.full(bx.shape[1], np.nan), None
    for column, values in enumerate(bx.T):
        rows = np.flatnonzero((values[:-1] > 0) & (values[1:] <= 0))
        fall = values[rows] - values[rows + 1]
        places = rows + values[rows] / fall
        if not len(rows):
            continue
        one = int(fall.argmax() if last is None else np.abs(places - last).argmin())
        if last is None or abs(places[one] - last) <= STEP:
            found[column] = last = places[one]
    return found


@dataclass(frozen=True)
class Nose:
    """The point of the magnetopause nearest to the sun, in the noon-midnight plane, in radii; and the
    distance of the shock along x there, on the same ray from the planet. The magnetopause is flat there, so
    that z is known to a radius or so only."""

    distance: float
    z: float
    shock: float


def find_nose(plasma: PlasmaField, case: MagnetosphereCase) -> Nose | None:
    """None if no ray meets a magnetopause, or if the wind changes with time. As on the line to the sun
    (standoff.py), on rays in the plane; J by differences at the nodes, everything between them linear."""
    wind = case.solar_wind()
    if wind is None or case.winds() is not None:
        return None
    arriving = wind.scaled(case.units())
    options = case.planet_options()
    whole = plasma.completed(case.mirrored())
    space = space_of(whole, options["tilt"], options["inner"])
    scalars = np.stack([whole.density.ravel(), np.linalg.norm(space.current(), axis=-1)], axis=-1)
    scalars = np.concatenate([scalars, np.zeros((len(scalars), 1))], axis=-1)
    distances = np.arange(options["outer"] - 2 * space.spacing, -space.low[0], space.spacing)[::-1]
    found = []
    for angle in np.radians(np.linspace(-WIDEST, WIDEST, RAYS)):
        way = np.array([-np.cos(angle), 0.0, np.sin(angle)])
        r = distances[space.contains(distances[:, None] * way)]
        density, current, _ = space.between(scalars, r[:, None] * way).T
        ray = {
            "x": -r,
            "density": density,
            "vx": -(space.velocity(r[:, None] * way) @ way),
            "current": current,
        }
        towards = -float(np.dot(arriving["velocity"], way))
        there = find_standoff(ray, arriving["density"], towards, options["outer"])
        if np.isfinite(there.magnetopause):
            cosine, sine = np.cos(angle), np.sin(angle)
            found.append(Nose(there.magnetopause * cosine, there.magnetopause * sine, there.shock * cosine))
    return max(found, key=lambda nose: nose.distance, default=None)


def _first(places: np.ndarray) -> float | None:
    return float(places[0]) if len(places) else None


def _crossings(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a sampled function changes its sign."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0)
    return x[at] - values[at] * (x[at + 1] - x[at]) / (values[at + 1] - values[at])
