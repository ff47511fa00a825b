#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The dendrite with its fields in files, in half the memory that they take, against the same run in memory.

    bench/dendrite_disk.py [--cells 256] [--planes 512] [--pieces 32] [--lengths 4 8] [--steps 96]
                           [--rounds 3] [--threads 2]

The case is nickel_out_of_core with `planes` planes of `cells` x `cells` cells, in double precision: 32 bytes
a cell. In every round each way has its turn, as a run of the program; the milliseconds a step are those of
its summary. So are the parts of the last round: computing, copying (planes that two slabs share, and
boundary conditions) and moving data (starting to read and write, and waiting). The runs in files are in a
control group of the kernel that grants half the bytes of the fields, page cache included (root, and cgroups
1; without, they run unlimited, which is said).
"""

from __future__ import annotations

import json
import re
import statistics
import sys
import tempfile
from pathlib import Path

import script

BYTES = 32  # of a cell: two fields, two levels, double
TRIAL = {"cells": 64, "planes": 128, "pieces": 8, "lengths": [1, 2], "steps": 4, "rounds": 1}


PARTS = {  # of a step, by the phases of a timeline
    "computing": {"core", "shell", "all"},
    "copying": {"boundary"},
    "moving": {"start", "poke", "wait"},
}


def parts_of(summary: dict, steps: int) -> list[float]:
    """Milliseconds of a step that the timeline of a run has for each part."""
    spans = summary["timeline"]["seconds"].values()
    return [
        1e3 / steps * sum(span.get(phase, 0) for span in spans for phase in phases)
        for phases in PARTS.values()
    ]


def run(options, place: str, length: int, limit: float | None, folder: Path) -> dict:
    """The summary of a run."""
    sets = [f"grid.cells=[{options.cells},{options.cells},{options.planes}]", f"run.steps={options.steps}"]
    sets += [
        f"engine.threads={options.threads}",
        f"engine.steps_per_pass={length}",
        "engine.strategy=automatic",
    ]
    sets += ["output.figures=false", "output.snapshots=false", f"output.history_every={options.steps}"]
    text = (script.ROOT / "cases/nickel_out_of_core/case.toml").read_text()
    if place == "files":
        sets += [f"storage.pieces={options.pieces}", f"storage.scratch={folder / 'scratch'}"]
    else:
        text = re.sub(r"\[storage\].*?(?=\n\[)", "", text, flags=re.DOTALL)
    case, out = folder / "case.toml", folder / "run"
    case.write_text(text)
    limited = [sys.executable, script.ROOT / "bench/limited.py", "--memory", limit] if limit else []
    try:
        script.subcurrent("run", case, "-n", 1, "--out", out, sets=sets, under=limited)
    except script.NotDoneError as error:
        if limit and error.code == script.SKIPPED:
            print(f"without the limit: {error.said}", file=sys.stderr)
            return run(options, place, length, None, folder)
        sys.exit(error.said)
    return json.loads((out / "summary.json").read_text())


def main() -> int:
    parser = script.parser(__doc__)
    for name, usual in (("cells", 256), ("planes", 512), ("pieces", 32), ("steps", 96), ("rounds", 3)):
        parser.add_argument(f"--{name}", type=int, default=usual)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--lengths", type=int, nargs="+", default=[4, 8])
    options = script.parse(parser, TRIAL)
    fields = 1e-6 * BYTES * options.cells**2 * options.planes
    ways = [("memory", length) for length in dict.fromkeys((1, *options.lengths))]
    ways += [("files", length) for length in options.lengths]
    times: dict[tuple[str, int], list[float]] = {way: [] for way in ways}
    parts: dict[tuple[str, int], list[float]] = {}
    for _ in range(options.rounds):
        for way in ways:
            with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
                limit = None if way[0] == "memory" or options.trial else fields / 2
                summary = run(options, *way, limit, Path(folder))
                times[way].append(1e3 * summary["seconds_per_step"])
                parts[way] = parts_of(summary, options.steps)
    print(f"{fields:.0f} MB of fields; {fields / 2:.0f} MB of memory for the runs in files\n")
    ratios: dict[tuple[str, int], float] = {}
    heads = ("fields in", "steps a pass", "ms a step", *PARTS, "speed in memory = 1")
    print("| " + " | ".join(heads) + " |\n|---" + "|---:" * 6 + "|")
    for way in ways:
        ratio = statistics.median(a / b for a, b in zip(times["memory", 1], times[way], strict=True))
        shown = (f"{value:.3g}" for value in (statistics.median(times[way]), *parts[way]))
        print(f"| {way[0]} | {way[1]} | " + " | ".join(shown) + f" | {ratio:.2f} |")
        ratios[way] = ratio
    best = max((way for way in ways if way[0] == "files"), key=lambda way: ratios[way])
    script.result(
        f"dendrite in files, half its memory, {best[1]} a pass, in memory / it", ratios[best], "goal >= 0.8"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
