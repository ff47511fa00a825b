# SPDX-License-Identifier: Apache-2.0
"""The figures of a dendrite run."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from pathlib import Path

from ...launch.rundir import RunFolder
from ...report.plots.history import read_history
from ..drawing import Drawing, OfState
from ..kinds import title_of
from .case import DendriteCase
from .crystal import draw_growth, draw_outlines, draw_temperature
from .crystal_field import CrystalField, read_crystal

# Cells along an axis beyond which pictures show means over 2³, 3³, … cells: the surface needs ten times the
# memory of its cells. A crystal in a plane has few.
FINEST, FINEST_IN_SPACE, FINEST_IN_A_PLANE = 256, 200, 2048


def _crystal(path: Path, case: DendriteCase, finest: int) -> CrystalField:
    coarser = -(-max(case.grid.cells) // (FINEST_IN_A_PLANE if min(case.grid.cells) == 1 else finest))
    crystal = read_crystal(path, case.melting(), coarser).completed(case.mirrored())
    return replace(crystal, units=case.shown_in())


def shown(snapshots: list[Path]) -> list[Path]:
    """At most four: at a sixth, a third, two thirds and the end, as in the paper's figure 2."""
    count = len(snapshots)
    if count <= 4:
        return snapshots
    chosen = sorted({max(1, round(count * share)) for share in (1 / 6, 1 / 3, 2 / 3, 1)})
    return [snapshots[n - 1] for n in chosen]


def crystals_of(folder: RunFolder, case: DendriteCase) -> list[CrystalField]:
    """The snapshots that pictures show."""
    return [_crystal(file, case, FINEST_IN_SPACE) for file in shown(folder.all_snapshots())]


def _surface(folder: RunFolder, case: DendriteCase, path: Path) -> str | None:
    crystals = crystals_of(folder, case)
    if min(case.grid.cells) == 1:
        draw_outlines(path, crystals, title_of(case))
        return None
    if importlib.util.find_spec("pyvista") is None:
        draw_outlines(path, crystals, title_of(case))
        return "the surface phi = 1/2 is drawn as outlines in three planes: the 3-D view needs pyvista."
    from .crystal_view import draw_surfaces  # noqa: PLC0415 - only where pyvista is

    draw_surfaces(path, crystals)
    return None


def _growth(folder: RunFolder, case: DendriteCase, path: Path) -> None:
    draw_growth(path, read_history(folder.history), title_of(case), case.shown_in())


DRAWINGS = (
    Drawing(
        "crystal.png",
        "The surface φ = ½ over time, or its outline in a plane, completed beyond planes of symmetry.",
        _surface,
        ("snapshots",),
        in_space=True,
    ),
    Drawing(
        "temperature.png",
        "Temperature in the planes through the middle, last snapshot; white: φ = ½.",
        OfState(
            lambda path, crystal, case: draw_temperature(path, crystal, title_of(case)),
            lambda folder, case: _crystal(folder.last_snapshot(), case, FINEST),
            CrystalField.of,
        ),
        ("snapshots",),
    ),
    Drawing(
        "growth.png",
        "Longest arm and its speed, solid fraction, the conserved mean, φ's range; the free energy.",
        _growth,
        ("history.csv",),
    ),
)
