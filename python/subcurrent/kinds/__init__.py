# SPDX-License-Identifier: Apache-2.0
"""What the program around a run has to know of each solver, beside its case file: one module a solver.

The ranks load these: nothing here may import matplotlib (the figures are in `drawings`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .base import Kind
from .cavity import CavityKind
from .compressible import CompressibleKind
from .dendrite import DendriteKind
from .magnetosphere import MagnetosphereKind
from .turbulence import TurbulenceKind

if TYPE_CHECKING:
    from ..case import Case

KINDS: dict[str, Kind] = {
    "cavity": CavityKind(),
    "magnetosphere": MagnetosphereKind(),
    "dendrite": DendriteKind(),
    "turbulence": TurbulenceKind(),
    "compressible": CompressibleKind(),
}

__all__ = ["KINDS", "Kind", "kind_of"]


def kind_of(case: Case | dict[str, Any]) -> Kind:
    """The kind of a typed case, or of its tables."""
    return KINDS[case["solver"] if isinstance(case, dict) else case.solver]
