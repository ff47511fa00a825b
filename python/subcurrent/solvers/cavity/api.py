# SPDX-License-Identifier: Apache-2.0
"""The Python interface of the cavity solver."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from ...case.reference import Profiles, read_profiles
from ...errors import BadInput
from ...given import one_of, path_text, positive, three, without_none
from ..simulation import Simulation


@dataclasses.dataclass(frozen=True)
class CavityGrid:
    """The points of a box.

    points      number of points along x, y and z, walls included, each at least 4 (6 between walls)
    clustering  "uniform", "tanh" (denser at the walls), "skewed" or "file"
    smallest    spacing at the faces that are not periodic for "tanh"; below side / (points - 1)
    skew        amplitude of the distortion for "skewed", from 0 to below 0.3
    file        HDF5 file with the coordinates of the points for "file"
    metrics     "second" or "fourth": order of the differences in the metrics of the convection term
    size        sides of the box along x, y and z
    """

    points: Sequence[int]
    clustering: str = "uniform"
    smallest: float | None = None
    skew: float = 0.1
    file: str | None = None
    metrics: str = "fourth"
    size: Sequence[float] = (1.0, 1.0, 1.0)

    def table(self) -> dict[str, Any]:
        """The table [grid] of a case file with the same settings."""
        return {**without_none(dataclasses.asdict(self)), "points": self.points, "size": self.size}


class Cavity(Simulation):
    """Incompressible flow in a box, by default the lid-driven cube: the face z = 1 moves along x with speed
    1.

    grid        a CavityGrid
    reynolds    1 / viscosity in the units of speed and length, > 0: lid speed x side / viscosity in a cube
    courant     largest Courant number; or `dt`, a fixed time step in units of side / lid speed
    order       in time: 1, forward Euler, or 2, Heun's method
    average_from    time from which velocity and pressure are averaged, see `averages`
    boundaries  changed faces by name, e.g. {"y-": "periodic", "y+": "periodic", "z+": {"moving": [1, 0, 0]}},
                or {"x-": {"inflow": [1, 0, 0]}, "x+": "outflow", "z+": "slip"}
    pressure, engine    keys of the case file's tables, e.g. engine={"strategy": "halo_thread", "threads": 2}
    upwind, initial, precision    as in the case file's [flow]

    `gather` returns points with the walls: "velocity" (the default) or "coordinates" with three components,
    or "pressure".

    `python script.py` runs on one rank, `mpirun -n 4 python script.py` on four; then all ranks call every
    method. Raises BadInput (a ValueError) with one sentence for arguments that are not possible.
    """

    _fields = ("velocity", "pressure", "coordinates")
    _plots = ("profiles", "flow", "flow_3d")

    def __init__(
        self,
        grid: CavityGrid,
        *,
        reynolds: float,
        courant: float | None = None,
        dt: float | None = None,
        order: int = 1,
        average_from: float | None = None,
        boundaries: dict[str, Any] | None = None,
        pressure: dict[str, Any] | None = None,
        engine: dict[str, Any] | None = None,
        **flow: Any,
    ):
        if not isinstance(grid, CavityGrid):
            raise BadInput(
                f"grid = {grid!r} is not allowed: it must be a CavityGrid, e.g. CavityGrid((34, 34, 34))."
            )
        tables = {
            "solver": "cavity",
            "flow": {"reynolds": reynolds, **flow},
            "grid": grid.table(),
            "boundaries": boundaries or {},
            "pressure": pressure or {},
            "engine": engine or {},
            "output": {"average_from": average_from},
            "run": {"until": "steady", "order": order, "courant": courant, "dt": dt},
        }
        super().__init__(tables)

    def __repr__(self) -> str:
        points = " x ".join(str(count) for count in self.case.grid.points)
        return f"<Cavity {points}, Re {self.case.flow.reynolds:g}, step {self.steps}, time {self.time:.4g}>"

    # -- running --------------------------------------------------------------------------

    def step(self) -> dict[str, Any]:
        """One time step. Returns step, time, dt, courant, iterations, residual, max_change (max |dV/dt|),
        divergence_rms and capped (the residual of the pressure is still above the tolerance). Raises `Error`
        if the flow becomes NaN."""
        return super().step()

    def run(
        self,
        until: str | None = None,
        *,
        steps: int | None = None,
        time: float | None = None,
        tolerance: float = 1e-5,
        each: Callable[[dict[str, Any]], Any] | None = None,
    ) -> dict[str, Any]:
        """Computes steps until max |dV/dt| < `tolerance` (until="steady"), `steps` more steps, or steps until
        the `time` is reached; exactly one of the three is given. `each` is called with the report of every
        step. Returns the last report."""
        if sum(given is not None for given in (until, steps, time)) != 1 or until not in (None, "steady"):
            raise BadInput('run takes exactly one of until="steady", steps=… and time=….')
        steady = positive("tolerance", tolerance)
        return self._run(self._end(steps, time, steady if until else None), each)

    # -- looking --------------------------------------------------------------------------

    @property
    def velocity(self) -> np.ndarray:
        """This rank's own points without walls, shape (3, nz, ny, nx), in lid speeds; [0] is u, along x.

        A view of the solver's memory: nothing is copied, and writing to it changes the flow. The solver
        alternates between two time levels, so get the view again after each step.
        """
        return self._solver.field("velocity")

    @property
    def pressure(self) -> np.ndarray:
        """Own points, shape (nz, ny, nx), in density x lid speed squared, with mean 0; a view like
        `velocity`."""
        return self._solver.field("pressure")

    def centreline(self) -> dict[str, np.ndarray] | None:
        """{"z", "u", "x", "w"}: u(z) and w(x) on the lines through the middle of the box, on rank 0; None on
        other ranks; collective."""
        return self._solver.centreline()

    def forces(self, about: Sequence[float] = (0.0, 0.0, 0.0)) -> dict[str, dict[str, np.ndarray]]:
        """The force of the fluid on each face that is a wall, partly one, or has slip, by its name:
        {"z+": {"pressure": …, "viscous": …, "moment": …}, …}, three components each, in density x speed^2 x
        length^2; moments are about a point, times a length. Collective; the same on all ranks."""
        found = self._solver.forces(three("about", about))
        return {
            face: {part: np.array(values) for part, values in parts.items()} for face, parts in found.items()
        }

    def averages(self) -> dict[str, Any] | None:
        """{"velocity", "pressure", "stress", "duration"} on rank 0, points with walls, as `gather` returns
        them; None on the other ranks; collective. The means are those of the states after each step, weighted
        by the step, since the first step that began at `average_from` or later; "duration" is the time of
        these steps. "stress" has the Reynolds stresses <u'u'>, <v'v'>, <w'w'>, <u'v'>, <v'w'>, <u'w'>."""
        begin = self.case.output.average_from
        if begin is None:
            raise BadInput("averages() needs a simulation that was made with average_from=…")
        if self._solver.averaged == 0:
            raise BadInput(
                f"averages() needs a step that began at average_from = {begin:g} or later; the time is "
                f"{self.time:g}."
            )
        names = {"velocity": "mean_velocity", "pressure": "mean_pressure", "stress": "reynolds_stress"}
        fields = {name: self._solver.gather(field) for name, field in names.items()}
        if fields["velocity"] is None:
            return None
        return {**fields, "duration": self._solver.averaged}

    # -- writing --------------------------------------------------------------------------

    def plot(self, path: str | Path, kind: str = "profiles", reference: str | Path | None = None) -> None:
        """Draws a PNG, PDF or SVG on rank 0; collective. kind is "profiles" (centrelines, compared with the
        CSV file `reference` if given), "flow" (middle planes with streamlines) or "flow_3d" (particle
        paths)."""
        if kind != "profiles":
            self._draw(path, one_of("kind", kind, self._plots))
            return
        from .profiles import draw_profiles  # noqa: PLC0415 - matplotlib

        path = Path(path_text("path", path))
        lines = self.centreline()
        if lines is None:
            return
        mine = Profiles({"u": (lines["z"], lines["u"]), "w": (lines["x"], lines["w"])})
        theirs = read_profiles(Path(reference)) if reference else None
        draw_profiles(path, {f"time {self.time:.4g}": mine}, theirs, self._title())
