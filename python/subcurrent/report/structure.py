# SPDX-License-Identifier: Apache-2.0
"""Structure functions: moments of velocity differences between points at a distance."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from .snapshot import Array, reading

SAMPLES = 2**21  # points whose differences are averaged: the planes across z are thinned out to so many
SEPARATIONS = 24


@dataclass(frozen=True)
class StructureFunctions:
    """With r along x and y, in a box of side 2 pi; u_l along r, u_t across it:
    `second` <(δu_l)²>, `across` <(δu_t)²>, `third` <(δu_l)³>, each of the shape of `r`."""

    r: np.ndarray
    second: np.ndarray
    across: np.ndarray
    third: np.ndarray

    def mean(self, others: list[StructureFunctions]) -> StructureFunctions:
        """The mean of this one and others with the same r."""
        every = [self, *others]
        names = ("second", "across", "third")
        return StructureFunctions(self.r, *(np.mean([getattr(s, n) for s in every], axis=0) for n in names))


def separations(points: int) -> np.ndarray:
    """Distances in points, from 1 to half a period, nearly equal in their logarithm."""
    return np.unique(np.round(np.geomspace(1, points // 2, SEPARATIONS)).astype(int))


def structure_functions(velocity: np.ndarray) -> StructureFunctions:
    """Of a periodic velocity, shape (3, planes, ny, nx), nx and ny points on 2 pi: means over both directions
    of r, or over x alone if there r would lie between two points of y."""
    ny, nx = velocity.shape[-2:]
    counts = separations(nx)
    axes = [(-1, 0, counts)]
    if ny % nx == 0:
        axes.append((-2, 1, counts * (ny // nx)))
    sums = np.zeros((3, counts.size))
    for axis, along, steps in axes:
        for n, step in enumerate(steps):
            for component in range(3):
                change = np.roll(velocity[component], -step, axis) - velocity[component]
                square = change * change
                if component == along:
                    sums[0, n] += square.mean()
                    sums[2, n] += np.mean(square * change)
                else:
                    sums[1, n] += square.mean() / 2
    return StructureFunctions(counts * (2 * np.pi / nx), *(sums / len(axes)))


def of_snapshot(path: Path) -> tuple[float, StructureFunctions]:
    """The time of a snapshot, and the structure functions of its velocity in evenly spaced planes."""
    with reading(path) as file:
        velocity = Array(file, "fields/velocity")
        nz, ny, nx = velocity.shape[:3]
        count = max(1, min(nz, SAMPLES // (nx * ny)))
        planes = [velocity.planes(z, z + 1)[0] for z in (np.arange(count) * nz) // count]
        return float(file.attrs["time"]), structure_functions(np.moveaxis(np.array(planes, float), -1, 0))
