# SPDX-License-Identifier: Apache-2.0
"""The figures of a wave run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...launch.rundir import RunFolder
from ...report.plots import style
from ...report.plots.history import read_history
from ...report.plots.plane import scale_bar
from ...report.snapshot import read_plane
from ..drawing import Drawing
from .kind import KIND


def draw_pressure(path: Path, plane: np.ndarray, case: Any, time: float) -> None:
    """The pressure in Pa in the middle plane across z, shape (ny, nx)."""
    top = float(np.abs(plane).max()) or 1.0
    spacing = case.grid.spacing
    height = (case.grid.cells[2] // 2 + 0.5) * spacing
    with style.figure(path, 7.4, 6.6, f"{KIND.title(case)}, time {1e3 * time:.3f} ms") as drawing:
        axes = drawing.subplots()
        edges = [spacing * np.arange(count + 1) for count in plane.shape[::-1]]
        mesh = axes.pcolormesh(*edges, plane, cmap="RdBu_r", vmin=-top, vmax=top, rasterized=True)
        axes.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
        axes.set_title(f"z = {height:.4g} m", fontweight="normal")
        axes.grid(visible=False)
        drawing.colorbar(mesh, ax=axes, shrink=0.85, label="pressure (Pa)")
        scale_bar(axes, *edges, "m")


def _pressure(folder: RunFolder, case: Any, path: Path) -> None:
    time, plane = read_plane(folder.last_snapshot(), "pressure")
    draw_pressure(path, plane, case, time)


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
    Drawing("planes.png", "The pressure in the middle plane, last snapshot.", _pressure, ("snapshots",)),
    Drawing(
        "history.png", "Highest and lowest pressure, and the conserved energy.", _history, ("history.csv",)
    ),
)
