# SPDX-License-Identifier: Apache-2.0
"""Reads and checks the text of a kernel, statement by statement; nothing of it is executed."""

from __future__ import annotations

import ast
from typing import Any

from .cells import CellReader
from .conditions import ConditionReader
from .expressions import ARITHMETIC, Reader
from .places import Source, shown
from .signature import TYPES, Signature
from .tree import If, KernelText, Let, Return, Role, Statement, Store, Type

MOST_STATEMENTS = 4096
DONE = None  # instead of what is set: no way leads further


def read(source: Source, *, condition: bool = False, colours: int = 1, reduces: bool = False) -> KernelText:
    """A text as a kernel or a condition. Raises KernelError, with file and line."""
    reader = (ConditionReader if condition else CellReader)(source, condition, colours)
    return Statements(reader, reduces).kernel()


class Statements:
    def __init__(self, reader: Reader, reduces: bool):
        self.reader, self.reduces = reader, reduces
        self.source, self.refuse = reader.source, reader.refuse
        self.depth = 0  # of ifs around
        self.values: int | None = None
        self.count = 0
        self.before: dict[str, Type] = {}  # locals that are declared before all else

    def kernel(self) -> KernelText:
        tree, r = self.source.tree, self.reader
        signature = Signature(tree, r)
        body, after = self._block(tree.body, set())
        if after is not DONE:
            self._check_outputs(tree, after)
            if self.reduces:
                self.refuse(tree, "can end without `return`, but its values are to be reduced")
        outputs = [use for use in r.fields.values() if use.role is not Role.IN]
        if not outputs and not self.reduces:
            self.refuse(
                tree, "has no output: declare a field as sc.Out or sc.InOut, or reduce what it returns"
            )
        if r.condition and len(outputs) != 1:
            self.refuse(tree, f"has {len(outputs)} outputs: a condition sets one field, an sc.Out")
        if not r.condition and r.dimensions is None:
            self.refuse(tree, "touches no cell of its fields")
        return KernelText(
            name=tree.name,
            file=self.source.short(),
            line=self.source.line,
            text=self.source.text,
            fields=list(r.fields.values()),
            parameters=signature.parameters,
            order=signature.order,
            constants=r.constants,
            locals=self.before,
            body=body,
            dimensions=r.dimensions or 3,
            indexed=r.indexed,
            values=self.values or 0,
            condition=r.condition,
        )

    # -- statements ------------------------------------------------------------------------------------

    def _block(self, nodes: list[ast.stmt], known: set) -> tuple[tuple[Statement, ...], set | None]:
        """The statements, and what every way through them has set, `known` before it; DONE after a return."""
        made: list[Statement] = []
        after: set | None = known
        for node in nodes:
            if after is DONE:
                self.refuse(node, "has a statement after a return that is never reached")
            self.reader.set = after
            some, after = self._statement(node, after)
            made += some
            self.count += len(some)
            if self.count > MOST_STATEMENTS:
                self.refuse(node, f"unrolls to more than {MOST_STATEMENTS} statements: shorten its loops")
        return tuple(made), after

    def _statement(self, node: ast.stmt, known: set) -> tuple[list[Statement], set | None]:
        if isinstance(node, ast.Pass) or (isinstance(node, ast.Expr) and _is_text(node.value)):
            return [], known
        if isinstance(node, ast.Assign):
            return self._assign(node, known)
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return self._annotated(node, known)
        if isinstance(node, ast.AugAssign):
            return self._augmented(node, known)
        if isinstance(node, ast.If):
            return self._if(node, known)
        if isinstance(node, ast.For):
            return self._for(node, known)
        if isinstance(node, ast.Return):
            return self._return(node, known)
        return self.refuse(
            node, f"has `{shown(node)}`: allowed are assignments, if and else, for … in range(…) and return"
        )

    def _assign(self, node: ast.Assign, known: set) -> tuple[list[Statement], set]:
        if len(node.targets) != 1:
            self.refuse(node, "sets several names by one value: allowed is one a statement")
        target = node.targets[0]
        if not isinstance(target, ast.Tuple):
            return self._set(target, node.value, known)
        if not isinstance(node.value, ast.Tuple) or len(node.value.elts) != len(target.elts):
            self.refuse(node, f"has `{shown(node)}`: as many values as names are needed")
        made: list[Statement] = []
        for n, (one, value) in enumerate(zip(target.elts, node.value.elts, strict=True)):
            used = {part.id for part in ast.walk(value) if isinstance(part, ast.Name)}
            names = {
                part.id
                for before in target.elts[:n]
                for part in ast.walk(before)
                if isinstance(part, ast.Name)
            }
            if used & names:
                self.refuse(
                    node, f"has `{shown(node)}`, whose values depend on each other: use two statements"
                )
            some, known = self._set(one, value, known)
            made += some
            self.reader.set = known
        return made, known

    def _annotated(self, node: ast.AnnAssign, known: set) -> tuple[list[Statement], set]:
        kind = TYPES.get(self.source.value(node.annotation))
        if kind is None or not isinstance(node.target, ast.Name):
            self.refuse(
                node, f"has `{shown(node)}`: allowed types of local variables are float, int and bool"
            )
        return self._set(node.target, node.value, known, kind)

    def _augmented(self, node: ast.AugAssign, known: set) -> tuple[list[Statement], set]:
        if type(node.op) not in ARITHMETIC and not isinstance(node.op, ast.Pow):
            self.refuse(node, f"has `{shown(node)}`: allowed are +=, -=, *=, /= and **=")
        before = ast.copy_location(ast.parse(ast.unparse(node.target), mode="eval").body, node.target)
        value = ast.copy_location(ast.BinOp(before, node.op, node.value), node)
        return self._set(node.target, ast.fix_missing_locations(_at(value, node)), known)

    def _set(
        self, target: ast.expr, node: ast.expr, known: set, kind: Type | None = None
    ) -> tuple[list[Statement], set]:
        r = self.reader
        if isinstance(target, ast.Subscript):
            cell = r.cell(target)
            if cell is None:
                self.refuse(
                    target, f"sets `{shown(target)}`: allowed are cells of its outputs and local variables"
                )
            self._check_store(target, cell)
            value = r.real(node)
            return [Store(cell, value)], known | {(cell.field, cell.component)}
        if not isinstance(target, ast.Name):
            self.refuse(
                target, f"sets `{shown(target)}`: allowed are cells of its outputs and local variables"
            )
        name = target.id
        for names, what in (
            (r.fields, "a field: set its cell [0, 0, 0]"),
            (r.parameters, "a parameter, which keeps its value: take another name"),
            (r.loops, "the variable of a loop around"),
            (r.constants, "a constant of its module that it has used before: take another name"),
            ({r.index}, "its position"),
        ):
            if name in names:
                self.refuse(target, f"sets {name}, which is {what}")
        value = r.expression(node) if kind is None else self._as(node, kind)
        return [self._let(target, name, value)], known | {name}

    def _as(self, node: ast.expr, kind: Type) -> Any:
        if kind is Type.TRUTH:
            return self.reader.truth(node)
        value = self.reader.number(node)
        if kind is Type.WHOLE and value.type is Type.REAL:
            self.refuse(node, f"has `{shown(node)}`, a real number, as an int: say int(…)")
        return self.reader.converted(value, kind)

    def _let(self, node: ast.AST, name: str, value: Any) -> Let:
        """A local variable keeps the type of its first value; one that is first set inside an if is declared
        before all else."""
        r = self.reader
        if name not in r.locals:
            r.locals[name] = value.type
            if self.depth == 0:
                return Let(name, value, declares=True)
            self.before[name] = value.type
            return Let(name, value)
        before = r.locals[name]
        if value.type is not before:
            if before is not Type.REAL or value.type is Type.TRUTH:
                begin = ": begin with 0.0" if before is Type.WHOLE else ""
                self.refuse(node, f"sets {name} to {value.type.value}, and it was {before.value}{begin}")
            value = r.converted(value, before)
        return Let(name, value)

    def _check_store(self, node: ast.AST, cell: Any) -> None:
        r = self.reader
        if r.condition:
            r.check_store(node, cell)
            return
        if r.fields[cell.field].role is Role.IN:
            self.refuse(node, f"sets {cell.field}, which is an sc.In: declare it sc.Out or sc.InOut")
        if any(cell.offset):
            here = ", ".join("0" * len(cell.offset))
            self.refuse(node, f"sets {cell.field} beside the cell: an output is set at [{here}] only")
        r.fields[cell.field].offsets.add(cell.offset)

    def _if(self, node: ast.If, known: set) -> tuple[list[Statement], set | None]:
        test = self.reader.truth(node.test)
        self.depth += 1
        then, one = self._block(node.body, set(known))
        other, two = self._block(node.orelse, set(known))
        self.depth -= 1
        after = two if one is DONE else one if two is DONE else one & two
        return [If(test, then, other)], after

    def _for(self, node: ast.For, known: set) -> tuple[list[Statement], set | None]:
        if node.orelse:
            self.refuse(node, "has an else after a loop: it is not allowed")
        if not isinstance(node.target, ast.Name):
            self.refuse(node, f"loops over `{shown(node.target)}`: one variable is allowed")
        name = node.target.id
        r = self.reader
        if name in r.loops or name in r.locals or name in r.parameters or name in r.fields:
            self.refuse(
                node, f"has the variable {name} of a loop, which already is the name of something else"
            )
        made: list[Statement] = []
        after: set | None = known
        for value in self._range(node.iter):
            if after is DONE:
                self.refuse(node, "returns from inside a loop: allowed is a return after it")
            r.loops[name] = value
            some, after = self._block(node.body, after)
            made += some
        r.loops.pop(name, None)
        return made, after

    def _range(self, node: ast.expr) -> range:
        if not isinstance(node, ast.Call) or self.source.value(node.func) is not range or node.keywords:
            self.refuse(node, f"loops over `{shown(node)}`: allowed is range(…) of constants")
        bounds = []
        for argument in node.args:
            value = self.reader.expression(argument)
            bound = getattr(value, "value", None)
            if value.type is not Type.WHOLE or not isinstance(bound, int):
                self.refuse(node, f"has a loop to `{shown(argument)}`: bounds must be constant whole numbers")
            bounds.append(bound)
        if not 1 <= len(bounds) <= 3 or (len(bounds) == 3 and bounds[2] == 0):
            self.refuse(node, f"loops over `{shown(node)}`: range takes one to three numbers, its step not 0")
        values = range(*bounds)
        if len(values) > MOST_STATEMENTS:
            self.refuse(node, f"unrolls to more than {MOST_STATEMENTS} statements: shorten its loops")
        return values

    def _return(self, node: ast.Return, known: set) -> tuple[list[Statement], None]:
        if not self.reduces or node.value is None:
            what = "a value" if node.value is not None else "nothing"
            self.refuse(
                node,
                f'returns {what}: a return gives values to reduce, say @sc.kernel(reduce="sum") or "max"',
            )
        self._check_outputs(node, known)
        parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
        if self.values not in (None, len(parts)):
            self.refuse(node, f"returns {len(parts)} values here and {self.values} before")
        self.values = len(parts)
        return [Return(tuple(self.reader.real(part) for part in parts))], DONE

    def _check_outputs(self, node: ast.AST, known: set) -> None:
        """The old values of an output are lost, so it must be set on every path."""
        for use in self.reader.fields.values():
            if use.role is not Role.OUT:
                continue
            missing = [k for k in (use.components or {None}) if (use.name, k) not in known]
            if missing:
                which = use.name if missing[0] is None else f"{use.name}[{missing[0]}]"
                self.refuse(
                    node, f"does not set its output {which} on every path: set it, or declare it sc.InOut"
                )
            use.sets |= use.components or {None}


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _at(tree: ast.expr, place: ast.AST) -> ast.expr:
    """Every node of the tree where `place` stands."""
    for node in ast.walk(tree):
        ast.copy_location(node, place)
    return tree
