# SPDX-License-Identifier: Apache-2.0
"""A recorded step of a loop as tables, which `predict` rehearses as other ranks, and `strategies`, `tune`,
`scale` and `probe` execute (see solvers/stencil)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import BadInput
from . import boundaries
from .compiled import Call
from .field import Field

if TYPE_CHECKING:
    from .grid import Grid


class Recorded(BaseException):
    """Ends a script that runs only to record a step."""

    def __init__(self, tables: dict[str, Any]):
        super().__init__()
        self.tables = tables


def tables_of(grid: Grid, done: list[Any], engine: dict[str, Any]) -> dict[str, Any]:
    """The case of what a step on a grid has done: calls of kernels, and fields that have advanced, in
    order."""
    fields: list[Field] = []
    kernels: dict[Any, Call] = {}
    for call in done:
        if isinstance(call, Call):
            kernels.setdefault((call.kernel, call.levels), call)
            for level in call.levels:
                _add(level.field, fields)
    numbers = {key: n for n, key in enumerate(kernels)}
    order = [
        ["run", numbers[one.kernel, one.levels]] if isinstance(one, Call) else ["advance", fields.index(one)]
        for one in done
        if isinstance(one, Call) or one in fields
    ]
    tables = grid.tables()
    device = tables["engine"]["device"]
    step = {
        "fields": [_field(one, fields, device) for one in fields],
        "kernels": [_kernel(call, fields, device) for call in kernels.values()],
        "order": order,
        "device": device,
    }
    return tables | {"solver": "stencil", "step": step, "engine": tables["engine"] | engine}


def _add(field: Field, fields: list[Field]) -> None:
    """Adds a field, and those that its conditions read."""
    if field in fields:
        return
    if field.place == "host":
        raise BadInput(
            f'the field {field.name} has place = "host", beside the memory of a device: steps of such fields '
            "cannot be predicted."
        )
    fields.append(field)
    for condition in field.conditions.values():
        for level in getattr(condition, "levels", {}).values():
            _add(level.field, fields)


def _text(call: Call, device: str) -> dict[str, Any]:
    """What is compiled for a call, and the parameters in hexadecimal digits."""
    compiled = call.kernel
    return {
        "text": compiled.text_for(call.precision(), device != "cpu"),
        "members": compiled.members(call).hex(),
    }


def _kernel(call: Call, fields: list[Field], device: str) -> dict[str, Any]:
    kernel = call.kernel
    return _text(call, device) | {
        "name": kernel.name,
        "values": kernel.values,
        "reduce": kernel.reduce or "",
        "colours": kernel.colours,
        "by_position": kernel.by_position,
        "flops": float(kernel.flops),
        "accesses": [
            [fields.index(level.field), *others]
            for level, (_, *others) in zip(call.levels, kernel.accesses(call), strict=True)
        ],
    }


def _field(field: Field, fields: list[Field], device: str) -> dict[str, Any]:
    missing = [(axis, side) for axis in range(field.grid.dimensions, 3) for side in (0, 1)]
    conditions = dict.fromkeys(missing, "unread") | field.conditions
    return {
        "name": field.name,
        "components": field.components,
        "size": field.dtype.itemsize,
        "levels": field.levels,
        "place": field.place,
        "faces": [
            {"axis": axis, "side": side} | _face(field, axis, condition, fields, device)
            for (axis, side), condition in conditions.items()
        ],
    }


def _face(field: Field, axis: int, condition: Any, fields: list[Field], device: str) -> dict[str, Any]:
    if isinstance(condition, str):
        return {"unread": True}
    if isinstance(condition, boundaries.BUILT_IN):
        return {"laws": [list(law) for law in condition.laws(field.components, field.grid.spacing[axis])]}
    reads = [[fields.index(level.field), level.number] for level in condition.levels.values()]
    inward = condition.inward(field.grid.halos[axis])
    return _text(condition.call(field), device) | {"reads": reads, "inward": inward}
