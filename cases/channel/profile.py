#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How a channel's flow becomes that of Poiseuille, as a markdown table.

    subcurrent run channel --out runs/channel
    python cases/channel/profile.py runs/channel [RUN...]

Of the last snapshot of a run, in heights of the channel: the mean velocity U on the last points (below that
of the inflow, whose profile falls to 0 at the walls within a spacing); the largest difference of the velocity
there from U (6 z (1 - z), 0, 0), as a share of U; that of dp/dx from -12 U / Re over the last height of the
channel, as a share of it; the development length, from which on u on the centreline is above 99 % of 3 U / 2,
and that of the correlation of Durst, Ray, Ünsal and Bayoumi, J. Fluids Eng. 127 (2005) 1154, for a uniform
inflow: (0.631^1.6 + (0.0442 U Re)^1.6)^(1/1.6).
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import NamedTuple

import numpy as np

from subcurrent.launch.rundir import RunFolder
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_fields

HEADING = ("points", "U", "profile", "dp/dx", "development length", "Durst et al.")


class Channel(NamedTuple):
    mean: float
    profile: float
    slope: float
    length: float
    published: float


def simpson(values: np.ndarray) -> float:
    """Mean over an even number of equal intervals: exact for a parabola."""
    return float((values[0:-2:2] + 4 * values[1:-1:2] + values[2::2]).sum() / (3 * (values.size - 1)))


def developed(x: np.ndarray, middle: np.ndarray, limit: float) -> float:
    """Where the values exceed a limit for good, linearly between points; infinite if they do not."""
    n = int(np.flatnonzero(middle < limit)[-1])
    if n + 1 == x.size:
        return np.inf
    return float(x[n] + (x[n + 1] - x[n]) * (limit - middle[n]) / (middle[n + 1] - middle[n]))


def channel(folder: Path) -> Channel:
    reynolds = json.loads((folder / "plan.json").read_text())["case"]["flow"]["reynolds"]
    names = ("grid/points", "fields/velocity", "fields/pressure")
    _, fields = read_fields(RunFolder(folder).last_snapshot(), names)
    points, velocity, pressure = (fields[name] for name in names)
    x, z, u = points[0, 0, 0, :], points[2, :, 0, 0], velocity[0].mean(axis=1)
    mean = simpson(u[:, -1])
    exact = mean * np.array([6 * z * (1 - z), 0 * z, 0 * z])[:, :, None]
    inner = slice(1, -1)  # no pressure is stored on walls
    slope = np.gradient(pressure[inner, :, inner], x[inner], axis=-1)[..., x[inner] > x[-1] - 1]
    return Channel(
        mean=mean,
        profile=float(np.abs(velocity[..., -1] - exact).max() / mean),
        slope=float(np.abs(slope * reynolds / (-12 * mean) - 1).max()),
        length=developed(x, u[z.size // 2], 0.99 * 1.5 * mean),
        published=(0.631**1.6 + (0.0442 * mean * reynolds) ** 1.6) ** (1 / 1.6),
    )


def row(folder: Path) -> tuple[str, ...]:
    counts = json.loads((folder / "plan.json").read_text())["case"]["grid"]["points"]
    found = channel(folder)
    return (
        f"{counts[0]} × {counts[2]}",
        f"{found.mean:.4f}",
        f"{100 * found.profile:.3f} %",
        f"{100 * found.slope:.3f} %",
        f"{found.length:.3f}",
        f"{found.published:.3f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    print_table(HEADING, map(row, parser.parse_args().folders))


if __name__ == "__main__":
    main()
