#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The spectrum of forced turbulence in Kolmogorov's units, the mean over the second half of a run.

    subcurrent run forced_hit_128 --out runs/hit --set scheme.precision=single --set run.time=12 \\
        --set output.every=0.5
    python cases/forced_hit_128/spectrum.py runs/hit [--csv FILE]

Prints a markdown table, and writes k, E(k), k eta and C(k) = E k^(5/3) / dissipation^(2/3) to a file. A shell
k - 1/2 <= |k| < k + 1/2 holds a whole number of modes, up to 13 % off 4 pi k^2 from k = 3 on:
E is scaled to that area, as is usual. Bump: the largest C beyond k eta = 0.08. Slope: beta of
C ~ exp(-beta k eta) over 0.5 <= k eta <= 1. Thirds: the largest of three means of the dissipation over the
smallest.
"""

from __future__ import annotations

import argparse
import json
import tomllib
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.report.markdown import print_table

HEADING = ("points", "t", "R_λ", "k_max η", "thirds", "skewness", "bump", "at k η", "slope")


def modes_in_shells(largest: int) -> np.ndarray:
    """How many whole-numbered wave vectors lie in the shells 0 to `largest`."""
    axis = np.arange(-largest - 1, largest + 2)
    length = np.sqrt(axis[:, None, None] ** 2 + axis[:, None] ** 2 + axis**2)
    return np.bincount(np.floor(length + 0.5).astype(int).ravel())[: largest + 1]


def compensated(k: np.ndarray, energy: np.ndarray, viscosity: float, dissipation: float) -> dict:
    """In Kolmogorov's units, with the bump and the slope of the dissipation range."""
    eta = (viscosity**3 / dissipation) ** 0.25
    c = energy * k ** (5 / 3) / dissipation ** (2 / 3)
    beyond, steep = k * eta >= 0.08, (k * eta >= 0.5) & (k * eta <= 1)
    top = np.flatnonzero(beyond)[np.argmax(c[beyond])]
    slope = -np.polyfit(k[steep] * eta, np.log(c[steep]), 1)[0]
    return {"eta": eta, "c": c, "bump": c[top], "place": k[top] * eta, "slope": slope}


def spread(history: dict, until: float) -> float:
    """Of the means of the dissipation in the thirds of the second half up to then: largest over smallest."""
    time = history["time"]
    late = (time >= until / 2 * (1 - 1e-9)) & (time <= until * (1 + 1e-9))
    means = [part.mean() for part in np.array_split(history["dissipation"][late], 3)]
    return max(means) / min(means)


def measured(folder: Path) -> dict:
    """The second half of a run."""
    case = tomllib.loads((folder / "case.toml").read_text())
    kmax = json.loads((folder / "summary.json").read_text())["largest_mode"]
    history = read_columns(folder / "history.csv")
    spectra = [read_columns(path) for path in sorted((folder / "spectra").iterdir())]
    half = history["time"][-1] / 2 * (1 - 1e-9)
    late = history["time"] >= half
    k = spectra[0]["k"][1 : kmax + 1]
    energy = np.mean([one["E"][1 : kmax + 1] for one in spectra if one["time"][0] >= half], axis=0)
    energy = energy * 4 * np.pi * k**2 / modes_in_shells(kmax)[1:]
    viscosity, dissipation = case["flow"]["viscosity"], history["dissipation"][late].mean()
    names = {name: history[name][late] for name in ("taylor_reynolds", "kmax_eta", "skewness", "energy")}
    return {
        "points": case["grid"]["points"][0],
        "half": half,
        "until": history["time"][-1],
        "k": k,
        "energy": energy,
        "dissipation": dissipation,
        "viscosity": viscosity,
        "thirds": spread(history, history["time"][-1]),
        "means": {name: values.mean() for name, values in names.items()},
        **compensated(k, energy, viscosity, dissipation),
    }


def row(found: dict) -> tuple[str, ...]:
    means = found["means"]
    return (
        f"{found['points']}³",
        f"{found['half']:.4g} to {found['until']:.4g}",
        f"{means['taylor_reynolds']:.1f}",
        f"{means['kmax_eta']:.2f}",
        f"{found['thirds']:.2f}",
        f"{means['skewness']:.3f}",
        f"{found['bump']:.2f}",
        f"{found['place']:.2f}",
        f"{found['slope']:.2f}",
    )


def csv_of(found: dict) -> str:
    eta = found["eta"]
    head = f"# dissipation = {found['dissipation']:.6g}, viscosity = {found['viscosity']:g}"
    lines = [
        f"{k:.0f},{e:.6g},{k * eta:.5f},{c:.5f}"
        for k, e, c in zip(found["k"], found["energy"], found["c"], strict=True)
    ]
    return "\n".join([head, "k,E,k_eta,C", *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--csv", type=Path)
    arguments = parser.parse_args()
    found = measured(arguments.folder)
    if arguments.csv:
        arguments.csv.write_text(csv_of(found))
    print_table(HEADING, [row(found)])


if __name__ == "__main__":
    main()
