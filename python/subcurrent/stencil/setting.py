# SPDX-License-Identifier: Apache-2.0
"""Values that fields are set to, as arrays of a rank's own cells or of some of its planes."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput

if TYPE_CHECKING:
    from .field import Field


def array_of(field: Field, values: Any, planes: slice | None = None) -> NDArray:
    """The values of own cells; for a function, those of some planes. Raises BadInput for values that do not
    fit."""
    grid = field.grid
    several = (field.components,) if field.components > 1 else ()
    low, high = grid.local_box
    own = (*several, *(b - a for a, b in zip(reversed(low), reversed(high), strict=True)))
    everything = (*several, *reversed(grid.cells))
    if callable(values):
        x, *others = grid.positions
        if planes is not None:
            others[1] = others[1][planes]
            own = (*several, len(others[1]), *own[-2:])
        values = values(x, *others)
        if isinstance(values, (tuple, list)):
            values = np.stack([np.broadcast_to(np.asarray(one), own[1:]) for one in values])
    array = np.asarray(values)
    if array.dtype.kind not in "buif":
        raise BadInput(
            f"the field {field.name} is set to values of type {array.dtype}: real numbers are needed."
        )
    if array.shape == everything and everything != own and planes is None:
        return array[(..., *(slice(a, b) for a, b in zip(reversed(low), reversed(high), strict=True)))]
    try:
        return np.broadcast_to(array, own)
    except ValueError:
        raise BadInput(
            f"the field {field.name} is set to an array of shape {array.shape}: it must be "
            f"{everything}, all cells, or {own}, those of this rank."
        ) from None


def set_slabs(field: Field, values: Any, level: int) -> None:
    """Sets a field slab by slab; a function is called for the planes of one slab at a time. Collective."""
    ready = None if callable(values) else field.grid.together(lambda: array_of(field, values))

    def write(low: int, view: NDArray) -> None:
        planes = slice(low, low + view.shape[-3])
        view[...] = array_of(field, values, planes) if ready is None else ready[..., planes, :, :]

    each_slab(field, level, True, write)


def each_slab(field: Field, level: int, written: bool, use: Callable[[int, NDArray], Any]) -> None:
    """Calls use(first plane, view) for all slabs; if it fails on one rank, all raise an error at the end.
    Collective."""
    failed: list[Exception] = []

    def guarded(low: int, view: NDArray) -> None:
        try:
            if not failed:
                use(low, view)
        except Exception as error:
            failed.append(error)

    def raise_first() -> None:
        if failed:
            raise failed[0]

    field.core.each_slab(level, written, guarded)
    field.grid.together(raise_first)
