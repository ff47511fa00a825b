# SPDX-License-Identifier: Apache-2.0
"""A whole flow field with its points, as the figures take it, wherever it came from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class FlowField:
    """A whole flow field with its points. Shapes (3, nz, ny, nx): components x, y, z first, x contiguous."""

    points: np.ndarray
    velocity: np.ndarray
    time: float = 0.0

    def plane(self, axis: int) -> FlowField:
        """The middle plane across an axis (0 x, 1 y, 2 z), shape (3, n2, n1); two planes are averaged."""
        count = self.points.shape[3 - axis]
        middle = sorted({(count - 1) // 2, count // 2})
        return FlowField(
            *(np.take(a, middle, axis=3 - axis).mean(axis=3 - axis) for a in (self.points, self.velocity)),
            self.time,
        )
