#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the magnetopause lies when spacing and all coefficients are halved together, and in a faster wind.

    python cases/earth_north/study.py [--case earth_north] [--spacings 1 0.5] [--winds 300 400] [--time T]
        [--ranks 2] [--set KEY=VALUE] [--out FOLDER]

The case is earth_north, earth_south, earth_tilted or jupiter. Prints a markdown table. The coefficients are
the case's, in proportion to the spacing. A run that is in the folder already is not run again. Faster winds
are run at the first spacing only. For the Earth spacing 1 takes ten seconds, 0.5 fifteen times as long.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Iterator
from pathlib import Path

from subcurrent.case.reading import load_case
from subcurrent.report.markdown import number, print_table
from subcurrent.solvers.magnetosphere.spacing import run_at

CASES = Path(__file__).parents[1]
HEADING = (
    *("spacing", "D, D_p", "km/s", "magnetopause", "of the balance", "of the first row", "P^(-1/6)"),
    "shock",
)


def result_of(folder: Path, spacing: float, wind: float, arguments: argparse.Namespace) -> dict[str, float]:
    """The summary of a run, which is made if it is not there."""
    sets = [f"wind.velocity=[{wind:g}, 0, 0]"]
    sets += [] if arguments.time is None else [f"run.time={arguments.time:g}"]
    run_at(folder, CASES / arguments.case / "case.toml", spacing, [*sets, *arguments.set], arguments.ranks)
    summary = json.loads((folder / "summary.json").read_text())
    return {**summary["last_step"], "balance": summary["expected_magnetopause"]}


def rows(arguments: argparse.Namespace) -> Iterator[tuple[str, ...]]:
    case = load_case(CASES / arguments.case / "case.toml")
    runs = [(arguments.spacings[0], wind) for wind in arguments.winds]
    runs += [(spacing, arguments.winds[0]) for spacing in arguments.spacings[1:]]
    first = None
    for spacing, wind in runs:
        found = result_of(arguments.out / f"h{spacing:g}_v{wind:g}", spacing, wind, arguments)
        first = first or found
        there = found["magnetopause"] or math.nan  # none: no magnetopause was found
        yield (
            f"{spacing:g}",
            f"{case.diffusion.density * spacing / case.grid.spacing:g}",
            f"{wind:g}",
            number(there, 2),
            f"{100 * (there / found['balance'] - 1):+.1f} %",
            number(there / (first["magnetopause"] or math.nan), 3),
            f"{(wind / arguments.winds[0]) ** (-1 / 3):.3f}",
            number(found["shock"], 2),
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument(
        "--case", choices=("earth_north", "earth_south", "earth_tilted", "jupiter"), default="earth_north"
    )
    parser.add_argument("--spacings", type=float, nargs="+", default=[1.0, 0.5])
    parser.add_argument("--winds", type=float, nargs="+", default=[300.0, 400.0])
    parser.add_argument("--time", type=float, help="the end; the case's unless said otherwise")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--out", type=Path, help="runs/CASE_study unless said otherwise")
    arguments = parser.parse_args()
    arguments.out = arguments.out or Path("runs") / f"{arguments.case}_study"
    arguments.out.mkdir(parents=True, exist_ok=True)
    print_table(HEADING, rows(arguments))


if __name__ == "__main__":
    main()
