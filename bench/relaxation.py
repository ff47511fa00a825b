#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Relaxation sweeps of the cavity's pressure in passes of 2, 4 and 8: how many times as fast as one by one.

bench/relaxation.py [--cells 192] [--turns 3] [--threads 2]
"""

from __future__ import annotations

import re
import sys

import script

LINE = re.compile(
    r"^result: (?P<sweep>[^,]+), (?P<kernel>[^,]+), .*, one by one / (?P<length>\d+) a pass: (?P<ratio>\S+) ",
    re.MULTILINE,
)


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--cells", type=int, default=192)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    arguments = script.parse(parser, {})
    counts = (arguments.turns, arguments.threads, arguments.cells)
    said = script.printed([script.built("relaxation_bench"), *counts, *["--trial"] * arguments.trial])
    rows: dict[tuple[str, str], dict[int, float]] = {}
    for m in LINE.finditer(said):
        rows.setdefault((m["sweep"], m["kernel"]), {})[int(m["length"])] = float(m["ratio"])
    lengths = sorted({length for row in rows.values() for length in row})
    print("| sweep | kernel | " + " | ".join(f"{length} a pass" for length in lengths) + " |")
    print("|---|---|" + "---:|" * len(lengths))
    for (sweep, kernel), row in rows.items():
        print(f"| {sweep} | {kernel} | " + " | ".join(f"{row[length]:.2f}" for length in lengths) + " |")
    print("\n".join(script.results_in(said)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
