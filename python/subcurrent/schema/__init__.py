# SPDX-License-Identifier: Apache-2.0
"""The typed case files, one module per solver; `SOLVERS` is the list that `solver = "…"` chooses from."""

from __future__ import annotations

from .cavity import CavityCase
from .common import SolverCase
from .compressible import CompressibleCase
from .dendrite import DendriteCase
from .magnetosphere import MagnetosphereCase
from .turbulence import TurbulenceCase

SOLVERS: dict[str, type[SolverCase]] = {
    "cavity": CavityCase,
    "magnetosphere": MagnetosphereCase,
    "dendrite": DendriteCase,
    "turbulence": TurbulenceCase,
    "compressible": CompressibleCase,
}

__all__ = [
    "SOLVERS",
    "CavityCase",
    "CompressibleCase",
    "DendriteCase",
    "MagnetosphereCase",
    "SolverCase",
    "TurbulenceCase",
]
