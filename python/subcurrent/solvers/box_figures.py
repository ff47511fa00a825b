# SPDX-License-Identifier: Apache-2.0
"""The picture of the vorticity that both solvers of turbulence in a box leave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ..launch.rundir import RunFolder
from ..report.snapshot import read_plane
from .drawing import Drawing
from .kinds import kind_of
from .turbulence.pictures import draw_vorticity


def _vorticity(folder: RunFolder, case: Any, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None:
        return False
    time, plane = read_plane(snapshot, "vorticity")
    draw_vorticity(path, np.sqrt(np.sum(plane**2, axis=0)), time, kind_of(case).title(case))
    return True


VORTICITY = Drawing(
    "vorticity.png", "Magnitude of the vorticity in the plane z = π, last snapshot.", _vorticity
)
