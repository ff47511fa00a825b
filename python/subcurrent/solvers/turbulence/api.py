# SPDX-License-Identifier: Apache-2.0
"""The Python API of the turbulence solver.

import subcurrent as sc

sim = sc.Turbulence((64, 64, 64), reynolds=1600, dt=0.02)
sim.run(time=9)
k, energy = sim.spectrum()
sim.plot("spectrum.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import BadInput
from ...given import one_of, path_text, table_of
from ..simulation import Simulation


class Turbulence(Simulation):
    """Incompressible flow in the periodic box 0 <= x, y, z < 2π; by default the Taylor–Green vortex.

    points      number of points along x, y and z, even numbers
    dt          time step
    reynolds    1 / viscosity; or `viscosity`
    precision   "double" or "single", of the fields and so of the arrays of `velocity` and `modes`
    initial     "taylor_green", "random" (then `spectrum`), or the path of a run, a snapshot or a checkpoint
    spectrum, forcing, scalar, storage, scheme, engine    keys of the case file's tables, e.g.
                forcing={"kind": "negative_viscosity"}, spectrum={"peak": 3, "seed": 7}

    `gather` returns "velocity" (the default), "vorticity" or all "modes", with three components; of a passive
    scalar, scalar={"schmidt": 1, "gradient": [0, 0, 1]}, "scalar", and it is the fourth component of "modes".
    The report of a step has time, energy, dissipation, enstrophy, skewness, taylor_reynolds, …

    Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _tables = ("spectrum", "forcing", "scalar", "storage", "engine")
    _fields = ("velocity", "vorticity", "modes", "scalar")
    _plots = ("spectrum", "vorticity", "scalar")

    def __init__(
        self,
        points: Sequence[int],
        *,
        dt: float,
        reynolds: float | None = None,
        viscosity: float | None = None,
        precision: str = "double",
        initial: str = "taylor_green",
        scheme: dict[str, Any] | None = None,
        **tables: dict[str, Any],
    ):
        super().__init__(
            {
                "solver": "turbulence",
                "flow": {"initial": initial, "reynolds": reynolds, "viscosity": viscosity},
                "grid": {"points": points},
                "scheme": {"dt": dt, "precision": precision, **table_of("scheme", scheme)},
                "run": {"steps": 1},
            },
            tables,
        )

    @property
    def velocity(self) -> np.ndarray:
        """This rank's own points, shape (3, nz, ny, nx), transformed again at each call: a view of the
        solver's work memory, which the next step overwrites. Writing to it does not change the flow.
        Collective."""
        return self._solver.velocity()

    @property
    def modes(self) -> np.ndarray:
        """This rank's own modes, complex and not scaled, shape (3, nkz, nky, nkx), with a scalar (4, …): a
        view of the state, nothing is copied."""
        return self._solver.field("modes")

    def measure(self) -> dict[str, float]:
        """Energy, dissipation, enstrophy, skewness and small-scale quantities of the present flow;
        collective."""
        return dict(self._solver.measure())

    def spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """k = 0, 1, 2, … and E(k), the energy of the modes within 1/2 of |k|; collective."""
        energies = np.array(self._solver.spectrum())
        return np.arange(len(energies)), energies

    def scalar_spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        """k = 0, 1, 2, … and the variance of the scalar's modes within 1/2 of |k|; collective."""
        if self.case.scalar is None:
            raise BadInput("scalar_spectrum() needs a scalar: give one of its keys as scalar={…}.")
        variances = np.array(self._solver.scalar_spectrum())
        return np.arange(len(variances)), variances

    def plot(self, path: str | Path, kind: str = "spectrum") -> None:
        """Draws a PNG, PDF or SVG on rank 0; collective. kind is "spectrum", "vorticity" or "scalar"
        (slices of |ω| and θ)."""
        if kind != "spectrum":
            self._draw(path, one_of("kind", kind, self._plots))
            return
        from .pictures import Spectrum, draw_spectrum  # noqa: PLC0415 - matplotlib

        path = Path(path_text("path", path))
        now, (k, energy) = self.measure(), self.spectrum()
        if self._context.rank == 0:
            label = f"time {self.time:.4g}"
            shown = Spectrum(k, energy, label, now["dissipation"] ** (2 / 3), now["kolmogorov"])
            draw_spectrum(path, [shown], self.case.kept(), self._title())
