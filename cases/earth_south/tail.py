#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of the day side and of the tail of a planet: a run that goes on, with snapshots.

    python cases/earth_south/tail.py [--case earth_south] [--spacing 1] [--time 8000] [--every 500]
        [--ranks 2] [--set KEY=VALUE] [--out FOLDER]

The cases are earth_south, earth_north, earth_tilted and jupiter. Prints a markdown table, in radii: the
magnetopause and the shock on the line to the sun; on the current sheet at midnight, where B_z turns (the
neutral line), how far it stays southward, and beyond where plasma flows away; the share of the nodes that lie
at a floor. With an equator as boundary condition the current sheet is z = 0. Without it, it is where B_x
turns, and the table has its height at three distances, and the point of the magnetopause that is nearest to
the sun.

A run that is in the folder already is not run again. Coefficients are in proportion to the spacing. For the
Earth at spacing 1 a run takes half a minute to two minutes on two cores; 0.5, that of earth_south and
earth_north, sixteen times as long.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from subcurrent.errors import SubcurrentError
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.report.markdown import number, print_table
from subcurrent.report.snapshot import read_plasma
from subcurrent.solvers.magnetosphere.case import MagnetosphereCase
from subcurrent.solvers.magnetosphere.spacing import run_at
from subcurrent.solvers.magnetosphere.tail import Nose, Sheet, find_nose, find_sheet


@dataclass(frozen=True)
class Choice:
    """How a case is run unless said otherwise."""

    spacing: float = 1.0
    time: float = 8000.0
    every: float = 500.0


CASES = {
    "earth_south": Choice(),
    "earth_north": Choice(),
    "earth_tilted": Choice(),
    "jupiter": Choice(4.0, 3e5, 2e4),
}
DISTANCES = (2.86, 3.57, 4.29)  # of the heights of the current sheet, in units of planet.outer
TAIL = ("neutral line", "southward to", "flows away beyond", "at a floor")


def distances(case: MagnetosphereCase) -> list[float]:
    return [round(d * case.planet.outer) for d in DISTANCES]


def heading(case: MagnetosphereCase) -> tuple[str, ...]:
    first = ("t", "magnetopause", "shock")
    if case.mirrored()[1]:
        return (*first, *TAIL)
    heights = ", ".join(f"{x:g}" for x in distances(case))
    return (*first, "nearest to the sun: magnetopause (z), shock", f"z at {heights}", *TAIL)


def lifted(sheet: Sheet, nose: Nose | None, case: MagnetosphereCase) -> tuple[str, str]:
    """The columns of a planet without an equator as boundary condition."""
    heights = ", ".join(number(sheet.height(x), 1) for x in distances(case))
    if nose is None:
        return "–", heights
    return f"{nose.distance:.1f} ({nose.z:+.1f}), {nose.shock:.1f}", heights


def rows(folder: RunFolder, case: MagnetosphereCase) -> Iterator[tuple[str, ...]]:
    with folder.history.open() as file:
        history = {
            float(row["time"]): (float(row["magnetopause"]), float(row["shock"]))
            for row in csv.DictReader(file)
        }
    for path in folder.all_snapshots():
        state = read_plasma(path)
        sheet = find_sheet(state, case)
        low = (state.density <= case.limits.density) | (state.pressure <= case.limits.pressure)
        last = min(history, key=lambda time, at=state.time: abs(time - at), default=None)
        yield (
            f"{state.time:.0f}",
            *(number(distance, 2) for distance in history.get(last, (None, None))),
            *(() if case.mirrored()[1] else lifted(sheet, find_nose(state, case), case)),
            number(sheet.neutral_line(), 1),
            number(sheet.southward_to(), 0),
            number(sheet.flows_away_beyond(), 1),
            f"{100 * low.mean():.2f} %",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--case", choices=CASES, default="earth_south")
    parser.add_argument("--spacing", type=float, help="in radii; for the Earth 1 unless said otherwise")
    parser.add_argument("--time", type=float, help="the end, in the unit of run.time")
    parser.add_argument("--every", type=float, help="time between two snapshots")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--out", type=Path, help="runs/CASE_tail unless said otherwise")
    arguments = parser.parse_args()
    for name, value in vars(CASES[arguments.case]).items():
        if getattr(arguments, name) is None:
            setattr(arguments, name, value)
    arguments.out = arguments.out or Path("runs") / f"{arguments.case}_tail"
    folder = RunFolder(arguments.out)
    try:
        file = Path(__file__).parents[1] / arguments.case / "case.toml"
        sets = [f"run.time={arguments.time:g}", f"output.every={arguments.every:g}", *arguments.set]
        run_at(arguments.out, file, arguments.spacing, sets, arguments.ranks)
        case = stored_case(folder)
        print_table(heading(case), rows(folder, case))
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None


if __name__ == "__main__":
    main()
