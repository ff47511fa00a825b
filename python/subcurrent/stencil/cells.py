# SPDX-License-Identifier: Apache-2.0
"""Reads the cells of fields in a kernel: determines the offset of every index, checks and records every
access."""

from __future__ import annotations

import ast

import numpy as np

from .expressions import Reader
from .places import shown
from .tree import Beyond, Cell, Constant, Expression, FieldUse, Number, Role, Type


class CellReader(Reader):
    """The reader of a kernel; a condition has another notation for cells."""

    def _subscript(self, node: ast.Subscript) -> Expression:
        cell = self.cell(node)
        if cell is None:
            return self._of_tuple(node)
        return self.reading(node, cell)

    def cell(self, node: ast.expr) -> Cell | Beyond | None:
        """The cell of a field written as T[1, 0, 0] or V[0][1, 0, 0]; None if it is not a cell."""
        component, inner = None, node.value
        if isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name):
            if inner.value.id not in self.fields:
                return None
            component = self._constant_index(inner.slice, inner.value.id, "component")
            inner = inner.value
        if not isinstance(inner, ast.Name) or inner.id not in self.fields:
            return None
        use = self.fields[inner.id]
        indices = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        offset = tuple(self._constant_index(index, use.name, "index") for index in indices)
        if len(offset) > 3 or self.dimensions not in (None, len(offset)):
            several = "1, 2 or 3" if self.dimensions is None else str(self.dimensions)
            self.refuse(node, f"has `{shown(node)}` with {len(offset)} indices: {several} are allowed")
        self.dimensions = len(offset)
        self.note_component(node, use, component)
        return Cell(use.name, component, offset)

    def note_component(self, node: ast.AST, use: FieldUse, component: int | None) -> None:
        """A field has either one component, or several, and then each use names one."""
        if component is not None and component < 0:
            self.refuse(node, f"uses component {component} of {use.name}: they are counted from 0")
        if component is None:
            use.whole = True
        else:
            use.components.add(component)
        if use.whole and use.components:
            self.refuse(
                node, f"uses {use.name} both with and without a component: write {use.name}[0][0, 0, 0]"
            )

    def _constant_index(self, node: ast.expr, name: str, what: str) -> int:
        if isinstance(node, (ast.Slice, ast.Starred)):
            self.refuse(node, f"uses a range as {what} of {name}: one cell at a time is allowed")
        value = self.number(node)
        if isinstance(value, Constant):
            value = Number(value.value, value.type)
        if not isinstance(value, Number):
            self.refuse(
                node, f"has the {what} `{shown(node)}` of {name}, which is not constant: numbers are allowed"
            )
        if value.type is not Type.WHOLE:
            self.refuse(node, f"has the {what} {shown(node)} of {name}: a whole number is needed")
        return value.value

    def _of_tuple(self, node: ast.Subscript) -> Expression:
        """An element of a tuple, list or array of the module's, at a constant place."""
        table = self.source.value(node.value)
        shape = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if not isinstance(table, (tuple, list, np.ndarray)):
            inner = node.value
            if isinstance(inner, ast.Subscript) and isinstance(inner.value, ast.Name):
                outer = self.source.value(inner.value)
                if isinstance(outer, (tuple, list)):
                    table = outer[self._place(inner, inner.slice, len(outer))]
        if not isinstance(table, (tuple, list, np.ndarray)):
            self.refuse(
                node, f"indexes `{shown(node.value)}`, which is neither a field nor a table of its module"
            )
        for index in shape:
            table = table[self._place(node, index, len(table))]
        return self._literal(node, table)

    def _place(self, node: ast.AST, index: ast.expr, length: int) -> int:
        place = self._constant_index(index, shown(node), "place")
        if not -length <= place < length:
            self.refuse(node, f"has `{shown(node)}`, and the table has {length} entries")
        return place

    def reading(self, node: ast.AST, cell: Cell) -> Cell:
        """Checks that a cell may be read here, and records it."""
        use = self.fields[cell.field]
        beside = any(cell.offset)
        if use.role is Role.OUT:
            if beside:
                self.refuse(
                    node,
                    f"reads its output {use.name} around the cell: an sc.Out is known at [0, 0, 0] only, "
                    "read another level",
                )
            if (use.name, cell.component) not in self.set:
                self.refuse(
                    node, f"reads its output {use.name} before it is set on every path: declare it sc.InOut"
                )
        if use.role is Role.INOUT and beside:
            self._check_colours(node, use, cell.offset)
        use.offsets.add(cell.offset)
        return cell

    def _check_colours(self, node: ast.AST, use: FieldUse, offset: tuple[int, ...]) -> None:
        diagonal = sum(step != 0 for step in offset)
        needed = (2, 2, 4, 8)[diagonal] if max(map(abs, offset)) == 1 else None
        if self.colours == 1 or needed is None or needed > self.colours:
            how = f"@sc.kernel(colours={needed})" if needed else "a second level"
            self.refuse(node, f"updates {use.name} in place and reads it around the cell: that needs {how}")
