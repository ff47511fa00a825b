#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Several steps a pass of the heat equation on two ranks whose messages arrive late: milliseconds, messages
and bytes a step against steps a pass.

    bench/passes_wire.py [--cells 24 64] [--turns 3] [--delay 5]
"""

from __future__ import annotations

import argparse
import re
import sys

import script

LINE = re.compile(
    r"^(?P<length>\d+) a pass, (?P<strategy>\w+): (?P<ms>\S+) ms a step, (?P<messages>\S+) messages, "
    r"(?P<kb>\S+) kB$",
    re.MULTILINE,
)
OVERLAPS = "boundary_first"
Row = dict[str, float]


def said_by(cells: int, turns: int, delay: int, trial: bool = False) -> str:
    command = ["mpirun", "-n", "2", "--oversubscribe", script.built("passes_wire"), turns, cells, delay]
    return script.printed(command + ["--trial"] * trial)


def rows_in(said: str) -> dict[int, Row]:
    """By steps a pass: milliseconds of the fastest strategy for one, of waiting and of overlapped passes
    for more; messages and kB that a rank sends a step."""
    rows: dict[int, Row] = {}
    for m in LINE.finditer(said):
        length, ms = int(m["length"]), float(m["ms"])
        row = rows.setdefault(length, {"messages": float(m["messages"]), "kb": float(m["kb"])})
        kind = "overlapped" if length == 1 or m["strategy"] == OVERLAPS else "waiting"
        row[kind] = min(ms, row.get(kind, ms))
    return rows


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--cells", type=int, nargs="+", default=[24, 64])
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--delay", type=int, default=5, help="milliseconds that every message is late")
    arguments: argparse.Namespace = script.parse(parser, {"cells": [24]})
    print("| cells | steps a pass | ms a step | waiting | one by one / it | messages | kB |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    results: list[tuple[list[str], str]] = []
    for cells in arguments.cells:
        said = said_by(cells, arguments.turns, arguments.delay, arguments.trial)
        results.append((script.results_in(said), f"messages {arguments.delay} ms late"))
        at_once = said_by(cells, arguments.turns, 0, arguments.trial)
        results.append((script.results_in(at_once), "messages at once"))
        rows = rows_in(said)
        for length, row in rows.items():
            waiting = f"{row['waiting']:.3g}" if "waiting" in row else "–"
            gain = f"{rows[1]['overlapped'] / row['overlapped']:.2f}" if length > 1 else "–"
            print(
                f"| {cells}³ | {length} | {row['overlapped']:.3g} | {waiting} | {gain} | "
                f"{row['messages']:.3g} | {row['kb']:.4g} |"
            )
    for lines, where in results:
        script.show(lines, where)
    return 0


if __name__ == "__main__":
    sys.exit(main())
