# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python: the result of @sc.kernel."""

from __future__ import annotations

import ctypes
import functools
import itertools
import math
import numbers
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..given import Fixed
from . import compiling, printing
from .field import Field, Level
from .places import Source
from .reading import read
from .stepping import Stepper, colour_of
from .tree import FieldUse, KernelText, Parameter, Role, Type

REDUCTIONS = ("sum", "max", "min")
MEMBERS = {Type.WHOLE: ctypes.c_int64, Type.TRUTH: ctypes.c_bool}


HOSTS = ("cpu", "emulated device")  # whose kernels the machine's own compiler makes


@functools.cache
def _struct_of(members: tuple[tuple[str, Any], ...]) -> type[ctypes.Structure]:
    return type("Members", (ctypes.Structure,), {"_fields_": list(members)})


@dataclass(frozen=True)
class Call:
    """A kernel with the levels and parameters of one run, for `Loop.run`."""

    kernel: Kernel
    levels: tuple[Level, ...]
    values: dict[str, Any]

    @property
    def grid(self) -> Any:
        return self.levels[0].field.grid

    @property
    def computed_by(self) -> str:
        """ "cpu", or the device that computes its fields."""
        return self.levels[0].field.computed_by

    def precision(self) -> printing.Precision:
        fields = [level.field for level in self.levels]
        return printing.Precision(
            tuple(field.dtype == np.float32 for field in fields), tuple(field.components for field in fields)
        )


class Compiled(Fixed):
    """The common part of kernels and conditions: a text, its C++, and a library for each precision and
    processor."""

    _kind = "kernel"

    def __init__(self, text: KernelText, source: Source):
        self._text = text
        self._libraries: dict[tuple[printing.Precision, str], int] = {}
        self.__doc__, self.__name__ = source.doc, source.name

    def __repr__(self) -> str:
        return f"<{self._kind} {self._text.name}, {self._text.file}:{self._text.line}>"

    @property
    def name(self) -> str:
        return self._text.name

    @property
    def source(self) -> str:
        """The C++ functor that is generated from the function, for fields in double precision."""
        return printing.Printer(self._text, printing.plain_precision(self._text)).functor()

    def reach(self, name: str) -> tuple[int, int]:
        """How far the function reads a field: layers along the axes, and layers of edges and corners."""
        return self._text.use(name).reach()

    def _says(self) -> str:
        return f'{self._kind} "{self.name}"'

    def library(self, precision: printing.Precision, computed_by: str = "cpu") -> int:
        """The address of the function compiled for these fields and their device."""
        key = precision, computed_by
        if key not in self._libraries:
            source = printing.source_of(self._text, precision, computed_by != "cpu")
            card = None if computed_by in HOSTS else computed_by
            self._libraries[key] = compiling.function_of(source, self._says(), card)
        return self._libraries[key]

    def members(self, call: Call) -> bytes:
        """The parameters in the memory layout of the functor."""
        real = ctypes.c_float if call.precision().real == "float" else ctypes.c_double
        members = tuple((one.name, MEMBERS.get(one.type, real)) for one in self._text.parameters)
        return bytes(_struct_of(members)(**call.values)) or b"\0"

    # -- arguments -------------------------------------------------------------------------------------

    def _arguments(self, given: tuple[Any, ...], named: dict[str, Any]) -> dict[str, Any]:
        order = self._order()
        if len(given) > len(order):
            raise BadInput(f"{self._says()} got {len(given)} arguments: it takes {', '.join(order)}.")
        values = dict(zip(order, given, strict=False))
        for name, value in named.items():
            if name not in order or name in values:
                twice = "twice" if name in values else "which it does not have"
                raise BadInput(
                    f"{self._says()} got the argument {name}, {twice}: it takes {', '.join(order)}."
                )
            values[name] = value
        for one in self._text.parameters:
            if one.name not in values and one.default is not None:
                values[one.name] = one.default
        missing = [name for name in order if name not in values]
        if missing:
            raise BadInput(f"{self._says()} was not given {', '.join(missing)}: it takes {', '.join(order)}.")
        return values

    def _order(self) -> list[str]:
        return self._text.order

    def _number(self, one: Parameter, value: Any) -> float | int | bool:
        if one.type is Type.TRUTH and isinstance(value, (bool, np.bool_)):
            return bool(value)
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        truth = isinstance(value, (bool, np.bool_))
        if one.type is Type.REAL and isinstance(value, numbers.Real) and not truth:
            return float(value)
        if (
            one.type is Type.WHOLE
            and isinstance(value, numbers.Integral)
            and not truth
            and abs(value) < 2**63
        ):
            return operator.index(value)
        raise BadInput(f"{self._says()} got {one.name} = {value!r}: it must be {one.type.value}.")

    def _level(self, use: FieldUse, value: Any) -> Level:
        level = value.now if isinstance(value, Field) else value
        if not isinstance(level, Level):
            raise BadInput(
                f"{self._says()} got {use.name} = {value!r}: it must be a level of a field, such as T.now."
            )
        self._check_components(use, level.field)
        return level

    def _check_components(self, use: FieldUse, field: Field) -> None:
        count, most = field.components, max(use.components, default=0)
        if use.components and most >= count:
            raise BadInput(
                f"{self._says()} uses component {most} of {use.name}, and the field {field.name} has {count}."
            )
        if use.whole and count != 1:
            raise BadInput(
                f"{self._says()} uses {use.name} as a field of one component, and {field.name} has {count}."
            )
        if use.role is Role.OUT and use.components and use.sets != set(range(count)):
            missing = sorted(set(range(count)) - use.sets)
            raise BadInput(
                f"{self._says()} does not set component {missing[0]} of {use.name}, which {field.name} has: "
                "set it, or declare it sc.InOut."
            )


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
            level.field._reads(use.offsets)

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
            if use.reach()[0] > grid.halo:
                raise BadInput(
                    f"{self._says()} reads {use.name} {use.reach()[0]} cells away, and the grid of "
                    f"{field.name} has a halo of {grid.halo}: make it sc.Grid(…, halo={use.reach()[0]})."
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
        verb: Callable[..., float] = {"sum": math.fsum, "max": _most, "min": _least}[self._reduce]
        values = tuple(verb(column) for column in zip(*returned, strict=True))
        return values[0] if len(values) == 1 else values


def _most(values: Sequence[float]) -> float:
    return float(np.max(values))  # which is no number if one of them is none, as in the engine


def _least(values: Sequence[float]) -> float:
    return float(np.min(values))


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


def source_of_function(given: Any, kind: str) -> Source:
    if not isinstance(given, FunctionType):
        raise BadInput(f"@sc.{kind} was given {given!r}: it makes a {kind} of a function.")
    return Source.of(given, kind)


def flat(calls: Sequence[Any]) -> list[Call]:
    for call in calls:
        if not isinstance(call, Call):
            raise BadInput(
                f"run was given {call!r}: it takes calls of kernels, such as diffuse(T.next, T.now)."
            )
    return list(calls)
