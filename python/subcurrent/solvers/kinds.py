# SPDX-License-Identifier: Apache-2.0
"""What the program around a run has to know of each solver, beside its case file.

The ranks load these: no `kind` may import matplotlib (what draws is in `figures`).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import NAMES

if TYPE_CHECKING:
    from ..case.reading import Case
    from .kind import Kind, Predicted

KINDS: dict[str, Kind] = {name: import_module(f".{name}.kind", __package__).KIND for name in NAMES}


def predicted_kind(case: Any) -> Predicted:
    """The same as a prediction needs, of what is only predicted from keys, too."""
    return import_module(f".{case.solver}.kind", __package__).KIND


def kind_of(case: Case | dict[str, Any]) -> Kind:
    """The kind of a typed case, or of its tables."""
    return KINDS[case["solver"] if isinstance(case, dict) else case.solver]
