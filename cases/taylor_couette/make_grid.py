#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The grid between two cylinders, 1 <= r <= 2, that closes on itself: grid.h5 of the case.

    python cases/taylor_couette/make_grid.py FILE [--intervals 16]

Points along the radius from wall to wall, four times as many round the circle and 4 along the axis. On the
two periodic axes the last point is the image of the first: in the same place round the circle, half a radius
further along the axis.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import h5py
import numpy as np


def points(intervals: int) -> dict[str, np.ndarray]:
    """x, y, z of shape (5, 4 intervals + 1, intervals + 1)."""
    radius = 1 + np.arange(intervals + 1) / intervals
    angle = 2 * np.pi * np.arange(4 * intervals + 1) / (4 * intervals)
    axial, around, out = np.meshgrid(0.125 * np.arange(5), angle, radius, indexing="ij")
    return {"x": out * np.cos(around), "y": out * np.sin(around), "z": axial}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--intervals", type=int, default=16, help="from cylinder to cylinder")
    arguments = parser.parse_args()
    with h5py.File(arguments.file, "w") as file:
        for name, values in points(arguments.intervals).items():
            file.create_dataset(name, data=values, compression="gzip", compression_opts=9, shuffle=True)


if __name__ == "__main__":
    main()
