#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The automatic strategy beside the best fixed one and `blocking`: solvers × ranks × threads × links.

    bench/automatic.py [--cases cavity dendrite magnetosphere turbulence compressible] [--ranks 1 2 4]
        [--threads 1 2] [--links node wire] [--rate 100mbit] [--steps N] [--repeats 9] [--rounds 1]
        [--json FILE]

Each line is one `subcurrent strategies`: all strategies in one process on the same ranks, in turns, medians.
`automatic` has then tried; what its first steps took, trials included, is added up with as many of the others
as are missing from 200, and the same for blocking, whose first steps are slower than its others, too. Goals:
automatic / best at most 1.03, and 200 steps from the first on at most 1.02 times those of blocking. `wire`:
emulated hosts, a rank each, which needs root.

`least times`: automatic / best by the fastest turns instead of medians. Where other programs slow the
processors for seconds at a time, medians differ between equal programs (on one rank nothing is tried, so the
ratio shows by how much), and fastest turns mostly less. --rounds: as many processes one after the other, for
machines where one process is faster than the next; turns of all are compared, and of the first steps the
fastest.

A turn has so many steps that it takes about 50 ms or more: of turns of 5 ms and five rounds, the same
strategy measured twice differed by up to 6 %.
"""

from __future__ import annotations

import json
import os
import statistics
import sys
import tempfile
from itertools import product
from pathlib import Path
from typing import Any

import script

STEPS = 200  # of a run, its trials included
CASES = {  # case, its size, sweeps a step, steps of a turn
    "cavity": ("cavity_paper_b", ["grid.points=[66, 66, 66]"], 20, 5),
    "dendrite": ("nickel_small", ["grid.cells=[96, 96, 96]"], 1, 40),
    "magnetosphere": ("earth_south", ["grid.points=[90, 30, 30]", "grid.spacing=1"], 1, 12),
    "turbulence": ("taylor_green_1600", ["grid.points=[64, 64, 64]"], 1, 2),
    "compressible": ("taylor_green_mach01", ["grid.points=[64, 64, 64]"], 1, 1),
}
SMALL = {
    "cavity": ["grid.points=[18, 18, 18]"],
    "dendrite": ["grid.cells=[24, 24, 24]"],
    "magnetosphere": [],
    "turbulence": ["grid.points=[16, 16, 16]"],
    "compressible": ["grid.points=[16, 16, 16]"],
}
COLUMNS = (
    "case",
    "ranks",
    "threads",
    "link",
    "blocking, ms",
    "best",
    "ms",
    "automatic, ms",
    "/ best",
    "least times",
    "200 / blocking",
)


Key = tuple[str, int, int, str]  # case, ranks, threads, link


def measured(options: Any, key: Key, folder: Path) -> dict[str, Any]:
    """The rows of `subcurrent strategies` by strategy, of all rounds together."""
    rounds = [one_round(options, key, folder / f"r{i}") for i in range(options.rounds)]
    together = {}
    for name in rounds[0]:
        rows = [one[name] for one in rounds]
        turns = [seconds for row in rows for seconds in row["T_all"]]
        begun = min(rows, key=lambda row: row["first_seconds"])
        together[name] = begun | {"T_all": turns, "T": statistics.median(turns)}
    return together


def one_round(options: Any, key: Key, out: Path) -> dict[str, Any]:
    name, ranks, threads, link = key
    case, sets, sweeps, steps = CASES[name]
    sets = [*sets, *(SMALL[name] if options.trial else []), f"engine.threads={threads}"]
    turns = ["--steps", options.steps or steps, "--repeats", options.repeats, "--sweeps", sweeps]
    wire = ["--network", options.rate] if link == "wire" else []
    script.subcurrent("strategies", case, "--out", out, *turns, "-n", ranks, *wire, sets=sets)
    return {row["strategy"]: row for row in json.loads((out / "strategies.json").read_text())["rows"]}


def figures(rows: dict[str, Any]) -> dict[str, Any]:
    """What rows of `subcurrent strategies` say; seconds a step, and the two ratios."""
    automatic = rows.pop("automatic")
    best = min(rows.values(), key=lambda row: row["T"])
    blocking = rows["blocking"]["T"]
    return {
        "blocking": blocking,
        "best": best["strategy"],
        "fastest": best["T"],
        "automatic": automatic["T"],
        "to_best": automatic["T"] / best["T"],
        "to_best_least": min(automatic["T_all"]) / min(min(row["T_all"]) for row in rows.values()),
        "first_steps": automatic["first_steps"],
        "from_the_first": _from_the_first(automatic) / _from_the_first(rows["blocking"]),
        "chosen": {s["stage"]: s["strategy"] for s in automatic["automatic"]["stages"]},
    }


def _from_the_first(row: dict[str, Any]) -> float:
    """Seconds of STEPS steps: the first ones as they were, the rest at the median."""
    return row["first_seconds"] + max(STEPS - row["first_steps"], 0) * row["T"]


def line(key: Key, found: dict[str, Any]) -> str:
    cells = [*key, f"{1e3 * found['blocking']:.2f}", found["best"], f"{1e3 * found['fastest']:.2f}"]
    cells += [f"{1e3 * found['automatic']:.2f}", f"{found['to_best']:.3f}"]
    cells += [f"{found['to_best_least']:.3f}", f"{found['from_the_first']:.3f}"]
    return "| " + " | ".join(map(str, cells)) + " |"


def main() -> int:
    made = script.parser(__doc__)
    made.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    made.add_argument("--ranks", nargs="+", type=int, default=[1, 2, 4])
    made.add_argument("--threads", nargs="+", type=int, default=[1, 2])
    made.add_argument("--links", nargs="+", choices=("node", "wire"), default=["node", "wire"])
    made.add_argument("--rate", default="100mbit")
    made.add_argument("--steps", type=int, help="of a turn; left out: the case's own")
    made.add_argument("--repeats", type=int, default=9)
    made.add_argument("--rounds", type=int, default=1)
    made.add_argument("--json", type=Path)
    small = {"cases": ["dendrite"], "ranks": [2], "threads": [1], "links": ["node"], "steps": 1, "repeats": 1}
    small["rounds"] = 2
    options = script.parse(made, small)
    print("| " + " | ".join(COLUMNS) + " |\n|" + "---|" * len(COLUMNS), flush=True)
    all_found = []
    code = 0
    for key in product(options.cases, options.ranks, options.threads, options.links):
        name, ranks, threads, link = key
        if link == "wire" and ranks == 1:
            continue
        with tempfile.TemporaryDirectory() as folder:
            try:
                found = figures(measured(options, key, Path(folder)))
            except script.NotDoneError as error:
                ended = script.not_done(f"{name}, {ranks} ranks, {threads} threads, {link}", error)
                code = code if code == 1 else ended
                continue
        print(line(key, found), flush=True)
        all_found.append({"case": name, "ranks": ranks, "threads": threads, "link": link, **found})
    if options.json:
        options.json.write_text(json.dumps(all_found, indent=1) + os.linesep)
    return code


if __name__ == "__main__":
    sys.exit(main())
