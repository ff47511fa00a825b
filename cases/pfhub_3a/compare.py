#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs of PFHub's benchmark problem 3a against the uploaded results in reference.csv, as a markdown table.

    subcurrent run pfhub_3a
    python cases/pfhub_3a/compare.py runs/pfhub_3a [RUN...]

At each time of reference.csv that a run has reached: the position of its tip (phase 1/2 on the x axis), the
solid fraction of the domain and the free energy, and those of the uploads.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_columns

HERE = Path(__file__).parent
UPLOADS = ("moose_inl", "ampe", "moose_itg", "memphis")
QUANTITIES = {"tip": ("tip", "{:.2f}"), "solid": ("solid", "{:.5f}"), "energy": ("free_energy", "{:.0f}")}
HEADING = ("time", "quantity", "spacing", "here", *UPLOADS)


def reached(folder: Path, reference: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Of a run at the times of the reference: `time` and the three quantities."""
    history = read_columns(folder / "history.csv")
    longest = np.diff(history["time"]).max()  # the last row may be that much before the end
    time = reference["time"][reference["time"] <= history["time"][-1] + longest]
    columns = {name: np.interp(time, history["time"], history[own]) for name, (own, _) in QUANTITIES.items()}
    return {"time": time, **columns}


def rows(folder: Path, reference: dict[str, np.ndarray]) -> list[tuple[str, ...]]:
    grid = json.loads((folder / "plan.json").read_text())["case"]["grid"]
    mine, found = reached(folder, reference), []
    share = np.prod([count * grid["spacing"] for count in grid["cells"][:2]]) / 960**2
    for name, (_, form) in QUANTITIES.items():
        if name != "tip" and share != 1:  # of another domain
            continue
        for n, time in enumerate(mine["time"]):
            theirs = (form.format(reference[f"{name} {upload}"][n]) for upload in UPLOADS)
            cells = (f"{time:g}", name, f"{grid['spacing']:g}", form.format(mine[name][n]))
            found.append((*cells, *theirs))
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+", metavar="RUN")
    reference = read_columns(HERE / "reference.csv")
    lines = [line for folder in parser.parse_args().folders for line in rows(folder, reference)]
    for cells in (HEADING, ("---",) * len(HEADING), *lines):
        print("| " + " | ".join(cells) + " |" if cells[0] != "---" else "|" + "---|" * len(cells))


if __name__ == "__main__":
    main()
