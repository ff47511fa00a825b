# SPDX-License-Identifier: Apache-2.0
"""Waves along x that stay known in an inviscid gas: their exact profiles, and a run's against them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...report.plots import style
from .case import CompressibleCase, Flow

WAVES = ("acoustic", "entropy", "vorticity")


def exact(flow: Flow, gamma: float, x: np.ndarray, time: float) -> dict[str, np.ndarray]:
    """What of density, "u" and "v" a wave varies: `Start::wave` of solvers/compressible/start.cpp."""
    a = flow.amplitude
    if flow.initial == "acoustic":
        f = a * np.sin(_came_from(x, time, 1 / flow.mach, 0.5 * (gamma + 1) * a))
        return {"density": (1 + 0.5 * (gamma - 1) * f) ** (2 / (gamma - 1)), "u": f / flow.mach}
    f = a * np.sin(x - time)
    return {"density": 1 + f} if flow.initial == "entropy" else {"v": f}


def _came_from(x: np.ndarray, time: float, sound: float, steepening: float) -> np.ndarray:
    """Riemann's simple wave: u stays where x - (u + c) t is the same, u + c = c_0 (1 + steepening sin)."""
    at = x - sound * time
    start = at.copy()
    for _ in range(50):
        slope = 1 + steepening * sound * time * np.cos(start)
        start -= (start + steepening * sound * time * np.sin(start) - at) / slope
    return start


def draw_wave(
    path: Path, case: CompressibleCase, profiles: dict[str, np.ndarray], time: float, *, title: str, note: str
) -> None:
    """Profiles along x, of density, "u" and "v", and below their differences from the exact ones."""
    count = len(profiles["density"])
    x, fine = (2 * np.pi / n * np.arange(n + 1) for n in (count, 20 * count))
    x = x[:-1]
    here, between = (exact(case.flow, case.gas.gamma, places, time) for places in (x, fine))
    names = {"density": "ρ", "u": "u", "v": "v"}
    with style.figure(
        path, min(3.4 * len(here) + 5.0, style.WIDEST), 6.0, f"{title}, time {time:.4g}", note
    ) as drawing:
        panels = drawing.subplots(2, len(here), sharex=True, squeeze=False, height_ratios=(2, 1))
        for (upper, lower), name in zip(panels.T, here, strict=True):
            upper.plot(fine, between[name], color=style.ORANGE, linewidth=1.6, label="exact")
            upper.plot(x, profiles[name], "o", color=style.BLUE, markersize=4, label="this run")
            upper.set(title=names[name])
            off = profiles[name] - here[name]
            lower.plot(x, off, "o-", color=style.RED, markersize=3, linewidth=1.0)
            lower.set(title=f"{names[name]} − exact", xlabel="x (box: 2π)", xlim=(0, 2 * np.pi))
        panels[0][0].legend()
