# SPDX-License-Identifier: Apache-2.0
"""Tables of what strategies hide between hosts that are emulated on this machine (root)."""

from __future__ import annotations

import json
from pathlib import Path

from subcurrent.case.reading import set_words
from subcurrent.foresight import ceiling

from . import python
from .runs import table

HIDING = ("boundary_first", "pipelined", "interior_first", "automatic")
# Link, points along an axis, steps that a strategy takes in its turn.
COMPRESSIBLE = (("10gbit", 64, 4), ("1gbit", 64, 4))
# Case, wire, steps, and keys; messages and computing take about as long, except for planets.
NEAR_ONE = (
    ("taylor_green_1600", "rdma:10gbit", 3, ()),
    ("nickel_small", "rdma:700mbit", 20, ("grid.cells=[128,128,128]",)),
    ("earth_north", "100mbit", 4, ()),
    ("earth_north", "1gbit", 4, ()),
)


def strategies(scratch: Path, link: str, points: int, steps: int) -> dict:
    """Two ranks that divide z, the strategies in turns."""
    out = scratch / f"{link}_{points}"
    sets = (f"grid.points=[{points},{points},{points}]", "engine.split=[1,1,2]")
    words = set_words(sets)
    words += ["--network", link, "--strategies", ",".join(("blocking", *HIDING))]
    line = ["-m", "subcurrent", "strategies", "decaying_mach05", "-n", "2", "--out", out]
    python(*line, "--steps", steps, "--repeats", 2, *words)
    return json.loads((out / "strategies.json").read_text())


def row_of(link: str, points: int, told: dict) -> tuple[str, ...]:
    rows = {row["strategy"]: row for row in told["rows"]}
    plain = rows["blocking"]
    cells = [f"{plain['T'] / rows[name]['T']:.2f}, {100 * rows[name]['hidden']:.0f} %" for name in HIDING]
    share = plain["M"] / plain["C_core"]
    return (link, f"{points}³", f"{share:.2f}", f"{1000 * plain['T']:.0f}", *cells)


def compressible_wire(scratch: Path) -> list[str]:
    """A step of decaying turbulence."""
    rows = [
        row_of(link, points, strategies(scratch, link, points, steps)) for link, points, steps in COMPRESSIBLE
    ]
    return table(("link", "points", "messages / computing", "`blocking`, ms a step", *HIDING), rows)


def reached(scratch: Path, case: str, link: str, steps: int, sets: tuple[str, ...]) -> tuple[str, ...]:
    """The fastest strategy of a case on two ranks, and the ceilings of its gain."""
    out = scratch / f"{case}_{link.replace(':', '_')}"
    words = set_words(sets)
    words += ["--network", link, "--strategies", ",".join(HIDING[:3])]
    line = ["-m", "subcurrent", "strategies", case, "-n", "2", "--out", out]
    python(*line, "--steps", steps, "--repeats", 3, *words)
    rows = {row["strategy"]: row for row in json.loads((out / "strategies.json").read_text())["rows"]}
    ordered = rows["ordered"]
    best = min((rows[name] for name in HIDING[:3]), key=lambda row: row["T"])
    plan = max(most for name in HIDING[:3] if (most := ceiling.by_plan(rows[name], ordered)) is not None)
    times = (f"{1e3 * t:.3g}" for t in (ordered["C_shell"] + ordered["C_core"], ordered["M"], best["W"]))
    gains = (f"{gain:.2f}" for gain in (best["ratio"], ceiling.by_terms(ordered), plan))
    return case, link, *times, best["strategy"], *gains, f"{best['ratio'] / plan:.2f}"


def hiding_wire(scratch: Path) -> list[str]:
    """What the fastest strategy gains, and what it could gain."""
    heading = ("case", "wire", "C, ms", "M, ms", "W, ms", "fastest", "gain", "ceiling by M and C")
    return table(
        (*heading, "by the plan", "gain / ceiling of the plan"),
        [reached(scratch, *case) for case in NEAR_ONE],
    )
