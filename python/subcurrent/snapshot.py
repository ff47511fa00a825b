# SPDX-License-Identifier: Apache-2.0
"""Reads a snapshot back for figures, in the launcher or the report only (never in an MPI rank)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .errors import StorageError, storage_error
from .flowfield import FlowField, PlasmaField


def read_snapshot(path: Path) -> FlowField:
    """The points and velocity of a snapshot; refuses a file that holds no structured grid with them."""
    time, fields = read_fields(path, ("grid/points", "fields/velocity"))
    return FlowField(fields["grid/points"], fields["fields/velocity"], time)


def read_plasma(path: Path) -> PlasmaField:
    """All that a snapshot of the magnetosphere solver holds."""
    names = ("density", "velocity", "pressure", "magnetic")
    time, fields = read_fields(path, ("grid/points", *(f"fields/{name}" for name in names)))
    return PlasmaField(fields["grid/points"], *(fields[f"fields/{name}"] for name in names), time)


def read_plane(path: Path, name: str) -> tuple[float, np.ndarray]:
    """The time and one field, components first, in the plane through the middle across z."""
    time, fields = read_fields(path, (f"fields/{name}",), middle=True)
    return time, fields[f"fields/{name}"][..., 0, :, :]


def read_fields(
    path: Path, names: tuple[str, ...], middle: bool = False
) -> tuple[float, dict[str, np.ndarray]]:
    """The time and the named arrays of a snapshot, components first; of the middle across z alone if so
    asked."""
    with reading(path) as file:
        return float(file.attrs["time"]), {name: _components(file[name], middle) for name in names}


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Any]:
    """A snapshot as an open HDF5 file; what goes wrong with it becomes a StorageError."""
    # Only here and not above: under an outer mpirun the program itself becomes a rank, and in a rank h5py's
    # HDF5 must not meet the parallel one of the compiled module.
    import h5py  # noqa: PLC0415

    try:
        with h5py.File(path, "r") as file:
            yield file
    except OSError as error:
        if error.errno:
            raise storage_error(error, path, "read") from None
        raise StorageError(f"cannot read {path}: it is no HDF5 file or a damaged one.") from None
    except (KeyError, ValueError) as error:
        raise StorageError(f"cannot read {path}: it is no snapshot of this program ({error}).") from None


def _components(data: Any, middle: bool) -> np.ndarray:
    """(nz, ny, nx, 3) as it stands in the file, components first; (nz, ny, nx) as it is."""
    half = data.shape[0] // 2
    values = np.asarray(data[half : half + 1] if middle else data[...], dtype=float)
    return np.moveaxis(values, -1, 0) if values.ndim == 4 else values


@dataclass(frozen=True)
class CrystalField:
    """phi and T, shape (nz, ny, nx), on cells at equal distances in um."""

    phase: np.ndarray
    temperature: np.ndarray
    origin: tuple[float, float, float]  # of the first cell's centre
    spacing: tuple[float, float, float]
    time: float = 0.0

    def completed(self, mirrored: tuple[bool, bool, bool]) -> CrystalField:
        """With the images beyond the planes of symmetry x = 0, y = 0, z = 0."""
        phase, temperature, origin = self.phase, self.temperature, list(self.origin)
        for axis in (a for a in range(3) if mirrored[a]):
            phase, temperature = (
                np.concatenate([np.flip(values, 2 - axis), values], axis=2 - axis)
                for values in (phase, temperature)
            )
            origin[axis] -= self.spacing[axis] * self.phase.shape[2 - axis]
        return CrystalField(phase, temperature, tuple(origin), self.spacing, self.time)

    def axis(self, axis: int) -> np.ndarray:
        count = self.phase.shape[2 - axis]
        return self.origin[axis] + self.spacing[axis] * np.arange(count)

    def middle(self, axis: int) -> tuple[np.ndarray, np.ndarray]:
        """phi and T in the plane across an axis through the middle of the domain."""
        count = self.phase.shape[2 - axis]
        planes = sorted({(count - 1) // 2, count // 2})
        return tuple(
            np.take(values, planes, axis=2 - axis).mean(axis=2 - axis)
            for values in (self.phase, self.temperature)
        )


def read_crystal(path: Path, melting: float, every: int = 1) -> CrystalField:
    """A snapshot of the dendrite solver; `every`: means over so many cells along each axis."""
    with reading(path) as file:
        phase, above = (_coarser(file[f"fields/{name}"], every) for name in ("phase", ABOVE))
        spacing = [float(h) for h in file["grid"].attrs["Spacing"]]
        origin = [
            float(r) + 0.5 * (every - 1) * h
            for r, h in zip(file["grid"].attrs["Origin"], spacing, strict=True)
        ]
        return CrystalField(
            phase,
            melting + above,
            tuple(origin),
            tuple(every * h for h in spacing),
            float(file.attrs["time"]),
        )


ABOVE = "temperature_above_melting"


def _coarser(data: Any, every: int) -> np.ndarray:
    """Means over blocks of cells, slab by slab; cells that fill no block are left out."""
    if every == 1:
        return np.asarray(data[...], dtype=np.float32)
    counts = [length // every for length in data.shape]
    out = np.empty(counts, dtype=np.float32)
    for k in range(counts[0]):
        slab = np.asarray(data[k * every : (k + 1) * every, : counts[1] * every, : counts[2] * every])
        out[k] = slab.reshape(every, counts[1], every, counts[2], every).mean(axis=(0, 2, 4))
    return out
