# SPDX-License-Identifier: Apache-2.0
"""The typed case files; `SOLVERS` is the list that `solver = "…"` chooses from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from . import Each

if TYPE_CHECKING:
    from ..case.common import SolverCase

SOLVERS: Mapping[str, type[SolverCase]] = Each("case", "CASE")
