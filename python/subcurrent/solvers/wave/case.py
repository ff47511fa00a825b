# SPDX-License-Identifier: Apache-2.0
"""The case file of the wave solver: sound in a box with rigid, soft or periodic faces."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ...case.common import SolverCase, Triple, check_pairs
from ...case.engine import DEVICES
from ...case.keys import Table, key, setting
from ...case.tables import Cells, ExplicitRun, faces_of
from ...errors import BadInput


class Medium(Table):
    speed: float = setting("speed of sound in m/s", 343.0, gt=0)


class GridTable(Table):
    cells: Cells = key("cells along x, y, z", "three whole numbers from 2 to 100000")
    spacing: float = setting("side of a cubic cell in m", 0.01, gt=0)


Boundaries = faces_of(
    ("periodic", "rigid", "soft"), '"periodic", "rigid" (∂p/∂n = 0) or "soft" (p = 0)', "rigid"
)


class Start(Table):
    centre: Triple | None = key(
        "centre of the pulse in m from the low corner of the box, with images beyond periodic faces; if left "
        "out: the middle of the box",
        "three numbers",
        None,
    )
    width: float = setting(
        "width of the pulse in m: p = amplitude exp(−(r / width)²), with the medium at rest", 0.05, gt=0
    )
    amplitude: float = key("pressure at the pulse's centre in Pa", "a number other than 0", 1.0)
    precision: Literal["single", "double"] = setting("precision of the fields", "double")


class WaveCase(SolverCase):
    """A wave case file, complete: what is not given has its default, cross-checks have passed."""

    # The two time levels of the leapfrog step belong to one time step.
    fixed_on_resume: ClassVar = ("solver", "grid", "boundaries", "medium", "start", "run.safety", "run.dt")
    own_step: ClassVar = ("safety", 0.8)
    devices: ClassVar = DEVICES
    reach: ClassVar = 2

    solver: Literal["wave"] = setting("the solver", "wave")
    medium: Medium = setting("the medium", Medium())
    grid: GridTable = setting("the grid")
    boundaries: Boundaries = setting("the boundary conditions", Boundaries())
    start: Start = setting("the initial state", Start())
    run: ExplicitRun = setting("end of the run and time step")

    def completed(self) -> WaveCase:
        middle = [0.5 * count * self.grid.spacing for count in self.grid.cells]
        return super().completed().updated("start", centre=self.start.centre or middle)

    def check(self) -> None:
        if self.start.amplitude == 0:
            raise BadInput("start.amplitude = 0 is not allowed: there would be no sound.")
        if min(self.grid.cells) < self.reach:
            raise BadInput(
                f"grid.cells = {self.grid.cells} is not allowed: every axis needs {self.reach} cells or "
                "more, because the equation reads so far."
            )
        largest = self.grid.spacing / (2 * self.medium.speed)
        if (self.run.dt or 0) >= largest:
            raise BadInput(
                f"run.dt = {self.run.dt:g} is not allowed: it must be below grid.spacing / (2 medium.speed) "
                f"= {largest:g} s, or the shortest waves grow."
            )
        check_pairs(self.boundaries.faces())
        super().check()

    def options(self) -> dict[str, Any]:
        return super().options() | self.medium.model_dump() | self.start.model_dump()


CASE = WaveCase
