# SPDX-License-Identifier: Apache-2.0
"""The faces of a field: their boundary conditions, and how far kernels read beyond them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from . import boundaries

if TYPE_CHECKING:
    from .field import Field
    from .grid import Grid


class BoundFaces:
    """Does not refer to the field, so that the field is freed as soon as nobody does."""

    def __init__(self, grid: Grid, core: Any, name: str, components: int):
        self._grid, self._core, self._name, self._components = grid, core, name, components
        self.conditions: dict[tuple[int, int], Any] = {}  # by axis and side; keeps alive what they read
        self._read = [0] * grid.dimensions  # cells that kernels read beyond the own ones, along each axis
        for axis in range(grid.dimensions, 3):  # no kernel looks along an axis that is not there
            for side in (0, 1):
                core.leave_unread(axis, side)

    def bound(self, field: Field, faces: str, condition: Any) -> None:
        """As Field.boundary."""
        named = (
            [name for name in boundaries.FACES if self._open(name)] if faces == "all" else str(faces).split()
        )
        if not named and faces != "all":
            raise BadInput(
                f'faces = {faces!r} is not allowed: name a face or several, such as "x- x+", or "all".'
            )
        self._check(condition)
        places = [self._place(name) for name in named]
        for axis, _ in places:
            self._check_depth(axis, self._read[axis], condition)
        for axis, side in places:
            self._apply(field, axis, side, condition)
            self.conditions[axis, side] = condition

    def reads(self, offsets: Iterable[Sequence[int]]) -> None:
        """A kernel reads the field at these offsets."""
        for axis in range(self._grid.dimensions):
            deepest = max((abs(offset[axis]) for offset in offsets), default=0)
            for side in (0, 1):
                self._check_depth(axis, deepest, self.conditions.get((axis, side)))
            self._read[axis] = max(self._read[axis], deepest)

    def _open(self, name: str) -> bool:
        axis, _ = boundaries.face_of(name)
        return axis < self._grid.dimensions and not self._grid.periodic[axis]

    def _place(self, name: str) -> tuple[int, int]:
        """Axis and side of a face that takes a condition."""
        place = boundaries.face_of(name)
        if not self._open(name):
            raise BadInput(
                f"the face {name} of {self._name} takes no boundary condition: the grid is periodic or "
                "has no such axis."
            )
        return place

    def _check_depth(self, axis: int, deepest: int, condition: Any) -> None:
        """Raises BadInput for more layers than there are cells to mirror: the image would be one in the
        opposite face, of an earlier time."""
        cells = self._grid.cells[axis]
        if deepest <= cells or not isinstance(condition, boundaries.BUILT_IN):
            return
        if any(a != 0 for a, _, _ in condition.laws(self._components, self._grid.spacing[axis])):
            raise BadInput(
                f"{type(condition).__name__} at a face of {self._name} along {'xyz'[axis]} mirrors "
                f"{deepest} cells, as far as a kernel reads, and the grid has {cells}: it needs {deepest} or "
                "more there, or sc.Fixed."
            )

    def _check(self, condition: Any) -> None:
        if isinstance(condition, boundaries.BUILT_IN):
            condition.laws(self._components, 1.0)
        elif not hasattr(condition, "attach") and not (isinstance(condition, str) and condition == "unread"):
            raise BadInput(
                f"the boundary condition {condition!r} is not known: allowed are sc.Dirichlet(v), "
                'sc.Neumann(g), sc.Fixed(v), sc.Mirror(), a call of an @sc.condition, and "unread".'
            )

    def _apply(self, field: Field, axis: int, side: int, condition: Any) -> None:
        if isinstance(condition, str):
            self._core.leave_unread(axis, side)
        elif isinstance(condition, boundaries.BUILT_IN):
            laws = condition.laws(self._components, self._grid.spacing[axis])
            self._core.set_affine(axis, side, laws)
        else:
            condition.attach(field, axis, side)
