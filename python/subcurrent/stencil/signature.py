# SPDX-License-Identifier: Apache-2.0
"""Reads the arguments of a kernel: which are fields, which parameters, which the position."""

from __future__ import annotations

import ast
from typing import Any

from .annotations import In, Index, InOut, Layer, Out
from .expressions import Reader
from .places import MISSING, shown
from .tree import FieldUse, Parameter, Role, Type

ROLES = {In: Role.IN, Out: Role.OUT, InOut: Role.INOUT}
TYPES = {float: Type.REAL, int: Type.WHOLE, bool: Type.TRUTH}


class Signature:
    """The arguments of a kernel; its fields and parameters become known to the reader."""

    def __init__(self, tree: ast.FunctionDef, reader: Reader):
        self.reader, self.source, self.refuse = reader, reader.source, reader.refuse
        self.order, self.parameters = self._arguments(tree)

    def _arguments(self, tree: ast.FunctionDef) -> tuple[list[str], list[Parameter]]:
        given = tree.args
        if given.vararg or given.kwarg or given.posonlyargs:
            self.refuse(tree, "takes *, ** or positional-only arguments: allowed are plain ones")
        plain = [*given.args, *given.kwonlyargs]
        defaults = [None] * (len(given.args) - len(given.defaults)) + [*given.defaults, *given.kw_defaults]
        order, parameters = [], []
        for argument, default in zip(plain, defaults, strict=True):
            kind = self._annotation(argument)
            if kind in (Index, Layer):
                self._position(argument, kind)
                continue
            order.append(argument.arg)
            if kind in ROLES:
                if default is not None:
                    self.refuse(argument, f"gives the field {argument.arg} a default: fields have none")
                self.reader.fields[argument.arg] = FieldUse(argument.arg, ROLES[kind])
            else:
                self.reader.parameters[argument.arg] = TYPES[kind]
                parameters.append(self._parameter(argument.arg, TYPES[kind], default))
        if not self.reader.fields:
            self.refuse(tree, "has no field among its arguments: declare one as sc.In, sc.Out or sc.InOut")
        return order, parameters

    def _parameter(self, name: str, kind: Type, default: ast.expr | None) -> Parameter:
        if default is None:
            return Parameter(name, kind)
        value = getattr(self.reader.expression(default), "value", MISSING)
        if not isinstance(value, (int, float)) or (isinstance(value, bool) != (kind is Type.TRUTH)):
            self.refuse(default, f"gives {name} the default `{shown(default)}`: it must be {kind.value}")
        if kind is Type.WHOLE and not isinstance(value, int):
            self.refuse(default, f"gives {name} the default `{shown(default)}`: it must be {kind.value}")
        return Parameter(name, kind, float(value) if kind is Type.REAL else value)

    def _annotation(self, argument: ast.arg) -> Any:
        node = argument.annotation
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        kind = self.source.annotations.get(argument.arg, MISSING)
        if isinstance(kind, str):  # not evaluated yet
            kind = self.source.value(node)
        known = [*ROLES, Index, *TYPES] if not self.reader.condition else [In, Out, Layer, *TYPES]
        if kind is MISSING or not any(kind is one for one in known):
            names = ", ".join(one.__name__ if one in TYPES else f"sc.{one.__name__}" for one in known)
            written = "no type" if node is None else f"the type `{shown(node)}`"
            self.refuse(argument, f"has the argument {argument.arg} of {written}: allowed are {names}")
        return kind

    def _position(self, argument: ast.arg, kind: type) -> None:
        if self.reader.index:
            self.refuse(argument, f"has two arguments of type sc.{kind.__name__}: one is enough")
        self.reader.index = argument.arg
