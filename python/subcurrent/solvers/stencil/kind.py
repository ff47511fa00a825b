# SPDX-License-Identifier: Apache-2.0
"""Stencil codes in Python for predictions: a recorded step on a rank that rehearses."""

from __future__ import annotations

from typing import Any

from ...launch import memory
from ..kind import Predicted
from .case import FieldPart, StencilCase


class StencilKind(Predicted):
    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        return Rehearsed(module, context, options["case"], options["engine"]["strategy"])

    def title(self, case: StencilCase) -> str:
        return f"{case.title}, {' × '.join(str(n) for n in case.cells() if n > 1) or '1'} cells"

    def memory(self, case: StencilCase, ranks: int) -> int:
        split, grid = case.split_over(ranks), case.grid
        fields = [
            memory.Fields(one.name, near(case, one), grid.halo, one.size, one.components, one.levels)
            for one in case.step.fields
        ]
        return ranks * memory.PROCESS + sum(one.bytes(split) for one in fields)


def near(case: StencilCase, field: FieldPart) -> tuple[int, ...]:
    """The cells that are in memory at a time."""
    cells, pieces, halo = case.cells(), case.grid.pieces, case.grid.halo
    return tuple(cells) if field.place == "memory" else memory.of_slots(cells, pieces, halo)


class Rehearsed:
    """The recorded step, made of the classes that `sc.Loop` uses, without the compiled kernels."""

    def __init__(self, module: Any, context: Any, case: StencilCase, strategy: str) -> None:
        grid, engine, step = case.grid, case.engine, case.step
        split = [0] * 3 if engine.split == "auto" else engine.split
        made = module.StencilGrid(
            context, grid.cells, grid.periodic, grid.halo, split, "scratch", grid.pieces, 0
        )
        self._fields = [
            module.StencilField(made, one.name, one.components, one.size == 4, one.levels, one.place)
            for one in step.fields
        ]
        for field, part in zip(self._fields, step.fields, strict=True):
            self._set_faces(field, part)
        self._sweeps = [
            module.make_stencil_sweep(
                one.name,
                0,
                False,
                one.values,
                one.reduce,
                one.colours,
                one.by_position,
                one.flops,
                [(self._fields[number], *others) for number, *others in one.accesses],
            )
            for one in step.kernels
        ]
        self._order = step.order
        self._loop = module.make_stencil_loop(
            made, strategy, 1e-3 * engine.poke_ms, case.one_length("a prediction"), False
        )
        self._loop.begin_steps()  # which have no end: the last ones would keep more values

    def _set_faces(self, field: Any, part: FieldPart) -> None:
        for face in part.faces:
            if face.unread:
                field.leave_unread(face.axis, face.side)
            elif face.laws:
                field.set_affine(face.axis, face.side, [tuple(law) for law in face.laws])
            else:
                others = [(self._fields[number], level) for number, level in face.reads]
                field.set_compiled(face.axis, face.side, 0, False, b"\0", face.inward, others)

    def step(self, *, diagnostics: bool, count: int = 1) -> None:
        for _ in range(count):
            for what, number in self._order:
                if what == "run":
                    self._loop.run(self._sweeps[number], b"\0")
                else:
                    self._fields[number].advance()
            self._loop.end_step()


KIND = StencilKind()
