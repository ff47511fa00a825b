#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How the day side and the tail go on changing after the wind has crossed the box.

    python cases/earth_south/tail.py --case earth_north --out runs/north
    python cases/earth_north/drift.py runs/north [RUN...]

Prints a markdown table with some snapshots of each run: the magnetopause; on the line to the sun, at x = -10,
B_z over that of the dipole, and the sum of thermal and magnetic pressure; and the flux of the tail, that of
B_x towards the planet through the half z > 0 of the plane x = 30.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from subcurrent.errors import SubcurrentError
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.report.flowfield import PlasmaField
from subcurrent.report.snapshot import read_plasma

TIMES = (2000, 4000, 6000, 8000)
DAY, TAIL = -10.0, 30.0  # x, in radii
HEADING = (
    *("D", "η", "y, z to", "t", "magnetopause"),
    *("B_z / dipole", "pressure (nPa)", "flux of the tail (MWb)"),
)


def tail_flux(state: PlasmaField) -> float:
    """In units of the planet's field times radius^2, of the whole space: y < 0 is the mirror image."""
    x, y, z = (state.axis(k) for k in range(3))
    field = state.magnetic[0, :, :, int(np.abs(x - TAIL).argmin())]
    towards = np.where(field < 0, -field, 0.0)
    return float(2 * np.trapezoid(np.trapezoid(towards, y, axis=1), z))


def rows(folder: Path) -> Iterator[tuple[str, ...]]:
    run = RunFolder(folder)
    case = stored_case(run)
    units = case.units()
    with (folder / "history.csv").open() as file:
        history = [(float(row["time"]), float(row["magnetopause"])) for row in csv.DictReader(file)]
    states = [read_plasma(path) for path in run.all_snapshots()]
    for time in TIMES:
        state = min(states, key=lambda one: abs(one.time - time))
        day = int(np.abs(state.axis(0) - DAY).argmin())
        field, pressure = state.magnetic[:, 0, 0, day], state.pressure[0, 0, day]
        place = min(history, key=lambda one: abs(one[0] - state.time))[1]
        yield (
            f"{case.diffusion.density:g}",
            f"{case.diffusion.resistivity:g}",
            f"{state.axis(1)[-1]:.0f}",
            f"{state.time:.0f}",
            f"{place:.2f}",
            f"{field[2] * abs(state.axis(0)[day]) ** 3:.2f}",
            f"{1e9 * units.pressure * (pressure + 0.5 * (field**2).sum()):.2f}",
            f"{1e-6 * units.flux * tail_flux(state):.0f}",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    try:
        found = [row for folder in parser.parse_args().folders for row in rows(folder)]
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None
    for cells in (HEADING, ("---",) * len(HEADING), *found):
        print("| " + " | ".join(cells) + " |" if cells[0] != "---" else "|" + "---|" * len(cells))


if __name__ == "__main__":
    main()
