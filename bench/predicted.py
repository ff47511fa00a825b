#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prediction beside measurement on the machine at hand: the ratio of each strategy to `blocking`, and steps.

    bench/predicted.py [--cases cavity dendrite magnetosphere turbulence compressible cg heat wave
        dendrite_files turbulence_files heat_files] [--ranks 1 2] [--steps 20] [--repeats 3]
        [--scratch FOLDER] [--rounds 1] [--json FILE]

Of each case `subcurrent probe` measures the rates of its stages and messages, `subcurrent predict` adds up
its steps, and `subcurrent strategies` measures them, all strategies in one process in turns. Goals: every
ratio within 10 %, the strategy that is called fastest within 5 % of the fastest measured, a step of blocking
within 15 %. Without --cases those in memory. `_files`: with fields in files in --scratch, whose disk `probe`
measures, too. `heat`, `wave` and `heat_files` are loops in Python.

--rounds: for machines that are shared, where the same step takes up to twice as long in one process as in the
next. Machine and strategies are measured as many times in turn. Predicted then is by the probe that predicts
the shortest step of `blocking`, and measured are the fastest turns of all rounds.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from pathlib import Path
from typing import Any

import script
from automatic import CASES as MEASURED
from automatic import SMALL

IN_MEMORY = MEASURED | {
    "cg": ("cg", ["class=A", "partition=row"], 1),
    # loops in Python
    "heat": ("examples/python/heat.py", ["grid.cells=[160, 160, 160]"], 1),
    "wave": ("examples/python/acoustic_wave.py", ["grid.cells=[128, 128, 128]"], 1),
}
IN_FILES = {
    "dendrite_files": ("nickel_small", ["grid.cells=[192, 192, 192]"], 1),
    "turbulence_files": ("taylor_green_1600", ["grid.points=[128, 128, 128]"], 1),
    "heat_files": ("cases/heat_out_of_core/heat.py", ["grid.cells=[256, 256, 256]"], 1),
}
CASES = IN_MEMORY | IN_FILES
FILED = ["storage.place=files", "storage.pieces=8"]
LOOP_FILED = ["grid.pieces=8", "engine.steps_per_pass=1"]
TRIAL = SMALL | {name: ["grid.cells=[24, 24, 24]"] for name in ("heat", "wave", "heat_files")}
TRIAL |= {"dendrite_files": SMALL["dendrite"], "turbulence_files": SMALL["turbulence"], "cg": ["class=S"]}
RATIO, FASTEST, STEP = 0.10, 0.05, 0.15  # goals
COLUMNS = (
    "case",
    "ranks",
    "strategy",
    "measured, ms",
    "predicted, ms",
    "range",
    "misfit",
    "over blocking",
    "predicted",
    "misfit",
)


def of_case(name: str, options: Any, folder: Path) -> list[dict[str, Any]]:
    """By rank count and strategy seconds measured and predicted."""
    case, sets, sweeps, *_ = CASES[name]
    sets = [*sets, *(TRIAL[name] if options.trial else []), "engine.threads=1"]
    if name in IN_FILES:
        loop = case.endswith(".py")
        sets += LOOP_FILED if loop else FILED
        sets += [f'{"grid" if loop else "storage"}.scratch="{options.scratch}"']
    done = [of_round(case, sets, sweeps, options, folder / f"r{i}") for i in range(options.rounds)]
    found = []
    for ranks in options.ranks:
        told = min((predicted[ranks] for predicted, _ in done), key=lambda row: row["blocking"]["T"])
        turns = [measured[ranks] for _, measured in done]
        for strategy, one in told.items():
            if strategy in turns[0]:
                row = {"case": name, "ranks": ranks, "strategy": strategy}
                row["measured"] = typical([turn[strategy] for turn in turns])
                found.append(row | {"predicted": one["T"], "range": one["range"]})
    return found


def typical(rounds: list[list[float]]) -> float:
    """Of one round the median turn; of several the fastest of all."""
    return statistics.median(rounds[0]) if len(rounds) == 1 else min(map(min, rounds))


Rows = dict[int, dict[str, Any]]  # by ranks and strategy


def of_round(case: str, sets: list[str], sweeps: int, options: Any, folder: Path) -> tuple[Rows, Rows]:
    """What is predicted, and the seconds of all turns that are measured."""
    iterating = ["--sweeps", sweeps]
    turns = ["--steps", options.steps, "--repeats", options.repeats]
    folder.mkdir()
    machine, most = folder / "here.toml", max(options.ranks)
    script.subcurrent("probe", case, "-n", most, "--machine-file", machine, *turns, sets=sets)
    counts = ["--ranks", ",".join(map(str, options.ranks))]
    where = ["--machine", machine, "--out", folder / "p"]
    script.subcurrent("predict", case, *where, *counts, *iterating, sets=sets)
    told = json.loads((folder / "p" / "prediction.json").read_text())
    measured = {}
    for ranks in options.ranks:
        out = folder / f"s{ranks}"
        script.subcurrent("strategies", case, "-n", ranks, "--out", out, *iterating, *turns, sets=sets)
        rows = json.loads((out / "strategies.json").read_text())["rows"]
        measured[ranks] = {row["strategy"]: row["T_all"] for row in rows}
    return {row["ranks"]: row["strategies"] for row in told}, measured


def compared(rows: list[dict[str, Any]]) -> None:
    """Adds how far the predicted step is off, the ratios to `blocking`, and how far the predicted one is
    off."""
    plain = {(row["case"], row["ranks"]): row for row in rows if row["strategy"] == "blocking"}
    for row in rows:
        base = plain[row["case"], row["ranks"]]
        row["step_misfit"] = row["predicted"] / row["measured"] - 1
        row["ratio"] = base["measured"] / row["measured"]
        row["ratio_predicted"] = base["predicted"] / row["predicted"]
        row["misfit"] = row["ratio_predicted"] / row["ratio"] - 1


def lines_of(rows: list[dict[str, Any]]) -> list[str]:
    lines = []
    for row in rows:
        times = [f"{1e3 * row[key]:.2f}" for key in ("measured", "predicted")]
        low, high = row["range"]
        cells = [row["case"], row["ranks"], row["strategy"], *times, f"{1e3 * low:.2f} to {1e3 * high:.2f}"]
        cells += [f"{100 * row['step_misfit']:+.0f} %"]
        cells += [f"{row['ratio']:.3f}", f"{row['ratio_predicted']:.3f}", f"{100 * row['misfit']:+.0f} %"]
        lines.append("| " + " | ".join(map(str, cells)) + " |")
    return lines


def verdicts(rows: list[dict[str, Any]]) -> list[str]:
    """How many of each kind hold what is asked for."""
    others = [row for row in rows if row["strategy"] != "blocking"]
    ratios = [abs(row["misfit"]) <= RATIO for row in others]
    steps = [abs(row["step_misfit"]) <= STEP for row in rows if row["strategy"] == "blocking"]
    fastest = []
    for key in dict.fromkeys((row["case"], row["ranks"]) for row in rows):
        those = [row for row in rows if (row["case"], row["ranks"]) == key and row["strategy"] != "ordered"]
        named = min(those, key=lambda row: row["predicted"])
        fastest.append(named["measured"] <= (1 + FASTEST) * min(row["measured"] for row in those))
    return [
        f"{sum(held)} of {len(held)} {what}"
        for what, held in (
            (f"ratios to blocking within {100 * RATIO:.0f} %", ratios),
            (f"strategies called fastest within {100 * FASTEST:.0f} % of the fastest", fastest),
            (f"steps of blocking within {100 * STEP:.0f} %", steps),
        )
    ]


def main() -> int:
    made = script.parser(__doc__)
    made.add_argument("--cases", nargs="+", choices=CASES, default=list(IN_MEMORY))
    made.add_argument("--ranks", nargs="+", type=int, default=[1, 2])
    made.add_argument("--steps", type=int, default=20)
    made.add_argument("--repeats", type=int, default=3)
    made.add_argument("--scratch", type=Path, default=Path("scratch"), help="on the disk to be measured")
    made.add_argument(
        "--rounds", type=int, default=1, help="of probe and measurement; of several the fastest"
    )
    made.add_argument("--json", type=Path)
    small = {"cases": ["dendrite_files", "heat_files"], "ranks": [2], "steps": 2, "repeats": 1, "rounds": 2}
    options = script.parse(made, small)
    options.scratch = options.scratch.absolute()
    rows, code = [], 0
    print("| " + " | ".join(COLUMNS) + " |\n|---|---|---|" + "---:|" * (len(COLUMNS) - 3), flush=True)
    for name in options.cases:
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = of_case(name, options, Path(folder))
            except script.NotDoneError as error:
                ended = script.not_done(name, error)
                code = code if code == 1 else ended
                continue
        compared(found)
        print(*lines_of(found), sep="\n", flush=True)
        rows += found
    if rows:
        print(*verdicts(rows), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + os.linesep)
    return code


if __name__ == "__main__":
    sys.exit(main())
