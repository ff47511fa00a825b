#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of the Taylor-Green vortex at Re = 1600 against the DNS in reference.csv, as a markdown table.

    subcurrent run taylor_green_mach01 --out runs/vortex
    python cases/taylor_green_mach01/compare.py runs/vortex [RUN...]

At the times of the DNS, 0.1 apart: the largest difference of the dissipation up to t = 4, 8 and 10, and of
the kinetic energy, in parts of it; the largest dissipation and the largest loss -dK/dt of the run, with
their times; the least k_max eta. Runs of taylor_green_1600 have the same columns.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.report.markdown import print_table

HERE = Path(__file__).parent
HEADING = ("points", "filter", "to t = 4", "to 8", "to 10", "largest ε", "largest loss", "energy", "k_max η")


def differences(history: dict[str, np.ndarray], reference: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """At the times of the reference that the run has reached: t, and the parts by which energy and
    dissipation differ."""
    t = reference["t"][reference["t"] <= history["time"][-1] + 1e-6]
    parts = {"t": t}
    for mine, theirs in (("energy", "kinetic_energy"), ("dissipation", "dissipation")):
        exact = reference[theirs][: t.size]
        parts[mine] = np.interp(t, history["time"], history[mine]) / exact - 1
    return parts


def top(time: np.ndarray, values: np.ndarray) -> str:
    largest = int(np.argmax(values))
    return f"{values[largest]:.4f} at {time[largest]:.2f}"


def row(folder: Path, reference: dict[str, np.ndarray]) -> tuple[str, ...]:
    history = read_columns(folder / "history.csv")
    case = json.loads((folder / "plan.json").read_text())["case"]
    apart = differences(history, reference)
    time, energy = history["time"], history["energy"]
    loss = -np.diff(energy) / np.diff(time)

    def within(until: float) -> str:
        if apart["t"][-1] < until - 0.11:  # the last row of a run is up to history_every steps before its end
            return ""
        return f"{100 * np.abs(apart['dissipation'][apart['t'] <= until + 1e-6]).max():.1f} %"

    return (
        f"{case['grid']['points'][0]}³",
        f"{case.get('scheme', {}).get('filter', 0) or 'none'}",
        *(within(until) for until in (4, 8, 10)),
        top(time, history["dissipation"]),
        top((time[1:] + time[:-1]) / 2, loss),
        f"{100 * apart['energy'][np.argmax(np.abs(apart['energy']))]:+.1f} %",
        f"{np.nanmin(history['kmax_eta']):.2f}",
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    reference = read_columns(HERE / "reference.csv")
    print_table(HEADING, [row(folder, reference) for folder in parser.parse_args().folders])


if __name__ == "__main__":
    main()
