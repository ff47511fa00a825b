# SPDX-License-Identifier: Apache-2.0
"""Stencil codes in Python for predictions and measurements: a recorded step, on a rank that rehearses or on
real ones."""

from __future__ import annotations

import itertools
from typing import Any

from ...case.engine import tile_of
from ...launch import memory
from ...launch.memory import Fields
from ..kind import Measured
from .case import FieldPart, StencilCase

_numbers = itertools.count()  # of grids, the same on all ranks: for the names of their files
FILLED = 1.0  # every cell of every field, where a step is measured: the values of the script are not known


class StencilKind(Measured):
    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        return RecordedStep(module, context, options)

    def title(self, case: StencilCase) -> str:
        return f"{case.title}, {' × '.join(str(n) for n in case.cells() if n > 1) or '1'} cells"

    def fields(self, case: StencilCase) -> list[Fields]:
        return [
            Fields(one.name, near(case, one), case.halos(), one.size, one.components, one.levels)
            for one in case.step.fields
        ]


def near(case: StencilCase, field: FieldPart) -> tuple[int, ...]:
    """The cells that are in memory at a time."""
    cells, pieces, halo = case.cells(), case.grid.pieces, case.grid.halo
    return tuple(cells) if field.place == "memory" else memory.of_slots(cells, pieces, halo)


class RecordedStep:
    """The recorded step, made of the classes that `sc.Loop` uses; in a rehearsal without the compiled
    kernels."""

    def __init__(self, module: Any, context: Any, options: dict[str, Any]) -> None:
        case: StencilCase = options["case"]
        self._rehearses, self._by = context.rehearses, context.device.partition(" (device")[0]
        self._context, self.cells = context, case.cells()
        grid, engine, step, halos = case.grid, case.engine, case.step, case.halos()
        split = [0] * 3 if engine.split == "auto" else engine.split
        scratch = options.get("storage", {}).get("scratch", grid.scratch)
        self._grid = module.StencilGrid(
            context,
            grid.cells,
            grid.periodic,
            [halos.beside_neighbours, halos.beyond_walls],
            split,
            scratch,
            grid.pieces,
            next(_numbers),
        )
        self._fields = [
            module.StencilField(self._grid, one.name, one.components, one.size == 4, one.levels, one.place)
            for one in step.fields
        ]
        for field, part in zip(self._fields, step.fields, strict=True):
            self._set_faces(field, part)
            if not self._rehearses:
                fill(field, part)
        self._sweeps = [
            module.make_stencil_sweep(
                one.name,
                self._address(one.text, f'kernel "{one.name}"'),
                self._by != "cpu",
                one.values,
                one.reduce,
                one.colours,
                one.by_position,
                one.flops,
                [(self._fields[number], *others) for number, *others in one.accesses],
            )
            for one in step.kernels
        ]
        self._members = [bytes.fromhex(one.members) for one in step.kernels]
        self._order = step.order
        length = case.one_length("a recorded step")
        self._loop = module.make_stencil_loop(
            self._grid,
            options["engine"]["strategy"],
            1e-3 * engine.poke_ms,
            length,
            False,
            tile_of(engine.pass_tile),
        )
        self.terms, self.restart_terms = self._loop.terms, self._loop.restart_terms
        self.timeline_summary = self._loop.timeline_summary
        self._loop.book(False)
        self._loop.begin_steps()  # which have no end: the last ones would keep more values

    def _address(self, text: str, what: str) -> int:
        """Of the compiled function. Collective."""
        from ...rank import parallel  # noqa: PLC0415 - with the compiler, which rehearsals do not need
        from ...stencil.compiled import address_of  # noqa: PLC0415

        if self._rehearses:
            return 0
        return parallel.together(self._context, lambda: address_of(text, what, self._by))

    def _set_faces(self, field: Any, part: FieldPart) -> None:
        for face in part.faces:
            if face.unread:
                field.leave_unread(face.axis, face.side)
            elif face.laws:
                field.set_affine(face.axis, face.side, [tuple(law) for law in face.laws])
            else:
                others = [(self._fields[number], level) for number, level in face.reads]
                address = self._address(face.text, f"a boundary condition of {part.name}")
                members = bytes.fromhex(face.members)
                on_device = self._by != "cpu"
                field.set_compiled(face.axis, face.side, address, on_device, members, face.inward, others)

    @property
    def split(self) -> tuple[int, int, int]:
        return tuple(self._grid.split)

    def step(self, *, diagnostics: bool, count: int = 1) -> None:
        self._loop.book(True)
        for _ in range(count):
            for what, number in self._order:
                if what == "run":
                    self._loop.run(self._sweeps[number], self._members[number])
                else:
                    self._fields[number].advance()
            self._loop.end_step()
        self._loop.book(False)


def fill(field: Any, part: FieldPart) -> None:
    """Sets all cells, so that every page of memory and every plane of a file is there. Collective."""

    def write(_: int, cells: Any) -> None:
        cells[...] = FILLED

    for level in range(part.levels):
        if part.place == "memory":
            write(0, field.modify(level))
        else:
            field.each_slab(level, True, write)


KIND = StencilKind()
