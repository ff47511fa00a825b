# SPDX-License-Identifier: Apache-2.0
"""Energy spectra and structure functions."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axis import Axis
from matplotlib.ticker import LogLocator, NullFormatter

from ..structure import StructureFunctions
from . import style


def kept_shells(k: np.ndarray, energy: np.ndarray, kmax: int, largest: float) -> np.ndarray:
    """Which shells are drawn, a bool each: 1 ≤ k ≤ kmax; those that symmetry leaves empty hold round-off of
    `largest`, the energy of the fullest shell."""
    return (k >= 1) & (k <= kmax) & (energy > 1e-15 * max(largest, 1e-300))


def draw_slope(axes: Any, kmax: int, dissipation: float) -> None:
    """Kolmogorov's law 1.6 ε^(2/3) k^(-5/3) as a dashed line."""
    draw_five_thirds(axes, kmax, 1.6 * dissipation ** (2 / 3) if dissipation > 0 else 1.0)


def draw_five_thirds(axes: Any, kmax: int, height: float) -> None:
    """A dashed line of slope -5/3 that has this height at k = 1."""
    k = np.array([1.5, max(2.0, 0.6 * kmax)])
    axes.loglog(k, height * k ** (-5 / 3), color=style.MUTED, linestyle="--", linewidth=1.2)
    axes.annotate(
        "$k^{-5/3}$", (k[0] * 2, height * (2 * k[0]) ** (-5 / 3)), (6, 6), textcoords="offset points"
    )


def number_decades(axis: Axis) -> None:
    """1, 2 and 5 of every power of ten on a logarithmic axis of one or two: with all of them numbers meet."""
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter("{x:g}")
    axis.set_minor_formatter(NullFormatter())


def draw_structure(
    path: Path, found: StructureFunctions, dissipation: float, viscosity: float, title: str
) -> None:
    """Structure functions beside what the resolved gradient and Kolmogorov's theory say of them: ε r² / 15 ν
    of the second one where r is small, 2.1 (ε r)^(2/3) beyond; -4/5 ε r of the third one
    (Pope, Turbulent Flows, Cambridge 2000, section 6.2)."""
    r, eta = found.r, (viscosity**3 / dissipation) ** 0.25
    with style.figure(path, 10.5, 4.8, title) as drawing:
        second, third = drawing.subplots(1, 2)
        line = {"linestyle": "--", "linewidth": 1.2}
        second.loglog(r / eta, found.second, color=style.BLUE, marker=".", markersize=4, label="along r")
        second.loglog(r / eta, found.across, color=style.GREEN, marker=".", markersize=4, label="across r")
        low, high = second.get_ylim()
        smooth, inertial = dissipation * r**2 / (15 * viscosity), 2.1 * (dissipation * r) ** (2 / 3)
        second.loglog(r / eta, smooth, color=style.MUTED, label="ε r² / 15 ν", **line)
        second.loglog(r / eta, inertial, color=style.ORANGE, label="$2.1\\,(ε r)^{2/3}$", **line)
        second.set_ylim(low, high)
        second.set(title="Mean squares of velocity differences", ylabel="⟨δu²⟩")
        second.legend()
        scaled = -found.third / (dissipation * r)
        third.semilogx(r / eta, scaled, color=style.BLUE, marker=".", markersize=4)
        third.axhline(0.8, color=style.MUTED, **line)
        third.set(title="Mean cubes, along r", ylabel="−⟨δu³⟩ / (ε r), dashed: 4/5")
        for axes in (second, third):
            axes.set_xlabel("r / η")
            number_decades(axes.xaxis)
