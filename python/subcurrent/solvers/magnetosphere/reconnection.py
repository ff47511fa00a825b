# SPDX-License-Identifier: Apache-2.0
"""How fast the field lines of a planet are opened and closed between two states, by Faraday's law: flux that
crosses the boundary of the polar cap in the frame of this boundary.

Along the boundary (s counterclockwise about the field that enters the planet, u its velocity)

    dF/dt = integral of (E + u x B) . ds = day - night,    E = -v x B + eta J

for the open flux F (Siscoe & Huang 1985, J. Geophys. Res. 90, 543). The day side is the stretch of the
boundary through which most flux enters the cap, the night side is the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...report.flowfield import PlasmaField
from .convection import NODES, sphere_of
from .fieldlines import OPEN, space_of
from .polar_cap import HALVINGS, Sphere, open_region

if TYPE_CHECKING:
    from .case import MagnetosphereCase

RAYS = 120  # from the middle of the cap, on which its boundary is found
ALONG = 32  # points of a ray


@dataclass(frozen=True)
class Rates:
    """One hemisphere between two states. Hours are local time, 12 at noon; the stretch goes from the first to
    the second by way of growing hours, from 0 to 24 if it is the whole boundary."""

    begin: float  # in the solver's unit
    end: float
    day: float  # kV, of lines that are opened
    night: float  # kV, of lines that are closed
    growth: float  # kV, of the open flux: what day - night should be
    hours: tuple[float, float] | None  # the stretch of the day side; None where no flux enters
    folded: int  # of the rays, those that cross the boundary several times in either state

    def record(self) -> dict[str, Any]:
        return {
            "begin": self.begin,
            "end": self.end,
            "day_kV": self.day,
            "night_kV": self.night,
            "growth_kV": self.growth,
            "hours": self.hours,
            "folded": self.folded,
        }


@dataclass(frozen=True)
class Cap:
    """The open lines of one state on its sphere."""

    sphere: Sphere
    resistive: np.ndarray  # eta J at the nodes
    time: float
    low: np.ndarray  # the part of the plane in which they lie
    high: np.ndarray

    def voltages(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """As those of the sphere, with the resistive part of E."""
        first, last = self.sphere.points(begin), self.sphere.points(end)
        both = self.sphere.space.between(self.resistive, np.concatenate([first, last]))
        resistive = 0.5 * (both[: len(begin)] + both[len(begin) :])
        return self.sphere.voltages(begin, end) - (resistive * (last - first)).sum(-1)


def find_cap(state: PlasmaField, case: MagnetosphereCase, side: int = 1, nodes: int = NODES) -> Cap | None:
    """In the north, or with side = -1 in the south; None without open lines."""
    planet = case.planet_options()
    space = space_of(state.completed(case.mirrored()), planet["tilt"], planet["inner"])
    sphere = Sphere(space, sphere_of(case), planet["inner"], side)  # does not turn with the planet, as u
    network = open_region(sphere, nodes)
    if network is None:
        return None
    flat = network.flat
    resistive = case.diffusion.resistivity * space.current()
    return Cap(sphere, resistive, state.time, flat.min(axis=0), flat.max(axis=0))


def find_rates(before: Cap | None, after: Cap | None, case: MagnetosphereCase) -> Rates | None:
    """None unless both states have open lines around a common point. The states should be close in time:
    between them everything is taken as linear."""
    if before is None or after is None:
        return None
    middle = 0.25 * (before.low + before.high + after.low + after.high)
    one, other = _boundary(before, middle), _boundary(after, middle)
    if one is None or other is None:
        return None
    kilovolts = 1e-3 * case.units().potential
    growth = (_flux(after, middle, other[0]) - _flux(before, middle, one[0])) / (after.time - before.time)
    entering = kilovolts * _entering((before, one[0]), (after, other[0]), middle)
    day, stretch = largest_stretch(entering)
    return Rates(
        begin=before.time,
        end=after.time,
        day=day,
        night=day - float(entering.sum()),
        growth=kilovolts * growth,
        hours=None if stretch is None else (24 * stretch[0] / RAYS, 24 * stretch[1] / RAYS),
        folded=int((one[1] | other[1]).sum()),
    )


def _directions() -> np.ndarray:
    angles = 2 * np.pi * np.arange(RAYS) / RAYS
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def _boundary(cap: Cap, middle: np.ndarray) -> tuple[np.ndarray, np.ndarray] | None:
    """How far from the middle lines are open along each ray, and which rays reach open lines again beyond
    that. None if the line in the middle is not open."""
    longest = np.hypot(*(np.maximum(cap.high - middle, middle - cap.low)))
    lengths = longest * np.arange(ALONG + 1) / ALONG
    rays = _directions()
    points = middle + lengths[:, None, None] * rays
    is_open = (cap.sphere.fates(points.reshape(-1, 2)) == OPEN).reshape(ALONG + 1, RAYS)
    if not is_open[0].all():
        return None
    ends = np.argmin(is_open, axis=0)
    ends[is_open.all(axis=0)] = ALONG
    folded = (is_open[1:] & ~is_open[:-1]).any(axis=0)
    low, high = lengths[ends - 1], lengths[ends]
    for _ in range(HALVINGS):
        half = 0.5 * (low + high)
        still = cap.sphere.fates(middle + half[:, None] * rays) == OPEN
        low, high = np.where(still, half, low), np.where(still, high, half)
    return 0.5 * (low + high), folded


def _flux(cap: Cap, middle: np.ndarray, lengths: np.ndarray) -> float:
    """Of the open lines, ray by ray."""
    places, weights = np.polynomial.legendre.leggauss(6)
    total = 0.0
    for place, weight in zip(0.5 * (1 + places), 0.5 * weights, strict=True):
        density = cap.sphere.flux(middle + (place * lengths)[:, None] * _directions())
        total += weight * place * (density * lengths**2).sum()
    return float(2 * np.pi / RAYS * total)


def _entering(
    before: tuple[Cap, np.ndarray], after: tuple[Cap, np.ndarray], middle: np.ndarray
) -> np.ndarray:
    """Flux over time that enters through the boundary between each ray and the next, in units of E times
    length: carried by the plasma, and swept by the boundary as it moves along the rays."""
    rays, voltages = _directions(), np.zeros(RAYS)
    for cap, lengths in (before, after):
        points = middle + lengths[:, None] * rays
        voltages += 0.5 * cap.voltages(points, np.roll(points, -1, axis=0))
    (one, first), (other, second) = before, after
    between = middle + 0.5 * (first + second)[:, None] * rays
    density = 0.5 * (one.sphere.flux(between) + other.sphere.flux(between))
    swept = density * (second**2 - first**2) * np.pi / RAYS / (other.time - one.time)
    return 0.5 * (swept + np.roll(swept, -1)) - voltages


def largest_stretch(values: np.ndarray) -> tuple[float, tuple[int, int] | None]:
    """The largest sum of neighbours on a circle, the first of them and the one after the last, 0 and their
    number for all of them; 0 and None if no value is positive."""
    count = len(values)
    if not (values > 0).any():
        return 0.0, None
    before = np.concatenate([[0.0], np.cumsum(np.concatenate([values, values]))])
    sums = np.stack([before[n : n + count] - before[:count] for n in range(1, count + 1)])
    length, first = np.unravel_index(np.argmax(sums), sums.shape)
    if length + 1 == count:
        return float(values.sum()), (0, count)
    return float(sums[length, first]), (int(first), int((first + length + 1) % count))
