#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the pressure is low, and why: the nodes of a run's last snapshot by their pressure.

    python cases/earth_south/tail.py --time 6000 --set limits.pressure=1e-10 --out runs/earth_south_low
    python cases/earth_south/pressures.py runs/earth_south_low
    python cases/earth_south/pressures.py --floors RUN RUN...

Prints a markdown table. Density and p / rho^gamma are medians over those of the wind: plasma that expands
without heat keeps p / rho^gamma, so that a value far below 1 is not an expansion of the wind but an error of
the scheme. x: between which values, in radii, four fifths of the nodes lie. Before the shock: the share of
them that lie upstream, by three nodes at most, of plasma with 1.5 times the wind's density.

With --floors a table of runs that differ in the floor of the pressure, a row for the end of each: the floor
over the wind's pressure; the nodes at a floor, and how many of these lie before the shock, in the tail
(beyond planet.outer) and elsewhere; magnetopause and shock; by how much mass and energy of the box exceed
those of the first run.
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
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import read_plasma
from subcurrent.solvers.magnetosphere.case import MagnetosphereCase

BOUNDS = (0.028, 0.084, 0.28, 0.84)  # of the wind's pressure; at the Earth 1e-9, 3e-9, 1e-8, 3e-8
HEADING = ("pressure", "nodes", "density / wind", "p / ρ^γ / wind", "β", "x", "before the shock")
FLOORS = (
    *("case", "floor", "of the wind's", "t", "at a floor", "before the shock, tail, elsewhere"),
    *("magnetopause", "shock", "mass", "energy"),
)
ABOVE = 1 + 1e-6  # a floor, as a snapshot holds it


def before_compression(rho: np.ndarray) -> np.ndarray:
    compressed = rho > 1.5 * rho[0, 0, 0]
    ahead = np.zeros_like(compressed)
    for nodes in (1, 2, 3):
        ahead[..., :-nodes] |= compressed[..., nodes:]
    return ahead & ~compressed


def last_state(folder: Path) -> tuple[PlasmaField, MagnetosphereCase]:
    run = RunFolder(folder)
    last = run.last_snapshot()
    if last is None:
        raise SystemExit(f"{folder} has no snapshot")
    return read_plasma(last), stored_case(run)


def rows(folder: Path) -> list[tuple[str, ...]]:
    state, case = last_state(folder)
    rho, p, floor = state.density, state.pressure, case.limits.pressure
    entropy = p / rho**case.plasma.gamma
    beta = 2 * p / np.maximum((state.magnetic**2).sum(axis=0), np.finfo(float).tiny)
    x = state.points[0]
    ahead = before_compression(rho)
    lowest = floor * ABOVE
    kinds = [("at the floor", p <= lowest)]
    bounds = [bound for bound in (float(f"{part * p[0, 0, 0]:.0e}") for part in BOUNDS) if bound > lowest]
    for low, high in zip((lowest, *bounds), (*bounds, np.inf), strict=True):
        text = f"{low:.0e} to {high:.0e}" if np.isfinite(high) else f"above {low:.0e}"
        kinds.append((text, (p > low) & (p <= high)))
    return [
        (
            text,
            f"{100 * here.mean():.2f} %",
            f"{np.median(rho[here]) / rho[0, 0, 0]:.2f}",
            f"{np.median(entropy[here]) / entropy[0, 0, 0]:.2g}",
            f"{np.median(beta[here]):.2g}",
            "{:.0f} to {:.0f}".format(*np.percentile(x[here], (10, 90))),
            f"{100 * ahead[here].mean():.0f} %",
        )
        for text, here in kinds
        if here.any()
    ]


def last_row(folder: Path) -> dict[str, float]:
    with RunFolder(folder).history.open() as file:
        *_, last = csv.DictReader(file)
    return {name: float(text) for name, text in last.items()}


def floor_rows(folders: list[Path]) -> Iterator[tuple[str, ...]]:
    first = last_row(folders[0])
    for folder in folders:
        state, case = last_state(folder)
        limits, last = case.limits, last_row(folder)
        low = (state.pressure <= limits.pressure * ABOVE) | (state.density <= limits.density * ABOVE)
        ahead = before_compression(state.density)[low]
        tail = (state.points[0][low] > case.planet.outer) & ~ahead
        shares = (ahead.mean(), tail.mean(), (~ahead & ~tail).mean()) if low.any() else (0, 0, 0)
        more = (f"{100 * (last[name] / first[name] - 1):+.3f} %" for name in ("mass", "energy"))
        yield (
            case.planet.name,
            f"{limits.pressure:g}",
            f"1/{state.pressure[0, 0, 0] / limits.pressure:.0f}",
            f"{state.time:.0f}",
            f"{100 * low.mean():.2f} %",
            "{:.0f}, {:.0f}, {:.0f} %".format(*(100 * share for share in shares)),
            *(f"{last[name]:.2f}" for name in ("magnetopause", "shock")),
            *(more if folder != folders[0] else ("–", "–")),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--floors", action="store_true", help="compare runs")
    arguments = parser.parse_args()
    if len(arguments.folders) > 1 and not arguments.floors:
        parser.error("several runs are compared with --floors")
    try:
        if arguments.floors:
            print_table(FLOORS, floor_rows(arguments.folders))
        else:
            print_table(HEADING, rows(arguments.folders[0]))
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None


if __name__ == "__main__":
    main()
