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


def model_of(solver: str) -> Any:
    """Of any solver, also of one without case files."""
    return import_module(f".{solver}.case", __package__).CASE


def typed_case(tables: dict[str, Any]) -> Any:
    """The typed case of tables that have been checked before, of any solver."""
    return model_of(tables["solver"]).model_validate(tables)
