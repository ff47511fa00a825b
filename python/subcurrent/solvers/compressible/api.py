# SPDX-License-Identifier: Apache-2.0
"""The Python interface of the compressible solver.

import subcurrent as sc

sim = sc.Compressible((64, 64, 64), initial="random", mach=0.5, viscosity=0.005, scheme={"filter": 0.49})
sim.run(time=2)
k, solenoidal, dilatational = sim.spectrum()
sim.plot("schlieren.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ...given import table_of
from ..simulation import Simulation


class Compressible(Simulation):
    """An ideal gas in the periodic box 0 <= x, y, z < 2π; by default the Taylor–Green vortex at M = 0.1.

    points      number of points along x, y and z, each at least 8
    initial     "taylor_green", "random", "uniform", "vortex", "acoustic", "entropy" or "vorticity"
    mach        unit of velocity / speed of sound at rest
    reynolds    1 / viscosity; or `viscosity`; without both the gas is inviscid
    courant     (velocity + speed of sound), summed over the axes, x time step / spacing; or `dt`, fixed
    flow, gas, scheme, forcing, engine    keys of the case file's tables, e.g. flow={"peak": 3, "seed": 7},
                forcing={"kind": "constant_power", "power": 0.2}

    `gather` returns "density" (the default), "pressure", "dilatation", and with three components "velocity"
    or "vorticity". `plot` draws "schlieren" (the default: magnitude of the density gradient, and dilatation)
    or "vorticity" (its magnitude), both in the plane z = π.

    Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _tables = ("scheme", "forcing", "engine")
    _fields = ("density", "velocity", "pressure", "dilatation", "vorticity")
    _plots = ("schlieren", "vorticity")

    def __init__(
        self,
        points: Sequence[int],
        *,
        initial: str = "taylor_green",
        mach: float = 0.1,
        reynolds: float | None = None,
        viscosity: float | None = None,
        courant: float | None = None,
        dt: float | None = None,
        flow: dict[str, Any] | None = None,
        gas: dict[str, Any] | None = None,
        **tables: dict[str, Any],
    ):
        super().__init__(
            {
                "solver": "compressible",
                "flow": {"initial": initial, "mach": mach, **table_of("flow", flow)},
                "gas": {"reynolds": reynolds, "viscosity": viscosity, **table_of("gas", gas)},
                "grid": {"points": points},
                "run": {"steps": 1, "courant": courant, "dt": dt},
            },
            tables,
        )

    def step(self) -> dict[str, Any]:
        """One time step. Returns step, time, dt, courant and the results of measure(). Raises `Error` if
        density or pressure is no longer positive."""
        return super().step()

    def measure(self) -> dict[str, float]:
        """Means over the box of the present flow: mass, momentum_x …, total_energy, energy (kinetic),
        dissipation with its parts solenoidal and dilatational, enstrophy, mach, dilatation, its skewness, …;
        collective."""
        return dict(self._solver.measure())

    def spectrum(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """k = 0, 1, 2, … and E(k) of the solenoidal and of the dilatational velocity: sums over the modes
        within 1/2 of |k|; collective."""
        found = self._solver.spectrum()
        return np.arange(len(found["solenoidal"])), *(
            np.array(found[name]) for name in ("solenoidal", "dilatational")
        )
