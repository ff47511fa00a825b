# SPDX-License-Identifier: Apache-2.0
"""`subcurrent.cg`: A x = b by conjugate gradients on all ranks, for a SciPy matrix and a NumPy vector."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from numbers import Real
from types import ModuleType
from typing import Any

import numpy as np

from ...case.strategies import STRATEGIES
from ...core import usual_cg_strategy
from ...errors import OTHER, BadInput, SubcurrentError
from ...given import whole
from ...launch import memory
from ...rank import parallel
from ...report.account import account_of
from .case import PARTITIONS, USUAL, pieces
from .matrix import checked_matrix, checked_right_side

# What is asked of a matrix alone, and what stands for not asking.
OF_MATRICES = {name: USUAL[name] for name in ("preconditioner", "block", "degree", "pipelined", "partition")}
OF_MATRICES |= {"depth": 1, "threads": 1, "first": None}
PRECONDITIONERS = ("none", "jacobi", "block-jacobi", "ic", "chebyshev")


@dataclass(frozen=True)
class CgReport:
    """Result of a solve. `residual` is |b - A x| / |b|, computed from x; it decides convergence. `residuals`
    are |r| / |b| before each iteration and at the end, from the recursion of the iteration, or |b - A x| /
    |b| where that was computed. `restarts` counts how often the recursive residual had become too inaccurate,
    so that the iteration was restarted; `note` names another method that continued. `terms` has the times of
    docs/accounts.md; None means not measured."""

    iterations: int
    converged: bool
    residual: float
    residuals: np.ndarray
    restarts: int
    note: str
    terms: dict[str, Any]


def cg(
    A: Any,
    b: Any,
    *,
    tol: float = 1e-8,
    iterations: int | None = None,
    preconditioner: str = "none",
    block: int = 32,
    degree: int = 4,
    pipelined: bool = False,
    partition: str = "row",
    strategy: str | None = None,
    depth: int | None = None,
    threads: int = 1,
    each: Callable[[int, float], Any] | None = None,
    first: int | None = None,
    x: Any = None,
    loop: Any = None,
) -> tuple[Any, CgReport]:
    """Solves A x = b for a symmetric positive definite A by conjugate gradients; returns x and a CgReport.

    A              any SciPy sparse matrix, or what `scipy.sparse.csr_array` takes; or a kernel, or a function
                   of two levels that returns calls of kernels: lambda y, x: laplacian(y, x, h=0.1)
    b              right-hand side, one number for each row; for a kernel a field
    tol            stop when |b - A x| <= tol |b|
    iterations     maximum number of iterations (10 n + 100)
    preconditioner none, jacobi, block-jacobi with dense blocks of `block` rows, ic (an incomplete Cholesky
                   factor of each rank's rows) or chebyshev, a polynomial with `degree` matrix products
    pipelined      pipelined CG: one non-blocking reduction in each iteration, overlapped with the product. If
                   it does not converge, plain conjugate gradients continue, with a warning
    partition      row, column or grid
    strategy       one of the engine's, as of sc.Loop, that hides messages of this partition, or blocking. If
                   left out, interior_first with row, otherwise pipelined
    depth          pieces of a message (5 with pipelined, 1 with others)
    each           called with the iteration and |r| / |b|
    first          number of this rank's first row, from 0: A and b are then only this rank's rows, A as a
                   sparse matrix of all columns or as (indptr, indices, data), and so is x
    x, loop        for a kernel: the field of the solution, with the initial guess and the boundary
                   conditions, and the sc.Loop that runs the kernel

    Under `mpirun -n 4 python script.py` all ranks call it. Without `first` they pass the same A and b, and
    each gets the whole x. With `first` no rank has the whole matrix. With a kernel x is a field, and its bits
    do not depend on the number of ranks; if boundary conditions prescribe values, |b| is |b - A 0|; options
    for a matrix are then errors. Raises BadInput for a system that cannot be solved this way or needs more
    memory than is free, and SubcurrentError if the iteration breaks down, does not converge, or stagnates
    because of rounding errors.
    """
    module = parallel.module()
    options = checked_options(
        tol=tol, iterations=iterations, preconditioner=preconditioner, block=block, degree=degree,
        pipelined=pipelined, partition=partition, strategy=strategy, depth=depth,
    )  # fmt: skip
    if callable(A) and not hasattr(A, "shape"):
        options |= {"threads": threads, "first": first}
        return _with_kernels((A, b, x, loop), options, each)
    for name, value in (("x", x), ("loop", loop)):
        if value is not None:
            raise BadInput(f"{name} is only for an operator that is a kernel, but A is a matrix.")
    if first is not None:
        return _by_rows((A, b, first), options, threads, each)
    matrix = checked_matrix(A)
    right_side = checked_right_side(b, matrix.shape[0])
    context = parallel.context(threads, "auto")
    parallel.check_memory(
        context, partial(memory.check_system, read=True), matrix.shape[0], matrix.nnz, options
    )
    parts = (matrix.indptr, matrix.indices, matrix.data)
    solved, found, _ = solve_on(module, context, parts, right_side, options, each=each)
    return solved, _report(found, options, context.rank)


def _report(found: dict[str, Any], options: dict[str, Any], rank: int) -> CgReport:
    if found["note"] and rank == 0:
        warnings.warn(f"{found['note']}.", RuntimeWarning, stacklevel=3)
    complain(found, options)
    found["residuals"] = np.array(found["residuals"])
    return CgReport(**{field.name: found[field.name] for field in fields(CgReport)})


def _by_rows(
    system: tuple[Any, Any, int],
    options: dict[str, Any],
    threads: int,
    each: Callable[[int, float], Any] | None,
) -> tuple[np.ndarray, CgReport]:
    """The rows of each rank as they are: no rank sees those of another."""
    from . import rows as cg_rows  # noqa: PLC0415 - where it is asked for

    context = parallel.context(threads, "auto")
    solved, found = cg_rows.solve(parallel.module(), context, system, options, each)
    return solved, _report(found, options, context.rank)


def _with_kernels(
    system: tuple[Any, Any, Any, Any], options: dict[str, Any], each: Callable[[int, float], Any] | None
) -> tuple[Any, CgReport]:
    """The operator, b, x and the loop."""
    from ...stencil import solving  # noqa: PLC0415 - where it is asked for

    for name, usual in (OF_MATRICES | {"strategy": usual_cg_strategy(options["partition"])}).items():
        if options[name] != usual:
            raise BadInput(
                f"{name} = {options[name]!r} is only for a matrix, but A is a kernel: leave it out."
            )
    tol, most = options["tol"], options["iterations"]
    solved, found = solving.solve(*system, tol=tol, iterations=most, each=each)
    return solved, _report(found, options, solved.grid.rank)


def solve_on(
    module: ModuleType,
    context: Any,
    matrix: tuple[np.ndarray, np.ndarray, np.ndarray],
    right_side: np.ndarray,
    options: dict[str, Any],
    *,
    each: Callable[[int, float], Any] | None = None,
) -> tuple[np.ndarray, dict[str, Any], dict[str, Any]]:
    """Collective: x, how the solve went, and facts about the partition. The matrix (CSR: begins, columns,
    values) may be mapped from a file: each rank touches the rows it needs."""
    begins, columns, values = matrix
    check_ranks(context.size, len(begins) - 1)
    partition = module.CgPartition(context, options["partition"], np.diff(begins).astype(np.int64))
    first, last = partition.rows()
    low, high = int(begins[first]), int(begins[last])
    solver = module.CgSolver(
        partition,
        (np.asarray(begins[first : last + 1]) - low).astype(np.int64),
        np.ascontiguousarray(columns[low:high], dtype=np.int64),
        np.ascontiguousarray(values[low:high], dtype=np.float64),
        options,
    )
    own = slice(*partition.own())
    found = solver.solve(np.ascontiguousarray(right_side[own], dtype=np.float64), each)
    facts = solver.facts()
    found["terms"] = account_of(solver.terms(), options["strategy"])
    return solver.solution(), found, facts


def complain(found: dict[str, Any], options: dict[str, Any]) -> None:
    """Raises with one sentence where there is no solution."""
    if found["breakdown"]:
        raise SubcurrentError(f"no solution: {found['breakdown']}.", OTHER)
    if found["stagnated"]:
        raise SubcurrentError(
            f"not converged: stagnated at {found['residual']:.2e} of |b| after "
            f"{found['iterations']} iterations, because rounding errors prevent a smaller "
            f"residual; tol is {options['tol']:g}.",
            OTHER,
        )
    if not found["converged"]:
        raise SubcurrentError(
            f"not converged: the residual is {found['residual']:.2e} of |b| after {found['iterations']} "
            f"iterations, tol is {options['tol']:g}.",
            OTHER,
        )


def checked_options(**options: Any) -> dict[str, Any]:
    """What a solver takes, refused in one sentence where it cannot be had."""
    options = USUAL | options
    for name, allowed in (
        ("partition", PARTITIONS), ("strategy", STRATEGIES), ("preconditioner", PRECONDITIONERS),
    ):  # fmt: skip
        if name == "strategy" and options[name] is None:
            options[name] = usual_cg_strategy(options["partition"])
        if options[name] not in allowed:
            raise BadInput(f"{name} {options[name]!r} is not known: allowed are {', '.join(allowed)}.")
    if not isinstance(options["tol"], Real) or not 0 < options["tol"] < 1:
        raise BadInput(f"tol = {options['tol']!r} is not allowed: it must be more than 0 and less than 1.")
    if not isinstance(options["pipelined"], bool | np.bool_):
        raise BadInput(f"pipelined = {options['pipelined']!r} is not allowed: it must be True or False.")
    options["depth"] = pieces(options["strategy"], options["depth"])
    options["tol"], options["pipelined"] = float(options["tol"]), bool(options["pipelined"])
    for name, most in (("depth", 10**6), ("block", 1024), ("degree", 64), ("iterations", 2**31 - 1)):
        if name == "iterations" and options[name] is None:
            options[name] = 0  # the solver's own limit
        else:
            options[name] = whole(name, options[name], 1, most)
    return options


def check_ranks(ranks: int, rows: int) -> None:
    """Every rank needs a row of its own."""
    if ranks > rows:
        raise BadInput(f"{ranks} ranks are more than the matrix has rows: at most {rows} are allowed.")
