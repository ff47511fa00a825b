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
    from .kind import Kind, Measured, Predicted

KINDS: Mapping[str, Kind] = Each("kind", "KIND")
PREDICTED = (*NAMES, "cg", "stencil")  # solvers for which `predict` has a kind
MEASURED = (*NAMES, "stencil")  # solvers for which `strategies`, `tune`, `scale` and `probe` have one


def predicted_kind(case: Any) -> Predicted:
    """The interface for predictions; includes solvers without case files."""
    return import_module(f".{case.solver}.kind", __package__).KIND.of(case)


def measured_kind(case: Any) -> Measured:
    """The interface for measurements, of a typed case or of its tables."""
    solver = case["solver"] if isinstance(case, dict) else case.solver
    if solver not in MEASURED:
        raise KeyError(solver)
    return import_module(f".{solver}.kind", __package__).KIND.of(case)


def kind_of(case: Case | dict[str, Any]) -> Kind:
    """The kind of a typed case, or of its tables."""
    return KINDS[case["solver"] if isinstance(case, dict) else case.solver].of(case)


def title_of(case: Any) -> str:
    """Name of the case in figures and reports."""
    return predicted_kind(case).title(case)
