# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients for a distributed matrix: every rank has its own rows, and none has the whole."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...errors import BadInput
from ...given import as_kind, whole
from ...launch import memory
from ...rank import parallel
from ...report.account import account_of
from .matrix import check_diagonal, check_finite, check_shape, checked_right_side


def solve(
    module: ModuleType,
    context: Any,
    system: tuple[Any, Any, int],
    options: dict[str, Any],
    each: Callable[[int, float], Any] | None,
) -> tuple[NDArray, dict[str, Any]]:
    """This rank's entries of x, and the report, for (A, b, first); collective."""
    A, b, first = system
    if options["partition"] != "row":
        raise BadInput(
            f'partition = "{options["partition"]}" is not allowed with first: each rank keeps its rows.'
        )
    begins, columns, values = parallel.together(context, lambda: _parts(A))
    start = parallel.together(context, lambda: whole("first", first, 0, 2**31 - 1))
    count = len(begins) - 1
    partition = module.cg_partition_of_rows(context, start, count)
    n = int(context.sum([float(count)]))
    rows = parallel.together(context, lambda: _checked(begins, columns, values, start, n))
    _check_whole(context, rows, start, n)
    entries = int(context.sum([float(rows.nnz)]))
    parallel.check_memory(context, partial(memory.check_system, read=True), n, entries, options)
    right_side = parallel.together(context, lambda: checked_right_side(b, count))
    index = (rows.indptr.astype(np.int64), rows.indices.astype(np.int64))
    solver = module.CgSolver(partition, *index, rows.data, options)
    found = solver.solve(np.ascontiguousarray(right_side), each)
    found["terms"] = account_of(solver.terms(), options["strategy"])
    return solver.own_solution(), found


def _parts(given: Any) -> tuple[NDArray, NDArray, NDArray]:
    """Row pointers, columns and values of this rank's rows."""
    import scipy.sparse  # noqa: PLC0415 - the program starts without SciPy

    if scipy.sparse.issparse(given):
        rows = scipy.sparse.csr_array(given)
        return rows.indptr, rows.indices, rows.data
    if not isinstance(given, tuple) or len(given) != 3:
        raise BadInput(
            f"A is of type {type(given).__name__}: with first it must be a sparse matrix or (indptr, "
            "indices, data)."
        )
    begins, columns = (np.asarray(part) for part in given[:2])
    for name, part in (("indptr", begins), ("indices", columns)):
        if part.ndim != 1 or part.dtype.kind not in "iu":
            raise BadInput(
                f"{name} of A must be a vector of whole numbers, and is {part.dtype} {part.shape}."
            )
    return begins, columns, np.asarray(given[2])


def _checked(begins: NDArray, columns: NDArray, values: NDArray, first: int, n: int) -> Any:
    """The rows as CSR with sorted columns; raises BadInput for what can be seen from them alone."""
    import scipy.sparse  # noqa: PLC0415

    count = len(begins) - 1
    numbers = as_kind(values, np.float64, "the matrix")
    if columns.size and not 0 <= int(columns.min()) <= int(columns.max()) < n:
        wrong = int(columns.min() if columns.min() < 0 else columns.max())
        raise BadInput(
            f"the matrix has a value in column {wrong + 1} of {n}: there are as many columns as rows in all."
        )
    try:
        rows = scipy.sparse.csr_array((numbers, columns, begins), shape=(count, n), copy=True)
        rows.check_format(full_check=True)
    except (TypeError, ValueError) as error:
        raise BadInput(f"the matrix cannot be read as a sparse matrix: {str(error).rstrip('.')}.") from None
    rows.sum_duplicates()
    check_finite(rows, first)
    check_diagonal(rows, first)
    return rows


def _check_whole(context: Any, rows: Any, first: int, n: int) -> None:
    """Checks what no rank can see alone: u A v = v A u, for two vectors that all ranks can compute."""
    check_shape(n, n, int(context.sum([float(rows.nnz)])))
    u, v = (_numbers(rows.indices, seed) for seed in (1, 2))
    own = [_numbers(np.arange(first, first + rows.shape[0]), seed) for seed in (1, 2)]
    row = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    apart = own[0][row] * rows.data * v - own[1][row] * rows.data * u
    # Over a number that is at least the largest entry, so that no sum is beyond the range of numbers
    scale = context.sum([float(np.abs(rows.data).max(initial=0.0))]) or 1.0
    size = context.sum([float(np.abs(rows.data / scale).sum())])
    difference = context.sum([float((apart / scale).sum())])
    if abs(difference) > 1e-12 * size:
        raise BadInput(
            f"the matrix is not symmetric: u A v and v A u differ by {abs(difference) / size:.1e} of the sum "
            "of its entries for two vectors u and v of random numbers."
        )


def _numbers(index: NDArray, seed: int) -> NDArray[np.float64]:
    """Pseudo-random numbers from -1 to 1 that depend on the index only: SplitMix64's finaliser."""
    with np.errstate(over="ignore"):
        bits = (index.astype(np.uint64) + np.uint64(seed << 40)) * np.uint64(0x9E3779B97F4A7C15)
        bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        bits ^= bits >> np.uint64(31)
    return bits.astype(np.float64) / 2.0**63 - 1.0
