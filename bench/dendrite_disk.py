#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dendrite with its fields in files, in half the memory that they take, against the same run in memory.

    bench/dendrite_disk.py [--cells 256] [--planes 512] [--pieces 32] [--lengths 4 8] [--steps 96]
                           [--rounds 3] [--threads 2]

The case is nickel_out_of_core with `planes` planes of `cells` x `cells` cells, in double precision: 32 bytes
a cell. In every round each way has its turn, as a run of the program; the milliseconds a step are those of
its summary. The runs in files are in a control group of the kernel that grants half the bytes of the fields,
page cache included (root, and cgroups 1; without, they run unlimited, which is said).
"""

from __future__ import annotations

import json
import re
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import script

ROOT = Path(__file__).resolve().parents[1]
BYTES = 32  # of a cell: two fields, two levels, double
TRIAL = {"cells": 64, "planes": 128, "pieces": 8, "lengths": [1, 2], "steps": 4, "rounds": 1}


def run(options, place: str, length: int, limit: float | None, folder: Path) -> float:
    """Milliseconds a step."""
    sets = [f"grid.cells=[{options.cells},{options.cells},{options.planes}]", f"run.steps={options.steps}"]
    sets += [
        f"engine.threads={options.threads}",
        f"engine.steps_per_pass={length}",
        "engine.strategy=automatic",
    ]
    sets += ["output.figures=false", "output.snapshots=false", f"output.history_every={options.steps}"]
    text = (ROOT / "cases/nickel_out_of_core/case.toml").read_text()
    if place == "files":
        sets += [f"storage.pieces={options.pieces}", f"storage.scratch={folder / 'scratch'}"]
    else:
        text = re.sub(r"\[storage\].*?(?=\n\[)", "", text, flags=re.DOTALL)
    case, out = folder / "case.toml", folder / "run"
    case.write_text(text)
    command = [sys.executable, "-m", "subcurrent", "run", str(case), "-n", "1", "--out", str(out)]
    command += [word for text in sets for word in ("--set", text)]
    limited = [sys.executable, str(ROOT / "bench/limited.py"), "--memory", str(limit)]
    done = subprocess.run(
        limited + command if limit else command, check=False, capture_output=True, text=True, cwd=folder
    )
    if limit and done.returncode == script.SKIPPED:
        print(f"without the limit: {done.stderr.strip()}", file=sys.stderr)
        return run(options, place, length, None, folder)
    if done.returncode != 0:
        sys.exit(done.stderr or done.stdout)
    return 1e3 * json.loads((out / "summary.json").read_text())["seconds_per_step"]


def main() -> int:
    parser = script.parser(__doc__)
    for name, usual in (("cells", 256), ("planes", 512), ("pieces", 32), ("steps", 96), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lengths", type=int, nargs="+", default=[4, 8])
    options = script.parse(parser, TRIAL)
    fields = 1e-6 * BYTES * options.cells**2 * options.planes
    ways = [("memory", 1)] + [("files", length) for length in options.lengths]
    times: dict[tuple[str, int], list[float]] = {way: [] for way in ways}
    for _ in range(options.rounds):
        for way in ways:
            with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
                limit = None if way[0] == "memory" or options.trial else fields / 2
                times[way].append(run(options, *way, limit, Path(folder)))
    print(f"{fields:.0f} MB of fields; {fields / 2:.0f} MB of memory for the runs in files\n")
    ratios: dict[tuple[str, int], float] = {}
    print("| fields in | steps a pass | ms a step | speed in memory = 1 |\n|---|---:|---:|---:|")
    for way in ways:
        ratio = statistics.median(a / b for a, b in zip(times["memory", 1], times[way], strict=True))
        print(f"| {way[0]} | {way[1]} | {statistics.median(times[way]):.4g} | {ratio:.2f} |")
        ratios[way] = ratio
    best = max((way for way in ways if way[0] == "files"), key=lambda way: ratios[way])
    script.result(
        f"dendrite in files, half its memory, {best[1]} a pass, in memory / it", ratios[best], "goal >= 0.8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
