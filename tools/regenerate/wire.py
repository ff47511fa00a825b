# SPDX-License-Identifier: Apache-2.0
"""Tables of what strategies hide between hosts that are emulated on this machine (root)."""

from __future__ import annotations

import json
from pathlib import Path

from . import python
from .runs import table

HIDING = ("boundary_first", "pipelined", "interior_first", "automatic")
# Link, points along an axis, steps that a strategy takes in its turn.
COMPRESSIBLE = (("10gbit", 64, 4), ("1gbit", 64, 4))


def strategies(scratch: Path, link: str, points: int, steps: int) -> dict:
    """Two ranks that divide z, the strategies in turns."""
    out = scratch / f"{link}_{points}"
    sets = (f"grid.points=[{points},{points},{points}]", "engine.split=[1,1,2]")
    words = [word for text in sets for word in ("--set", text)]
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
