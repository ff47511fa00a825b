# SPDX-License-Identifier: Apache-2.0
"""The case file of the compressible solver: an ideal gas in a periodic box of side 2π."""

from __future__ import annotations

import math
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ...case.common import Needs, SolverCase
from ...case.keys import Table, key, setting, shown
from ...case.splits import splits
from ...case.storage import Storage, check_storage
from ...errors import BadInput

BLOCK = 8  # cells of a line that are eliminated together; ranks own whole blocks
Points = Annotated[list[Annotated[int, Field(ge=BLOCK, le=100_000)]], Field(min_length=3, max_length=3)]
STARTS = ("uniform", "taylor_green", "random", "vortex", "acoustic", "entropy", "vorticity")
EXACT = ("vortex", "acoustic", "entropy", "vorticity")  # known at any time in an inviscid gas
FORCED = ("random", "taylor_green")  # of density 1 and without momentum in the mean; become turbulent
VISCOUS = ("prandtl", "law", "exponent", "sutherland")  # keys of a gas with a viscosity


class Flow(Table):
    initial: Literal[STARTS] = setting("the flow at time 0", "taylor_green")
    mach: float = setting(
        "Mach number: unit of velocity / speed of sound at rest; for a random flow the turbulent Mach number",
        0.1,
        gt=0,
    )
    amplitude: float = setting(
        "amplitude of a wave, relative to the density or to the speed of sound; for the "
        "vortex its largest velocity",
        1e-4,
        gt=0,
    )
    peak: float = setting("wavenumber of the largest energy in the spectrum", 4.0, ge=1, le=64)
    dilatational: float = setting(
        "fraction of the kinetic energy in the dilatational part of the velocity", 0.0, ge=0, le=1
    )
    seed: int = setting("seed of the random flow", 1, ge=0, le=2**62)


class Gas(Table):
    gamma: float = setting("ratio of specific heats", 1.4, gt=1)
    reynolds: float | None = setting(
        "Reynolds number for unit density, velocity and length: 1 / viscosity", None, gt=0
    )
    viscosity: float | None = setting(
        "viscosity at the initial temperature, instead of gas.reynolds; if both are left out, "
        "the gas is inviscid",
        None,
        gt=0,
    )
    prandtl: float = setting("Prandtl number", 0.7, gt=0)
    law: Literal["power", "sutherland"] = setting(
        "dependence of the viscosity on temperature: a power law, or Sutherland's law", "power"
    )
    exponent: float = setting("exponent of the power law", 0.76, ge=0, le=2)
    sutherland: float = setting("Sutherland's temperature / initial temperature", 0.4042, gt=0)


class GridTable(Table):
    points: Points = key("points along x, y, z", f"three whole numbers from {BLOCK} to 100000")


class Scheme(Table):
    filter: float = key(
        "coefficient alpha of the compact filter that is applied after each step: the nearer "
        "to 0.5, the weaker; 0: no filter",
        "a number >= 0 and below 0.5",
        0.0,
        ge=0,
        lt=0.5,
    )
    precision: Literal["double", "single"] = setting(
        "precision of fields and messages; fluxes and sums are computed in double", "double"
    )


class Forcing(Table):
    kind: Literal["none", "constant_power"] = setting(
        "forcing of the large scales: none, or one of constant power", "none"
    )
    power: float = setting("power of the forcing per unit volume", 0.1, gt=0)
    dilatational: float = setting(
        "fraction of the power that goes into the dilatational part of the velocity", 0.0, ge=0, le=1
    )
    kmax: float = setting("modes 0 < |k| < kmax are forced", 2.5, gt=1, le=3)
    cooling: bool = setting("uniform cooling removes the energy that the forcing adds", True)


class Run(Table):
    steps: int | None = setting("run to this step", None, ge=1)
    time: float | None = setting(
        "run to this time; the side of the box is 2 pi, and velocities are in the unit of flow.mach",
        None,
        gt=0,
    )
    courant: float | None = setting(
        "Courant number: (velocity + speed of sound), summed over the axes, x time step / "
        "spacing; 0.6 if run.dt is left out too",
        None,
        gt=0,
        le=1.2,
    )
    dt: float | None = setting("fixed time step instead of a Courant number", None, gt=0)


class CompressibleCase(SolverCase):
    """A compressible case file."""

    exclusive: ClassVar = (("gas.reynolds", "gas.viscosity"),)
    needs: ClassVar = (
        *SolverCase.needs,
        Needs("flow.amplitude", "flow.initial", EXACT),
        *(Needs(f"flow.{name}", "flow.initial", ("random",)) for name in ("peak", "dilatational", "seed")),
        *(
            Needs(f"forcing.{name}", "forcing.kind", but=("none",))
            for name in ("power", "dilatational", "kmax", "cooling")
        ),
        Needs("gas.exponent", "gas.law", ("power",)),
        Needs("gas.sutherland", "gas.law", ("sutherland",)),
        Needs("engine.corners", "solver", why="no stage reads edges and corners of the halo; leave it out"),
    )
    fixed_on_resume: ClassVar = ("solver", "grid", "scheme.precision", "flow", "gas", "forcing")
    own_step: ClassVar = ("courant", 0.6)
    single_steps: ClassVar = "its compact derivatives need whole grid lines"

    solver: Literal["compressible"] = setting("the solver", "compressible")
    flow: Flow = setting("the initial state", Flow())
    gas: Gas = setting("the gas", Gas())
    grid: GridTable = setting("the grid")
    scheme: Scheme = setting("the numerical scheme", Scheme())
    forcing: Forcing = setting("the forcing of the large scales", Forcing())
    run: Run = setting("end of the run and time step")
    storage: Storage = setting("where the fields are stored", Storage())

    def budget(self) -> int | None:
        return self.storage.bytes() or None

    def check(self) -> None:
        check_storage(self.storage, self.engine, ("memory", "files"))
        given = [name for name in VISCOUS if getattr(self.gas, name) != Gas.model_fields[name].default]
        if given and self.viscosity() == 0:
            value = shown(getattr(self.gas, given[0]))
            raise BadInput(
                f"gas.{given[0]} = {value} has no effect in an inviscid gas: give gas.reynolds or "
                "gas.viscosity, or leave it out."
            )
        if self.forcing.kind != "none" and self.flow.initial not in FORCED:
            raise BadInput(
                f"forcing.kind = {shown(self.forcing.kind)} is not available with flow.initial = "
                f"{shown(self.flow.initial)}: it needs {' or '.join(map(shown, FORCED))}."
            )
        super().check()
        most = min(self.grid.points) / 4  # the random start has the modes up to twice the peak
        if self.flow.initial == "random" and self.flow.peak > most:
            raise BadInput(
                f"flow.peak = {shown(self.flow.peak)} is not allowed: with these grid.points it is at most "
                f"{shown(most)}, a quarter of their smallest number."
            )

    def cells(self) -> list[int]:
        """Blocks of cells along x, y, z: what ranks share out."""
        return [count // BLOCK for count in self.grid.points]

    def check_ranks(self, ranks: int) -> None:
        if ranks < 1:
            raise BadInput(f"-n {ranks} is not allowed: the number of ranks is a whole number >= 1.")
        blocks, split = self.cells(), self.engine.split
        if split == "auto":
            if not any(_fits(parts, blocks) for parts in splits(ranks)):
                raise BadInput(
                    f"-n {ranks} is more ranks than this grid allows: each owns whole blocks of {BLOCK} "
                    f"points along every axis, and there are {' x '.join(map(str, blocks))}."
                )
            return
        if (count := math.prod(split)) != ranks:
            raise BadInput(
                f"engine.split = {split} makes {count} blocks for {ranks} ranks: they must be equal."
            )
        if not _fits(split, blocks):
            axis = next(a for a in range(3) if split[a] > blocks[a])
            raise BadInput(
                f"engine.split = {split} asks for {split[axis]} ranks along {'xyz'[axis]}, where there are "
                f"{blocks[axis]} blocks of {BLOCK} points: each rank owns whole blocks."
            )

    def viscosity(self) -> float:
        """At the temperature of the start; 0 of an inviscid gas."""
        if self.gas.reynolds is not None:
            return 1.0 / self.gas.reynolds
        return self.gas.viscosity or 0.0

    def notes(self) -> list[str]:
        viscosity = self.viscosity()
        of_gas = f"viscosity {viscosity:.6g}, Pr {self.gas.prandtl:g}" if viscosity else "no viscosity"
        filtered = f", filter {self.scheme.filter:g}" if self.scheme.filter else ""
        forced = self.forcing.kind != "none"
        fed = f", power {self.forcing.power:g} below k = {self.forcing.kmax:g}" if forced else ""
        return [f"Mach number {self.flow.mach:g}, {of_gas}{filtered}{fed}, {self.scheme.precision} precision"]

    def options(self) -> dict[str, Any]:
        return super().options() | {
            "flow": self.flow.model_dump(),
            "gas": self.gas.model_dump(exclude={"reynolds"}) | {"viscosity": self.viscosity()},
            "forcing": self.forcing.model_dump() | ({"power": 0.0} if self.forcing.kind == "none" else {}),
            "filter": self.scheme.filter,
        }


def _fits(split: tuple[int, ...] | list[int], blocks: list[int]) -> bool:
    return all(parts <= count for parts, count in zip(split, blocks, strict=True))


CASE = CompressibleCase
