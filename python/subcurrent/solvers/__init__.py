# SPDX-License-Identifier: Apache-2.0
"""The solvers, one folder each: `case` is its case file, `kind` what the rest of the program needs to know
about it, `figures` the figures of its run folder, `api` its Python class.

A solver that runs from case files is named here and nowhere else in the program.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

NAMES = ("cavity", "magnetosphere", "dendrite", "turbulence", "compressible", "wave")
WITHOUT_FILES = ("cg", "stencil")  # solvers without case files


class Each(Mapping[str, Any]):
    """By the name of a solver what one of its modules defines. A module is loaded when it is asked for: a
    program or a rank needs those of one solver."""

    def __init__(self, module: str, name: str):
        self._module, self._name = module, name

    def __getitem__(self, solver: str) -> Any:
        if solver not in NAMES:
            raise KeyError(solver)
        return getattr(import_module(f".{solver}.{self._module}", __package__), self._name)

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)
