# SPDX-License-Identifier: Apache-2.0
"""Fields as snapshots, as pictures and as arrays with coordinates."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput, SubcurrentError
from ..given import one_of, path_text, whole
from ..rank import parallel

if TYPE_CHECKING:
    from .field import Field

AXES = "xyz"


def centres(field: Field, axis: int) -> NDArray[np.float64]:
    """Coordinates of the cell centres along an axis."""
    return (np.arange(field.grid.cells[axis]) + 0.5) * field.grid.spacing[axis]


def as_xarray(field: Field, array: NDArray) -> Any:
    try:
        import xarray  # noqa: PLC0415
    except ImportError:
        raise SubcurrentError("to_xarray needs the package xarray: pip install xarray.") from None
    axes = list(reversed(AXES[: field.grid.dimensions]))
    names = (["component"] if field.components > 1 else []) + axes
    coords = {name: centres(field, AXES.index(name)) for name in axes}
    return xarray.DataArray(array, coords, names, field.name, {"units": field.units})


def write_snapshot(field: Field, others: Sequence[Field], path: str, step: int, time: float) -> None:
    """See Field.snapshot."""
    grid, fields = field.grid, (field, *others)
    for other in others:
        if not isinstance(other, type(field)) or other.grid is not grid:
            raise BadInput(f"snapshot was given {other!r}: it takes fields of one grid.")
    names = [one.name for one in fields]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise BadInput(
            f"snapshot was given several fields of the name {twice}: the fields of a file need different "
            "names."
        )
    if not isinstance(time, numbers.Real) or not math.isfinite(time):
        raise BadInput(f"time = {time!r} is not allowed: it must be a finite number.")
    spacing = (*grid.spacing, *[1.0] * (3 - grid.dimensions))
    parallel.module().write_stencil_snapshot(
        path_text("path", path),
        [(one.name, one.core, 0) for one in fields],
        tuple(h / 2 for h in spacing),
        spacing,
        whole("step", step, 0),
        float(time),
        {one.name: one.units for one in fields if one.units},
    )


def check_slice(field: Field, axis: str, at: int | None) -> None:
    """Raises BadInput for a slice that the field does not have."""
    if field.grid.dimensions == 3:
        cells = field.grid.cells[AXES.index(one_of("axis", axis, tuple(AXES)))]
        if at is not None:
            whole("at", at, 0, cells - 1)
    elif axis != "z" or at is not None:
        raise BadInput(
            f"axis and at choose a slice of three dimensions, and {field.name} has {field.grid.dimensions}."
        )


def draw(field: Field, values: NDArray, path: str, axis: str, at: int | None, title: str | None) -> str:
    """Draws a slice, or a line in one dimension; returns the path."""
    from ..report.plots import style  # noqa: PLC0415 - it loads matplotlib
    from ..report.plots.plane import scale_bar  # noqa: PLC0415

    dimensions = field.grid.dimensions
    label = f"{field.name} ({field.units})" if field.units else field.name
    where = ""
    if dimensions == 3:
        values, where = _cut(field, values, axis, at)
    shown = [k for k in range(dimensions) if dimensions < 3 or AXES[k] != axis]
    with style.figure(
        Path(path), 6.4 if dimensions > 1 else 7.0, 5.2 if dimensions > 1 else 4.0, title or label
    ) as drawing:
        axes = drawing.add_subplot()
        if dimensions == 1:
            axes.plot(centres(field, 0), values, color=style.BLUE)
            axes.set(xlabel=_axis(field, 0), ylabel=label)
        else:
            across, up = shown
            extent = [end * field.grid.spacing[k] for k in (across, up) for end in (0, field.grid.cells[k])]
            image = axes.imshow(
                values, origin="lower", extent=extent, cmap=style.SPEED, interpolation="nearest"
            )
            axes.set(xlabel=_axis(field, across), ylabel=_axis(field, up))
            axes.grid(False)
            drawing.colorbar(image, label=label + where)
            unit = "cells" if field.grid.spacing[across] == 1 else ""
            scale_bar(axes, np.array(extent[:2]), np.array(extent[2:]), unit)
            axes.set(xlim=extent[:2], ylim=extent[2:])
    return path


def _axis(field: Field, axis: int) -> str:
    """The name of an axis; where cells have the size 1 their number is the place."""
    return f"{AXES[axis]} (cells)" if field.grid.spacing[axis] == 1 else AXES[axis]


def _cut(field: Field, values: NDArray, axis: str, at: int | None) -> tuple[NDArray, str]:
    n = AXES.index(axis)
    cell = field.grid.cells[n] // 2 if at is None else at
    return np.take(values, cell, axis=2 - n), f" at {axis} = {centres(field, n)[cell]:g}"
