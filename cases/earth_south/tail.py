#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What becomes of the day side and of the tail: a run of the case that goes on, with a snapshot every 500.

    python cases/earth_south/tail.py [--case earth_south] [--spacing 1] [--time 8000] [--ranks 2]
        [--set KEY=VALUE] [--out FOLDER]

Prints a markdown table of the line from the sun through the planet and beyond it, in radii, and the
share of the nodes that lie at a floor. A run that is in the folder already is not run again. Spacing 1,
coefficients in proportion, takes two to four minutes on two cores; 0.5, which is the case's own, sixteen
times as long. earth_north is the other case on this box.
"""

from __future__ import annotations

import argparse
import csv
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np

from subcurrent.report.snapshot import read_plasma

CASES = Path(__file__).parents[1]
EVERY = 500
HEADING = ("t", "magnetopause", "shock", "neutral line", "southward to", "flows away beyond", "at a floor")


def settings(path: Path, spacing: float) -> list[str]:
    case = tomllib.loads(path.read_text())
    scale = spacing / case["grid"]["spacing"]
    points = [round(n / scale) for n in case["grid"]["points"]]
    coefficients = [f"diffusion.{name}={value * scale:g}" for name, value in case["diffusion"].items()]
    return [f"grid.points={points}", f"grid.spacing={spacing:g}", *coefficients]


def run(folder: Path, arguments: argparse.Namespace) -> None:
    case = CASES / arguments.case / "case.toml"
    sets = [*settings(case, arguments.spacing), f"run.time={arguments.time:g}", f"output.every={EVERY}"]
    words = [word for text in [*sets, *arguments.set] for word in ("--set", text)]
    command = [sys.executable, "-m", "subcurrent", "run", str(case), "-n", str(arguments.ranks)]
    subprocess.run([*command, "--out", str(folder), *words], check=True, stdout=sys.stderr)


def crossings(x: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Where a sampled function changes its sign."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0)
    return x[at] - values[at] * (x[at + 1] - x[at]) / (values[at + 1] - values[at])


def row_of(path: Path, history: dict[str, np.ndarray], floors: tuple[float, float]) -> tuple[str, ...]:
    """One line of the table. Behind the planet the field of its dipole is northward: where B_z turns is the
    neutral line; beyond where v_x turns last, plasma flows away."""
    state = read_plasma(path)
    x = state.axis(0)
    tail = x > 7  # nothing is held there
    bz, vx = state.magnetic[2, 0, 0, tail], state.velocity[0, 0, 0, tail]
    turns, flow = crossings(x[tail], bz), crossings(x[tail], vx)
    southward = x[tail][bz < 0]
    low = (state.density <= floors[0]) | (state.pressure <= floors[1])
    last = int(np.abs(history["time"] - state.time).argmin())
    places = (history["magnetopause"][last], history["shock"][last])
    return (
        f"{state.time:.0f}",
        *(f"{place:.2f}" for place in places),
        f"{turns[0]:.1f}" if len(turns) else "–",
        f"{southward[-1]:.0f}" if len(southward) else "–",
        f"{flow[-1]:.1f}" if len(flow) else "–",
        f"{100 * low.mean():.2f} %",
    )


def table(folder: Path) -> list[tuple[str, ...]]:
    with (folder / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    history = {
        name: np.array([float(row[name]) for row in rows]) for name in ("time", "magnetopause", "shock")
    }
    limits = tomllib.loads((folder / "case.toml").read_text())["limits"]
    paths = sorted((folder / "snapshots").glob("*.vtkhdf"))
    return [row_of(path, history, (limits["density"], limits["pressure"])) for path in paths]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--case", choices=("earth_south", "earth_north"), default="earth_south")
    parser.add_argument("--spacing", type=float, default=1.0)
    parser.add_argument("--time", type=float, default=8000.0)
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--out", type=Path, help="runs/CASE_tail unless said otherwise")
    arguments = parser.parse_args()
    arguments.out = arguments.out or Path("runs") / f"{arguments.case}_tail"
    if not (arguments.out / "summary.json").is_file():
        run(arguments.out, arguments)
    for cells in (HEADING, ("---",) * len(HEADING), *table(arguments.out)):
        print("| " + " | ".join(cells) + " |" if cells[0] != "---" else "|" + "---|" * len(cells))


if __name__ == "__main__":
    main()
