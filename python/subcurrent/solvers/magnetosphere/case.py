# SPDX-License-Identifier: Apache-2.0
"""The case file of the magnetosphere solver: a planet in the solar wind, or a test of the MHD scheme."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, ClassVar, Literal

from ...case.common import Needs, SolverCase, check_pairs, check_round
from ...case.engine import DEVICES
from ...case.keys import setting, shown
from ...errors import BadInput
from .tables import Boundaries, Diffusion, GridTable, Limits, Planet, Plasma, Run, WindTable
from .units import Units, Wind, describe, describe_units, pressure_balance
from .winds import NEEDED, Winds, read_winds

# Periods of initial states along x, y, z; None: the same everywhere.
PERIODS = {"linear_wave": (3.0, 1.5, 1.5), "orszag_tang": (1.0, 1.0, None)}
SLACK = 1e-6  # of a side: spacings are written with some digits


class MagnetosphereCase(SolverCase):
    """A magnetosphere case file, complete: what is not given has its default, cross-checks have passed."""

    reach: ClassVar = 2  # one layer for each set of points
    needs: ClassVar = (
        *SolverCase.needs,
        Needs("plasma.wave", "plasma.initial", ("linear_wave",)),
        Needs("plasma.amplitude", "plasma.initial", ("linear_wave",)),
        *(Needs(f"planet.{name}", "plasma.initial", ("planet",)) for name in Planet.model_fields),
    )
    fixed_on_resume: ClassVar = (
        *("solver", "grid", "boundaries", "plasma", "planet", "wind"),
        *(f"diffusion.{name}" for name in Diffusion.model_fields if name != "smoothing"),
    )
    own_step: ClassVar = ("courant", 0.4)
    files: ClassVar = (("wind.file", NEEDED),)
    devices: ClassVar = DEVICES

    solver: Literal["magnetosphere"] = setting("the solver", "magnetosphere")
    plasma: Plasma = setting("the plasma")
    grid: GridTable = setting("the grid")
    boundaries: Boundaries = setting("the boundary conditions", Boundaries())
    planet: Planet = setting("the planet, which defines the solver's units", Planet())
    wind: WindTable | None = setting("the solar wind", None)
    diffusion: Diffusion = setting("the diffusion terms", Diffusion())
    limits: Limits = setting("lower limits of density and pressure", Limits())
    run: Run = setting("end of the run and time step")

    def has_planet(self) -> bool:
        return self.plasma.initial == "planet"

    def mirrored(self) -> tuple[bool, bool]:
        """Whether the domain begins at a plane of symmetry, along y and along z."""
        faces = self.boundaries.faces()
        return faces["y-"] == "mirror", faces["z-"] == "equator"

    def check(self) -> None:
        self._check_faces()
        if self.has_planet() and self.wind is None:
            raise BadInput('wind is missing: plasma.initial = "planet" needs a table [wind].')
        if not self.has_planet() and self.wind is not None:
            raise BadInput(
                f'wind is not used with plasma.initial = "{self.plasma.initial}": remove the table.'
            )
        self._check_planet()
        self._check_box()
        if self.has_planet() and self.diffusion.heating and self.diffusion.smoothing > 0:
            raise BadInput(
                f"diffusion.heating = true is not allowed with diffusion.smoothing = "
                f"{self.diffusion.smoothing:g} and a planet: the differences of its dipole from point to "
                "point would count as heat."
            )
        super().check()

    def _check_planet(self) -> None:
        planet = self.planet
        if planet.outer <= planet.inner:
            raise BadInput(
                f"planet.outer = {planet.outer:g} is not allowed: it must be greater than "
                f"planet.inner = {planet.inner:g}."
            )
        if self.has_planet() and planet.mirror >= -planet.outer:
            raise BadInput(
                f"planet.mirror = {planet.mirror:g} is not allowed: upstream of it the initial state is the "
                f"wind, so it must be below -planet.outer = {-planet.outer:g}."
            )
        if self.wind is not None and not self.wind.velocity[0] > 0:
            raise BadInput(
                f"wind.velocity = {self.wind.velocity} is not allowed: the sun is at -x, so that the first "
                "component must be greater than 0."
            )

    def _check_box(self) -> None:
        """Initial states that are periodic need a box of whole periods."""
        periods = PERIODS.get(self.plasma.initial)
        if periods is None:
            return
        start, grid, faces = f'plasma.initial = "{self.plasma.initial}"', self.grid, self.boundaries.faces()
        for axis, points, period in zip("xyz", grid.points, periods, strict=True):
            if period is None:
                continue
            if faces[axis + "-"] != "periodic":
                raise BadInput(
                    f'boundaries."{axis}-" = "{faces[axis + "-"]}" is not allowed with {start}, which is '
                    f'periodic along {axis}: it must be "periodic".'
                )
            count = points * grid.spacing / period
            if round(count) < 1 or abs(count - round(count)) > SLACK * count:
                raise BadInput(
                    f"grid.points = {list(grid.points)} with grid.spacing = {grid.spacing:g} is not allowed "
                    f"with {start}, whose period along {axis} is {period:g}: a side of "
                    f"{points * grid.spacing:g} is not a multiple of it."
                )

    def _check_faces(self) -> None:
        faces = self.boundaries.faces()
        check_pairs(faces)
        for name, kind in faces.items():
            if kind == "wind" and not self.has_planet():
                raise BadInput(f'boundaries."{name}" = "wind" needs plasma.initial = "planet".')
            if kind == "oblique" and name[0] == "x":
                raise BadInput(
                    f'boundaries."{name}" = "oblique" is not allowed: waves leave at 45 degrees to x only '
                    "through the faces of y and z."
                )
        first = next((name for name, kind in faces.items() if kind not in ("periodic", "wind", "free")), "")
        why = f'boundaries."{first}" = "{faces.get(first)}"'
        if self.engine.steps_per_pass != 1:
            why = f"engine.steps_per_pass = {self.passes_in_words()}"
        check_round("grid.points", self.grid.points, faces, self.halo(), why)
        if self.has_planet() and "periodic" in faces.values():
            raise BadInput('plasma.initial = "planet" cannot have periodic faces.')

    def halo(self) -> int:
        """As MagnetosphereOptions::halo: each step of a pass reads two more layers."""
        length = self.pass_length()
        return max(self.wall_halo(), self.reach * length if length > 1 else 1)

    def wall_halo(self) -> int:
        """As MagnetosphereOptions::wall_halo: an oblique face reads two layers further upstream, a reflecting
        one the second layer of the block beside it, or the third at a high face."""
        faces = self.boundaries.faces()
        if "oblique" in faces.values():
            return 3
        reflecting = [name[1] for name, kind in faces.items() if kind in ("mirror", "equator")]
        return 3 if "+" in reflecting else 2 if reflecting else 1

    def check_passes(self) -> None:
        super().check_passes()
        oblique = next((name for name, kind in self.boundaries.faces().items() if kind == "oblique"), None)
        if oblique and self.engine.steps_per_pass != 1:
            raise BadInput(
                f"engine.steps_per_pass = {shown(self.engine.steps_per_pass)} is not supported with "
                f'boundaries."{oblique}" = "oblique", whose condition reads points beside its column: it '
                "must be 1."
            )

    def may_try(self, length: int) -> bool:
        return length <= self.run.cycle and super().may_try(length)

    def units(self) -> Units:
        return Units(self.planet.radius * 1e3, self.planet.field * 1e-9, self.planet.density * 1e6)

    def solar_wind(self) -> Wind | None:
        if self.wind is None:
            return None
        w = self.wind
        return Wind(w.density, tuple(w.velocity), w.temperature, tuple(w.field))

    def winds(self) -> Winds | None:
        """The wind over time, where a file holds it."""
        if self.wind is None or self.wind.file is None:
            return None
        return read_winds(Path(self.wind.file), self.solar_wind())

    def expected_standoff(self) -> float | None:
        """Distance in radii at which the pressures balance on the line to the sun; None if they change."""
        wind = self.solar_wind()
        return None if wind is None or self.wind.file else pressure_balance(self.units(), wind)

    def notes(self) -> list[str]:
        """The wind as given and in the solver's units, printed at the start."""
        wind, winds, notes = self.solar_wind(), self.winds(), super().notes()
        if self.pass_length() > self.run.cycle:
            notes.append(
                f"passes have at most run.cycle = {self.run.cycle} steps, fewer than "
                f"engine.steps_per_pass = {self.passes_in_words()}"
            )
        if wind is None:
            return notes
        units = self.units()
        described = winds.describe(units) if winds else describe(units, wind)
        return [describe_units(units), *described, *notes]

    def options(self) -> dict[str, Any]:
        """In the units of the compiled solver."""
        wind = self.solar_wind()
        options = super().options() | {
            **self.plasma.model_dump(),
            "wind": wind.scaled(self.units()) if wind else CALM,
            "diffusion": self.diffusion.model_dump(),
            "density_floor": self.limits.density,
            "pressure_floor": self.limits.pressure,
            "cycle": self.run.cycle,
        }
        winds = self.winds()
        if winds is not None:
            options["winds"] = winds.scaled(self.units())
        if self.has_planet():
            options["planet"] = self.planet_options()
        return options

    def planet_options(self) -> dict[str, float]:
        p = self.planet
        turn = 3600.0 * p.rotation / self.units().time
        return {
            **p.model_dump(include={"inner", "outer", "strength", "gravity", "pressure", "mirror"}),
            "tilt": math.radians(p.tilt),
            "rotation": 2 * math.pi / turn if turn > 0 else 0.0,
        }


CALM = {"density": 1.0, "velocity": [0.0, 0.0, 0.0], "pressure": 1.0, "field": [0.0, 0.0, 0.0]}

CASE = MagnetosphereCase
