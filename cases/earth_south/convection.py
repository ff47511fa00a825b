#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The open flux of a planet and the potential across its polar cap, from the snapshots of a run.

    python cases/earth_south/tail.py
    python cases/earth_south/convection.py runs/earth_south_tail [--nodes 41] [--since 0]
        [--rates]

Prints a markdown table with a row for each snapshot from the time `since` on, of the northern hemisphere: the
open flux by field lines and, where z- is an equator, beyond the neutral line; the potential, and the same
along a straight line between the places where it is largest and smallest; the part of E = -v x B that is no
gradient.

With --rates another table, with a row for two snapshots that follow each other: how fast field lines are
opened (day) and closed (night), by the flux that crosses the boundary of the polar cap in the frame of this
boundary; their difference, which is the growth of the open flux by Faraday's law, beside this growth; the
local times between which flux enters; the share of the rays from the middle of the cap that cross its
boundary several times, where a length on a ray does not describe it.

Below, for a constant wind, the potential that is usual for the Earth in such a wind, by the formula
that Boyle, Reiff & Hairston (1997, J. Geophys. Res. 102, 111) fitted to measurements of satellites.
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from subcurrent.errors import SubcurrentError
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.report.flowfield import PlasmaField
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_plasma
from subcurrent.solvers.magnetosphere.convection import NODES, find_convection, without_convection
from subcurrent.solvers.magnetosphere.reconnection import RAYS, find_cap, find_rates
from subcurrent.solvers.magnetosphere.units import Wind

HEADING = (
    "t",
    "open flux (MWb)",
    "beyond the neutral line (MWb)",
    "potential (kV)",
    "along a line (kV)",
    "no gradient",
)
RATES = ("t", "day (kV)", "night (kV)", "day - night (kV)", "growth (kV)", "flux enters, h", "folded")


def boyle(wind: Wind) -> float:
    """kV: 1e-4 v^2 + 11.7 B sin^3(theta / 2), v in km/s, B in nT, theta = arccos(B_z / B)."""
    speed, field = math.hypot(*wind.velocity), math.hypot(*wind.field)
    clock = math.acos(wind.field[2] / field) if field > 0 else 0.0
    return 1e-4 * speed**2 + 11.7 * field * math.sin(clock / 2) ** 3


def states(folder: RunFolder, since: float) -> Iterator[PlasmaField]:
    why = without_convection(stored_case(folder))
    if why is not None:
        raise SystemExit(f"{folder.path}: {why}")
    for path in folder.all_snapshots():
        plasma = read_plasma(path)
        if plasma.time >= since:
            yield plasma


def rows(folder: RunFolder, nodes: int, since: float) -> Iterator[tuple[str, ...]]:
    for plasma in states(folder, since):
        found = find_convection(plasma, stored_case(folder), nodes)
        cap = found.north
        values = (cap.open_flux, found.neutral_line, cap.potential, cap.along_line)
        yield (
            f"{found.time:.0f}",
            *("–" if value is None else f"{value:.0f}" for value in values),
            "–" if cap.curl is None else f"{100 * cap.curl:.1f} %",
        )


def rate_rows(folder: RunFolder, nodes: int, since: float) -> Iterator[tuple[str, ...]]:
    case = stored_case(folder)
    caps = (find_cap(plasma, case, nodes=nodes) for plasma in states(folder, since))
    for before, after in pairwise(caps):
        rates = find_rates(before, after, case)
        if rates is None:
            continue
        values = (rates.day, rates.night, rates.day - rates.night, rates.growth)
        yield (
            f"{rates.begin:.0f} to {rates.end:.0f}",
            *(f"{value:.1f}" for value in values),
            "–" if rates.hours is None else "{:.1f} to {:.1f}".format(*rates.hours),
            f"{100 * rates.folded / RAYS:.0f} %",
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--nodes", type=int, default=NODES, help="along a side of the grid on a hemisphere")
    parser.add_argument("--since", type=float, default=0.0, help="only snapshots from this time on")
    parser.add_argument("--rates", action="store_true", help="of opening and closing, too")
    arguments = parser.parse_args()
    folder = RunFolder(arguments.folder)
    try:
        print_table(HEADING, rows(folder, arguments.nodes, arguments.since))
        if arguments.rates:
            print()
            print_table(RATES, rate_rows(folder, arguments.nodes, arguments.since))
        wind = stored_case(folder).solar_wind()
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None
    if stored_case(folder).wind.file is None:
        print(f"\nBoyle et al. (1997), measured at the Earth in such a wind: {boyle(wind):.1f} kV")


if __name__ == "__main__":
    main()
