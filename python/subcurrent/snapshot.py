# SPDX-License-Identifier: Apache-2.0
"""Reads a snapshot back for figures, in the launcher or the report only (never in an MPI rank)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .errors import StorageError, storage_error
from .flowfield import FlowField


def read_snapshot(path: Path) -> FlowField:
    """The points and velocity of a snapshot; refuses a file that holds no structured grid with them."""
    # Only here and not above: under an outer mpirun the program itself becomes a rank, and in a rank h5py's
    # HDF5 must not meet the parallel one of the compiled module.
    import h5py  # noqa: PLC0415

    try:
        with h5py.File(path, "r") as file:
            points, velocity = (_vectors(file[name]) for name in ("grid/points", "fields/velocity"))
            return FlowField(points, velocity, float(file.attrs["time"]))
    except OSError as error:
        if error.errno:
            raise storage_error(error, path, "read") from None
        raise StorageError(f"cannot read {path}: it is no HDF5 file or a damaged one.") from None
    except (KeyError, ValueError) as error:
        raise StorageError(f"cannot read {path}: it is no snapshot of this program ({error}).") from None


def _vectors(data: Any) -> np.ndarray:
    """(nz, ny, nx, 3) as it stands in the file, components first."""
    return np.moveaxis(np.asarray(data[...], dtype=float), -1, 0)
