# SPDX-License-Identifier: Apache-2.0
"""Executes a kernel on NumPy arrays, cell by cell: slow, for tests and for inspection of a kernel."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import functions
from .tree import (
    Binary,
    Call,
    Cell,
    Choice,
    Constant,
    Convert,
    Expression,
    If,
    KernelText,
    Let,
    Name,
    Number,
    Position,
    Statement,
    Store,
    Type,
    Unary,
)

ORDER = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
ARITHMETIC = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}


class Stepper:
    """Executes a kernel at cells of arrays that are periodic along every axis."""

    def __init__(self, text: KernelText, arrays: dict[str, NDArray], values: dict[str, Any]):
        self.text, self.arrays = text, arrays
        single = all(array.dtype == np.float32 for array in arrays.values())
        self.types = {Type.REAL: np.float32 if single else np.float64, Type.WHOLE: int, Type.TRUTH: bool}
        self.given = {one.name: self.types[one.type](values[one.name]) for one in text.parameters}
        self.local: dict[str, Any] = {}
        self.at: tuple[int, ...] = ()

    def step(self, at: tuple[int, ...]) -> tuple[float, ...] | None:
        """The kernel at the cell (x, y, z); what it returns."""
        self.at, self.local = at, {}
        with np.errstate(all="ignore"):
            return self._block(self.text.body)

    def _block(self, statements: tuple[Statement, ...]) -> tuple[float, ...] | None:
        for one in statements:
            if isinstance(one, Let):
                self.local[one.name] = self.value(one.value)
            elif isinstance(one, Store):
                self._array(one.cell)[self._place(one.cell)] = self.value(one.value)
            elif isinstance(one, If):
                returned = self._block(one.then if self.value(one.test) else one.other)
                if returned is not None:
                    return returned
            else:
                return tuple(float(self.value(value)) for value in one.values)
        return None

    def value(self, node: Expression) -> Any:
        if isinstance(node, (Number, Constant)):
            return self.types[node.type](node.value)
        if isinstance(node, Name):
            return self.given[node.name] if node.name in self.given else self.local[node.name]
        if isinstance(node, Cell):
            value = self._array(node)[self._place(node)]
            # Where fields have both precisions all is calculated in double, as in C++.
            return self.types[Type.REAL](value)
        if isinstance(node, Position):
            return self.at[node.axis] if node.axis < len(self.at) else 0
        if isinstance(node, Convert):
            return self.types[node.type](self.value(node.value))
        if isinstance(node, Choice):
            return self.value(node.then if self.value(node.test) else node.other)
        if isinstance(node, Call):
            arguments = [self.value(argument) for argument in node.arguments]
            return functions.ALL[node.function].step(*arguments)
        if isinstance(node, Unary):
            value = self.value(node.value)
            return not value if node.sign == "not" else -value
        return self._binary(node)

    def _binary(self, node: Binary) -> Any:
        if node.sign == "and":
            return self.value(node.left) and self.value(node.right)
        if node.sign == "or":
            return self.value(node.left) or self.value(node.right)
        left, right = self.value(node.left), self.value(node.right)
        if node.sign in ORDER:
            return bool(ORDER[node.sign](left, right))
        kind = self.types[node.type]
        return kind(ARITHMETIC[node.sign](kind(left), kind(right)))

    def _array(self, cell: Cell) -> NDArray:
        array = self.arrays[cell.field]
        return array if cell.component is None else array[cell.component]

    def _place(self, cell: Cell) -> tuple[int, ...]:
        """NumPy's index, z first."""
        shape = self._array(cell).shape
        there = [at + step for at, step in zip(self.at, cell.offset, strict=True)]
        return tuple(there[axis] % shape[-1 - axis] for axis in reversed(range(len(there))))


def colour_of(at: tuple[int, ...], colours: int) -> int:
    """As engine/grid/lattice.hpp."""
    x, y, z = (*at, 0, 0)[:3]
    if colours == 2:
        return (x + y + z) & 1
    if colours == 4:
        a = (x ^ y) & 1
        return a | ((y ^ z ^ a) & 1) << 1
    return (x & 1) | (y & 1) << 1 | (z & 1) << 2 if colours == 8 else 0
