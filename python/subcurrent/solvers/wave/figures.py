# SPDX-License-Identifier: Apache-2.0
"""The figures of a wave run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...launch.rundir import RunFolder
from ...report.plots import style
from ...report.plots.history import read_history
from ...report.plots.plane import paint_cells
from ..drawing import Drawing, planes
from .kind import KIND


def draw_pressure(path: Path, plane: np.ndarray, time: float, case: Any) -> None:
    """The pressure in Pa in the middle plane across z, shape (ny, nx)."""
    top = float(np.abs(plane).max()) or 1.0
    spacing, height = case.grid.spacing, (case.grid.cells[2] // 2 + 0.5) * case.grid.spacing
    with style.figure(path, 7.4, 6.6, f"{KIND.title(case)}, time {1e3 * time:.3f} ms") as drawing:
        axes, edges = drawing.subplots(), [spacing * np.arange(count + 1) for count in plane.shape[::-1]]
        paint_cells(axes, edges, plane, "pressure (Pa)", "RdBu_r", top=top, unit="m")
        axes.set_title(f"z = {height:.4g} m", fontweight="normal")


def _history(folder: RunFolder, case: Any, path: Path) -> None:
    history = read_history(folder.history)
    with style.figure(path, 10.5, 4.6, KIND.title(case)) as drawing:
        range_, energy = drawing.subplots(1, 2)
        for name, label, colour in (("p_high", "highest", style.RED), ("p_low", "lowest", style.BLUE)):
            range_.plot(1e3 * history["time"], history[name], color=colour, label=label)
        range_.legend()
        range_.set(title="Pressure", xlabel="time (ms)", ylabel="pressure (Pa)")
        energy.plot(1e3 * history["time"], history["energy"] / history["energy"][0] - 1, color=style.GREEN)
        energy.set(title="Relative change of the energy", xlabel="time (ms)", ylabel="E / E(first row) − 1")


DRAWINGS = (
    Drawing(
        "planes.png",
        "The pressure in the middle plane, last snapshot.",
        planes(draw_pressure, "pressure"),
        ("snapshots",),
    ),
    Drawing(
        "history.png", "Highest and lowest pressure, and the conserved energy.", _history, ("history.csv",)
    ),
)
