# SPDX-License-Identifier: Apache-2.0
"""Which figures each solver's run folder is drawn into, one module a solver."""

from __future__ import annotations

from . import cavity, compressible, dendrite, magnetosphere, turbulence
from .base import Drawing

DRAWINGS: dict[str, tuple[Drawing, ...]] = {
    "cavity": cavity.DRAWINGS,
    "magnetosphere": magnetosphere.DRAWINGS,
    "dendrite": dendrite.DRAWINGS,
    "turbulence": turbulence.DRAWINGS,
    "compressible": compressible.DRAWINGS,
}

__all__ = ["DRAWINGS", "Drawing"]
