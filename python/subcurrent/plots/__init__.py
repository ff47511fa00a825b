# SPDX-License-Identifier: Apache-2.0
"""Figures as PNG files, one module per figure, one look (`style`)."""

from __future__ import annotations

from .crystal import draw_growth, draw_outlines, draw_temperature
from .flow import draw_flow, draw_flow_3d
from .history import draw_history, read_history
from .plasma import draw_axis, draw_cuts, draw_magnetosphere, draw_plasma_history, draw_tube, draw_vortex
from .profiles import draw_profiles
from .strategies import draw_strategies
from .turbulence import EnergySpectrum, draw_dissipation, draw_scales, draw_spectrum, draw_vorticity
from .wait import draw_wait

__all__ = [
    "EnergySpectrum",
    "draw_axis",
    "draw_cuts",
    "draw_dissipation",
    "draw_flow",
    "draw_flow_3d",
    "draw_growth",
    "draw_history",
    "draw_magnetosphere",
    "draw_outlines",
    "draw_plasma_history",
    "draw_profiles",
    "draw_scales",
    "draw_spectrum",
    "draw_strategies",
    "draw_temperature",
    "draw_tube",
    "draw_vortex",
    "draw_vorticity",
    "draw_wait",
    "read_history",
]
