# SPDX-License-Identifier: Apache-2.0
"""The Python API of the dendrite solver.

import subcurrent as sc

corner = {face: "symmetry" for face in ("x-", "y-", "z-")}
sim = sc.Dendrite((128, 128, 128), boundaries=corner, seeds=[{"centre": [0, 0, 0], "radius": 0.2}])
sim.run(time=1e-8)
sim.plot("temperature.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...given import one_of, path_text
from ..simulation import Simulation
from .crystal_field import CrystalField


class Dendrite(Simulation):
    """Crystals that grow in the undercooled melt of a pure metal, by the phase-field method; by default one
    crystal of nickel in the middle of an insulated box.

    cells        number of cells along x, y and z
    spacing      side of a cell in µm
    temperature  initial temperature of crystals and melt in K
    undercooling instead of it with model={"name": "karma_rappel"}, which has no units
    precision    "single" or "double", of the fields and so of the arrays of `phase`
    safety       time step as a fraction of the largest stable one; or `dt`, a fixed one in s
    noise_seed   seed of the random noise
    model, material, scheme, boundaries, storage, engine
                 keys of the case file's tables, e.g. material={"noise": 0}
    seeds        the crystals, a list of the case file's tables [[seeds]], e.g. [{"radius": 0.3}]

    `gather` returns "phase" (the default) or "temperature_above_melting"; times are in s.

    `python script.py` runs on one rank, `mpirun -n 4 python script.py` on four; then all ranks call every
    method. Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _tables = ("model", "material", "scheme", "seeds", "boundaries", "storage", "engine")
    _fields = ("phase", "temperature_above_melting")
    _plots = ("temperature", "outlines")

    def __init__(
        self,
        cells: Sequence[int],
        *,
        spacing: float = 0.02,
        temperature: float = 1511.0,
        precision: str = "single",
        safety: float | None = None,
        dt: float | None = None,
        noise_seed: int | None = None,
        undercooling: float | None = None,
        **tables: Any,
    ):
        start = {"temperature": temperature, "undercooling": undercooling}
        super().__init__(
            {
                "solver": "dendrite",
                "grid": {"cells": cells, "spacing": spacing},
                "start": {**start, "precision": precision, "noise_seed": noise_seed},
                "run": {"steps": 1, "safety": safety, "dt": dt},
            },
            tables,
        )

    def step(self) -> dict[str, Any]:
        """One time step. Returns step, time and dt (s), solid (the solid fraction of the volume), phi_low,
        phi_high, T_low and T_high (K), total (mean of T − (L/C) h(φ), which is constant), tip (the longest
        arm of the first crystal, m), tip_velocity (its speed, m/s), arm_x+ … arm_z- (each arm along the
        crystal's own axes, m) and tip_velocity_x+ … tip_velocity_z- (their speeds, m/s). Speeds are means
        since the last measurement, NaN at the first. With the model of Karma and Rappel nothing has a unit,
        and there is free_energy. Raises `Error` if the state is no longer finite."""
        return super().step()

    @property
    def phase(self) -> np.ndarray:
        """This rank's own cells, shape (nz, ny, nx): 1 in the solid, 0 in the melt.

        A view of the solver's memory: nothing is copied, and writing to it changes the state. The solver
        alternates between two time levels, so get the view again after each step. Raises `Error` if the
        fields are in files.
        """
        return self._solver.field("phase")

    @property
    def temperature_above_melting(self) -> np.ndarray:
        """T − T_m in K on this rank's own cells, shape (nz, ny, nx); a view like `phase`."""
        return self._solver.field("temperature_above_melting")

    def arms(self) -> tuple[float, ...]:
        """Lengths of the arms of the first crystal along its own axes, from its centre to φ = 1/2, in m: +x,
        -x, +y, -y, +z and -z; 0 for an arm that starts at the boundary of the domain; collective."""
        return tuple(self._solver.arms())

    def plot(self, path: str | Path, kind: str = "temperature") -> None:
        """Draws a PNG, PDF or SVG on rank 0, completed beyond planes of symmetry; collective. kind is
        "temperature" (middle planes with the contour φ = 1/2) or "outlines" (only the contour φ = 1/2)."""
        if kind != "outlines":
            self._draw(path, one_of("kind", kind, self._plots))
            return
        from .crystal import draw_outlines  # noqa: PLC0415 - matplotlib

        path = Path(path_text("path", path))
        if (crystal := CrystalField.of(self)) is not None:
            draw_outlines(path, [crystal], self._title())
