# SPDX-License-Identifier: Apache-2.0
"""Values that fields are set to, as arrays of a rank's own cells or of some of its planes."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..given import check_digits

if TYPE_CHECKING:
    from .field import Field


def array_of(field: Field, values: Any, planes: slice | None = None) -> NDArray:
    """The values of own cells; for a function, those of some planes. Raises BadInput for values that do not
    fit."""
    grid, count = field.grid, field.components
    low, high = grid.local_box
    here = tuple(slice(a, b) for a, b in zip(reversed(low), reversed(high), strict=True))
    own = tuple(part.stop - part.start for part in here)
    box = _Box(own, tuple(reversed(grid.cells)), here)
    if callable(values):
        x, *others = grid.positions
        if planes is not None:
            others[1] = others[1][planes]
            own = (len(others[1]), *own[1:])
            box = _Box(own, own, here)
        values = values(x, *others)
    if count == 1:
        return _fitted(field, values, box)
    if not isinstance(values, (tuple, list)):
        return _fitted(field, values, box, (count,))
    if len(values) != count:
        raise BadInput(
            f"the field {field.name} is set to {len(values)} values or arrays: it has {count} components, "
            "and takes one for each."
        )
    return np.stack([_fitted(field, one, box) for one in values])


@dataclass(frozen=True)
class _Box:
    """Shapes of a rank's own cells and of all, and where the former are."""

    own: tuple[int, ...]
    everything: tuple[int, ...]
    here: tuple[slice, ...]


def _fitted(field: Field, values: Any, box: _Box, several: tuple[int, ...] = ()) -> NDArray:
    """As an array of own cells, behind the axis of components if there are several."""
    array = _numbers(field, values)
    cells = array.shape[len(several) :]
    fits = array.shape[: len(several)] == several and len(cells) in (0, len(box.own))
    if array.ndim == 0 or fits or not several:
        if cells == box.everything and box.everything != box.own:
            return array[(..., *box.here)]
        if several and not cells and array.ndim:
            array = array.reshape(-1, *[1] * len(box.own))
        with contextlib.suppress(ValueError):
            return np.broadcast_to(array, (*several, *box.own))
    raise BadInput(
        f"the field {field.name} is set to an array of shape {array.shape}: it must be "
        f"{(*several, *box.everything)}, all cells, or {(*several, *box.own)}, those of this rank."
    )


def _numbers(field: Field, values: Any) -> NDArray:
    what = f"the field {field.name} is set to values"
    if np.ma.is_masked(values):
        raise BadInput(f"{what} with masked entries: this is not allowed.")
    array = np.asarray(values)
    if array.dtype.kind not in "buif":
        raise BadInput(f"{what} of type {array.dtype}: real numbers are needed.")
    if array.dtype.kind in "iu":
        check_digits(array, np.dtype(np.float64), 2**53, what)
    return array


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
