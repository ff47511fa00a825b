# SPDX-License-Identifier: Apache-2.0
"""Boundary conditions written in Python: what @sc.condition makes of a function."""

from __future__ import annotations

from dataclasses import dataclass
from types import FunctionType
from typing import Any

from ..errors import BadInput
from .compiled import Call, Compiled, source_of_function
from .field import Field, Level
from .places import Source
from .reading import read
from .tree import FieldUse, Role


class Condition(Compiled):
    """A boundary condition made from a function of one halo cell; `wall(speed=1.0)` is an argument of
    `Field.boundary`."""

    _kind = "condition"

    def __init__(self, source: Source):
        super().__init__(read(source, condition=True), source)

    def _order(self) -> list[str]:
        """All fields except the one whose halo it sets, which is the field that the condition is given to."""
        output = next(use.name for use in self._text.fields if use.role is Role.OUT)
        return [name for name in self._text.order if name != output]

    def __call__(self, /, *given: Any, **named: Any) -> BoundCondition:
        values = self._arguments(given, named)
        levels = {
            use.name: self._level(use, values[use.name])
            for use in self._text.fields
            if use.role is not Role.OUT
        }
        parameters = {one.name: self._number(one, values[one.name]) for one in self._text.parameters}
        return BoundCondition(self, levels, parameters)


@dataclass(frozen=True)
class BoundCondition:
    condition: Condition
    levels: dict[str, Level]
    values: dict[str, Any]

    def attach(self, field: Field, axis: int, side: int) -> None:
        """Gives it to a face of a field. Collective."""
        text = self.condition._text
        for use in text.fields:
            level = self.levels.get(use.name, field.now)
            if level.field.grid is not field.grid:
                raise BadInput(
                    f"{self.condition._says()} reads {level.field.name}, which is on another grid."
                )
            self.condition._check_components(use, level.field)
            self._check_depth(use, field, axis)
        inward = self.inward(field.grid.halos[axis])
        call = self.call(field)
        by = field.computed_by
        address = field.grid.together(lambda: self.condition.library(call.precision(), by))
        others = [(level.field.core, level.number) for level in self.levels.values()]
        members = self.condition.members(call)
        field.core.set_compiled(axis, side, address, by != "cpu", members, inward, others)

    def call(self, field: Field) -> Call:
        """As its library takes it: the field itself first."""
        levels = tuple(self.levels.get(use.name, field.now) for use in self.condition._text.fields)
        return Call(self.condition, levels, self.values)

    def inward(self, layers: int) -> int:
        """How many own cells of a column it reads, counted from the face."""
        return max(_deepest(use, layers) for use in self.condition._text.fields)

    def _check_depth(self, use: FieldUse, field: Field, axis: int) -> None:
        deepest = _deepest(use, field.grid.halos[axis])
        low, high = field.grid.local_box
        cells = high[axis] - low[axis]
        if deepest > cells:
            raise BadInput(
                f"{self.condition._says()} reads {deepest} cells inside the face, but a block of the "
                f"grid has {cells}."
            )


def _deepest(use: FieldUse, layers: int) -> int:
    """How many own cells of a column it reads, counted from the face, to fill so many layers."""
    return max((number + layers * layer for layer, number in use.inside), default=0)


def condition(function: FunctionType) -> Condition:
    """Makes a boundary condition from a function that sets one halo cell of a field.

        @sc.condition
        def wall(q: sc.Out, n: sc.Layer, value: float):
            q.ghost[n] = 2 * value - q.inside[n]

        T.boundary("z-", wall(value=1.0))

    The only sc.Out is the field whose boundary condition it is; further fields are sc.In. q.ghost[n] is the
    n-th cell beyond the face, q.inside[n] the n-th cell inside it, n = 1, 2, …
    """
    return Condition(source_of_function(function, "condition"))
