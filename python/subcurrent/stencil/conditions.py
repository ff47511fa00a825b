# SPDX-License-Identifier: Apache-2.0
"""Reads the cells of a boundary condition: q.ghost[n] is the n-th cell beyond the face, q.inside[n] the n-th
inside it."""

from __future__ import annotations

import ast

from .cells import CellReader
from .places import shown
from .tree import Beyond, Binary, Constant, Expression, Number, Position, Role, Type


class ConditionReader(CellReader):
    def cell(self, node: ast.expr) -> Beyond | None:
        where = node.value
        if not isinstance(where, ast.Attribute):
            inner = where.value if isinstance(where, ast.Subscript) else where
            if isinstance(inner, ast.Name) and inner.id in self.fields:
                self.refuse(
                    node, f"has `{shown(node)}`: in a condition cells are .ghost[n] and .inside[n] of a field"
                )
            return None
        found = self._field_of(where.value)
        if found is None:
            return None
        if where.attr not in ("ghost", "inside"):
            self.refuse(node, f"has `{shown(node)}`: the cells of a condition are .ghost[n] and .inside[n]")
        name, component = found
        self.note_component(node, self.fields[name], component)
        layer, number = self._number_of(node)
        return Beyond(name, component, where.attr == "ghost", layer, number)

    def _field_of(self, node: ast.expr) -> tuple[str, int | None] | None:
        if isinstance(node, ast.Name) and node.id in self.fields:
            return node.id, None
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name):
            name = node.value.id
            if name in self.fields:
                return name, self._constant_index(node.slice, name, "component")
        return None

    def _number_of(self, node: ast.Subscript) -> tuple[bool, int]:
        """The cell's number as one counted from the layer's own, or as it stands."""
        value = self.expression(node.slice)
        plain = _constant(value)
        if plain is not None:
            return False, plain
        if value == Position(None):
            return True, 0
        if isinstance(value, Binary) and value.sign in "+-" and value.left == Position(None):
            shift = _constant(value.right)
            if shift is not None:
                return True, shift if value.sign == "+" else -shift
        n = self.index or "the layer"
        return self.refuse(
            node, f"has the cell `{shown(node)}`: allowed are {n}, {n} + 1, … and constants from 1 on"
        )

    def reading(self, node: ast.AST, cell: Beyond) -> Beyond:
        use = self.fields[cell.field]
        if cell.ghost:
            if (use.name, cell.component) not in self.set or not cell.layer or cell.number:
                self.refuse(
                    node, f"reads the halo of {use.name} before it is set: read .inside[…], or what was set"
                )
            return cell
        if cell.number < (0 if cell.layer else 1):
            self.refuse(node, f"reads {use.name}.inside[…] beyond the face: cells within are counted from 1")
        use.inside.add((cell.layer, cell.number))
        return cell

    def check_store(self, node: ast.AST, cell: Beyond) -> None:
        if self.fields[cell.field].role is not Role.OUT:
            self.refuse(node, f"sets {cell.field}, which is an sc.In: declare it sc.Out")
        if not cell.ghost or not cell.layer or cell.number:
            self.refuse(
                node, f"sets `{shown(node)}`: a condition sets .ghost[{self.index or 'n'}] of its field"
            )


def _constant(value: Expression) -> int | None:
    known = isinstance(value, (Number, Constant)) and value.type is Type.WHOLE
    return int(value.value) if known else None
