# SPDX-License-Identifier: Apache-2.0
"""Pictures of a compressible flow: history, schlieren, spectra of the two parts of the velocity."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...report.plots import style
from ...report.plots.spectrum import draw_slope, kept_shells
from ..box_pictures import COLOURS, draw_reference, paint_plane


def draw_gas_history(
    path: Path, history: dict[str, np.ndarray], reference: dict[str, np.ndarray] | None, title: str
) -> None:
    """Energy, dissipation, Mach number, dilatation over time; `reference` has the columns t, kinetic_energy
    and dissipation of an incompressible flow."""
    time = history["time"]
    with style.figure(path, 10.5, 6.4, title) as drawing:
        (energy, lost), (mach, dilatation) = drawing.subplots(2, 2, sharex=True)
        energy.plot(time, history["energy"], color=style.BLUE, label="this run")
        lost.plot(time, history["dissipation"], color=style.BLUE, label="all")
        if "friction" in history and np.any(history["friction"] != history["dissipation"]):
            friction = {"color": style.VIOLET, "linewidth": 1.3, "linestyle": ":", "label": "by the scheme"}
            lost.plot(time, history["friction"], **friction)
        if np.any(history.get("filtered", 0)):  # histories of older versions lack it
            lost.plot(time, history["filtered"], color=style.MUTED, linewidth=1.3, label="by the filter")
        lost.plot(time, history["solenoidal"], color=style.GREEN, linewidth=1.3, label="solenoidal")
        lost.plot(time, history["dilatational"], color=style.RED, linewidth=1.3, label="dilatational")
        if reference:
            panels = {"kinetic_energy": energy, "dissipation": lost}
            draw_reference(panels, reference, time[-1], "reference, M = 0")
            energy.legend()
        energy.set(title="Kinetic energy", ylabel="ρu² / 2, mean")
        energy.set_ylim(bottom=0)
        lost.set(title="Dissipation", ylabel="ε")
        lost.legend()
        mach.plot(time, history["mach"], color=style.VIOLET)
        mach.set(title="Turbulent Mach number", ylabel="$M_t$", xlabel="time")
        mach.set_ylim(bottom=0)
        dilatation.plot(time, history["dilatation"], color=style.RED, label="root of the mean square")
        dilatation.set(title="Dilatation", ylabel="∇·u", xlabel="time")
        skew = dilatation.twinx()
        skew.plot(time, history["dilatation_skewness"], color=style.MUTED, linewidth=1.2)
        skew.set_ylabel("skewness (grey)")
        skew.grid(visible=False)


def draw_schlieren(path: Path, density: np.ndarray, dilatation: np.ndarray, time: float, title: str) -> None:
    """The size of the density's gradient as schlieren show it, and the dilatation, in the plane z = pi;
    both of shape (ny, nx), periodic."""

    def slope(axis: int) -> np.ndarray:
        h = 2 * np.pi / density.shape[axis]
        return (np.roll(density, -1, axis) - np.roll(density, 1, axis)) / (2 * h)

    size = np.hypot(slope(0), slope(1))
    with style.figure(path, 10.5, 5.4, f"{title}, time {time:.4g}") as drawing:
        left, right = drawing.subplots(1, 2)
        name = "gradient of the density, plane z = π"
        paint_plane(left, size, name, "|∇ρ|", "gray_r", signed=False, shrink=0.7)
        name = "dilatation, red: compression"
        paint_plane(right, dilatation, name, "∇·u", "RdBu", signed=True, shrink=0.7)


def draw_split_spectrum(
    path: Path,
    series: list[dict[str, np.ndarray]],
    last: dict[str, np.ndarray],
    kmax: int,
    title: str,
    *,
    history: dict[str, np.ndarray] | None = None,
) -> None:
    """E(k) of the solenoidal and the dilatational velocity: the last one, and at the left those before. With
    a `history` of a viscous flow also Kolmogorov's law for its last dissipation, and k_max η."""
    picks = sorted({round(n * (len(series) - 1) / 4) for n in range(5)}) if series else []
    dissipation = float(history["dissipation"][-1]) if history else 0.0
    with style.figure(path, 10.5, 4.8, title) as drawing:
        over, parts = drawing.subplots(1, 2)

        def draw(axes: Any, columns: dict[str, np.ndarray], name: str, **look: Any) -> None:
            k, energy = columns["k"], columns[name]
            seen = kept_shells(k, energy, kmax, columns["E"].max())
            axes.loglog(k[seen], energy[seen], linewidth=1.4, **look)

        for number, colour in zip(picks, COLOURS, strict=False):
            one = series[number]
            draw(over, one, "E", color=colour, label=f"time {one['time'][0]:.3g}")
        for name, colour in (("solenoidal", style.BLUE), ("dilatational", style.RED)):
            draw(parts, last, name, color=colour, marker=".", markersize=4, label=name)
        over.set(title="Energy spectrum", xlabel="k", ylabel="E(k)")
        resolved = ""
        if history and dissipation > 0:
            draw_slope(over, kmax, dissipation)
            if "kmax_eta" in history:
                resolved = f", $k_{{max}}η$ = {history['kmax_eta'][-1]:.2f}"
        parts.set(title=f"Its two parts, time {last['time'][0]:.3g}{resolved}", xlabel="k", ylabel="E(k)")
        for axes in (over, parts):
            if axes.get_legend_handles_labels()[0]:
                axes.legend()
