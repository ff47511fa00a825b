# SPDX-License-Identifier: Apache-2.0
"""The polar cap of a hemisphere: where the planet's field lines are open, their flux, and the potential of
the convection across them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .fieldlines import CLOSED, LOST, OPEN, Space, ends, feet

HALVINGS = 10  # of the stretch between an open and a closed line
LINE = 400  # points of the straight line on which the potential is integrated a second time


@dataclass(frozen=True)
class Sphere:
    """Half of a sphere around the planet, seen along the dipole's axis: `flat` are the coordinates across
    the axis, away from the sun and along y, in units of the radius."""

    space: Space
    radius: float
    inner: float  # within this radius the field is the dipole's
    side: int  # 1: around the north pole, -1: around the south pole
    spin: float = 0.0  # of the planet about z

    def points(self, flat: np.ndarray) -> np.ndarray:
        m = self.space.moment
        away = np.array([m[2], 0.0, -m[0]])
        up = self.side * np.sqrt(np.maximum(1 - (flat**2).sum(-1), 0.0))
        return self.radius * (flat[:, :1] * away + flat[:, 1:] * np.array([0.0, 1.0, 0.0]) + up[:, None] * m)

    def fates(self, flat: np.ndarray) -> np.ndarray:
        """How the planet's lines through these points end. In the north they go into it, in the south they
        come out of it; lines of the wind that pass it by count as closed."""
        points = self.points(flat)
        normal = (self.space.magnetic(points) * points).sum(-1)
        there = np.flatnonzero(((flat**2).sum(-1) < 1) & (self.side * normal < 0))
        found = np.full(len(flat), CLOSED)
        found[there] = ends(self.space, points[there], np.full(len(there), -self.side), self.radius)
        leave = np.flatnonzero(found == OPEN)
        _, reached = self._feet(points[leave])
        found[leave[~reached]] = CLOSED
        return found

    def _feet(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return feet(self.space, points, np.full(len(points), self.side), self.inner)

    def flux(self, flat: np.ndarray) -> np.ndarray:
        """|B_n| dA of the flux, an area of `flat`; nearly constant, since that of a dipole is."""
        points = self.points(flat)
        normal = (self.space.magnetic(points) * points).sum(-1) / self.radius
        rise = np.sqrt(np.maximum(1 - (flat**2).sum(-1), np.finfo(float).tiny))
        return np.abs(normal) * self.radius**2 / rise

    def electric(self, flat: np.ndarray) -> np.ndarray:
        """E = -(v - spin x r) x B, in the frame that rotates with the planet."""
        points = self.points(flat)
        turning = self.spin * np.stack([-points[:, 1], points[:, 0], 0 * points[:, 0]], axis=1)
        return -np.cross(self.space.velocity(points) - turning, self.space.magnetic(points))

    def voltages(self, begin: np.ndarray, end: np.ndarray) -> np.ndarray:
        """The potential of each end above that of its beginning, by the trapezoidal rule."""
        along = self.points(end) - self.points(begin)
        return -0.5 * ((self.electric(begin) + self.electric(end)) * along).sum(-1)

    def latitudes(self, flat: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """At the planet's surface: colatitude, in degrees, and azimuth, from the direction away from the sun
        towards y; along the lines to where the field is the dipole's, and further along the dipole."""
        found, _ = self._feet(self.points(flat))
        m = self.space.moment
        across, y = found @ np.array([m[2], 0.0, -m[0]]), found[:, 1]
        distance = np.sqrt((found**2).sum(-1))
        sine = np.hypot(across, y) / distance**1.5
        return np.degrees(np.arcsin(sine)), np.arctan2(y, across)


@dataclass(frozen=True)
class Network:
    """The points of a square grid on open lines, with the places between them and the others at which the
    lines cease to be open; and the links between neighbours."""

    flat: np.ndarray
    links: np.ndarray  # (links, 2)
    lengths: np.ndarray  # of the links
    spacing: float
    inside: int  # the points before this one are of the grid
    lost: int  # points on lines that neither leave the grid nor come back


@dataclass(frozen=True)
class Potential:
    """In units of E times length."""

    values: np.ndarray  # at the points of a network; NaN where they are not connected with most of the others
    drop: float  # largest less smallest
    along_line: float  # the same two places, but integrated along the straight line between them
    curl: float  # the part of E, root mean square, that is no gradient


def open_region(sphere: Sphere, nodes: int) -> Network | None:
    """The open lines of a hemisphere, on a grid with so many nodes along a side; first on one that covers all
    of the hemisphere. None if there are none."""
    line = np.linspace(-1.0, 1.0, nodes)
    flat = _square(line, line)
    is_open = sphere.fates(flat) == OPEN
    if not is_open.any():
        return None
    margin = line[1] - line[0]
    low, high = flat[is_open].min(axis=0) - margin, flat[is_open].max(axis=0) + margin
    half = 0.5 * (high - low).max() * np.linspace(-1.0, 1.0, nodes)
    x, y = (middle + half for middle in 0.5 * (low + high))
    flat = _square(x, y)
    fates = sphere.fates(flat)
    return _network(sphere, flat, fates, nodes, float(x[1] - x[0]))


def _square(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)


def _network(sphere: Sphere, flat: np.ndarray, fates: np.ndarray, nodes: int, spacing: float) -> Network:
    is_open = fates == OPEN
    number = np.arange(len(flat)).reshape(nodes, nodes)
    pairs = np.concatenate(
        [np.stack([n[:, :-1].ravel(), n[:, 1:].ravel()], axis=1) for n in (number, number.T)]
    )
    both, one = is_open[pairs].all(axis=1), is_open[pairs].sum(axis=1) == 1
    edges = np.where(is_open[pairs[one, :1]], pairs[one], pairs[one, ::-1])  # from open to not open
    parts = _boundary(sphere, flat[edges[:, 0]], flat[edges[:, 1]])
    places = flat[edges[:, 0]] + parts[:, None] * (flat[edges[:, 1]] - flat[edges[:, 0]])
    inside = int(is_open.sum())
    new = np.cumsum(is_open) - 1
    return Network(
        flat=np.concatenate([flat[is_open], places]),
        links=np.concatenate(
            [new[pairs[both]], np.stack([new[edges[:, 0]], inside + np.arange(len(places))], axis=1)]
        ),
        lengths=spacing * np.concatenate([np.ones(both.sum()), parts]),
        spacing=spacing,
        inside=inside,
        lost=int((fates == LOST).sum()),
    )


def _boundary(sphere: Sphere, inside: np.ndarray, outside: np.ndarray) -> np.ndarray:
    """At which part of the way from an open line to another one the lines cease to be open."""
    low, high = np.zeros(len(inside)), np.ones(len(inside))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        still = sphere.fates(inside + middle[:, None] * (outside - inside)) == OPEN
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    return 0.5 * (low + high)


def open_flux(sphere: Sphere, network: Network) -> float:
    """The integral of |B_n| dA over the open lines: the mean of those by rows and by columns."""
    a, b = sphere.flux(network.flat)[network.links].T
    return float(0.5 * network.spacing * (network.lengths * 0.5 * (a + b)).sum())


def potential(sphere: Sphere, network: Network) -> Potential:
    """The least squares of E + grad Phi over the open lines. E has no part along B, so that Phi is the same
    all along a line."""
    begin, end = network.links.T
    values, curl = fitted(network, sphere.voltages(network.flat[begin], network.flat[end]))
    low, high = network.flat[np.nanargmin(values)], network.flat[np.nanargmax(values)]
    line = low + np.linspace(0, 1, LINE)[:, None] * (high - low)
    along = float(sphere.voltages(line[:-1], line[1:]).sum())
    return Potential(values, float(np.nanmax(values) - np.nanmin(values)), along, curl)


def fitted(network: Network, voltages: np.ndarray) -> tuple[np.ndarray, float]:
    """Phi, of mean 0, whose differences are nearest to the voltages of the links, and what is left of them,
    root mean square. Only of points that are connected with most of the others; NaN at the rest."""
    from scipy.sparse import coo_matrix, diags  # noqa: PLC0415 - takes a moment
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415
    from scipy.sparse.linalg import spsolve  # noqa: PLC0415

    count, (begin, end) = len(network.flat), network.links.T
    _, part = connected_components(coo_matrix((np.ones(len(end)), (begin, end)), (count, count)), False)
    main = part == np.bincount(part).argmax()
    kept, number = main[begin], np.cumsum(main) - 1
    begin, end, voltages = number[begin[kept]], number[end[kept]], voltages[kept]
    weights = network.spacing / network.lengths[kept]  # breadth over length: an integral over the area
    rows, ones = np.arange(len(end)), np.ones(len(end))
    # The first point has the potential 0, and no column.
    entries = (np.concatenate([ones, -ones]), (np.tile(rows, 2), np.concatenate([end, begin])))
    differences = coo_matrix(entries, (len(rows), main.sum())).tocsc()[:, 1:]
    weighted = differences.T @ diags(weights)
    found = np.concatenate([[0.0], spsolve((weighted @ differences).tocsc(), weighted @ voltages)])
    left = voltages - (found[end] - found[begin])
    whole = max(float((weights * voltages**2).sum()), float(np.finfo(float).tiny))
    values = np.full(count, np.nan)
    values[main] = found - found.mean()
    return values, float(np.sqrt((weights * left**2).sum() / whole))
