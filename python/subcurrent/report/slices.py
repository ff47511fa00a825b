# SPDX-License-Identifier: Apache-2.0
"""A plane of any field of any snapshot, with coordinates and units."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import BadInput
from .snapshot import Array, reading

AXES = "xyz"


@dataclass(frozen=True)
class Slice:
    """Values on a plane across an axis; `across` and `up` are coordinates along lines, or one for each
    value."""

    field: str
    values: np.ndarray
    axis: str
    at: float
    across: np.ndarray
    up: np.ndarray
    time: float
    units: dict[str, str]  # of "field", "length" and "time"; empty where there is none

    @property
    def names(self) -> tuple[str, str]:
        """The axes that the picture shows, to the right and upwards."""
        shown = [name for name in AXES if name != self.axis]
        return shown[0], shown[1]


@dataclass(frozen=True)
class Wanted:
    """The requested plane: of a field (the first one if None), across an axis, at a coordinate (the middle if
    None)."""

    field: str | None = None
    component: int | None = None  # None: the magnitude
    axis: str = "z"
    at: float | None = None


def read_slice(path: Path, wanted: Wanted) -> Slice:
    """Raises BadInput for a field, component or coordinate that the snapshot does not have."""
    with reading(path) as file:
        known = sorted(name.rpartition("/")[2] for name in file["VTKHDF/PointData"])
        field = known[0] if wanted.field is None else wanted.field
        if field not in known:
            raise BadInput(f"the field {field!r} is not known: allowed are {', '.join(known)}.")
        array = Array(file, f"fields/{field}")
        _check_component(array, wanted, field)
        axis = AXES.index(wanted.axis)
        units = _units(file, field)
        places = [units["length"][0] * place for place in _places(file, array.shape[:3])]
        cut, at = _cut(places[axis], axis, wanted)
        values = np.take(array.planes(0, array.shape[0]), cut, axis=2 - axis).astype(float)
        others = [places[k] for k in range(3) if k != axis]
        across, up = (one if one.ndim == 1 else np.take(one, cut, axis=2 - axis) for one in others)
        return Slice(
            _called(field, array, wanted),
            units["field"][0] * _number(values, wanted),
            wanted.axis,
            at,
            across,
            up,
            _time(file),
            {what: unit for what, (_, unit) in units.items()},
        )


def read_time(path: Path) -> float:
    """The time of a snapshot, in its unit."""
    with reading(path) as file:
        return _time(file)


def _time(file: Any) -> float:
    return _unit(file, "time")[0] * float(file.attrs["time"])


def _places(file: Any, shape: tuple[int, ...]) -> list[np.ndarray]:
    """Coordinates of the points along x, y and z: one-dimensional on uniform grids, (z, y, x) on others."""
    grid = file["grid"]
    if "points" not in grid:
        origin, spacing = grid.attrs["Origin"], grid.attrs["Spacing"]
        return [float(origin[k]) + float(spacing[k]) * np.arange(shape[2 - k]) for k in range(3)]
    points = Array(file, "grid/points").planes(0, shape[0])
    return [np.asarray(points[..., k], dtype=float) for k in range(3)]


def _cut(places: np.ndarray, axis: int, wanted: Wanted) -> tuple[int, float]:
    """The index of the plane, and its coordinate (the mean, if the plane is curved)."""
    line = places if places.ndim == 1 else places.mean(axis=tuple(k for k in range(3) if k != 2 - axis))
    if wanted.at is None:
        cut = len(line) // 2
    elif line.min() <= wanted.at <= line.max():
        cut = int(np.argmin(np.abs(line - wanted.at)))
    else:
        raise BadInput(
            f"the plane {wanted.axis} = {wanted.at:g} is not in the snapshot: allowed is from "
            f"{line.min():g} to {line.max():g}."
        )
    return cut, float(line[cut])


def _check_component(array: Array, wanted: Wanted, field: str) -> None:
    count = array.shape[3] if len(array.shape) == 4 else 1
    if wanted.component is not None and not 0 <= wanted.component < count:
        raise BadInput(
            f"component {wanted.component} does not exist: {field} has {count}, allowed is from 0 "
            f"to {count - 1}."
        )


def _number(values: np.ndarray, wanted: Wanted) -> np.ndarray:
    """One number for each point: the magnitude or a component of a vector."""
    if values.ndim == 2:
        return values
    return np.linalg.norm(values, axis=-1) if wanted.component is None else values[..., wanted.component]


def _called(field: str, array: Array, wanted: Wanted) -> str:
    if len(array.shape) == 3:
        return field
    if wanted.component is None:
        return f"|{field}|"
    return f"{field} {AXES[wanted.component] if array.shape[3] == 3 else wanted.component}"


def _units(file: Any, field: str) -> dict[str, tuple[float, str]]:
    return {what: _unit(file, name) for what, name in (("field", field), ("length", "x"), ("time", "time"))}


def _unit(file: Any, name: str) -> tuple[float, str]:
    """How many of which unit a number of the file is: "6370 km" is (6370, "km"). A number without a unit, and
    all of an older version's snapshot, are (1, "")."""
    item = file["fields"].get(name)
    text = "" if item is None else item.attrs.get("units", "")
    return number_and_unit(text.decode() if isinstance(text, bytes) else str(text))


def number_and_unit(text: str) -> tuple[float, str]:
    """Units of a snapshot, which may be multiples, taken apart."""
    number, _, unit = text.partition(" ")
    try:
        return float(number), unit
    except ValueError:
        return 1.0, text
