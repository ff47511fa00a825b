# SPDX-License-Identifier: Apache-2.0
"""The typed case files; `SOLVERS` is the list that `solver = "…"` chooses from."""

from __future__ import annotations

from importlib import import_module

from ..case.common import SolverCase
from . import NAMES

SOLVERS: dict[str, type[SolverCase]] = {
    name: import_module(f".{name}.case", __package__).CASE for name in NAMES
}
