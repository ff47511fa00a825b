# SPDX-License-Identifier: Apache-2.0
"""Phase and temperature of a crystal for figures, from a snapshot of the dendrite solver or a simulation."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ...report.snapshot import Array, reading
from .units import METRIC, Units

if TYPE_CHECKING:
    from ..simulation import Simulation


@dataclass(frozen=True)
class CrystalField:
    """phi and T, shape (nz, ny, nx), on cells at equal distances in the unit that people read, and along
    which axes their images beyond x = 0, y = 0, z = 0 belong to the domain. Those are not stored: pictures of
    fields larger than memory need little."""

    phase: np.ndarray
    temperature: np.ndarray
    origin: tuple[float, float, float]  # of the first cell's centre
    spacing: tuple[float, float, float]
    time: float = 0.0
    mirrored: tuple[bool, bool, bool] = (False, False, False)
    units: Units = METRIC

    @staticmethod
    def of(simulation: Simulation) -> CrystalField | None:
        """The present crystal, on rank 0; collective."""
        phase, above = (simulation.gather(name) for name in ("phase", ABOVE))
        if phase is None or above is None:
            return None
        case, h = simulation.case, simulation.case.grid.spacing
        origin, spacing = (h / 2,) * 3, (h,) * 3
        temperature, mirrored = case.melting() + above, case.mirrored()
        return CrystalField(phase, temperature, origin, spacing, simulation.time, mirrored, case.shown_in())

    def completed(self, mirrored: tuple[bool, bool, bool]) -> CrystalField:
        return replace(self, mirrored=mirrored)

    def axis(self, axis: int) -> np.ndarray:
        """The centres of the cells of the whole domain along an axis."""
        count = self.phase.shape[2 - axis]
        own = self.origin[axis] + self.spacing[axis] * np.arange(count)
        return np.concatenate([-own[::-1], own]) if self.mirrored[axis] else own

    def bounds(self) -> list[float]:
        """x-, x+, y-, y+, z-, z+ of the whole domain."""
        faces = []
        for axis in range(3):
            centres, half = self.axis(axis), self.spacing[axis] / 2
            faces += [float(centres[0]) - half, float(centres[-1]) + half]
        return faces

    def middle(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """phi and T in the plane across an axis through the middle of the domain."""
        count = self.phase.shape[2 - axis]
        planes = [0] if self.mirrored[axis] else sorted({(count - 1) // 2, count // 2})
        others = [a for a in (2, 1, 0) if a != axis]
        found = []
        for values in (self.phase, self.temperature):
            plane = np.take(values, planes, axis=2 - axis).mean(axis=2 - axis)
            for place, other in enumerate(others):
                if self.mirrored[other]:
                    plane = np.concatenate([np.flip(plane, place), plane], place)
            found.append(plane)
        return found[0], found[1]


def read_crystal(path: Path, melting: float, every: int = 1) -> CrystalField:
    """A snapshot of the dendrite solver; `every`: means over so many cells along each axis that has them."""
    with reading(path) as file:
        arrays = [Array(file, f"fields/{name}") for name in ("phase", ABOVE)]
        blocks = [min(every, length) for length in arrays[0].shape]
        phase, above = (_coarser(array, blocks) for array in arrays)
        along = list(
            zip(file["grid"].attrs["Origin"], file["grid"].attrs["Spacing"], blocks[::-1], strict=True)
        )
        return CrystalField(
            phase,
            melting + above,
            tuple(float(r) + 0.5 * (count - 1) * float(h) for r, h, count in along),
            tuple(count * float(h) for _, h, count in along),
            float(file.attrs["time"]),
        )


ABOVE = "temperature_above_melting"


def _coarser(data: Array, blocks: list[int]) -> np.ndarray:
    """Means over blocks of cells, slab by slab; cells that fill no block are left out."""
    if max(blocks) == 1:
        return np.asarray(data.planes(0, data.shape[0]), dtype=np.float32)
    counts = [length // block for length, block in zip(data.shape, blocks, strict=True)]
    (nz, ny, nx), (bz, by, bx) = counts, blocks
    out = np.empty(counts, dtype=np.float32)
    for k in range(nz):
        slab = data.planes(k * bz, (k + 1) * bz)[:, : ny * by, : nx * bx]
        out[k] = slab.reshape(bz, ny, by, nx, bx).mean(axis=(0, 2, 4))
    return out
