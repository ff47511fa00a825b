# SPDX-License-Identifier: Apache-2.0
"""The verb `cg`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import OverwriteOption, console


def cg(
    *,
    name: Annotated[
        str | None, typer.Option("--class", metavar="S|W|A|B|C|D", help="problem class of the NAS benchmark")
    ] = None,
    matrix: Annotated[
        Path | None, typer.Option(help="Matrix Market file of a symmetric positive definite matrix")
    ] = None,
    rhs: Annotated[
        Path | None, typer.Option(help="right-hand side: .mtx, .npy or text  \\[default: ones]")
    ] = None,
    tol: Annotated[float | None, typer.Option(help="stop at |b - A x| <= tol |b|  \\[default: 1e-8]")] = None,
    iterations: Annotated[
        int | None, typer.Option(help="maximum number of iterations  \\[default: 10 n + 100]")
    ] = None,
    preconditioner: Annotated[
        str | None, typer.Option(help="none, jacobi, block-jacobi, ic or chebyshev  \\[default: none]")
    ] = None,
    block: Annotated[
        int | None, typer.Option(help="rows in each block of block-jacobi  \\[default: 32]")
    ] = None,
    degree: Annotated[
        int | None,
        typer.Option(help="degree of the polynomial of chebyshev, in matrix products  \\[default: 4]"),
    ] = None,
    pipelined_cg: Annotated[
        bool,
        typer.Option("--pipelined-cg", help="pipelined CG: one non-blocking reduction in each iteration"),
    ] = False,
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="MPI ranks to start")] = None,
    threads: Annotated[int, typer.Option(help="threads of each rank")] = 1,
    partition: Annotated[
        str | None, typer.Option(help="row, column or grid  \\[default: grid; with --matrix row]")
    ] = None,
    strategy: Annotated[
        str | None,
        typer.Option(
            help="blocking, interior_first, boundary_first, pipelined, …: one of the engine's that hides "
            "messages of this partition  \\[default: pipelined; by row interior_first]"
        ),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(help="pieces of a message  \\[default: 5 with pipelined, otherwise 1]")
    ] = None,
    transport: Annotated[str, typer.Option(help="auto, shared or mpi")] = "auto",
    out: Annotated[
        Path | None, typer.Option(help="run folder  \\[default: runs/cg_class_CLASS or runs/cg_MATRIX]")
    ] = None,
    overwrite: OverwriteOption = False,
    no_figures: Annotated[bool, typer.Option("--no-figures", help="do not draw the residuals")] = False,
) -> None:
    """Conjugate gradients: the NAS benchmark CG, or a linear system of your own.

    [bold]Examples[/bold]

    \b
      subcurrent cg --class A -n 4 --partition grid --strategy pipelined --depth 5
      subcurrent cg --matrix stiffness.mtx --rhs load.mtx --tol 1e-10 --preconditioner jacobi -n 2
    """
    from ..solvers.cg import job  # noqa: PLC0415 - the only verb that needs NumPy

    request = job.CgRequest(
        name, matrix, rhs, tol, iterations, preconditioner, block, degree, pipelined_cg, ranks, threads,
        partition, strategy, depth, transport, out, overwrite, not no_figures,
    )  # fmt: skip
    raise typer.Exit(job.run(request, console()))
