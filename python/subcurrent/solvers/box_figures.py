# SPDX-License-Identifier: Apache-2.0
"""Pictures that both solvers of turbulence in a box leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..launch.rundir import RunFolder
from ..report.plots.history import read_history
from ..report.plots.spectrum import draw_structure
from ..report.structure import of_snapshot
from .box_pictures import draw_vorticity
from .drawing import Drawing, titled_planes
from .kinds import title_of

VORTICITY = Drawing(
    "vorticity.png",
    "Magnitude of the vorticity in the plane z = π, last snapshot.",
    titled_planes(draw_vorticity, "vorticity"),
    ("snapshots",),
)


def _structure(folder: RunFolder, case: Any, path: Path) -> None:
    snapshots = folder.all_snapshots()
    steady = case.forcing.kind != "none" and len(snapshots) > 3
    chosen = snapshots[len(snapshots) // 2 :] if steady else snapshots[-1:]
    times, found = zip(*(of_snapshot(snapshot) for snapshot in chosen), strict=True)
    history = read_history(folder.history)
    dissipation = float(np.mean(np.interp(times, history["time"], history["dissipation"])))
    if not (dissipation > 0 and case.viscosity() > 0):  # the laws of the picture are those of a viscous flow
        return
    span = f"mean over time {times[0]:.4g} to {times[-1]:.4g}" if steady else f"time {times[0]:.4g}"
    title = f"{title_of(case)}, {span}"
    draw_structure(path, found[0].mean(list(found[1:])), dissipation, case.viscosity(), title)


STRUCTURE = Drawing(
    "structure.png",
    "Structure functions of the velocity: mean squares and cubes of its differences between points at a "
    "distance r along x and y, beside Kolmogorov's laws.",
    _structure,
    ("snapshots", "history.csv"),
)
