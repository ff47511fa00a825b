#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of the Taylor-Green vortex at Re = 1600 against the DNS in reference.csv, as a markdown table.

    subcurrent run taylor_green_mach01 --out runs/vortex
    python cases/taylor_green_mach01/compare.py runs/vortex [RUN...] [--csv FILE]

At the times of the DNS, 0.1 apart: the largest difference of the dissipation up to t = 4, 8 and 10, and of
the kinetic energy, in parts of it. Of a gas: the largest dissipation and the largest loss -dK/dt, with their
times. Of taylor_green_1600, where both are the same: the largest dissipation, in parts of the DNS's, and its
time, each from the parabola through three rows. Then the least k_max eta. --csv writes what is compared of
the last run.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.errors import SubcurrentError
from subcurrent.report.markdown import print_table

HERE = Path(__file__).parent
UNTIL = (4, 8, 10)
TIMES = ("to t = 4", "to 8", "to 10")
GAS = ("points", "filter", *TIMES, "largest ε", "largest loss", "energy", "k_max η")
SPECTRAL = ("points", "dealiasing", *TIMES, "largest ε", "at t", "energy", "k_max η")
KEPT = ("time", "energy", "dissipation", "kmax_eta")
Columns = dict[str, np.ndarray]


def differences(history: Columns, reference: Columns) -> Columns:
    """At the times of the reference that the run has reached: t, and the parts by which energy and
    dissipation differ."""
    t = reference["t"][reference["t"] <= history["time"][-1] + 1e-6]
    parts = {"t": t}
    for mine, theirs in (("energy", "kinetic_energy"), ("dissipation", "dissipation")):
        exact = reference[theirs][: t.size]
        parts[mine] = np.interp(t, history["time"], history[mine]) / exact - 1
    return parts


def peak(time: np.ndarray, values: np.ndarray) -> tuple[float, float]:
    """Time and value of the largest: of the parabola through it and its neighbours."""
    k = int(np.argmax(values))
    if k in (0, values.size - 1):
        return float(time[k]), float(values[k])
    a, b, c = np.polyfit(time[k - 1 : k + 2] - time[k], values[k - 1 : k + 2], 2)
    return float(time[k] - b / (2 * a)), float(c - b * b / (4 * a))


def top(time: np.ndarray, values: np.ndarray) -> str:
    largest = int(np.argmax(values))
    return f"{values[largest]:.4f} at {time[largest]:.2f}"


def peak_of_gas(history: Columns) -> tuple[str, str]:
    time = history["time"]
    loss = -np.diff(history["energy"]) / np.diff(time)
    return top(time, history["dissipation"]), top((time[1:] + time[:-1]) / 2, loss)


def peak_of_modes(history: Columns, reference: Columns) -> tuple[str, str]:
    time, value = peak(history["time"], history["dissipation"])
    return f"{100 * (value / peak(reference['t'], reference['dissipation'])[1] - 1):+.2f} %", f"{time:.2f}"


def row(case: dict, history: Columns, reference: Columns) -> tuple[str, ...]:
    apart = differences(history, reference)
    scheme = case.get("scheme", {})
    spectral = case["solver"] == "turbulence"

    def within(until: float) -> str:
        if apart["t"][-1] < until - 0.11:  # the last row of a run is up to history_every steps before its end
            return ""
        share = 100 * np.abs(apart["dissipation"][apart["t"] <= until + 1e-6]).max()
        return f"{share:.2f} %" if spectral else f"{share:.1f} %"

    off = 100 * apart["energy"][np.argmax(np.abs(apart["energy"]))]
    return (
        f"{case['grid']['points'][0]}³",
        scheme["dealiasing"] if spectral else f"{scheme.get('filter', 0) or 'none'}",
        *(within(until) for until in UNTIL),
        *(peak_of_modes(history, reference) if spectral else peak_of_gas(history)),
        f"{off:+.2f} %" if spectral else f"{off:+.1f} %",
        f"{np.nanmin(history['kmax_eta']):.2f}",
    )


def stored(folder: Path) -> tuple[dict, Columns]:
    """The case of a run, and its history."""
    return json.loads((folder / "plan.json").read_text())["case"], read_columns(folder / "history.csv")


def csv_of(history: Columns) -> str:
    rows = np.column_stack([history[name] for name in KEPT])
    lines = (f"{t:.2f},{k:.8g},{e:.8g},{resolved:.5g}" for t, k, e, resolved in rows)
    return "\n".join([",".join(KEPT), *lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    parser.add_argument("--csv", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    reference = read_columns(HERE / "reference.csv")
    try:
        runs = [stored(folder) for folder in arguments.folders]
    except SubcurrentError as error:
        raise SystemExit(error.sentence) from None
    solvers = {case["solver"] for case, _ in runs}
    if len(solvers) > 1:
        parser.error(f"the runs are of different solvers ({', '.join(sorted(solvers))}): give those of one.")
    if arguments.csv:
        arguments.csv.write_text(csv_of(runs[-1][1]))
    print_table(
        SPECTRAL if solvers == {"turbulence"} else GAS,
        [row(case, history, reference) for case, history in runs],
    )


if __name__ == "__main__":
    main()
