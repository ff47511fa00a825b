# SPDX-License-Identifier: Apache-2.0
"""Reads the expressions of a kernel: determines the type of every value and the offset of every index."""

from __future__ import annotations

import ast
import numbers
from typing import Any, NoReturn

import numpy as np

from . import functions
from .places import MISSING, Source, shown
from .tree import (
    Binary,
    Call,
    Choice,
    Constant,
    Convert,
    Expression,
    FieldUse,
    Name,
    Number,
    Position,
    Type,
    Unary,
)

ARITHMETIC = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
ORDER = {ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Eq: "==", ast.NotEq: "!="}
AXES = ("x", "y", "z")
POWERS = {2: "square", 3: "cube", 4: "fourth"}
MOST_WHOLE = 2**63 - 1


class Reader:
    """The names of a kernel and what is known about them at the position being read."""

    def __init__(self, source: Source, condition: bool, colours: int):
        self.source = source
        self.condition, self.colours = condition, colours
        self.fields: dict[str, FieldUse] = {}
        self.parameters: dict[str, Type] = {}
        self.index: str | None = None  # the name of the position, or of a condition's layer
        self.indexed = False
        self.loops: dict[str, int] = {}  # the variables of the loops around
        self.locals: dict[str, Type] = {}
        self.set: set[Any] = set()  # locals, and (field, component) of outputs, that every path has set
        self.constants: dict[str, Constant] = {}
        self.dimensions: int | None = None

    def refuse(self, node: ast.AST | None, text: str) -> NoReturn:
        self.source.refuse(node, text)

    # -- values ----------------------------------------------------------------------------------------

    def expression(self, node: ast.expr) -> Expression:
        read = getattr(self, "_" + type(node).__name__.lower(), None)
        if read is None:
            self.refuse(
                node,
                f"has `{shown(node)}`: allowed in an expression are numbers, names, cells of fields, "
                "arithmetic, comparisons and functions of math",
            )
        return read(node)

    def real(self, node: ast.expr) -> Expression:
        return self.converted(self.number(node), Type.REAL)

    def number(self, node: ast.expr) -> Expression:
        value = self.expression(node)
        if value.type is Type.TRUTH:
            self.refuse(node, f"calculates with `{shown(node)}`, which is true or false: a number is needed")
        return value

    def truth(self, node: ast.expr) -> Expression:
        value = self.expression(node)
        if value.type is not Type.TRUTH:
            self.refuse(
                node, f"uses `{shown(node)}` as a condition, which is a number: compare it, e.g. with != 0"
            )
        return value

    @staticmethod
    def converted(value: Expression, kind: Type) -> Expression:
        if value.type is kind:
            return value
        if isinstance(value, Number):
            return Number(float(value.value) if kind is Type.REAL else int(value.value), kind)
        return Convert(value, kind)

    def alike(self, a: ast.expr, b: ast.expr) -> tuple[Expression, Expression]:
        """Two values as the same type."""
        left, right = self.expression(a), self.expression(b)
        if (left.type is Type.TRUTH) != (right.type is Type.TRUTH):
            self.refuse(a, f"combines `{shown(a)}` and `{shown(b)}`, a number and a truth value")
        if left.type is not right.type:
            left, right = self.converted(left, Type.REAL), self.converted(right, Type.REAL)
        return left, right

    # -- names and numbers -----------------------------------------------------------------------------

    def _constant(self, node: ast.Constant) -> Expression:
        return self._literal(node, node.value)

    def _literal(self, node: ast.AST, value: Any, name: str = "") -> Expression:
        what = name or f"`{shown(node)}`"
        if isinstance(value, (bool, np.bool_)):
            made, kind = bool(value), Type.TRUTH
        elif isinstance(value, (int, np.integer)):
            made, kind = int(value), Type.WHOLE
            if abs(made) > MOST_WHOLE:
                self.refuse(node, f"has the whole number {what}, which has more than 64 bits")
        elif isinstance(value, numbers.Real):
            made, kind = float(value), Type.REAL
        else:
            self.refuse(
                node,
                f"uses {what}, which is of type {type(value).__name__}: allowed are numbers, True and False",
            )
        return Constant(name, made, kind) if name else Number(made, kind)

    def _name(self, node: ast.Name) -> Expression:
        name = node.id
        if name in self.loops:
            return Number(self.loops[name], Type.WHOLE)
        if name in self.fields:
            cell = "ghost[n]" if self.condition else "[0, 0, 0]"
            self.refuse(
                node, f"uses the field {name} without a cell: write {name}{'.' * self.condition}{cell}"
            )
        if name == self.index:
            if self.condition:
                self.indexed = True
                return Position(None)
            self.refuse(
                node, f"uses the position {name} as a number: allowed are {name}.x, {name}.y, {name}.z"
            )
        if name in self.parameters:
            return Name(name, self.parameters[name])
        if name in self.locals:
            if name not in self.set:
                self.refuse(node, f"uses {name}, which is not set on every path through the kernel before")
            return Name(name, self.locals[name])
        value = self.source.value(node)
        if value is MISSING:
            self.refuse(
                node,
                f"uses {name}, which is neither an argument, a local variable nor a constant of its module",
            )
        return self._of_module(node, name, value)

    def _of_module(self, node: ast.AST, name: str, value: Any) -> Expression:
        if isinstance(value, np.ndarray) and value.ndim == 0:
            value = value[()]
        made = self._literal(node, value, name)
        self.constants[name] = made
        return made

    def _attribute(self, node: ast.Attribute) -> Expression:
        if isinstance(node.value, ast.Name) and node.value.id == self.index and not self.condition:
            if node.attr not in AXES:
                self.refuse(node, f"uses {shown(node)}: the position has x, y and z")
            self.indexed = True
            return Position(AXES.index(node.attr))
        value = self.source.value(node)
        if value is MISSING:
            self.refuse(node, f"uses `{shown(node)}`, which is not known in its module")
        return self._literal(node, value)

    # -- arithmetic ------------------------------------------------------------------------------------

    def _unaryop(self, node: ast.UnaryOp) -> Expression:
        if isinstance(node.op, ast.Not):
            return Unary("not", self.truth(node.operand), Type.TRUTH)
        if isinstance(node.op, ast.Invert):
            self.refuse(node, "uses `~`: allowed are -, + and not")
        value = self.number(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        if isinstance(value, Number):
            return Number(-value.value, value.type)
        return Unary("-", value, value.type)

    def _binop(self, node: ast.BinOp) -> Expression:
        if isinstance(node.op, ast.Pow):
            return self._power(node)
        sign = ARITHMETIC.get(type(node.op))
        if sign is None:
            self.refuse(node, f"has `{shown(node)}`: allowed between numbers are + - * / // % and **")
        return self.binary(node, sign, self.number(node.left), self.number(node.right))

    def binary(self, node: ast.AST, sign: str, left: Expression, right: Expression) -> Expression:
        both_whole = left.type is right.type is Type.WHOLE
        if sign in ("//", "%"):
            known = isinstance(right, (Number, Constant)) and right.value > 0
            if not both_whole or not known:
                self.refuse(node, f"uses {sign} otherwise than on whole numbers by a constant greater than 0")
        if sign == "/":
            if isinstance(right, (Number, Constant)) and right.value == 0:
                self.refuse(node, "divides by 0")
            if both_whole:
                left, right = self.converted(left, Type.REAL), self.converted(right, Type.REAL)
            return Binary(sign, left, right, Type.REAL)
        if both_whole and isinstance(left, Number) and isinstance(right, Number):
            return self._folded(node, sign, left.value, right.value)
        return Binary(sign, left, right, Type.WHOLE if both_whole else Type.REAL)

    def _folded(self, node: ast.AST, sign: str, a: int, b: int) -> Number:
        value = {"+": a + b, "-": a - b, "*": a * b, "//": a // b if b else 0, "%": a % b if b else 0}[sign]
        return self._literal(node, value)

    def _power(self, node: ast.BinOp) -> Expression:
        base, exponent = self.number(node.left), self.number(node.right)
        power = exponent.value if isinstance(exponent, (Number, Constant)) else None
        if exponent.type is Type.WHOLE and power in (1, *POWERS):
            if isinstance(base, Number) and base.type is Type.WHOLE:
                return self._literal(node, base.value**power)
            return base if power == 1 else Call(POWERS[power], (base,), base.type)
        if base.type is exponent.type is Type.WHOLE:
            self.refuse(
                node,
                f"has `{shown(node)}`: a whole number takes a constant power of 1 to 4, or float() of it",
            )
        return Call("pow", (self.converted(base, Type.REAL), self.converted(exponent, Type.REAL)), Type.REAL)

    # -- truth -----------------------------------------------------------------------------------------

    def _compare(self, node: ast.Compare) -> Expression:
        made: Expression | None = None
        terms = [node.left, *node.comparators]
        for op, a, b in zip(node.ops, terms, terms[1:], strict=False):
            sign = ORDER.get(type(op))
            if sign is None:
                self.refuse(node, f"has `{shown(node)}`: allowed comparisons are {', '.join(ORDER.values())}")
            left, right = self.alike(a, b)
            one = Binary(sign, left, right, Type.TRUTH)
            made = one if made is None else Binary("and", made, one, Type.TRUTH)
        return made

    def _boolop(self, node: ast.BoolOp) -> Expression:
        sign = "and" if isinstance(node.op, ast.And) else "or"
        made = self.truth(node.values[0])
        for value in node.values[1:]:
            made = Binary(sign, made, self.truth(value), Type.TRUTH)
        return made

    def _ifexp(self, node: ast.IfExp) -> Expression:
        test = self.truth(node.test)
        then, other = self.alike(node.body, node.orelse)
        return Choice(test, then, other, then.type)

    # -- calls -----------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Expression:
        name = functions.named(self.source.value(node.func))
        if name is None:
            self.refuse(node, f"calls `{shown(node.func)}`: allowed are {functions.allowed()}")
        if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
            self.refuse(node, f"calls {name} with named or starred arguments: allowed are plain ones")
        given = node.args
        if name in ("min", "max"):
            return self._extreme(node, name)
        wanted = {"where": 3, "float": 1, "int": 1}.get(name) or functions.ALL[name].arguments
        if len(given) != wanted:
            self.refuse(node, f"calls {name} with {len(given)} arguments: it takes {wanted}")
        if name == "where":
            then, other = self.alike(given[1], given[2])
            return Choice(self.truth(given[0]), then, other, then.type)
        if name in ("float", "int"):
            return self.converted(self.number(given[0]), Type.REAL if name == "float" else Type.WHOLE)
        if name == "abs":
            value = self.number(given[0])
            return Call(name, (value,), value.type)
        return Call(name, tuple(self.real(argument) for argument in given), Type.REAL)

    def _extreme(self, node: ast.Call, name: str) -> Expression:
        if len(node.args) < 2:
            self.refuse(node, f"calls {name} with {len(node.args)} arguments: it takes two numbers or more")
        values = [self.number(argument) for argument in node.args]
        kind = Type.WHOLE if all(value.type is Type.WHOLE for value in values) else Type.REAL
        made = self.converted(values[0], kind)
        for value in values[1:]:
            made = Call(name, (made, self.converted(value, kind)), kind)
        return made
