#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Structure functions of forced turbulence beside Kolmogorov's laws, means over the second half of a run.

    subcurrent run forced_hit_128 --out runs/hit --set scheme.precision=single --set run.time=12 \\
        --set output.every=0.5
    python cases/forced_hit_128/structure.py runs/hit [RUN...] [--csv FILE]

Prints a markdown table, and writes r, r / eta, D_LL = <(du_l)^2>, D_NN = <(du_t)^2> and D_LLL = <(du_l)^3> of
the first run to a file. With the dissipation e at the times of the snapshots: the largest D_LL / (e r)^(2/3)
and -D_LLL / (e r); of (6 nu dD_LL/dr - D_LLL) / (e r), which is 4/5 where the forcing has no part
(Kolmogorov 1941), the least and the largest up to r = 10 eta; and the largest difference of D_NN from
D_LL + r/2 dD_LL/dr, which isotropy makes equal, as a share of it, up to there. Slopes are those of log D_LL
over log r.
"""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path
from typing import NamedTuple

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.markdown import print_table
from subcurrent.report.snapshot import reading
from subcurrent.report.structure import StructureFunctions, of_snapshot

HEADING = (
    *("points", "t", "R_λ", "D_LL / (εr)^(2/3)", "at r/η", "−D_LLL / (εr)", "at r/η"),
    *("with viscosity, r ≤ 10η", "D_NN"),
)
NEAR = 10  # times eta: the forcing of the largest scales has little part


class Laws(NamedTuple):
    """In Kolmogorov's units, with r / eta; `slope` is d log D_LL / d log r."""

    r: np.ndarray
    second: np.ndarray
    third: np.ndarray
    balance: np.ndarray
    across: np.ndarray  # D_NN over what isotropy makes of D_LL

    def near(self) -> np.ndarray:
        """Distances up to NEAR, but for the first, whose slope has only one neighbour."""
        return (self.r <= NEAR) & (self.r > self.r[0])


def laws(found: StructureFunctions, viscosity: float, dissipation: float) -> Laws:
    r, scale = found.r, dissipation * found.r
    slope = np.gradient(np.log(found.second), np.log(r))
    return Laws(
        r=r / (viscosity**3 / dissipation) ** 0.25,
        second=found.second / scale ** (2 / 3),
        third=-found.third / scale,
        balance=(6 * viscosity * slope * found.second / r - found.third) / scale,
        across=found.across / (found.second * (1 + slope / 2)),
    )


def time_of(snapshot: Path) -> float:
    with reading(snapshot) as file:
        return float(file.attrs["time"])


def measured(folder: Path) -> dict:
    """The second half of a run."""
    case = tomllib.loads((folder / "case.toml").read_text())
    history = read_columns(folder / "history.csv")
    half = history["time"][-1] / 2 * (1 - 1e-9)
    late = [path for path in RunFolder(folder).all_snapshots() if time_of(path) >= half]
    times, found = zip(*map(of_snapshot, late), strict=True)
    return {
        "points": case["grid"]["points"][0],
        "half": half,
        "until": history["time"][-1],
        "viscosity": case["flow"]["viscosity"],
        "dissipation": float(np.mean(np.interp(times, history["time"], history["dissipation"]))),
        "taylor_reynolds": history["taylor_reynolds"][history["time"] >= half].mean(),
        "functions": found[0].mean(list(found[1:])),
    }


def row(run: dict) -> tuple[str, ...]:
    of = laws(run["functions"], run["viscosity"], run["dissipation"])
    second, third, near = np.argmax(of.second), np.argmax(of.third), of.near()
    return (
        f"{run['points']}³",
        f"{run['half']:.4g} to {run['until']:.4g}",
        f"{run['taylor_reynolds']:.1f}",
        f"{of.second[second]:.2f}",
        f"{of.r[second]:.0f}",
        f"{of.third[third]:.2f}",
        f"{of.r[third]:.0f}",
        f"{of.balance[near].min():.2f} to {of.balance[near].max():.2f}",
        f"{100 * np.abs(of.across[near] - 1).max():.1f} %",
    )


def csv_of(run: dict) -> str:
    found, eta = run["functions"], (run["viscosity"] ** 3 / run["dissipation"]) ** 0.25
    head = f"# dissipation = {run['dissipation']:.6g}, viscosity = {run['viscosity']:g}"
    columns = (found.r, found.r / eta, found.second, found.across, found.third)
    lines = [",".join(f"{value:.6g}" for value in values) for values in zip(*columns, strict=True)]
    return "\n".join([head, "r,r_eta,D_LL,D_NN,D_LLL", *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--csv", type=Path)
    arguments = parser.parse_args()
    runs = [measured(folder) for folder in arguments.folders]
    if arguments.csv:
        arguments.csv.write_text(csv_of(runs[0]))
    print_table(HEADING, [row(run) for run in runs])


if __name__ == "__main__":
    main()
