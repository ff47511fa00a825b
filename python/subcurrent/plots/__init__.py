# SPDX-License-Identifier: Apache-2.0
"""Figures as PNG files, one module per figure, one look (`style`)."""

from __future__ import annotations

from importlib import import_module
from typing import Any

_FIGURES = {
    "crystal": ("draw_growth", "draw_outlines", "draw_temperature"),
    "flow": ("draw_flow", "draw_flow_3d"),
    "gas": ("draw_gas_history", "draw_schlieren", "draw_split_spectrum"),
    "history": ("draw_history", "read_history"),
    "plasma": (
        "draw_axis",
        "draw_cuts",
        "draw_magnetosphere",
        "draw_plasma_history",
        "draw_tube",
        "draw_vortex",
    ),
    "plasma_plane": ("draw_blast", "draw_loop"),
    "prediction": ("draw_prediction",),
    "profiles": ("draw_profiles",),
    "strategies": ("draw_strategies",),
    "turbulence": ("EnergySpectrum", "draw_dissipation", "draw_scales", "draw_spectrum", "draw_vorticity"),
    "wait": ("draw_wait",),
}


def __getattr__(name: str) -> Any:
    """A figure's module is imported when it is first asked for: the program starts without matplotlib."""
    for module, figures in _FIGURES.items():
        if name in figures:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
