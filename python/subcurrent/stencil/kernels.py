# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python: the result of @sc.kernel."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from .compiled import Call, Compiled, source_of_function
from .field import Level
from .places import Source
from .reading import read
from .stepping import Stepper, colour_of
from .tree import FieldUse, Role, operations

REDUCTIONS = ("sum", "max", "min")


class Kernel(Compiled):
    """A function that computes one cell; `kernel(T.next, T.now, a=0.1)` is a call for `Loop.run`."""

    def __init__(self, source: Source, reduce: str | None, colours: int):
        super().__init__(read(source, colours=colours, reduces=reduce is not None), source)
        self._reduce, self._colours = reduce, colours

    @property
    def reduce(self) -> str | None:
        """The reduction of the returned values: "sum", "max", "min" or None."""
        return self._reduce

    @property
    def colours(self) -> int:
        return self._colours

    @property
    def fields(self) -> list[FieldUse]:
        """How the kernel uses each of its fields, in the order of the arguments."""
        return self._text.fields

    @property
    def flops(self) -> int:
        """Floating-point operations of a cell, as counted in the text; a function counts as one."""
        return operations(self._text.body)

    @property
    def by_position(self) -> bool:
        """Whether the kernel uses the position of the cell on the grid."""
        return self._text.indexed

    @property
    def values(self) -> int:
        """Number of values that the kernel returns."""
        return self._text.values

    def __call__(self, /, *given: Any, **named: Any) -> Call:
        """A call of the kernel with these levels and parameters. Raises BadInput if they do not fit the
        kernel."""
        values = self._arguments(given, named)
        levels = tuple(self._level(use, values[use.name]) for use in self._text.fields)
        self._check_grid(levels)
        numbers_given = {one.name: self._number(one, values[one.name]) for one in self._text.parameters}
        return Call(self, levels, numbers_given)

    def accesses(self, call: Call) -> list[tuple[Any, int, str, int, int]]:
        """The accesses, as the compiled module takes them."""
        modes = {Role.IN: "read", Role.OUT: "write", Role.INOUT: "update"}
        return [
            (level.field.core, level.number, modes[use.role], *use.reach())
            for use, level in zip(self._text.fields, call.levels, strict=True)
        ]

    def check_depth(self, call: Call) -> None:
        """Raises BadInput if the kernel reads farther beyond a face than its condition can mirror cells."""
        for use, level in zip(self._text.fields, call.levels, strict=True):
            level.field._faces.reads(use.offsets)

    def _check_grid(self, levels: tuple[Level, ...]) -> None:
        first = levels[0].field.grid
        for use, level in zip(self._text.fields, levels, strict=True):
            grid, field = level.field.grid, level.field
            if grid is not first:
                raise BadInput(
                    f"{self._says()} got {use.name} on another grid than {self._text.fields[0].name}: all "
                    "must be on one."
                )
            if grid.dimensions != self._text.dimensions:
                raise BadInput(
                    f"{self._says()} has cells with {self._text.dimensions} indices, and the grid of "
                    f"{field.name} has {grid.dimensions} axes."
                )
            if (far := use.reach()[0]) > (holds := min(grid.halos)):
                name = "halo" if far > grid.halo else "wall_halo"
                raise BadInput(
                    f"{self._says()} reads {use.name} {far} cells away, and the grid of {field.name} has a "
                    f"halo of {holds}: make it sc.Grid(…, {name}={far})."
                )
        for (a, one), (_, other) in itertools.permutations(zip(self._text.fields, levels, strict=True), 2):
            if one == other and a.role is not Role.IN:
                raise BadInput(
                    f"{self._says()} got the same level of {one.field.name} twice, and sets it: declare it "
                    "once, as sc.InOut."
                )

    def python(self, /, *given: Any, **named: Any) -> float | tuple[float, ...] | None:
        """Executes the kernel cell by cell on NumPy arrays in (z, y, x) order, components first: slow, for
        tests. The arrays are periodic along every axis. Outputs are changed in place; the result of a
        reduction is returned."""
        values = self._arguments(given, named)
        arrays = {use.name: self._array(use, values[use.name]) for use in self._text.fields}
        parameters = {one.name: self._number(one, values[one.name]) for one in self._text.parameters}
        shapes = {array.shape[-self._text.dimensions :] for array in arrays.values()}
        if len(shapes) != 1:
            raise BadInput(f"{self._says()} got arrays of different shapes: {sorted(shapes)}.")
        stepper = Stepper(self._text, arrays, parameters)
        returned = []
        shape = shapes.pop()
        for colour in range(self._colours):
            for place in np.ndindex(shape):
                at = place[::-1]
                if self._colours == 1 or colour_of(at, self._colours) == colour:
                    returned.append(stepper.step(at))
        return self._reduced(returned)

    def _array(self, use: FieldUse, value: Any) -> NDArray:
        wanted = self._text.dimensions + bool(use.components)
        if (
            not isinstance(value, np.ndarray)
            or value.ndim != wanted
            or value.dtype not in (np.float64, np.float32)
        ):
            raise BadInput(
                f"{self._says()} got {use.name} = {type(value).__name__}: it must be an array of {wanted} "
                "axes, float64 or float32."
            )
        if use.components and len(value) <= max(use.components):
            raise BadInput(
                f"{self._says()} uses component {max(use.components)} of {use.name}, and the array has "
                f"{len(value)}."
            )
        return value

    def _reduced(self, returned: list[Any]) -> float | tuple[float, ...] | None:
        if self._reduce is None:
            return None
        # A maximum is no number if one of the values is none, as in the engine.
        verb: Callable[..., float] = {"sum": math.fsum, "max": np.max, "min": np.min}[self._reduce]
        values = tuple(float(verb(column)) for column in zip(*returned, strict=True))
        return values[0] if len(values) == 1 else values


def kernel(
    function: FunctionType | None = None, *, reduce: str | None = None, colours: int = 1
) -> Kernel | Callable[[FunctionType], Kernel]:
    """Makes a kernel from a function that computes one cell.

        @sc.kernel
        def diffuse(next: sc.Out, T: sc.In, a: float):
            next[0, 0, 0] = T[0, 0, 0] + a * (T[1, 0, 0] + T[-1, 0, 0] - 2 * T[0, 0, 0])

    Fields are declared as sc.In, sc.Out or sc.InOut, the position as sc.Index, parameters as float, int or
    bool. Indices are offsets along x, y, z; V[0][1, 0, 0] is component 0 of a field with several. `reduce`:
    "sum", "max" or "min" of the returned values over all cells. `colours`: 2, 4 or 8, for a kernel that
    updates a field in place and reads its neighbours. Raises KernelError, one sentence with file and line, if
    the function cannot be a kernel.
    """
    check_options(reduce, colours)

    def make(plain: FunctionType) -> Kernel:
        return Kernel(source_of_function(plain, "kernel"), reduce, colours)

    return make if function is None else make(function)


def check_options(reduce: Any, colours: Any) -> None:
    if reduce is not None and reduce not in REDUCTIONS:
        raise BadInput(f"reduce = {reduce!r} is not known: allowed are {', '.join(REDUCTIONS)}.")
    if colours not in (1, 2, 4, 8):
        raise BadInput(f"colours = {colours!r} is not allowed: it must be 1, 2, 4 or 8.")
