# SPDX-License-Identifier: Apache-2.0
"""The course of a run: change towards the steady state, pressure residual and iterations, divergence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from matplotlib.axes import Axes

from ...errors import NoData
from .. import records
from . import style


class History(dict[str, np.ndarray]):
    """The columns of a table by name. One that is not there, as another version wrote the table, is NaN, of
    which matplotlib draws nothing; nothing is drawn without the time."""

    def __init__(self, path: Path, columns: dict[str, np.ndarray]):
        super().__init__(columns)
        self._path = path

    def __missing__(self, name: str) -> np.ndarray:
        if name == "time":
            raise NoData(f"{self._path} has no column time.")
        return np.full(len(next(iter(self.values()))), np.nan)


def read_history(path: Path) -> History:
    names, rows = records.read_history(path)
    if not rows:
        raise NoData(f"{path} holds no steps yet.")
    columns = zip(*rows, strict=True)
    numbers = [np.array([float(x or "nan") for x in cells]) for cells in columns]
    return History(path, dict(zip(names, numbers, strict=True)))


def draw_history(
    path: Path, history: dict[str, np.ndarray], steady: float | None, title: str = "History"
) -> None:
    """Draws four panels over the time of the flow; `steady` is the line that the change has to fall below."""
    time = history["time"]
    with style.figure(path, 10.5, 6.4, title) as drawing:
        (change, residual), (iterations, mass) = drawing.subplots(2, 2, sharex=True)
        change.set_title("Change of the flow")
        _decades(change, time, history["max_change"], "max |∂V/∂t|", style.BLUE)
        if steady:
            change.axhline(steady, color=style.ORANGE, linestyle="--", linewidth=1.4)
            change.annotate(
                "steady below this",
                (time[-1], steady),
                (0, 4),
                textcoords="offset points",
                ha="right",
                fontsize=9,
            )
        residual.set_title("Pressure equation: residual left")
        _decades(residual, time, history["residual"], "residual", style.VIOLET)
        iterations.plot(time, history["iterations"], color=style.GREEN, linewidth=1.4)
        capped = history["capped"] > 0
        if capped.any():
            iterations.plot(
                time[capped], history["iterations"][capped], "x", color=style.RED, label="stopped by the cap"
            )
            iterations.legend()
        iterations.set(
            title="Pressure equation: iterations a step",
            ylabel="iterations",
            xlabel="time (side / lid speed)",
        )
        iterations.set_ylim(bottom=0)
        mass.set_title("Mass: divergence, rms")
        _decades(mass, time, history["divergence_rms"], "rms ∇·V", style.RED)
        mass.set_xlabel("time (side / lid speed)")


def _decades(axes: Axes, time: np.ndarray, values: np.ndarray, label: str, colour: str) -> None:
    """On a logarithmic axis where the values span a decade and more."""
    positive = np.where(values > 0, values, np.nan)
    axes.plot(time, positive, color=colour, linewidth=1.0)
    if np.isfinite(positive).any() and np.nanmax(positive) > 10 * np.nanmin(positive):
        axes.set_yscale("log")
    axes.set(ylabel=label)
