# SPDX-License-Identifier: Apache-2.0
"""The Python API of the magnetosphere solver.

import subcurrent as sc

sim = sc.Magnetosphere((128, 128, 1), spacing=1 / 128, initial="orszag_tang")
sim.run(time=0.5)
sim.plot("vortex.png")
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...errors import BadInput
from ...given import one_of, table_of, whole
from ...report.flowfield import PLASMA, PlasmaField
from ..kinds import kind_of
from ..simulation import Simulation
from .convection import FEWEST_NODES, NODES, Convection, find_convection, without_convection
from .standoff import Standoff


class Magnetosphere(Simulation):
    """Magnetohydrodynamics: a planet in the solar wind, or a test of the scheme, by default in a periodic
    box.

    points    number of nodes along x, y and z
    spacing   distance between neighbouring nodes; with a planet in units of its radius
    initial   "planet", "orszag_tang", "brio_wu", "blast", "field_loop" or "linear_wave"
    low       coordinates of the first node
    courant   fastest signal x time step / spacing (0.4, for shocks; 0.8 for smooth flows); or `dt`, a fixed
              time step
    cycle     steps of a cycle: the first is a two-step Lax-Wendroff step, the others are leap-frog steps (8,
              for shocks; 64 or more for smooth flows)
    plasma, boundaries, planet, wind, diffusion, limits, engine    keys of the case file's tables, e.g.
              diffusion={"smoothing": 0.05, "heating": True}

    `gather` returns "density" (the default), "pressure", and with three components "velocity", "magnetic" or
    "coordinates".

    `python script.py` runs on one rank, `mpirun -n 4 python script.py` on four; then all ranks call every
    method. Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _tables = ("boundaries", "planet", "wind", "diffusion", "limits", "engine")
    _fields = (*PLASMA, "coordinates")

    def __init__(
        self,
        points: Sequence[int],
        *,
        spacing: float,
        initial: str = "planet",
        low: Sequence[float] = (0.0, 0.0, 0.0),
        courant: float | None = None,
        dt: float | None = None,
        cycle: int | None = None,
        plasma: dict[str, Any] | None = None,
        **tables: dict[str, Any],
    ):
        super().__init__(
            {
                "solver": "magnetosphere",
                "plasma": {"initial": initial, **table_of("plasma", plasma)},
                "grid": {"points": points, "low": low, "spacing": spacing},
                "run": {"steps": 1, "courant": courant, "dt": dt, "cycle": cycle},
            },
            tables,
        )

    def step(self) -> dict[str, Any]:
        """One time step. Returns step, time, dt, courant, place (position in the cycle), floors (points at a
        lower limit), all_floors (those of all steps since the last report), mass, energy, magnetic_energy,
        momentum_x … and flux_x … (sums over the nodes) and divergence (max |div B|), all in the solver's
        units. Raises `Error` if the state is no longer finite."""
        return super().step()

    @property
    def density(self) -> np.ndarray:
        """This rank's own nodes, shape (nz, ny, nx), in the solver's units.

        A view of the solver's memory: nothing is copied, and writing to it changes the state. The solver
        alternates between time levels, so get the view again after each step.
        """
        return self._solver.field("density")

    @property
    def velocity(self) -> np.ndarray:
        """Own nodes, shape (3, nz, ny, nx), in Alfvén speeds; a view like `density`."""
        return self._solver.field("velocity")

    @property
    def pressure(self) -> np.ndarray:
        """Own nodes, shape (nz, ny, nx), in the solver's units; a view like `density`."""
        return self._solver.field("pressure")

    @property
    def magnetic(self) -> np.ndarray:
        """The magnetic field on own nodes, shape (3, nz, ny, nx), in units of the equatorial field; a view
        like `density`."""
        return self._solver.field("magnetic")

    def measure(self) -> dict[str, float]:
        """Mass, energies, momentum, flux and max |div B| of the present state; collective."""
        return dict(self._solver.measure())

    def axis(self) -> dict[str, np.ndarray] | None:
        """Values on the line through the origin along x: "x", "density", "pressure", "vx", "vy", "vz", "Bx",
        "By", "Bz" and "current", on rank 0; None on other ranks; collective."""
        return self._solver.axis()

    def standoff(self) -> Standoff:
        """Where magnetopause and bow shock cross the line to the sun, in radii: .magnetopause and .shock. NaN
        if there is none yet, without a planet, and on ranks other than 0; collective."""
        return kind_of(self.case).standoff(self._solver, self.case)

    def convection(self, nodes: int = NODES) -> Convection | None:
        """Open flux and cross-polar-cap potential of a planet: .north and .south, each with .open_flux (MWb),
        .potential (kV; None where no line is open), .along_line (kV, the same along another path) and .curl
        (the part of E = -v x B that is no gradient); .neutral_line is the open flux without field lines (MWb,
        None unless z- is an equator). `nodes`: along a side of the grid on a hemisphere. None on ranks other
        than 0; collective. Raises BadInput without a planet, or if the grid does not enclose one."""
        count = whole("nodes", nodes, FEWEST_NODES)
        if (why := without_convection(self.case)) is not None:
            raise BadInput(f"convection() is not possible here: {why}")
        state = PlasmaField.of(self)
        return None if state is None else find_convection(state, self.case, count)

    def plot(self, path: str | Path, kind: str = "planes") -> None:
        """Draws a PNG, PDF or SVG on rank 0; collective. kind is "planes" (with a planet the noon-midnight
        and the equatorial plane, else pressure and density in the plane z = 0), or, with a planet, "axis"
        (the line to the sun) or "polar_cap" (the potential across it)."""
        planet = self.case.has_planet()
        one_of("kind", kind, ("planes", "axis", "polar_cap") if planet else ("planes",))
        self._draw(path, kind if planet else "vortex")
