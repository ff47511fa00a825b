# SPDX-License-Identifier: Apache-2.0
"""A whole flow field with its points, as the figures take it: of a snapshot, or of a simulation in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ..solvers.simulation import Simulation

PLASMA = ("density", "velocity", "pressure", "magnetic")


@dataclass(frozen=True)
class FlowField:
    """A whole flow field with its points. Shapes (3, nz, ny, nx): components x, y, z first, x contiguous."""

    points: np.ndarray
    velocity: np.ndarray
    time: float = 0.0

    @staticmethod
    def of(simulation: Simulation) -> FlowField | None:
        """The present flow, on rank 0; collective."""
        state = [simulation.gather(name) for name in ("coordinates", "velocity")]
        return None if state[0] is None else FlowField(*state, simulation.time)

    def plane(self, axis: int) -> FlowField:
        """The middle plane across an axis (0 x, 1 y, 2 z), shape (3, n2, n1); two planes are averaged,
        along a periodic axis half a spacing below the middle of the box."""
        count = self.points.shape[3 - axis]
        middle = sorted({(count - 1) // 2, count // 2})
        return FlowField(
            *(np.take(a, middle, axis=3 - axis).mean(axis=3 - axis) for a in (self.points, self.velocity)),
            self.time,
        )


@dataclass(frozen=True)
class PlasmaField:
    """The state of a plasma on an even grid: scalars (nz, ny, nx), vectors (3, nz, ny, nx)."""

    points: np.ndarray
    density: np.ndarray
    velocity: np.ndarray
    pressure: np.ndarray
    magnetic: np.ndarray
    time: float = 0.0

    @staticmethod
    def of(simulation: Simulation) -> PlasmaField | None:
        """The present state of all nodes, on rank 0; collective."""
        state = [simulation.gather(name) for name in ("coordinates", *PLASMA)]
        return None if state[0] is None else PlasmaField(*state, simulation.time)

    def axis(self, direction: int) -> np.ndarray:
        """Positions of the nodes along x (0), y (1) or z (2)."""
        line = [0, 0, 0]
        line[2 - direction] = slice(None)
        return self.points[(direction, *line)]

    def completed(self, mirrored: tuple[bool, bool]) -> PlasmaField:
        """With what lies beyond the planes of symmetry y = 0 and z = 0, on which the first nodes lie: a
        mirror reflects v and B, the equator v and -B."""
        parts = [self.points, self.density, self.velocity, self.pressure, self.magnetic]
        for axis in (axis for axis, there in zip((1, 2), mirrored, strict=True) if there):
            reflected = np.ones(3)
            reflected[axis] = -1.0
            turns = (reflected, None, reflected, None, reflected if axis == 1 else -reflected)
            for n, (values, turn) in enumerate(zip(parts, turns, strict=True)):
                along = values.ndim - 1 - axis
                image = np.flip(values, along)
                image = np.take(image, range(image.shape[along] - 1), along)
                if turn is not None:
                    image = image * turn[:, None, None, None]
                parts[n] = np.concatenate([image, values], axis=along)
        return PlasmaField(*parts, self.time)

    def plane(self, across: int, at: float = 0.0) -> PlasmaField:
        """The plane of nodes nearest to `at` across an axis, as arrays of two dimensions."""
        n = int(np.argmin(np.abs(self.axis(across) - at)))
        parts = self.points, self.density, self.velocity, self.pressure, self.magnetic
        return PlasmaField(*(np.take(part, n, part.ndim - 1 - across) for part in parts), self.time)
