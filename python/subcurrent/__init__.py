# SPDX-License-Identifier: Apache-2.0
"""Subcurrent: large grid solvers whose data movement hides under the computation.

    import subcurrent as sc

    grid = sc.Grid(points=(34, 34, 34), clustering="tanh", smallest=0.02)
    sim = sc.Cavity(grid, reynolds=100)
    sim.run(until="steady")
    u = sim.velocity[0]
    sim.plot("profiles.png")

The same solvers run from case files with the program `subcurrent`; `subcurrent --help` shows how.
"""

from __future__ import annotations

from importlib import metadata
from typing import TYPE_CHECKING, Any

from .errors import BadInput, StorageError, SubcurrentError

if TYPE_CHECKING:
    from .cg_solve import CgReport, cg
    from .fft import FFT
    from .sim import Cavity, Grid
    from .turbulence import Turbulence

__all__ = [
    "FFT",
    "BadInput",
    "Cavity",
    "CgReport",
    "Grid",
    "StorageError",
    "SubcurrentError",
    "Turbulence",
    "cg",
]


try:
    __version__ = metadata.version("subcurrent")
except metadata.PackageNotFoundError:  # used from a source tree that is not installed
    __version__ = "not installed"


def __getattr__(name: str) -> Any:
    """Simulations are imported on first use: the program and its ranks start without matplotlib."""
    if name in ("Cavity", "Grid"):
        from . import sim  # noqa: PLC0415

        return getattr(sim, name)
    if name == "Turbulence":
        from .turbulence import Turbulence  # noqa: PLC0415

        return Turbulence
    if name == "FFT":
        from .fft import FFT  # noqa: PLC0415

        return FFT
    if name in ("cg", "CgReport"):
        from . import cg_solve  # noqa: PLC0415

        return getattr(cg_solve, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
