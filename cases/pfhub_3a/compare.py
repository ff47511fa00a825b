#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of PFHub's benchmark problem 3a against the uploaded results in reference.csv, as a markdown table.

    subcurrent run pfhub_3a
    python cases/pfhub_3a/compare.py runs/pfhub_3a [RUN...]

At each time of reference.csv that a run has reached: the position of its tip (phase 1/2 on the x axis), the
solid fraction of the domain and the free energy, and those of the uploads. A run in a smaller domain, whose
walls the heat has not reached, is completed by melt.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns
from subcurrent.report.markdown import print_table

HERE = Path(__file__).parent
UPLOADS = ("moose_inl", "ampe", "moose_itg", "memphis")
QUANTITIES = {"tip": ("tip", "{:.2f}"), "solid": ("solid", "{:.5f}"), "energy": ("free_energy", "{:.0f}")}
HEADING = ("quantity", "time", "spacing", "here", *UPLOADS)


AREA = 960.0**2
MELT = -0.25 + 0.3 * 10 / 0.6267 * (1 - 2 / 3 + 1 / 5)  # energy of an area of the undercooled melt


def reached(folder: Path, reference: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run at the times of the reference: `time` and the three quantities."""
    history, grid = read_columns(folder / "history.csv"), grid_of(folder)
    longest = np.diff(history["time"]).max()  # the last row may be that much before the end
    time = reference["time"][reference["time"] <= history["time"][-1] + longest]
    mine = {name: np.interp(time, history["time"], history[own]) for name, (own, _) in QUANTITIES.items()}
    area = grid["cells"][0] * grid["cells"][1] * grid["spacing"] ** 2
    mine["solid"] *= area / AREA
    mine["energy"] += (AREA - area) * MELT
    return {"time": time, **mine}


def grid_of(folder: Path) -> dict:
    return json.loads((folder / "plan.json").read_text())["case"]["grid"]


def rows(folders: list[Path], reference: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    runs = [(f"{grid_of(folder)['spacing']:g}", reached(folder, reference)) for folder in folders]
    found = []
    for name, (_, form) in QUANTITIES.items():
        for n, time in enumerate(reference["time"]):
            theirs = [form.format(reference[f"{name} {upload}"][n]) for upload in UPLOADS]
            mine = [(spacing, form.format(run[name][n])) for spacing, run in runs if n < len(run["time"])]
            found += [(name, f"{time:g}", *cells, *theirs) for cells in mine]
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    reference = read_columns(HERE / "reference.csv")
    print_table(HEADING, rows(parser.parse_args().folders, reference))


if __name__ == "__main__":
    main()
