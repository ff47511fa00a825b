#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A dendrite on two emulated hosts whose link, not its latency, is the bottleneck: milliseconds a step of the
fastest strategy against steps a pass, and how much longer messages take than computing. Needs root.

    bench/passes_hosts.py [--cells 96] [--network 100mbit] [--steps 40] [--lengths 1 2 4]
"""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path

import script

COMMAND = ("strategies", "nickel_small", "-n", "2", "--threads", "1")


def measure(cells: int, network: str, steps: int, length: int, folder: Path) -> list[dict[str, str]]:
    """The rows of strategies.csv. Raises NotDoneError where the program refuses."""
    settings = [
        f"grid.cells=[{cells}, {cells}, {cells}]",
        f"engine.steps_per_pass={length}",
        f"run.steps={steps}",
    ]
    out = folder / str(length)
    script.subcurrent(*COMMAND, "--network", network, "--out", out, sets=settings, seconds=600)
    with (out / "strategies.csv").open() as rows:
        return list(csv.DictReader(rows))


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--cells", type=int, default=96)
    parser.add_argument("--network", default="100mbit")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1, 2, 4])
    arguments = script.parse(parser, {"cells": 24, "steps": 4, "lengths": [2]})
    fastest: dict[int, float] = {}
    print("| steps a pass | fastest strategy | ms a step | blocking | messages / computing |")
    print("|---:|---|---:|---:|---:|")
    for length in arguments.lengths:
        with tempfile.TemporaryDirectory() as folder:
            try:
                rows = measure(arguments.cells, arguments.network, arguments.steps, length, Path(folder))
            except script.NotDoneError as error:
                return script.not_done("passes_hosts", error)
        best = min(rows, key=lambda row: float(row["T"]))
        blocking = next(row for row in rows if row["strategy"] == "blocking")
        ratio = float(blocking["M"]) / float(blocking["C_core"])
        times = f"{1e3 * float(best['T']):.3g} | {1e3 * float(blocking['T']):.3g}"
        print(f"| {length} | {best['strategy']} | {times} | {ratio:.2g} |")
        fastest[length] = float(best["T"])
    for length, seconds in fastest.items():
        if length > 1 and 1 in fastest:
            name = f"dendrite on two hosts, {arguments.network}, {length} a pass, one by one / it"
            script.result(name, fastest[1] / seconds, "goal >= 0.97")
    return 0


if __name__ == "__main__":
    sys.exit(main())
