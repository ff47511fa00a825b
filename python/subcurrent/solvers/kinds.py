# SPDX-License-Identifier: Apache-2.0
"""The interface of each solver to the rest of the program, besides its case file.

The ranks load these: no `kind` may import matplotlib (drawing is in `figures`).
"""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import NAMES, Each

if TYPE_CHECKING:
    from ..case.reading import Case
    from .kind import Kind, Predicted

KINDS: Mapping[str, Kind] = Each("kind", "KIND")
PREDICTED = (*NAMES, "cg", "stencil")  # solvers for which `predict` has a kind


def predicted_kind(case: Any) -> Predicted:
    """The interface for predictions; includes solvers that are only predicted."""
    return import_module(f".{case.solver}.kind", __package__).KIND.of(case)


def kind_of(case: Case | dict[str, Any]) -> Kind:
    """The kind of a typed case, or of its tables."""
    return KINDS[case["solver"] if isinstance(case, dict) else case.solver].of(case)


def title_of(case: Case) -> str:
    """Name of the case in figures and reports."""
    return kind_of(case).title(case)
