# SPDX-License-Identifier: Apache-2.0
"""The snapshots that runs leave: their fields, and whether those of two runs are the same."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np

from conftest import history


def last_snapshot(folder: Path) -> Path:
    return sorted((folder / "snapshots").glob("*.vtkhdf"))[-1]


def fields_in(snapshot: Path, *names: str) -> list[np.ndarray]:
    with h5py.File(snapshot) as file:
        return [file[f"fields/{name}"][...] for name in names]


def derivative(values: np.ndarray, axis: int) -> np.ndarray:
    """Of a periodic field (nz, ny, nx), whose sides are 2 pi, along x, y or z, by numpy's transform."""
    count = values.shape[2 - axis]
    k = np.fft.fftfreq(count, 1 / count)
    k[count // 2] = 0
    shape = [1, 1, 1]
    shape[2 - axis] = count
    return np.fft.ifft(1j * k.reshape(shape) * np.fft.fft(values, axis=2 - axis), axis=2 - axis).real


def same_end(one: Path, other: Path, *names: str) -> bool:
    """The history and the last snapshots of two runs."""
    first, second = (last_snapshot(folder) for folder in (one, other))
    fields = zip(fields_in(first, *names), fields_in(second, *names), strict=True)
    return (
        first.name == second.name
        and history(one) == history(other)
        and all(a.dtype == b.dtype and np.array_equal(a, b) for a, b in fields)
    )


def assert_same_output(one: Path, other: Path, *names: str) -> None:
    """The history and all snapshots of two runs."""
    assert history(one) == history(other)
    first, second = (sorted((folder / "snapshots").glob("*.vtkhdf")) for folder in (one, other))
    assert [path.name for path in first] == [path.name for path in second]
    for a, b in zip(first, second, strict=True):
        for x, y in zip(fields_in(a, *names), fields_in(b, *names), strict=True):
            assert np.array_equal(x, y), a.name
