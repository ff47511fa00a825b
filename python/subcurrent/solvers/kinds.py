# SPDX-License-Identifier: Apache-2.0
"""The interface of each solver to the rest of the program, besides its case file.

The ranks load these: no `kind` may import matplotlib (drawing is in `figures`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import NAMES, WITHOUT_FILES

if TYPE_CHECKING:
    from .kind import Kind

PREDICTED = (*NAMES, *WITHOUT_FILES)  # solvers for which `predict` has a kind


def kind_of(case: Any) -> Kind:
    """The kind of a typed case, or of its tables. That of a loop in Python is one of `Measured` only, that of
    conjugate gradients of `Predicted`, though its steps are measured, too."""
    solver = case["solver"] if isinstance(case, dict) else case.solver
    return import_module(f".{solver}.kind", __package__).KIND.of(case)


def title_of(case: Any) -> str:
    """Name of the case in figures and reports."""
    return kind_of(case).title(case)
