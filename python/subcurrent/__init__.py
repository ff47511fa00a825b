# SPDX-License-Identifier: Apache-2.0
"""Subcurrent: large grid solvers that overlap communication with computation.

    import subcurrent as sc

    grid = sc.CavityGrid(points=(34, 34, 34), clustering="tanh", smallest=0.02)
    sim = sc.Cavity(grid, reynolds=100)
    sim.run(until="steady")
    u = sim.velocity[0]
    sim.plot("profiles.png")

Your own stencils, written in Python and compiled to C++:

    @sc.kernel
    def diffuse(next: sc.Out, T: sc.In, a: float):
        next[0] = T[0] + a * (T[1] + T[-1] - 2 * T[0])

The same solvers run from case files with the program `subcurrent`; `subcurrent --help` shows how.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from .errors import BadInput, StorageError, SubcurrentError

if TYPE_CHECKING:
    from .fft import FFT
    from .solvers.cavity.api import Cavity, CavityGrid
    from .solvers.cg.solve import CgReport, cg
    from .solvers.compressible.api import Compressible
    from .solvers.dendrite.api import Dendrite
    from .solvers.magnetosphere.api import Magnetosphere
    from .solvers.turbulence.api import Turbulence
    from .solvers.wave.api import Wave
    from .stencil import (
        Dirichlet,
        Field,
        Fixed,
        Grid,
        In,
        Index,
        InOut,
        KernelError,
        Layer,
        Loop,
        Mirror,
        Neumann,
        Out,
        condition,
        kernel,
        sympy_kernel,
        where,
    )  # fmt: skip

# What each module gives: imported on first use, so that the program and its ranks start without matplotlib.
_FROM = {
    "solvers.cavity.api": ("Cavity", "CavityGrid"),
    "solvers.turbulence.api": ("Turbulence",),
    "solvers.compressible.api": ("Compressible",),
    "solvers.dendrite.api": ("Dendrite",),
    "solvers.magnetosphere.api": ("Magnetosphere",),
    "solvers.wave.api": ("Wave",),
    "fft": ("FFT",),
    "solvers.cg.solve": ("cg", "CgReport"),
    "stencil": (
        "Dirichlet", "Field", "Fixed", "Grid", "In", "InOut", "Index", "KernelError", "Layer", "Loop",
        "Mirror", "Neumann", "Out", "condition", "kernel", "sympy_kernel", "where",
    ),
}  # fmt: skip

__all__ = [
    "FFT", "BadInput", "Cavity", "CavityGrid", "CgReport", "Compressible", "Dendrite", "Dirichlet",
    "Field", "Fixed", "Grid", "In", "InOut", "Index", "KernelError", "Layer", "Loop", "Magnetosphere",
    "Mirror", "Neumann", "Out", "StorageError", "SubcurrentError", "Turbulence", "Wave", "cg",
    "condition", "kernel", "sympy_kernel", "where",
]  # fmt: skip


def _version() -> str:
    from importlib import metadata  # noqa: PLC0415 - slow to load

    try:
        return metadata.version("subcurrent")
    except metadata.PackageNotFoundError:  # used from a source tree that is not installed
        return "not installed"


def __getattr__(name: str) -> Any:
    if name == "__version__":
        return _version()
    for module, names in _FROM.items():
        if name in names:
            return getattr(import_module(f".{module}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
