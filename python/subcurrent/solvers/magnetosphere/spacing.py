# SPDX-License-Identifier: Apache-2.0
"""A planet's case at another spacing of the nodes, and a run of it."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from ...case.reading import load_case, set_words
from .case import MagnetosphereCase

COEFFICIENTS = ("density", "pressure", "viscosity", "resistivity")


def at_spacing(case: MagnetosphereCase, spacing: float) -> list[str]:
    """KEY=VALUE, as --set takes them: the same box and coefficients in proportion to the spacing. Nodes lie
    on y = 0 and z = 0: where no plane of symmetry begins the box there, as many on both sides."""
    grid, scale = case.grid, spacing / case.grid.spacing
    points, low = [], []
    for axis, (count, first) in enumerate(zip(grid.points, grid.low, strict=True)):
        below = math.floor(-first / spacing + 1e-9) if axis > 0 and first < 0 else None
        points.append(round(count / scale) if below is None else 2 * below + 1)
        low.append(first if below is None else -below * spacing)
    places = [] if low == list(grid.low) else ["grid.low=[" + ",".join(f"{x:g}" for x in low) + "]"]
    coefficients = {name: getattr(case.diffusion, name) * scale for name in COEFFICIENTS}
    return [
        f"grid.points={points}",
        *places,
        f"grid.spacing={spacing:g}",
        *(f"diffusion.{name}={value:g}" for name, value in coefficients.items()),
    ]


def run_at(folder: Path, case: Path, spacing: float, sets: Iterable[str], ranks: int) -> None:
    """Runs a case file at a spacing; a run that is in the folder already is not run again. What it prints
    goes to stderr."""
    if (folder / "summary.json").is_file():
        return
    command = [sys.executable, "-m", "subcurrent", "run", str(case), "-n", str(ranks), "--out", str(folder)]
    words = set_words([*at_spacing(load_case(case), spacing), *sets])
    subprocess.run([*command, *words], check=True, stdout=sys.stderr)
