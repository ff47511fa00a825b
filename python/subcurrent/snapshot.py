# SPDX-License-Identifier: Apache-2.0
"""Reads a VTKHDF snapshot back for figures, in the launcher or the report only (never in an MPI rank)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from .errors import StorageError, storage_error
from .flowfield import FlowField


def read_snapshot(path: Path) -> FlowField:
    """The points and velocity of a snapshot; refuses a file that holds no structured grid with them."""
    # Only here and not above: under an outer mpirun the program itself becomes a rank, and in a rank h5py's
    # HDF5
    # must not meet the parallel one of the compiled module.
    import h5py  # noqa: PLC0415

    try:
        with h5py.File(path, "r") as file:
            root = file["VTKHDF"]
            shape = _shape(root)
            points = _vectors(root["Points"], shape)
            velocity = _vectors(root["PointData"]["velocity"], shape)
            return FlowField(points, velocity, _time(root))
    except OSError as error:
        if error.errno:
            raise storage_error(error, path, "read") from None
        raise StorageError(f"cannot read {path}: it is no HDF5 file or a damaged one.") from None
    except (KeyError, ValueError) as error:
        raise StorageError(f"cannot read {path}: it is no snapshot of this program ({error}).") from None


def _shape(root: Any) -> tuple[int, int, int]:
    """(nz, ny, nx) from the extent or dimensions that the file states, or its arrays' shape."""
    if "WholeExtent" in root.attrs:
        low_high = [int(n) for n in root.attrs["WholeExtent"]]
        nx, ny, nz = (low_high[2 * axis + 1] - low_high[2 * axis] + 1 for axis in range(3))
        return nz, ny, nx
    if "Dimensions" in root.attrs:
        nx, ny, nz = (int(n) for n in root.attrs["Dimensions"])
        return nz, ny, nx
    shape = root["PointData"]["velocity"].shape
    if len(shape) == 4:
        return shape[:3]
    raise ValueError("no WholeExtent and no Dimensions")


def _vectors(data: Any, shape: tuple[int, int, int]) -> np.ndarray:
    return np.moveaxis(np.asarray(data[...], dtype=float).reshape(*shape, 3), -1, 0)


def _time(root: Any) -> float:
    for place in (root, root.get("FieldData", {})):
        if "time" in place:
            return float(np.ravel(place["time"][...])[0])
    return float(np.ravel(root.attrs.get("time", 0.0))[0])
