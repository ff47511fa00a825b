# SPDX-License-Identifier: Apache-2.0
"""The figures of each solver's run folder."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .drawing import Drawing


def drawings_of(solver: str) -> tuple[Drawing, ...]:
    """The figures of a solver: loads matplotlib, so that nothing asks for them before it draws or reports."""
    return import_module(f".{solver}.figures", __package__).DRAWINGS
