# SPDX-License-Identifier: Apache-2.0
"""Tables of several steps a pass: in memory, in files, between two ranks, and of relaxation sweeps."""

from __future__ import annotations

import re
from pathlib import Path

from . import RELEASE, printed
from .commands import table_of, tables_in
from .figure import on
from .runs import table

STENCILS = "docs/stencil_codes.md"
GOALS = {
    "heat 256^3": "1.6",
    "heat 512^3": "1.35",
    "two stages 256^3": "1.8",
    "wave f64 256^3": "1.6",
    "wave f32 384^3": "1.6",
    "dendrite f32 320^3": "1.15",
}


def row_of(problem: str, text: str) -> tuple[str, ...]:
    """A row of what passes_bench printed about a problem, with two threads."""
    head = re.escape(f"{problem}, 2 threads, ")
    times = {int(n): float(ms) for n, ms in re.findall(rf"^{head}(\d+) a pass: (\S+) ms", text, re.MULTILINE)}
    best = min((n for n in times if n > 1), key=lambda n: times[n])
    said = dict(re.findall(rf"^result: {head}(.+): (\S+) \(", text, re.MULTILINE))
    others = [said.get(f"{name} / best", "–") for name in ("plain loop", "streaming copy")]
    ratios = [said["one step a pass / best"], GOALS[problem], said.get("best / in the caches", "–"), *others]
    shown = [f"{float(ratio):.2f}" if ratio != "–" else ratio for ratio in ratios]
    return (problem.replace("^3", "³"), f"{times[1]:.4g}", f"{times[best]:.4g}", str(best), *shown)


def passes(_: Path) -> list[str]:
    program = RELEASE / "bench/passes_bench"
    text = printed([program, 5, 2, 256, 256, 320]) + printed([program, 3, 2, 512, 0, 0, 0, 0, 0])
    heads = ("problem", "ms a step", "in passes", "steps a pass", "gain", "goal")
    heads += ("speed in the caches = 1", "gain on a plain loop", "on a streaming copy")
    return table(heads, [row_of(problem, text) for problem in GOALS])


def passes_link(_: Path) -> list[str]:
    return tables_in(printed([RELEASE / "bench/passes_link"]))[0]


PASSES = (
    on(STENCILS, passes, 300, "several steps a pass, in memory"),
    on(STENCILS, table_of("passes_disk.py"), 60, "several steps a pass, in files"),
    on(STENCILS, passes_link, 60, "several steps a pass, beside an emulated device"),
    on(STENCILS, table_of("passes_wire.py"), 30, "several steps a pass, two ranks, late messages"),
    on(STENCILS, table_of("passes_hosts.py"), 60, "several steps a pass, two emulated hosts (root)"),
    on(STENCILS, table_of("dendrite_disk.py"), 170, "the dendrite in half its memory"),
    on("solvers/cavity/README.md", table_of("relaxation.py"), 90, "sweeps of the pressure, several a pass"),
)
