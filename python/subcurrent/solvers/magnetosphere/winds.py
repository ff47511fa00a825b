# SPDX-License-Identifier: Apache-2.0
"""The solar wind over time, from the CSV file that `wind.file` names."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...case.keys import LARGEST, shown
from ...case.reference import read_columns
from ...errors import BadInput
from .units import Units, Wind, pressure_balance

COLUMNS = (
    *("density", "velocity_x", "velocity_y", "velocity_z"),
    *("temperature", "field_x", "field_y", "field_z"),
)
NEEDED = f"a CSV file with the column time and some of {', '.join(COLUMNS)}"


@dataclass(frozen=True)
class Winds:
    """The wind at increasing times, which are in the unit of run.time; between them density, velocity,
    pressure and magnetic field are linear, and beyond them constant."""

    path: Path
    times: np.ndarray
    rows: list[Wind]

    def scaled(self, units: Units) -> dict[str, Any]:
        """Columns in the solver's units, and what refusals call them."""
        rows = [row.scaled(units) for row in self.rows]
        return {
            "name": f"wind.file = {self.path}",
            "time": self.times.tolist(),
            **{name: [row[name] for row in rows] for name in ("density", "velocity", "pressure", "field")},
        }

    def passed(self, time: float, way: np.ndarray, units: Units) -> tuple[np.ndarray, np.ndarray]:
        """Density and speed along +x, in the solver's units, of wind that has gone a way from where it
        enters, at the speed with which it entered."""
        rows = self.scaled(units)
        speeds = np.array([v[0] for v in rows["velocity"]])
        entered = np.full(len(way), float(time))
        for _ in range(PASSES):
            entered = time - way / np.interp(entered, self.times, speeds)
        return np.interp(entered, self.times, rows["density"]), np.interp(entered, self.times, speeds)

    def describe(self, units: Units) -> list[str]:
        """What the rows span, one line each."""

        def span(values: list[float], form: str) -> str:
            low, high = (format(value, form) for value in (min(values), max(values)))
            return low if low == high else f"{low} to {high}"

        first, last = self.times[0], self.times[-1]
        speeds = [sum(v * v for v in row.velocity) ** 0.5 for row in self.rows]
        pressures = [1e9 * row.dynamic_pressure for row in self.rows]
        places = [pressure_balance(units, row) for row in self.rows]
        return [
            f"solar wind: from {self.path}, rows from time {first:g} to {last:g} "
            f"({units.said(first)} to {units.said(last)}), constant before and after: "
            f"n {span([row.density for row in self.rows], 'g')} cm^-3, |v| {span(speeds, '.4g')} km/s",
            f"dynamic pressure {span(pressures, '.4g')} nPa: "
            f"the magnetopause balances at {span(places, '.2f')} radii",
        ]


PASSES = 8  # of the fixed point between the time at which wind enters and its speed then


def read_winds(path: Path, usual: Wind) -> Winds:
    """The rows of a CSV file; columns that it does not have keep the `usual` values. Raises BadInput with the
    file and the row for what no wind can be."""
    name, columns = f"wind.file = {path}", read_columns(path)
    if "time" not in columns:
        raise BadInput(f"{name} has no column time: it must be {NEEDED}.")
    unknown = [column for column in columns if column not in ("time", *COLUMNS)]
    if unknown:
        raise BadInput(f"{name} has a column {shown(unknown[0])}: allowed are time, {', '.join(COLUMNS)}.")
    values = {**_usual(usual), **columns}
    rows: list[Wind] = []
    for n, time in enumerate(columns["time"].tolist()):
        row = {column: float(values[column][n] if column in columns else values[column]) for column in values}
        _check(f"{name}, row {n + 1}", row)
        if n > 0 and not time > columns["time"][n - 1]:
            raise BadInput(
                f"{name}, row {n + 1}: time = {time:g} is not allowed: it must be greater than "
                f"{columns['time'][n - 1]:g}, that of the row before."
            )
        rows.append(_wind(row))
    return Winds(path, columns["time"], rows)


def _check(where: str, row: dict[str, float]) -> None:
    for column, value in row.items():
        if not abs(value) <= LARGEST:
            raise BadInput(
                f"{where}: {column} = {value:g} is not allowed: its absolute value must be at most "
                f"{LARGEST:g}."
            )
    for column in ("density", "temperature"):
        if not row[column] > 0:
            raise BadInput(f"{where}: {column} = {row[column]:g} is not allowed: it must be greater than 0.")
    if not row["velocity_x"] > 0:
        raise BadInput(
            f"{where}: velocity_x = {row['velocity_x']:g} is not allowed: the sun is at -x, so that it must "
            "be greater than 0."
        )


def _usual(wind: Wind) -> dict[str, float]:
    velocity, field = (
        dict(zip((f"{name}_{axis}" for axis in "xyz"), getattr(wind, name), strict=True))
        for name in ("velocity", "field")
    )
    return {"density": wind.density, **velocity, "temperature": wind.temperature, **field}


def _wind(row: dict[str, float]) -> Wind:
    velocity, field = (tuple(row[f"{name}_{axis}"] for axis in "xyz") for name in ("velocity", "field"))
    return Wind(row["density"], velocity, row["temperature"], field)
