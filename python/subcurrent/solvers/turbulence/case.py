# SPDX-License-Identifier: Apache-2.0
"""The case file of the turbulence solver: incompressible flow in a periodic box of side 2π."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from ...case.common import Needs, SolverCase
from ...case.keys import Table, key, setting, shown
from ...case.starts import Starts
from ...case.storage import Storage, check_storage
from ...errors import BadInput
from .scalar import Scalar, check_scalar
from .spectra import read_spectrum, shells_of

Points = Annotated[
    list[Annotated[int, Field(ge=4, le=100_000, multiple_of=2)]], Field(min_length=3, max_length=3)
]
LARGEST_STEP = 1.0  # where only a Courant number is given
STARTS = Starts(
    ("taylor_green", "random"),
    (".vtkhdf", ".h5"),
    '"taylor_green", "random", or the path of a run, a snapshot (.vtkhdf) or a checkpoint (.h5)',
)


class Flow(Table):
    reynolds: float | None = setting(
        "Reynolds number for unit velocity and length: 1 / viscosity", None, gt=0
    )
    viscosity: float | None = setting("kinematic viscosity, instead of flow.reynolds", None, ge=0)
    initial: str = key("initial flow", STARTS.allowed, "taylor_green")


class Spectrum(Table):
    """E(k) of a random initial condition."""

    shape: Literal["peaked", "kolmogorov", "file"] = setting(
        "peaked: k^4 exp(-2 (k / peak)^2); kolmogorov: k^4 below the peak, k^(-5/3) beyond it", "peaked"
    )
    peak: float = setting("wavenumber near which most of the energy is", 4.0, gt=0)
    energy: float = setting("kinetic energy: mean of |u|^2 / 2", 0.5, gt=0)
    seed: int = setting("seed of the random flow", 1, ge=0, le=2**62)
    file: str | None = key('CSV file with the columns k,E for shape = "file"', "the path of a CSV file", None)


class GridTable(Table):
    points: Points = key("points along x, y, z", "three even numbers from 4 to 100000")


class Scheme(Table):
    integrator: Literal["rk4", "rk3"] = setting(
        "Runge-Kutta method: the classical fourth-order one, or a third-order one that needs less memory",
        "rk4",
    )
    form: Literal["rotational", "divergence"] = setting("form of the convection term", "rotational")
    dealiasing: Literal["two_thirds", "phase_shift"] = setting(
        "removal of aliasing errors: by the two-thirds rule, or as the mean of two grids "
        "shifted by half a spacing",
        "two_thirds",
    )
    transforms: Literal["auto", "pocketfft", "fftw"] = setting(
        "library of the one-dimensional FFTs (auto: pocketfft)", "auto"
    )
    precision: Literal["double", "single"] = setting("precision of the fields", "double")
    dt: float | None = setting(
        "time step; with scheme.courant its upper limit, then 1 if left out", None, gt=0
    )
    courant: float | None = setting(
        "Courant number: max |u_i| x time step / spacing; the time step then follows from it", None, gt=0
    )


class Forcing(Table):
    kind: Literal["none", "negative_viscosity", "constant_power"] = setting(
        "forcing of the large scales: none, one that keeps the energy constant, or one of constant power",
        "none",
    )
    kmax: float = setting("modes 0 < |k| < kmax are forced", 2.5, gt=1)
    power: float | None = setting(
        "power of the forcing: rise of the mean of |u|^2 / 2 in a unit of time", None, gt=0
    )


class Run(Table):
    steps: int | None = setting("run to this step", None, ge=1)
    time: float | None = setting("run to this time", None, gt=0)


class TurbulenceCase(SolverCase):
    """A turbulence case file."""

    exclusive: ClassVar = (("flow.reynolds", "flow.viscosity"), ("scalar.schmidt", "scalar.diffusivity"))
    all_to_all: ClassVar = True
    single_steps: ClassVar = "its Fourier transforms need whole grid lines"
    needs: ClassVar = (
        *SolverCase.needs,
        *(Needs(f"spectrum.{name}", "flow.initial", ("random",)) for name in Spectrum.model_fields),
        *(Needs(f"spectrum.{name}", "spectrum.shape", but=("file",)) for name in ("peak", "energy")),
        Needs("spectrum.file", "spectrum.shape", ("file",)),
        Needs("forcing.kmax", "forcing.kind", but=("none",)),
        *(Needs(f"scalar.{name}", "scalar.initial", ("random",)) for name in ("peak", "variance", "seed")),
        Needs("engine.corners", "solver", why="this solver exchanges no halos; leave it out"),
    )
    fixed_on_resume: ClassVar = (
        *("solver", "grid", "scheme.dealiasing", "scheme.precision"),
        *("flow", "spectrum", "forcing", "scalar"),
    )
    files: ClassVar = (("spectrum.file", "a CSV file with the columns k,E"),)
    starts: ClassVar = STARTS

    solver: Literal["turbulence"] = setting("the solver", "turbulence")
    flow: Flow = setting("the fluid and its initial state")
    spectrum: Spectrum = setting("energy spectrum of a random initial condition", Spectrum())
    grid: GridTable = setting("the grid")
    scheme: Scheme = setting("the numerical scheme")
    forcing: Forcing = setting("the forcing of the large scales", Forcing())
    scalar: Scalar | None = setting("a passive scalar that the flow carries", None)
    storage: Storage = setting("where the fields are stored", Storage())
    run: Run = setting("end of the run")

    def budget(self) -> int | None:
        return self.storage.bytes() or None

    def pipeline_arrays(self) -> int:
        """The arrays of lines of a pipeline (options.hpp), which a step has if there are messages and ranks
        have whole planes: one for each array that arrives, and one for each that travels back."""
        if self.storage.place == "files" or self.budget() is not None:
            return 0
        scalar = self.scalar is not None
        if self.scheme.form == "divergence":
            return 4 + 9 if scalar else 3 + 6
        return 7 + 6 if scalar else 6 + 3

    def check(self) -> None:
        if self.engine.strategy == "halo_thread":
            raise BadInput(
                f"engine.strategy = {shown(self.engine.strategy)} is not allowed: all threads of a "
                "rank share its transforms, so none can be reserved for messages; take automatic, "
                "blocking, ordered, boundary_first, interior_first or pipelined."
            )
        if self.flow.reynolds is None and self.flow.viscosity is None:
            raise BadInput("flow has no viscosity: give one of flow.reynolds or flow.viscosity.")
        if self.scheme.dt is None and self.scheme.courant is None:
            raise BadInput("scheme has no time step: give scheme.dt or scheme.courant.")
        if (self.forcing.kind == "constant_power") != (self.forcing.power is not None):
            raise BadInput('forcing.power belongs to forcing.kind = "constant_power": give both or neither.')
        if self.spectrum.shape == "file" and self.spectrum.file is None:
            raise BadInput('spectrum.file is missing: spectrum.shape = "file" needs a CSV file with k,E.')
        check_storage(self.storage, self.engine, ("memory", "files"))
        super().check()
        if self.scalar is not None:
            check_scalar(self.scalar, self.viscosity(), self.flow.initial in STARTS.names)

    def check_ranks(self, ranks: int) -> None:
        if self.engine.split != "auto" and self.engine.split[0] != 1:
            raise BadInput(
                f"engine.split = {self.engine.split} divides lines along x, which must be whole: its "
                "first number must be 1."
            )
        super().check_ranks(ranks)

    def cells(self) -> list[int]:
        return [1, *self.grid.points[1:]]  # lines along x stay whole

    def split_over(self, ranks: int) -> tuple[int, int, int]:
        """One divided axis as long as every rank gets lines (spectral/fft.cpp)."""
        if self.engine.split != "auto":
            return tuple(self.engine.split)
        (_, ny, nz), (kx, ky, _) = self.grid.points, self.kept_modes()
        cuts = ((py, ranks // py) for py in range(1, ranks + 1) if ranks % py == 0)
        fitting = ((1, py, pz) for py, pz in cuts if pz <= min(nz, ky) and py <= min(ny, kx))
        return next(fitting, (1, ranks, 1))

    def other_blocks(self, ranks: int) -> tuple[tuple[list[int], tuple[int, int, int]], ...]:
        """The modes, whose numbers are odd and never divide evenly."""
        _, py, pz = self.split_over(ranks)
        return ((list(self.kept_modes()), (py, pz, 1)),)

    def grown(self, first: int, ranks: int) -> TurbulenceCase | None:
        """The box grows along all axes, whichever are divided: by the prime factors of the ratio, each along
        the axis with the fewest points."""
        if ranks % first != 0:
            return None
        points, rest = list(self.grid.points), ranks // first
        for factor in sorted(_prime_factors(rest), reverse=True):
            points[points.index(min(points))] *= factor
        return self.sized(points)

    def viscosity(self) -> float:
        return self.flow.viscosity if self.flow.reynolds is None else 1.0 / self.flow.reynolds

    def diffusivity(self) -> float | None:
        """That of the scalar, if there is one."""
        return None if self.scalar is None else self.scalar.diffusivity_of(self.viscosity())

    def kept(self) -> int:
        """The largest mode that is kept along every axis."""
        shortest = min(self.grid.points)
        if self.scheme.dealiasing == "phase_shift":
            return int(math.sqrt(2) / 3 * shortest)
        return (shortest - 1) // 3

    def kept_modes(self) -> tuple[int, int, int]:
        """How many modes are kept along x, y and z; of those along x the half with kx >= 0."""
        if self.scheme.dealiasing == "phase_shift":
            reach = [int(math.sqrt(2) / 3 * count) for count in self.grid.points]
        else:
            reach = [(count - 1) // 3 for count in self.grid.points]
        return reach[0] + 1, 2 * reach[1] + 1, 2 * reach[2] + 1

    def largest_shell(self) -> int:
        """The largest |k|, rounded, of the modes that are kept."""
        if self.scheme.dealiasing == "phase_shift":
            return self.kept()
        return round(math.hypot(*((points - 1) // 3 for points in self.grid.points)))

    def energies(self) -> list[float]:
        """E(k) of the shells 0, 1, 2, … for a random initial condition."""
        s = self.spectrum
        if s.shape == "file":
            return read_spectrum(Path(s.file), self.largest_shell())
        return shells_of(s.shape, s.peak, s.energy, self.kept(), "spectrum")

    def notes(self) -> list[str]:
        forced = (
            ""
            if self.forcing.kind == "none"
            else f", {self.forcing.kind.replace('_', ' ')} below k = {self.forcing.kmax:g}"
        )
        return [
            f"viscosity {self.viscosity():.6g}, modes up to {self.kept()}{forced}, "
            f"{self.scheme.precision} precision",
            *([] if self.scalar is None else [f"a passive scalar of diffusivity {self.diffusivity():.6g}"]),
        ]

    def options(self) -> dict[str, Any]:
        """Also how the flow starts."""
        random = self.flow.initial == "random"
        return super().options() | {
            "viscosity": self.viscosity(),
            "dt": self.scheme.dt or LARGEST_STEP,
            "courant": self.scheme.courant or 0.0,
            **self.scheme.model_dump(exclude={"dt", "courant"}),
            "forcing": self.forcing.model_dump() | {"power": self.forcing.power or 0.0},
            "scalar": {} if self.scalar is None else self.scalar.options(self.viscosity(), self.kept()),
            "initial": self.flow.initial,
            "spectrum": self.energies() if random else [],
            "seed": self.spectrum.seed,
        }


CASE = TurbulenceCase


def _prime_factors(number: int) -> list[int]:
    factors, divisor = [], 2
    while number > 1:
        while number % divisor == 0:
            factors.append(divisor)
            number //= divisor
        divisor += 1
    return factors
