# SPDX-License-Identifier: Apache-2.0
"""What pictures of energy spectra share."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import style


def kept_shells(k: np.ndarray, energy: np.ndarray, kmax: int, largest: float) -> np.ndarray:
    """Which shells are drawn, a bool each: 1 ≤ k ≤ kmax; those that symmetry leaves empty hold round-off of
    `largest`, the energy of the fullest shell."""
    return (k >= 1) & (k <= kmax) & (energy > 1e-15 * max(largest, 1e-300))


def draw_slope(axes: Any, kmax: int, dissipation: float) -> None:
    """Kolmogorov's law 1.6 ε^(2/3) k^(-5/3) as a dashed line."""
    k = np.array([1.5, max(2.0, 0.6 * kmax)])
    height = 1.6 * dissipation ** (2 / 3) if dissipation > 0 else 1.0
    axes.loglog(k, height * k ** (-5 / 3), color=style.MUTED, linestyle="--", linewidth=1.2)
    axes.annotate(
        "$k^{-5/3}$", (k[0] * 2, height * (2 * k[0]) ** (-5 / 3)), (6, 6), textcoords="offset points"
    )
