# SPDX-License-Identifier: Apache-2.0
"""Runs the parts one after the other and prints what each has counted; exit code 1 when there was a fault."""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import sys
import time

from . import FAULTS, PARTS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.attack", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(PARTS)}; all of them when none")
    parser.add_argument("--budget", type=float, default=1.0, help="share of the whole")
    parser.add_argument("--table", action="store_true", help="print the counts as a table in the end")
    given = parser.parse_args()
    for part in given.parts:
        if part not in PARTS:
            parser.error(f"{part} is not known: allowed are {', '.join(PARTS)}")
    rows, faults = [], 0
    for part in given.parts or PARTS:
        if importlib.util.find_spec(f"{__package__}.{part}") is None:
            print(f"{part}: left out, there is no such part yet", flush=True)
            continue
        begin = time.monotonic()
        counts = importlib.import_module(f"{__package__}.{part}").run(given.budget)
        found = sum(counts.get(name, 0) for name in FAULTS)
        faults += found
        rows.append((part, _told({name: n for name, n in counts.items() if name not in FAULTS}), found))
        print(f"{part}: {_told(counts)} ({time.monotonic() - begin:.0f} s)", flush=True)
    print(f"faults: {faults}", flush=True)
    if given.table:
        print("\n| part | counts | faults |\n|---|---|---:|")
        print("\n".join(f"| {part} | {told} | {found} |" for part, told, found in rows))
    return 1 if faults else 0


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


if __name__ == "__main__":
    sys.exit(main())
