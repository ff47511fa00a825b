# SPDX-License-Identifier: Apache-2.0
"""The fields at the probes of a run over time."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ..slices import number_and_unit
from . import style
from .history import read_history
from .plane import with_unit

BEFORE = ("step", "time", "probe", "x", "y", "z")  # the columns that are no field
COLOURS = (style.BLUE, style.ORANGE, style.GREEN, style.RED, style.VIOLET)
LINES = ("-", "--")
MOST = len(COLOURS) * len(LINES)  # probes that can be told apart


def draw_probes(path: Path, table: Path, title: str, units: dict[str, str], clock: tuple[float, str]) -> None:
    """A panel for each number in `table`, with a line for each probe. `units` as in a snapshot; `clock`: what
    times are multiplied by, and their unit then."""
    columns = read_history(table)
    names = [name for name in columns if name not in BEFORE]
    probes = list(_probes(columns))
    across = 1 if len(names) == 1 else 2
    down = math.ceil(len(names) / across)
    note = f"the first {MOST} of {len(probes)} probes" if len(probes) > MOST else ""
    with style.figure(path, 10.5, 1.6 + 2.1 * down, title, note) as drawing:
        panels = drawing.subplots(down, across, sharex=True, squeeze=False).T.ravel()
        for panel, name in zip(panels, names, strict=False):
            factor, unit = number_and_unit(units.get(name) or units.get(name.rpartition("_")[0], ""))
            panel.set_title(with_unit(name.replace("_", " "), unit), fontsize=11)
            for number, rows in enumerate(probes[:MOST]):
                colour, line = COLOURS[number % len(COLOURS)], LINES[number // len(COLOURS)]
                times, values = clock[0] * columns["time"][rows], factor * columns[name][rows]
                panel.plot(times, values, line, color=colour, linewidth=1.4)
        for panel in panels[len(names) :]:
            panel.set_axis_off()
        for panel in panels[: len(names)]:
            if panel.get_subplotspec().is_last_row() or panel is panels[len(names) - 1]:
                panel.set_xlabel(with_unit("time", clock[1]))
                panel.tick_params(labelbottom=True)
        labels = [_place(columns, rows, units.get("length", "")) for rows in probes[:MOST]]
        drawing.legend(panels[0].get_lines(), labels, loc="outside lower center", ncols=min(3, len(labels)))


def _probes(columns: dict[str, np.ndarray]) -> Iterator[np.ndarray]:
    """The rows of each probe."""
    for number in range(int(columns["probe"].max()) + 1):
        yield np.flatnonzero(columns["probe"] == number)


def _place(columns: dict[str, np.ndarray], rows: np.ndarray, length: str) -> str:
    """The position as the case gives it: in the unit of length, or in multiples of it."""
    factor, unit = number_and_unit(length)
    place = ", ".join(f"{columns[axis][rows[0]]:g}" for axis in "xyz")
    return f"{int(columns['probe'][rows[0]])}: ({place})" + (f" {unit}" if unit and factor == 1 else "")
