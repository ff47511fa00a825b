# SPDX-License-Identifier: Apache-2.0
"""Field lines of a state: the field between the nodes, and where lines that begin near the planet end."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from ...report.flowfield import PlasmaField

# How a line from the sphere ends: at a face of the grid, at the sphere again, or neither.
OPEN, CLOSED, LOST = 1, 0, -1
STRIDE = 0.5  # of a line, in spacings
NEAR = 0.1  # the longest stride, in distances from the planet
LAPS = 3  # the longest line, in sums of the sides of the grid
TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class Space:
    """B and v at any point of the grid: B = dipole + rest. The dipole is exact; the rest and v are linear in
    each cell. Points are arrays (n, 3), in radii."""

    low: np.ndarray  # the first node
    spacing: float
    counts: np.ndarray  # of nodes along x, y, z
    moment: np.ndarray  # of the dipole, of length 1
    rest: np.ndarray  # (nodes, 3)
    flow: np.ndarray  # (nodes, 3)

    @property
    def high(self) -> np.ndarray:
        return self.low + self.spacing * (self.counts - 1)

    def dipole(self, points: np.ndarray) -> np.ndarray:
        """B = (r^2 m - 3 (m . r) r) / r^5"""
        square = np.maximum((points**2).sum(-1, keepdims=True), 1e-9)  # the origin may be a node
        along = points @ self.moment
        return (self.moment - 3 * along[..., None] * points / square) / square**1.5

    def magnetic(self, points: np.ndarray) -> np.ndarray:
        return self.dipole(points) + self.between(self.rest, points)

    def beyond_dipole(self, points: np.ndarray) -> np.ndarray:
        return self.between(self.rest, points)

    def velocity(self, points: np.ndarray) -> np.ndarray:
        return self.between(self.flow, points)

    def current(self) -> np.ndarray:
        """curl (B - dipole) at the nodes, by central differences."""
        nx, ny, nz = (int(n) for n in self.counts)
        rest = self.rest.reshape(nz, ny, nx, 3)

        def slope(component: int, along: int) -> np.ndarray:
            return np.gradient(rest[..., component], self.spacing, axis=2 - along)

        curl = [slope((k + 2) % 3, (k + 1) % 3) - slope((k + 1) % 3, (k + 2) % 3) for k in range(3)]
        return np.stack(curl, axis=-1).reshape(-1, 3)

    def contains(self, points: np.ndarray) -> np.ndarray:
        return ((points >= self.low) & (points <= self.high)).all(axis=-1)

    def between(self, values: np.ndarray, points: np.ndarray) -> np.ndarray:
        """Linear between the eight nodes of a cell; outside, the value at the nearest point of the grid."""
        at = np.clip((points - self.low) / self.spacing, 0, self.counts - 1)
        cell = np.minimum(at.astype(int), self.counts - 2)
        part = at - cell
        weights = np.stack([1 - part, part])
        strides = np.array([1, self.counts[0], self.counts[0] * self.counts[1]])
        first = cell @ strides
        found = np.zeros_like(points)
        for i, j, k in itertools.product((0, 1), repeat=3):
            weight = weights[i, ..., 0] * weights[j, ..., 1] * weights[k, ..., 2]
            found += weight[..., None] * values[first + np.dot((i, j, k), strides)]
        return found


def space_of(plasma: PlasmaField, tilt: float, inner: float) -> Space:
    """Of a whole state. `tilt`: of the dipole towards +x, in radians; within `inner` the field is the
    dipole's."""
    axes = [plasma.axis(k) for k in range(3)]
    moment = np.array([np.sin(tilt), 0.0, np.cos(tilt)])
    low, spacing = np.array([axis[0] for axis in axes]), float(axes[0][1] - axes[0][0])
    points, magnetic, flow = (
        np.moveaxis(values, 0, -1).reshape(-1, 3)
        for values in (plasma.points, plasma.magnetic, plasma.velocity)
    )
    bare = Space(low, spacing, np.array([len(axis) for axis in axes]), moment, magnetic, flow)
    outside = (points**2).sum(-1) > inner**2
    rest = np.where(outside[:, None], magnetic - bare.dipole(points), 0.0)
    return Space(low, spacing, bare.counts, moment, rest, np.ascontiguousarray(flow))


def ends(space: Space, starts: np.ndarray, ways: np.ndarray, radius: float) -> np.ndarray:
    """How lines end that start on the sphere of this radius and go outwards: along B where `ways` is 1,
    against it where it is -1."""
    found = np.full(len(starts), LOST)
    live, places = np.arange(len(starts)), np.array(starts, dtype=float)
    most = int(LAPS * (space.high - space.low).sum() / (STRIDE * space.spacing))
    for _ in range(most):
        if not live.size:
            break
        places = _stepped(space, places, ways[live])
        left = ~space.contains(places)
        back = (places**2).sum(-1) < radius**2
        found[live[back]], found[live[left]] = CLOSED, OPEN
        on = ~(left | back)
        live, places = live[on], places[on]
    return found


def feet(space: Space, starts: np.ndarray, ways: np.ndarray, radius: float) -> tuple[np.ndarray, np.ndarray]:
    """Where lines that go inwards from the points reach the sphere of this radius, and whether they do; the
    points themselves where they lie within it."""
    places = np.array(starts, dtype=float)
    distance = np.sqrt((places**2).sum(-1))
    reached = distance <= radius
    live = np.flatnonzero(~reached)
    most = int(LAPS * distance.max(initial=0) / min(STRIDE * space.spacing, NEAR * radius))
    for _ in range(most):
        if not live.size:
            break
        before = places[live]
        after = _stepped(space, before, ways[live])
        far, near = (np.sqrt((p**2).sum(-1)) for p in (before, after))
        there = near <= radius
        part = np.where(there, (far - radius) / np.where(there, far - near, 1.0), 1.0)
        places[live] = before + part[:, None] * (after - before)
        reached[live[there]] = True
        live = live[~there & space.contains(after)]
    return places, reached


def _stepped(space: Space, places: np.ndarray, ways: np.ndarray) -> np.ndarray:
    """One stride of the Runge-Kutta method of fourth order, by length."""
    distance = np.sqrt((places**2).sum(-1))
    stride = (ways * np.minimum(STRIDE * space.spacing, NEAR * distance))[:, None]

    def along(points: np.ndarray) -> np.ndarray:
        b = space.magnetic(points)
        return b / np.maximum(np.sqrt((b**2).sum(-1, keepdims=True)), TINY)

    a = along(places)
    b = along(places + 0.5 * stride * a)
    c = along(places + 0.5 * stride * b)
    d = along(places + stride * c)
    return places + stride / 6 * (a + 2 * b + 2 * c + d)
