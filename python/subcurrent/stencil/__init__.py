# SPDX-License-Identifier: Apache-2.0
"""Stencils written in Python and run by the engine: docs/python_stencils.md.

From the text of a kernel to its execution: `reading` (with `expressions`, `conditions`, `places`) converts it
to a `tree`, `printing` writes that as C++, `compiling` compiles a library, `loop` passes it to the engine.
`stepping` executes the same tree on NumPy arrays. `symbolic` writes the text for SymPy expressions. `solving`
has conjugate gradients, with `vectors`.
"""

from .annotations import In, Index, InOut, Layer, Out
from .boundaries import Dirichlet, Fixed, Mirror, Neumann
from .compiled import Call
from .compiling import NoCompiler
from .faces import Condition, condition
from .field import Field, Level
from .functions import where
from .grid import Grid
from .kernels import Kernel, kernel
from .loop import Loop
from .places import KernelError
from .symbolic import sympy_kernel

__all__ = [
    "Call", "Condition", "Dirichlet", "Field", "Fixed", "Grid", "In", "InOut", "Index", "Kernel",
    "KernelError", "Layer", "Level", "Loop", "Mirror", "Neumann", "NoCompiler", "Out", "condition",
    "kernel", "sympy_kernel", "where",
]  # fmt: skip
