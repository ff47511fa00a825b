# SPDX-License-Identifier: Apache-2.0
"""What kernels and boundary conditions written in Python have in common: their C++, compiled for each
precision and processor, and the checks of their arguments."""

from __future__ import annotations

import ctypes
import functools
import numbers
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np

from ..errors import BadInput
from ..given import Fixed
from ..rank import parallel
from . import compiling, printing
from .field import Field, Level
from .places import Source
from .tree import FieldUse, KernelText, Parameter, Role, Type

MEMBERS = {Type.WHOLE: ctypes.c_int64, Type.TRUTH: ctypes.c_bool}
HOSTS = ("cpu", "emulated device")  # whose kernels the machine's own compiler makes


@functools.cache
def _struct_of(members: tuple[tuple[str, Any], ...]) -> type[ctypes.Structure]:
    return type("Members", (ctypes.Structure,), {"_fields_": list(members)})


@dataclass(frozen=True)
class Call:
    """A kernel with the levels and parameters of one run, for `Loop.run`."""

    kernel: Compiled
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
        """The address of the function compiled for these fields and their device; 0 in a rehearsal."""
        if parallel.rehearses():
            return 0
        key = precision, computed_by
        if key not in self._libraries:
            source = self.text_for(precision, computed_by != "cpu")
            self._libraries[key] = address_of(source, self._says(), computed_by)
        return self._libraries[key]

    def text_for(self, precision: printing.Precision, on_device: bool) -> str:
        """The file that is compiled for these fields."""
        return printing.source_of(self._text, precision, on_device)

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


def address_of(source: str, what: str, computed_by: str) -> int:
    """The address of the function in a text that `computed_by` executes; `what` is its name in messages."""
    return compiling.function_of(source, what, None if computed_by in HOSTS else computed_by)


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
