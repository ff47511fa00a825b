# SPDX-License-Identifier: Apache-2.0
"""Reads a snapshot back for figures, in the launcher or the report only (never in an MPI rank)."""

from __future__ import annotations

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


def read_fields(path: Path, names: tuple[str, ...]) -> tuple[float, dict[str, np.ndarray]]:
    """The time and the named arrays of a snapshot, components first."""
    # Only here and not above: under an outer mpirun the program itself becomes a rank, and in a rank h5py's
    # HDF5 must not meet the parallel one of the compiled module.
    import h5py  # noqa: PLC0415

    try:
        with h5py.File(path, "r") as file:
            return float(file.attrs["time"]), {name: _components(file[name]) for name in names}
    except OSError as error:
        if error.errno:
            raise storage_error(error, path, "read") from None
        raise StorageError(f"cannot read {path}: it is no HDF5 file or a damaged one.") from None
    except (KeyError, ValueError) as error:
        raise StorageError(f"cannot read {path}: it is no snapshot of this program ({error}).") from None


def _components(data: Any) -> np.ndarray:
    """(nz, ny, nx, 3) as it stands in the file, components first; (nz, ny, nx) as it is."""
    values = np.asarray(data[...], dtype=float)
    return np.moveaxis(values, -1, 0) if values.ndim == 4 else values
