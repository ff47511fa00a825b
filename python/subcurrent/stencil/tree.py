# SPDX-License-Identifier: Apache-2.0
"""A kernel after reading: typed expressions and statements, which `printing` writes as C++ and `stepping`
executes cell by cell."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass, field


class Type(enum.Enum):
    """The types that a value in a kernel can have."""

    REAL = "a real number"
    WHOLE = "a whole number"
    TRUTH = "a truth value"


class Role(enum.Enum):
    """What a kernel does with a field."""

    IN = "In"
    OUT = "Out"
    INOUT = "InOut"


# -- expressions ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    value: float | int | bool
    type: Type


@dataclass(frozen=True)
class Constant:
    """A number of the module's, under its name there."""

    name: str
    value: float | int | bool
    type: Type


@dataclass(frozen=True)
class Name:
    """A parameter or a local variable."""

    name: str
    type: Type


@dataclass(frozen=True)
class Cell:
    """A value of a field, `offset` cells from the one that is computed; no component: a field of one."""

    field: str
    component: int | None
    offset: tuple[int, ...]
    type: Type = Type.REAL


@dataclass(frozen=True)
class Beyond:
    """In a condition: the cell number `number` from the face, plus the number of the layer if `layer`; in the
    halo if `ghost`, else inside."""

    field: str
    component: int | None
    ghost: bool
    layer: bool
    number: int
    type: Type = Type.REAL


@dataclass(frozen=True)
class Position:
    """The global position of the cell along an axis, or the number of a condition's layer (axis None)."""

    axis: int | None
    type: Type = Type.WHOLE


@dataclass(frozen=True)
class Unary:
    sign: str  # - or not
    value: Expression
    type: Type


@dataclass(frozen=True)
class Binary:
    """+ - * / of two numbers, // and % of whole ones, comparisons; and, or."""

    sign: str
    left: Expression
    right: Expression
    type: Type


@dataclass(frozen=True)
class Choice:
    test: Expression
    then: Expression
    other: Expression
    type: Type


@dataclass(frozen=True)
class Call:
    function: str  # a key of functions.ALL
    arguments: tuple[Expression, ...]
    type: Type


@dataclass(frozen=True)
class Convert:
    value: Expression
    type: Type


Expression = Number | Constant | Name | Cell | Beyond | Position | Unary | Binary | Choice | Call | Convert


# -- statements ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Let:
    name: str
    value: Expression
    declares: bool = False  # the first one of this name, where all that follows sees it


@dataclass(frozen=True)
class Store:
    cell: Cell | Beyond
    value: Expression


@dataclass(frozen=True)
class If:
    test: Expression
    then: tuple[Statement, ...]
    other: tuple[Statement, ...]


@dataclass(frozen=True)
class Return:
    values: tuple[Expression, ...]


Statement = Let | Store | If | Return


# -- the whole -----------------------------------------------------------------------------------------


@dataclass
class FieldUse:
    """How a kernel uses one of its fields."""

    name: str
    role: Role
    offsets: set[tuple[int, ...]] = field(default_factory=set)
    components: set[int] = field(default_factory=set)  # that are named; none: a field of one
    whole: bool = False  # it is used as a field of one
    sets: set[int | None] = field(default_factory=set)  # components that every path sets
    inside: set[tuple[bool, int]] = field(default_factory=set)  # of a condition: Beyond.layer and .number

    def reach(self) -> tuple[int, int]:
        """Layers along the axes, and layers of edges and corners."""
        far = [max(map(abs, offset), default=0) for offset in self.offsets]
        slanted = [max(map(abs, offset)) for offset in self.offsets if sum(step != 0 for step in offset) > 1]
        return max(far, default=0), max(slanted, default=0)


@dataclass(frozen=True)
class Parameter:
    name: str
    type: Type
    default: float | int | bool | None = None


@dataclass
class KernelText:
    """A kernel or a condition as it was read."""

    name: str
    file: str
    line: int
    text: str  # as it stands in the file
    fields: list[FieldUse]
    parameters: list[Parameter]
    order: list[str]  # of all arguments of a call
    constants: dict[str, Constant]
    locals: dict[str, Type]  # those that are first set inside an if and live beyond it
    body: tuple[Statement, ...]
    dimensions: int
    indexed: bool
    values: int  # that it returns
    condition: bool

    def use(self, name: str) -> FieldUse:
        return next(use for use in self.fields if use.name == name)


def children(node: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is made of."""
    if isinstance(node, (Unary, Convert)):
        return (node.value,)
    if isinstance(node, Binary):
        return (node.left, node.right)
    if isinstance(node, Choice):
        return (node.test, node.then, node.other)
    return node.arguments if isinstance(node, Call) else ()


def walk(node: Expression) -> Iterator[Expression]:
    """The expression and all in it."""
    yield node
    for child in children(node):
        yield from walk(child)


def operations(body: tuple[Statement, ...]) -> int:
    """Operations with real numbers and calls of functions in statements; of an if, those of both branches."""
    return sum(
        isinstance(node, Call) or (isinstance(node, Binary) and node.type is Type.REAL)
        for statement in body
        for expression in _expressions(statement)
        for node in walk(expression)
    )


def _expressions(statement: Statement) -> Iterator[Expression]:
    if isinstance(statement, Return):
        yield from statement.values
    elif isinstance(statement, If):
        yield statement.test
        for one in (*statement.then, *statement.other):
            yield from _expressions(one)
    else:
        yield statement.value
