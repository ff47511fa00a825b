# SPDX-License-Identifier: Apache-2.0
"""The table [boundaries] of a cavity case: walls, lids, periodic and open faces."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

from pydantic import Field

from ...case.common import Triple
from ...case.keys import Table, key, setting
from ...case.tables import Faces

Pair = Annotated[list[float], Field(min_length=2, max_length=2)]


class MovingWall(Table):
    """A wall that moves along itself as a rigid body: V = moving + turning x (position - about)."""

    moving: Triple = key("velocity of the wall", "three numbers [u, v, w]", [0.0, 0.0, 0.0])
    turning: Triple = key("angular velocity of the wall", "three numbers", [0.0, 0.0, 0.0])
    about: Triple = key("a point on the axis of rotation", "three numbers", [0.0, 0.0, 0.0])

    def moves(self) -> bool:
        return any(self.moving) or any(self.turning)

    def turns(self) -> bool:
        return any(self.turning)

    def option(self, _normal: int) -> tuple[Any, ...]:
        """What the compiled solver takes of a face normal to axis 0, 1 or 2."""
        return "moving", self.moving, self.turning, self.about


class Inflow(Table):
    """Fluid enters through the face, or through a rectangle of it; the rest of the face is a wall."""

    inflow: Triple = key("velocity of the fluid, its mean over the rectangle", "three numbers [u, v, w]")
    profile: Literal["uniform", "parabolic"] = setting(
        "parabolic: across each axis of the face that is not periodic and has no slip at both ends", "uniform"
    )
    from_: Pair | None = key(
        "low corner of the rectangle along the two axes of the face; the face's own if left out",
        "two numbers",
        None,
        alias="from",
    )
    to: Pair | None = key("high corner of the rectangle", "two numbers", None)

    def option(self, normal: int) -> tuple[Any, ...]:
        low, high = [*(self.from_ or [0.0, 0.0])], [*(self.to or [math.inf, math.inf])]
        low.insert(normal, 0.0)
        high.insert(normal, math.inf)
        return "inflow", self.inflow, self.profile == "parabolic", low, high


class GivenPressure(Table):
    """The pressure on the face; fluid enters or leaves as it will."""

    pressure: float = setting("pressure on the face, in density x speed squared")

    def option(self, _normal: int) -> tuple[Any, ...]:
        return "pressure", self.pressure


Face = Literal["wall", "periodic", "slip", "outflow"] | MovingWall | Inflow | GivenPressure
FACE = (
    '"wall", "periodic", "slip", "outflow", { moving = [u, v, w] }, '
    "{ turning = [x, y, z], about = [x, y, z] }, "
    '{ inflow = [u, v, w], profile = "uniform" or "parabolic", from = [a, b], to = [a, b] } '
    "or { pressure = p }"
)


class Boundaries(Faces):
    x_minus: Face = key("boundary condition on the low face along x", FACE, "wall", alias="x-")
    x_plus: Face = key("boundary condition on the high face along x", FACE, "wall", alias="x+")
    y_minus: Face = key("boundary condition on the low face along y", FACE, "wall", alias="y-")
    y_plus: Face = key("boundary condition on the high face along y", FACE, "wall", alias="y+")
    z_minus: Face = key("boundary condition on the low face along z", FACE, "wall", alias="z-")
    z_plus: Face = key(
        "boundary condition on the high face along z", FACE, MovingWall(moving=[1.0, 0.0, 0.0]), alias="z+"
    )

    def of(self, kind: type) -> dict[str, Any]:
        """The faces of one kind: MovingWall, Inflow or GivenPressure."""
        return {name: face for name, face in self.faces().items() if isinstance(face, kind)}

    def open(self) -> list[str]:
        """The faces that are neither walls nor periodic."""
        return [
            name
            for name, face in self.faces().items()
            if face not in ("wall", "periodic") and not isinstance(face, MovingWall)
        ]

    def options(self) -> dict[str, Any]:
        return {
            name: face if isinstance(face, str) else face.option("xyz".index(name[0]))
            for name, face in self.faces().items()
        }
