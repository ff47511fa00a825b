# SPDX-License-Identifier: Apache-2.0
"""The case file of the cavity solver: incompressible flow in a box with walls, periodic and open faces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ...case.common import Needs, Output, SolverCase, Triple
from ...case.engine import DEVICES
from ...case.keys import Table, key, setting
from ...case.reference import reference_for
from ...case.splits import check_split, chosen_split
from . import checks
from .checks import STARTS
from .faces import Boundaries

Sides = Annotated[list[Annotated[float, Field(gt=0)]], Field(min_length=3, max_length=3)]
Points = Annotated[list[Annotated[int, Field(ge=4, le=100_000)]], Field(min_length=3, max_length=3)]
Relaxation = Annotated[float, Field(gt=0, lt=2)]
CUBIC = 3
UPWIND = 2
MAX_ITERATIONS = {"jacobi": 200_000, "sor": 50_000, "multigrid": 200}


class Flow(Table):
    reynolds: float = setting(
        "Reynolds number: 1 / viscosity, in the units of speed and length of the case", gt=0
    )
    upwind: Literal["utopia", "kawamura"] = setting(
        "third-order upwind scheme of the convection term", "utopia"
    )
    initial: str = key(
        "flow at time 0; a snapshot may be on any other grid of the same box", STARTS.allowed, "rest"
    )
    precision: Literal["double", "single"] = setting("precision of the fields", "double")


class GridTable(Table):
    points: Points = key("grid points along x, y, z, walls included", "three whole numbers from 4 to 100000")
    clustering: Literal["uniform", "tanh", "skewed", "file"] = setting(
        "distribution of the points: equidistant, clustered at the walls (tanh), distorted "
        "(skewed), or from a file",
        "uniform",
    )
    size: Sides = key("sides of the box along x, y, z", "three numbers greater than 0", [1.0, 1.0, 1.0])
    smallest: float | None = setting(
        "spacing at the faces that are not periodic, in the unit of grid.size", None, gt=0
    )
    skew: float = setting("amplitude of the distortion, in sides of the box", 0.1, ge=0, lt=0.3)
    file: str | None = key(
        "HDF5 file with the coordinates of the points", "the path of an HDF5 grid file", None
    )
    metrics: Literal["second", "fourth"] = setting(
        "order of the finite differences in the metrics of the convection term", "fourth"
    )


class Pressure(Table):
    method: Literal["jacobi", "sor", "multigrid"] = setting("solver of the pressure equation", "multigrid")
    tolerance: float | None = setting(
        "largest residual at which the iteration stops; 1e-5 if pressure.iterations is left out too; "
        "multigrid also stops where rounding errors keep the residual above it, and the run says so",
        None,
        gt=0,
    )
    residual: Literal["true", "scaled"] = setting(
        "residual that is compared with the tolerance: that of the equation (true), or "
        "divided by the diagonal of the matrix (scaled)",
        "true",
    )
    max_iterations: int | None = setting(
        "largest number of iterations in a step; a step that reaches it is reported as "
        "capped; if left out: 200 for multigrid, 50000 for sor, 200000 for jacobi",
        None,
        ge=1,
        le=2**31 - 1,
    )
    check_every: int = setting("iterations between two convergence tests", 1, ge=1, le=2**31 - 1)
    relaxation: Literal["auto"] | Relaxation = key(
        "relaxation factor (auto: 0.98 for jacobi, Young's optimum for sor)",
        '"auto" or a number between 0 and 2, for jacobi at most 1',
        "auto",
    )
    iterations: int | None = setting(
        "fixed number of iterations in each step, instead of a tolerance", None, ge=1, le=2**31 - 1
    )
    sweeps_per_pass: int = setting(
        "sweeps of jacobi, sor or the multigrid smoother that are computed on a tile of cells "
        "while it is in the cache (temporal blocking): less memory traffic, fewer messages, "
        "wider halos",
        1,
        ge=1,
        le=16,
    )


class Run(Table):
    until: Literal["steady"] | None = setting(
        "run until the flow is steady: max |dV/dt| below run.steady", None
    )
    steps: int | None = setting("run to this step", None, ge=1)
    time: float | None = setting("run to this time, in units of side / lid speed", None, gt=0)
    courant: float | None = setting(
        "largest Courant number, of a moving wall and of the fluid along each axis; 0.2 if run.dt is left "
        "out too",
        None,
        gt=0,
        le=1,
    )
    dt: float | None = setting(
        "fixed time step, in units of side / lid speed, instead of a Courant number", None, gt=0
    )
    order: Literal[1, 2] = setting(
        "order of accuracy in time: 1, forward Euler, or 2, Heun's method with two pressure equations a step",
        1,
    )
    steady: float = setting("the flow is steady when max |dV/dt| is below this", 1e-5, gt=0)


class CavityOutput(Output):
    forces: bool = setting(
        "write forces.csv, the force of the fluid on each wall over time: the part of the pressure, that of "
        "the viscous stress, and the moment of both",
        False,
    )
    moments_about: Triple = key(
        "the point about which forces.csv has moments", "three numbers [x, y, z]", [0.0, 0.0, 0.0]
    )
    average_from: float | None = key(
        "time from which velocity and pressure are averaged: snapshots then have mean_velocity, "
        "mean_pressure and reynolds_stress",
        "a number >= 0, in the unit of run.time",
        None,
        ge=0,
    )


class CavityCase(SolverCase):
    """A cavity case file, complete: what is not given has its default, and cross-checks have passed."""

    ends: ClassVar = ("run.until", "run.steps", "run.time")
    exclusive: ClassVar = (("pressure.tolerance", "pressure.iterations"),)
    single_steps: ClassVar = (
        "each step iterates the pressure to a residual; use pressure.sweeps_per_pass instead"
    )
    needs: ClassVar = (
        *SolverCase.needs,
        Needs("grid.smallest", "grid.clustering", ("tanh",)),
        Needs("grid.skew", "grid.clustering", ("skewed",)),
        Needs("grid.file", "grid.clustering", ("file",)),
        Needs("pressure.check_every", "pressure.method", ("jacobi", "sor")),
        Needs("pressure.relaxation", "pressure.method", ("jacobi", "sor")),
        Needs("pressure.check_every", "pressure.iterations", (None,)),
        Needs("pressure.max_iterations", "pressure.iterations", (None,)),
        Needs("run.steady", "run.until", ("steady",)),
        Needs("output.moments_about", "output.forces", (True,)),
    )
    fixed_on_resume: ClassVar = (
        *("solver", "grid", "boundaries"),
        *("flow.reynolds", "flow.initial", "flow.precision"),
        *("output.forces", "output.moments_about", "output.average_from"),  # which tell about all of the run
    )
    own_step: ClassVar = ("courant", 0.2)
    files: ClassVar = (("grid.file", "an HDF5 grid file"),)
    starts: ClassVar = STARTS
    devices: ClassVar = DEVICES

    solver: Literal["cavity"] = setting("the solver", "cavity")
    flow: Flow = setting("the fluid, its initial state and the convection scheme")
    grid: GridTable = setting("the grid")
    boundaries: Boundaries = setting("the boundary conditions", Boundaries())
    pressure: Pressure = setting("the pressure equation", Pressure())
    run: Run = setting("end of the run and time step")
    output: CavityOutput = setting("output files", CavityOutput())

    def completed(self) -> CavityCase:
        case, pressure = super().completed(), self.pressure
        if pressure.iterations is not None:
            return case
        most = pressure.max_iterations or MAX_ITERATIONS[pressure.method]
        return case.updated("pressure", tolerance=pressure.tolerance or 1e-5, max_iterations=most)

    def check(self) -> None:
        super().check()
        checks.check_case(self)

    def check_ranks(self, ranks: int) -> None:
        check_split(self.cells(), self.engine.split, ranks, self._thinnest())

    def split_over(self, ranks: int) -> tuple[int, int, int]:
        return chosen_split(self.cells(), self.engine.split, ranks, self._thinnest())

    def _thinnest(self) -> int:
        """Cells of a block along a divided axis: where the engine chooses, as many as the cubic beside a face
        needs; a given split may leave fewer along periodic axes."""
        return max(self.halo(), CUBIC) if self.engine.split == "auto" else self.halo()

    def reference(self, folder: Path) -> Path | None:
        """The profiles in a case's folder that a run may be compared with."""
        return reference_for(folder, self.flow.reynolds)

    def halo(self) -> int:
        """Two cells are read by the upwind scheme, one by each sweep of a pass in each of its colours."""
        pressure, mixed = self.pressure, self.grid.clustering in ("skewed", "file")
        colours = 1 if pressure.method != "sor" else 4 if mixed else 2
        return max(UPWIND, pressure.sweeps_per_pass * colours if pressure.sweeps_per_pass > 1 else 0)

    def wall_halo(self) -> int:
        return UPWIND

    def cells(self) -> list[int]:
        """Cells that are split over ranks: wall points are not, every point of a periodic axis is."""
        walls = (0 if periodic else 2 for periodic in self.boundaries.periodic())
        return [points - wall for points, wall in zip(self.grid.points, walls, strict=True)]

    def options(self) -> dict[str, Any]:
        flow, pressure = self.flow, self.pressure
        return super().options() | {
            "reynolds": flow.reynolds,
            "upwind": flow.upwind,
            "initial": flow.initial if flow.initial in STARTS.names else "rest",
            "start": "" if flow.initial in STARTS.names else flow.initial,
            "smallest": self.grid.smallest or 0.0,
            "grid_file": self.grid.file or "",
            "pressure": {
                **pressure.model_dump(exclude={"iterations"}),
                "tolerance": pressure.tolerance or 0.0,
                "max_iterations": pressure.max_iterations or pressure.iterations,
                "relaxation": 0.0 if pressure.relaxation == "auto" else pressure.relaxation,
                "fixed_iterations": pressure.iterations or 0,
            },
            "order": self.run.order,
            "average_from": -1.0 if self.output.average_from is None else self.output.average_from,
        }


CASE = CavityCase
