# SPDX-License-Identifier: Apache-2.0
"""Reads a snapshot for figures, in the launcher or the report only (never in an MPI rank)."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import StorageError, SubcurrentError, storage_error
from .flowfield import PLASMA, FlowField, PlasmaField


def read_snapshot(path: Path) -> FlowField:
    """The points and velocity of a snapshot; raises an error for a file without a structured grid with
    them."""
    time, fields = read_fields(path, ("grid/points", "fields/velocity"))
    return FlowField(fields["grid/points"], fields["fields/velocity"], time)


def read_plasma(path: Path) -> PlasmaField:
    """All fields of a snapshot of the magnetosphere solver."""
    names = ("grid/points", *(f"fields/{name}" for name in PLASMA))
    time, fields = read_fields(path, names)
    return PlasmaField(*(fields[name] for name in names), time)


def read_plane(path: Path, name: str) -> tuple[float, np.ndarray]:
    """The time and one field, components first, in the plane through the middle across z."""
    time, fields = read_fields(path, (f"fields/{name}",), middle=True)
    return time, fields[f"fields/{name}"][..., 0, :, :]


def read_fields(
    path: Path, names: tuple[str, ...], middle: bool = False
) -> tuple[float, dict[str, np.ndarray]]:
    """The time and the named arrays of a snapshot, components first; only of the middle plane across z if
    requested."""
    with reading(path) as file:
        return float(file.attrs["time"]), {name: _components(Array(file, name), middle) for name in names}


@contextlib.contextmanager
def reading(path: Path) -> Iterator[Any]:
    """A snapshot as an open HDF5 file; errors become a StorageError."""
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
    except (KeyError, RuntimeError, TypeError, ValueError) as error:
        if isinstance(error, SubcurrentError):
            raise
        text = " ".join(str(error).split())
        raise StorageError(f"cannot read {path}: it is no snapshot of this program ({text}).") from None


class Array:
    """An array of an open snapshot, (z, y, x) with or without components, from the group that VTK reads; its
    checksum is there too. Raises StorageError if that does not match."""

    def __init__(self, file: Any, name: str):
        where = {"grid/points": "VTKHDF/Points"}.get(name, name.replace("fields/", "VTKHDF/PointData/"))
        view, source = file[name], file.get(where)
        self.shape: tuple[int, ...] = view.shape
        self._source = view if source is None else source
        if source is None or "checksum" not in source.attrs:
            return  # of an older version, or made by another program
        if checksum(source) != int(source.attrs["checksum"]):
            raise StorageError(
                f"the snapshot {file.filename} is damaged: the checksum of {name} does not match."
            )

    def planes(self, low: int, high: int) -> np.ndarray:
        """The planes low <= z < high."""
        shape = (high - low, *self.shape[1:])
        if self._source.ndim == len(self.shape):
            return self._source[low:high]
        plane = self.shape[1] * self.shape[2]
        return self._source[low * plane : high * plane].reshape(shape)


BATCH = 2**18  # elements summed up at a time


def checksum(data: Any) -> int:
    """As io/checksum.hpp: the sum modulo 2^64 over the elements of mix(bits ^ mix(number + 1))."""
    rows = max(1, BATCH // max(1, int(np.prod(data.shape[1:]))))
    total, first = np.uint64(0), 1
    with np.errstate(over="ignore"):
        for low in range(0, data.shape[0], rows):
            part = np.ascontiguousarray(data[low : low + rows]).ravel()
            bits = part.view(f"u{part.itemsize}").astype(np.uint64)
            numbers = np.arange(first, first + bits.size, dtype=np.uint64)
            total += _mix(bits ^ _mix(numbers)).sum(dtype=np.uint64)
            first += bits.size
    return int(total)


def _mix(v: np.ndarray) -> np.ndarray:
    v = (v ^ (v >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    v = (v ^ (v >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return v ^ (v >> np.uint64(31))


def _components(data: Array, middle: bool) -> np.ndarray:
    """(nz, ny, nx, 3) as it stands in the file, components first; (nz, ny, nx) as it is."""
    half = data.shape[0] // 2
    planes = data.planes(half, half + 1) if middle else data.planes(0, data.shape[0])
    values = np.asarray(planes, dtype=float)
    return np.moveaxis(values, -1, 0) if values.ndim == 4 else values
