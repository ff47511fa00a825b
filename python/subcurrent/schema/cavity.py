# SPDX-License-Identifier: Apache-2.0
"""The case file of the cavity solver: incompressible flow in a box with walls, lids or periodic faces."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import ConfigDict, Field

from . import cavity_checks
from .keys import Table, key

Triple = Annotated[list[float], Field(min_length=3, max_length=3)]
Points = Annotated[list[Annotated[int, Field(ge=4, le=100_000)]], Field(min_length=3, max_length=3)]
Split = Annotated[list[Annotated[int, Field(ge=1)]], Field(min_length=3, max_length=3)]
Relaxation = Annotated[float, Field(gt=0, lt=2)]
MAX_ITERATIONS = {"jacobi": 200_000, "sor": 50_000, "multigrid": 200}


class Flow(Table):
    reynolds: float = key("Reynolds number, lid speed x side / viscosity", "a number greater than 0", gt=0)
    upwind: Literal["utopia", "kawamura"] = key(
        "third-order upwind scheme of the convection term", '"utopia" or "kawamura"', "utopia"
    )
    initial: Literal["rest", "taylor_green"] = key("velocity at time 0", '"rest" or "taylor_green"', "rest")
    precision: Literal["double", "single"] = key("floating-point numbers", '"double" or "single"', "double")


class GridTable(Table):
    points: Points = key("grid points along x, y, z, walls included", "three whole numbers from 4 to 100000")
    clustering: Literal["uniform", "tanh", "skewed", "file"] = key(
        "how the points are spread", '"uniform", "tanh", "skewed" or "file"', "uniform"
    )
    smallest: float | None = key(
        "spacing at the walls when clustering is tanh, in box sides", "a number greater than 0", None, gt=0
    )
    skew: float = key(
        "amplitude of the shear when clustering is skewed", "a number from 0 to below 0.3", 0.1, ge=0, lt=0.3
    )
    file: str | None = key(
        "HDF5 file with the points when clustering is file", "the path of an HDF5 grid file", None
    )
    metrics: Literal["second", "fourth"] = key(
        "order of the differences behind the metrics", '"second" or "fourth"', "second"
    )


class MovingWall(Table):
    moving: Triple = key("velocity of the wall", "three numbers [u, v, w]")


Face = Literal["wall", "periodic"] | MovingWall
FACE = '"wall", "periodic" or { moving = [u, v, w] }'


class Boundaries(Table):
    model_config = ConfigDict(populate_by_name=True)

    x_minus: Face = key("face x = 0", FACE, "wall", alias="x-")
    x_plus: Face = key("face x = 1", FACE, "wall", alias="x+")
    y_minus: Face = key("face y = 0", FACE, "wall", alias="y-")
    y_plus: Face = key("face y = 1", FACE, "wall", alias="y+")
    z_minus: Face = key("face z = 0", FACE, "wall", alias="z-")
    z_plus: Face = key("face z = 1", FACE, MovingWall(moving=[1.0, 0.0, 0.0]), alias="z+")

    def faces(self) -> dict[str, str | MovingWall]:
        """The six faces under the names of the case file, in the order x-, x+, y-, y+, z-, z+."""
        return {field.alias: getattr(self, name) for name, field in Boundaries.model_fields.items()}

    def periodic(self) -> tuple[bool, bool, bool]:
        faces = self.faces()
        return tuple(faces[axis + "-"] == "periodic" for axis in "xyz")


class Pressure(Table):
    method: Literal["jacobi", "sor", "multigrid"] = key(
        "solver of the pressure equation", '"jacobi", "sor" or "multigrid"', "multigrid"
    )
    tolerance: float | None = key(
        "largest residual left in the pressure equation", "a number greater than 0", None, gt=0
    )
    residual: Literal["true", "scaled"] = key(
        "which residual is compared: the equation's own, or divided by its diagonal",
        '"true" or "scaled"',
        "true",
    )
    max_iterations: int | None = key(
        "iterations after which a step is called capped", "a whole number >= 1", None, ge=1
    )
    check_every: int = key("iterations between two convergence tests", "a whole number >= 1", 1, ge=1)
    relaxation: Literal["auto"] | Relaxation = key(
        "over-relaxation factor", '"auto" or a number between 0 and 2', "auto"
    )
    iterations: int | None = key(
        "fixed number of iterations per step instead of a tolerance", "a whole number >= 1", None, ge=1
    )


class Run(Table):
    until: Literal["steady"] | None = key("run until nothing changes any more", '"steady"', None)
    steps: int | None = key("run to this step", "a whole number >= 1", None, ge=1)
    time: float | None = key("run to this time, in sides / lid speed", "a number greater than 0", None, gt=0)
    courant: float | None = key(
        "largest Courant number", "a number greater than 0 and at most 1", None, gt=0, le=1
    )
    dt: float | None = key(
        "fixed time step instead of a Courant number", "a number greater than 0", None, gt=0
    )
    steady: float = key("steady means max |dV/dt| below this", "a number greater than 0", 1e-5, gt=0)


STRATEGIES = (
    "blocking",
    "ordered",
    "boundary_first",
    "interior_first",
    "halo_thread",
    "halo_thread_no_join",
    "pipelined",
    "automatic",
)


class Engine(Table):
    strategy: Literal[STRATEGIES] = key(
        "the order in which shell, core and messages happen",
        "one of " + ", ".join(f'"{name}"' for name in STRATEGIES),
        "boundary_first",
    )
    split: Literal["auto"] | Split = key("ranks along x, y, z", '"auto" or three whole numbers >= 1', "auto")
    threads: int = key("threads of each rank", "a whole number from 1 to 1024", 1, ge=1, le=1024)
    transport: Literal["auto", "shared", "mpi", "delayed"] = key(
        "how halos travel (delayed: a test that delays and reorders them)",
        '"auto", "shared", "mpi" or "delayed"',
        "auto",
    )
    corners: Literal["direct", "staged"] = key(
        "edges and corners of the halo: from 26 neighbours, or in three phases",
        '"direct" or "staged"',
        "direct",
    )
    poke_ms: float = key(
        "milliseconds of computing between two looks at the messages", "a number greater than 0", 0.5, gt=0
    )


class Output(Table):
    every: float = key("time between two snapshots, 0 for the last state only", "a number >= 0", 0.0, ge=0)
    snapshots: bool = key("write VTKHDF snapshots", "true or false", True)
    figures: bool = key("draw PNG figures at the end", "true or false", True)
    checkpoint_every: int = key(
        "steps between two checkpoints, 0 for the last state only", "a whole number >= 0", 500, ge=0
    )
    timeline: bool = key("write timeline.json (Perfetto) at the end", "true or false", True)
    history_every: int = key("steps between two rows of history.csv", "a whole number >= 1", 1, ge=1)


class CavityCase(Table):
    """A cavity case file, complete: what is not given has its default, and cross-checks have passed."""

    # `--set` of one of these replaces the others, since a case may hold only one of each group.
    exclusive: ClassVar = (
        ("run.until", "run.steps", "run.time"),
        ("run.courant", "run.dt"),
        ("pressure.tolerance", "pressure.iterations"),
    )
    # What a checkpoint fixes: a resumed run must agree in these.
    fixed_on_resume: ClassVar = ("solver", "grid", "boundaries", "flow.precision")

    solver: Literal["cavity"] = key("the solver", '"cavity"', "cavity")
    flow: Flow = key("the fluid", "a table [flow]")
    grid: GridTable = key("the grid", "a table [grid]")
    boundaries: Boundaries = key("the six faces", "a table [boundaries]", Boundaries())
    pressure: Pressure = key("the pressure equation", "a table [pressure]", Pressure())
    run: Run = key("when to stop and how far to step", "a table [run]")
    engine: Engine = key("how the work is spread and messages hidden", "a table [engine]", Engine())
    output: Output = key("what is written", "a table [output]", Output())

    def completed(self) -> CavityCase:
        """The same case with the defaults that depend on other keys filled in, and unused keys dropped."""
        run, pressure, grid = self.run, self.pressure, self.grid
        if run.dt is None and run.courant is None:
            run = run.model_copy(update={"courant": 0.2})
        if pressure.tolerance is None and pressure.iterations is None:
            pressure = pressure.model_copy(update={"tolerance": 1e-5})
        if pressure.max_iterations is None and pressure.iterations is None:
            pressure = pressure.model_copy(update={"max_iterations": MAX_ITERATIONS[pressure.method]})
        if grid.clustering != "tanh":
            grid = grid.model_copy(update={"smallest": None})
        if grid.clustering != "file":
            grid = grid.model_copy(update={"file": None})
        return self.model_copy(update={"run": run, "pressure": pressure, "grid": grid})

    def check(self) -> None:
        cavity_checks.check_case(self)

    def check_ranks(self, ranks: int) -> None:
        cavity_checks.check_split(self, ranks)

    def cells(self) -> list[int]:
        """Cells that are split over ranks: wall points are not, every point of a periodic axis is."""
        walls = (0 if periodic else 2 for periodic in self.boundaries.periodic())
        return [points - wall for points, wall in zip(self.grid.points, walls, strict=True)]

    def options(self) -> dict[str, Any]:
        """The options of the compiled solver."""
        flow, grid, pressure, engine = self.flow, self.grid, self.pressure, self.engine
        return {
            "reynolds": float(flow.reynolds),
            "upwind": flow.upwind,
            "initial": flow.initial,
            "precision": flow.precision,
            "points": list(grid.points),
            "clustering": grid.clustering,
            "smallest": float(grid.smallest or 0.0),
            "skew": float(grid.skew),
            "grid_file": grid.file or "",
            "metrics": grid.metrics,
            "boundaries": {
                name: ("moving", [float(v) for v in face.moving]) if isinstance(face, MovingWall) else face
                for name, face in self.boundaries.faces().items()
            },
            "pressure": {
                "method": pressure.method,
                "tolerance": float(pressure.tolerance or 0.0),
                "residual": pressure.residual,
                "max_iterations": pressure.max_iterations or pressure.iterations,
                "check_every": pressure.check_every,
                "relaxation": 0.0 if pressure.relaxation == "auto" else float(pressure.relaxation),
                "fixed_iterations": pressure.iterations or 0,
            },
            "courant": float(self.run.courant or 0.2),
            "dt": float(self.run.dt or 0.0),
            "engine": {
                "strategy": engine.strategy,
                "split": [0, 0, 0] if engine.split == "auto" else list(engine.split),
                "halo_corners": engine.corners,
                "poke_ms": float(engine.poke_ms),
            },
        }
