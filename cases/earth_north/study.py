#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Where the magnetopause lies when spacing and all coefficients are halved together, and in a faster wind.

    python cases/earth_north/study.py [--spacings 1 0.5] [--winds 300 400] [--ranks 2] [--out FOLDER]

Prints a markdown table. The coefficients are the case's, in proportion to the spacing. A run that is in the
folder already is not run again. Faster winds are run at the first spacing only. Spacing 1 takes a minute or
two, 0.5 sixteen times as long.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

SPACING = 0.5  # of the case
COEFFICIENTS = {"density": 2e-3, "pressure": 2e-3, "viscosity": 1e-6, "resistivity": 1e-3}
POINTS = (180, 60, 60)


def settings(spacing: float, wind: float) -> list[str]:
    scale = spacing / SPACING
    points = [round(n / scale) for n in POINTS]
    sets = [f"grid.points={points}", f"grid.spacing={spacing}", f"wind.velocity=[{wind:g}, 0, 0]"]
    return sets + [f"diffusion.{name}={value * scale:g}" for name, value in COEFFICIENTS.items()]


def result_of(folder: Path, spacing: float, wind: float, ranks: int) -> dict[str, float]:
    """The summary of a run, which is made if it is not there."""
    if not (folder / "summary.json").is_file():
        sets = [word for text in settings(spacing, wind) for word in ("--set", text)]
        command = [
            sys.executable,
            "-m",
            "subcurrent",
            "run",
            "earth_north",
            "-n",
            str(ranks),
            "--out",
            str(folder),
        ]
        subprocess.run([*command, *sets], check=True, stdout=sys.stderr)
    summary = json.loads((folder / "summary.json").read_text())
    return {**summary["last_step"], "balance": summary["expected_magnetopause"]}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--spacings", type=float, nargs="+", default=[1.0, 0.5])
    parser.add_argument("--winds", type=float, nargs="+", default=[300.0, 400.0])
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--out", type=Path, default=Path("runs/earth_study"))
    arguments = parser.parse_args()
    runs = [(arguments.spacings[0], wind) for wind in arguments.winds]
    runs += [(spacing, arguments.winds[0]) for spacing in arguments.spacings[1:]]
    arguments.out.mkdir(parents=True, exist_ok=True)
    print("| spacing | D, D_p | km/s | magnetopause | of the balance | of the first row | P^(-1/6) | shock |")
    print("|---|---|---|---|---|---|---|---|")
    first = None
    for spacing, wind in runs:
        found = result_of(arguments.out / f"h{spacing:g}_v{wind:g}", spacing, wind, arguments.ranks)
        first = first or found
        D = COEFFICIENTS["density"] * spacing / SPACING
        ratios = [
            f"{100 * (found['magnetopause'] / found['balance'] - 1):+.1f} %",
            f"{found['magnetopause'] / first['magnetopause']:.3f}",
            f"{(wind / arguments.winds[0]) ** (-1 / 3):.3f}",
        ]
        row = [
            f"{spacing:g}",
            f"{D:g}",
            f"{wind:g}",
            f"{found['magnetopause']:.2f}",
            *ratios,
            f"{found['shock']:.2f}",
        ]
        print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
