#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the flow behind the step separates and reattaches, as a markdown table.

    subcurrent run backward_step --out runs/step
    python cases/backward_step/lengths.py runs/step [RUN...]

The lengths are the zeros of the shear du/dz on the floor and on the ceiling in the last snapshot of a run, in
heights of the channel behind the step. The published ones at Re = 800 are those of Gartling, Int. J. Numer.
Meth. Fluids 11 (1990) 953-967.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from subcurrent.launch.rundir import RunFolder
from subcurrent.report.flowfield import FlowField
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_snapshot

HEADING = ("points", "Re", "t", "reattachment, floor", "separation, ceiling", "reattachment, ceiling")
PUBLISHED = ("Gartling", "800", "steady", "6.10", "4.85", "10.48")


def shear(flow: FlowField) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """x, and |du/dn| with the sign of u, on floor and ceiling: of the parabolas through a wall, where u = 0,
    and two points."""
    x, z, u = flow.points[0, 0, 0, :], flow.points[2, :, 0, 0], flow.velocity[0].mean(axis=1)

    def of(wall: int, first: int, second: int) -> np.ndarray:
        a, b = abs(z[first] - z[wall]), abs(z[second] - z[wall])
        return (u[first] * b / a - u[second] * a / b) / (b - a)

    return x, of(0, 1, 2), of(-1, -2, -3)


def zeros(x: np.ndarray, values: np.ndarray, rising: bool) -> list[float]:
    """Where the values change their sign upwards or downwards, linearly between points."""
    low, high = (values[:-1], values[1:]) if rising else (-values[:-1], -values[1:])
    at = np.flatnonzero((low < 0) & (high >= 0))
    return [float(x[n] + (x[n + 1] - x[n]) * low[n] / (low[n] - high[n])) for n in at]


def lengths(flow: FlowField) -> tuple[float | None, float | None, float | None]:
    """Reattachment on the floor, separation and reattachment on the ceiling; None for what there is not."""
    x, floor, ceiling = shear(flow)
    inner = x > x[1]  # at the inflow itself the shear is given
    reattached = zeros(x[inner], floor[inner], rising=True)
    separated = zeros(x[inner], ceiling[inner], rising=False)
    closed = zeros(x[inner], ceiling[inner], rising=True)
    return (
        reattached[0] if reattached else None,
        separated[0] if separated else None,
        closed[-1] if closed and separated else None,
    )


def row(folder: Path) -> tuple[str, ...]:
    case = json.loads((folder / "plan.json").read_text())["case"]
    snapshot = RunFolder(folder).last_snapshot()
    if snapshot is None:
        raise SystemExit(f"lengths.py: {folder} has no snapshot")
    flow = read_snapshot(snapshot)
    nx, _, nz = case["grid"]["points"]
    found = ("none" if length is None else f"{length:.2f}" for length in lengths(flow))
    return (f"{nx} × {nz}", f"{case['flow']['reynolds']:g}", f"{flow.time:.0f}", *found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    rows = [row(folder) for folder in parser.parse_args().folders]
    print_table(HEADING, [*rows, PUBLISHED])


if __name__ == "__main__":
    main()
