#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the day side and the tail go on changing after the wind has crossed the box.

    python cases/earth_south/tail.py --case earth_north --out runs/north
    python cases/earth_north/drift.py runs/north [RUN...] [--times 2000 4000 6000 8000]

Prints a markdown table with some snapshots of each run: the magnetopause; on the line to the sun, at x = -10,
B_z over that of the dipole, and the sum of thermal and magnetic pressure; and the flux of the tail, that of
B_x towards the planet, on the northern side, through the plane x = 30. For Jupiter the two planes are x = -43
and 129, in proportion to planet.outer.
"""

from __future__ import annotations

import argparse
import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from subcurrent.errors import SubcurrentError
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.report.flowfield import PlasmaField
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_plasma

DAY, TAIL = -10 / 7, 30 / 7  # x, in units of planet.outer
HEADING = (
    *("D", "η", "y, z to", "t", "magnetopause"),
    *("B_z / dipole", "pressure (nPa)", "flux of the tail (MWb)"),
)


def tail_flux(state: PlasmaField, x: float, mirrored: bool) -> float:
    """In units of the planet's field times radius^2, of the whole space."""
    y, z = state.axis(1), state.axis(2)
    field = state.plane(0, x).magnetic[0]
    towards = np.where(field < 0, -field, 0.0)
    return float((2 if mirrored else 1) * np.trapezoid(np.trapezoid(towards, y, axis=1), z))


def rows(folder: Path, times: list[float]) -> Iterator[tuple[str, ...]]:
    run = RunFolder(folder)
    case = stored_case(run)
    units = case.units()
    with (folder / "history.csv").open() as file:
        history = [(float(row["time"]), float(row["magnetopause"])) for row in csv.DictReader(file)]
    if not history:
        raise SystemExit(f"{folder / 'history.csv'} has no row: output.history_every is more than all steps")
    states = [read_plasma(path) for path in run.all_snapshots()]
    outer, mirrored = case.planet.outer, case.mirrored()[0]
    for time in times:
        state = min(states, key=lambda one: abs(one.time - time))
        day = int(np.abs(state.axis(0) - DAY * outer).argmin())
        midnight = state.plane(1)
        level = int(np.abs(state.axis(2)).argmin())
        field, pressure = midnight.magnetic[:, level, day], midnight.pressure[level, day]
        place = min(history, key=lambda one: abs(one[0] - state.time))[1]
        yield (
            f"{case.diffusion.density:g}",
            f"{case.diffusion.resistivity:g}",
            f"{state.axis(1)[-1]:.0f}",
            f"{state.time:.0f}",
            f"{place:.2f}",
            f"{field[2] * abs(state.axis(0)[day]) ** 3 / math.cos(math.radians(case.planet.tilt)):.2f}",
            f"{1e9 * units.pressure * (pressure + 0.5 * (field**2).sum()):.2f}",
            f"{1e-6 * units.flux * tail_flux(state, TAIL * outer, mirrored):.0f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--times", type=float, nargs="+", default=[2000, 4000, 6000, 8000])
    arguments = parser.parse_args()
    try:
        print_table(HEADING, [row for one in arguments.folders for row in rows(one, arguments.times)])
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None


if __name__ == "__main__":
    main()
