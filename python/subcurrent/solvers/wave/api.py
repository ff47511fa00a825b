# SPDX-License-Identifier: Apache-2.0
"""The Python API of the wave solver.

import subcurrent as sc

sim = sc.Wave((96, 96, 96), start={"centre": [0.3, 0.5, 0.5]})
sim.run(time=1e-3)
sim.plot("pressure.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..simulation import Simulation


class Wave(Simulation):
    """Sound in a box, by default with rigid faces: d²p/dt² = c² lap p from a pulse at rest, by a leapfrog
    scheme of fourth order in space.

    cells    number of cells along x, y and z
    spacing  side of a cell in m
    safety   time step as a fraction of the largest stable one; or `dt`, a fixed one in s
    medium, start, boundaries, engine    keys of the case file's tables, e.g. boundaries={"z+": "soft"}

    `gather` returns "pressure", `plot` draws it in the middle plane across z ("planes"); a report has step,
    time, dt, energy (Pa²/s²), p_low and p_high (Pa).

    Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _tables = ("medium", "start", "boundaries", "engine")
    _fields = ("pressure",)
    _plots = ("planes",)

    def __init__(
        self,
        cells: Sequence[int],
        *,
        spacing: float = 0.01,
        safety: float | None = None,
        dt: float | None = None,
        **tables: Any,
    ):
        run = {"steps": 1, "safety": safety, "dt": dt}
        grid = {"cells": cells, "spacing": spacing}
        super().__init__({"solver": "wave", "grid": grid, "run": run}, tables)

    @property
    def pressure(self) -> np.ndarray:
        """This rank's own cells in Pa, shape (nz, ny, nx); a view, get it again after each step."""
        return self._solver.field("pressure")
