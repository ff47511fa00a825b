# SPDX-License-Identifier: Apache-2.0
"""The typed cases; `SOLVERS` is the list that `solver = "…"` of a case file chooses from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import Each

if TYPE_CHECKING:
    from ..case.common import SolverCase

SOLVERS: Mapping[str, type[SolverCase]] = Each("case", "CASE")
WITHOUT_FILES = {"cg": "CgCase", "stencil": "StencilCase"}  # solvers without case files, and their models


def typed_case(tables: dict[str, Any]) -> Any:
    """The typed case of tables that have been checked before, of any solver."""
    solver = tables["solver"]
    if solver in WITHOUT_FILES:
        model = getattr(import_module(f".{solver}.case", __package__), WITHOUT_FILES[solver])
    else:
        model = SOLVERS[solver]
    return model.model_validate(tables)
