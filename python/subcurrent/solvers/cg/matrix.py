# SPDX-License-Identifier: Apache-2.0
"""Checks of a matrix and a right-hand side for conjugate gradients; errors are one sentence."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...errors import BadInput
from ...given import as_kind


def check_shape(rows: int, columns: int, entries: int) -> None:
    """What can be checked before memory is allocated; each entry of the diagonal must exist."""
    if rows != columns:
        raise BadInput(f"the matrix is {rows} x {columns}: conjugate gradients need a square one.")
    if rows == 0:
        raise BadInput("the matrix is empty: conjugate gradients need at least one row.")
    if rows > 2**31 - 1:
        raise BadInput(f"the matrix has {rows} rows: at most {2**31 - 1} are allowed.")
    if entries < rows:
        raise BadInput(f"the matrix is singular: it has {rows} rows and {entries} entries.")


def checked_matrix(given: Any) -> Any:
    """The matrix as CSR with real numbers and sorted columns; raises BadInput for one that conjugate
    gradients cannot use."""
    import scipy.sparse  # noqa: PLC0415 - the program starts without SciPy

    if not scipy.sparse.issparse(given):
        given = as_kind(given, np.float64, "the matrix")
    if given.ndim != 2:
        shape = " x ".join(str(n) for n in given.shape) or "a single number"
        raise BadInput(f"the matrix is {shape}: conjugate gradients need a square one.")
    entries = given.nnz if scipy.sparse.issparse(given) else given.size
    check_shape(*given.shape, entries)
    try:
        if hasattr(given, "check_format"):  # indices beyond the matrix would be read as addresses
            given.check_format(full_check=True)
        matrix = scipy.sparse.csr_array(given)
    except (TypeError, ValueError) as error:
        raise BadInput(f"the matrix cannot be read as a sparse matrix: {str(error).rstrip('.')}.") from None
    values = as_kind(matrix.data, np.float64, "the matrix")
    matrix = scipy.sparse.csr_array((values, matrix.indices, matrix.indptr), shape=matrix.shape, copy=True)
    matrix.sum_duplicates()
    check_finite(matrix)
    # Times a power of 2, so that no sum of entries is beyond the range of numbers
    exponent = int(np.frexp(np.abs(matrix.data).max(initial=0.0))[1])
    scaled = matrix * np.ldexp(1.0, min(-exponent, 1000))
    _check_symmetric(matrix, scaled)
    _check_definite(matrix, scaled)
    return matrix


def check_finite(rows: Any, first: int = 0) -> None:
    """Raises BadInput for entries of rows, the first of which has the number `first`, that are not finite."""
    bad = np.flatnonzero(~np.isfinite(rows.data))
    if bad.size:
        row = first + int(np.searchsorted(rows.indptr, bad[0], side="right"))
        raise BadInput(
            f"entry ({row}, {rows.indices[bad[0]] + 1}) of the matrix is {rows.data[bad[0]]}: "
            "all must be finite numbers."
        )


def check_diagonal(rows: Any, first: int = 0) -> None:
    """The same for entries of the diagonal that are not greater than 0."""
    diagonal = rows[:, first : first + rows.shape[0]].diagonal()
    if diagonal.min() <= 0:
        at = int(diagonal.argmin())
        raise BadInput(
            f"the matrix is not positive definite: its diagonal entry {first + at + 1} is {diagonal[at]:g}."
        )


def _check_symmetric(matrix: Any, scaled: Any) -> None:
    apart = abs(scaled - scaled.T).tocoo()
    largest = np.abs(scaled.data).max(initial=0.0)
    if apart.nnz and apart.data.max() > 1e-12 * largest:
        at = int(apart.data.argmax())
        row, column = sorted((int(apart.row[at]), int(apart.col[at])))
        raise BadInput(
            f"the matrix is not symmetric: entry ({row + 1}, {column + 1}) is {matrix[row, column]:g} and "
            f"entry ({column + 1}, {row + 1}) is {matrix[column, row]:g}."
        )


def _check_definite(matrix: Any, scaled: Any) -> None:
    """What can be seen without solving; the iteration detects the rest."""
    filled = np.zeros(matrix.shape[0], bool)
    filled[np.repeat(np.arange(filled.size), np.diff(matrix.indptr))[matrix.data != 0]] = True
    if not filled.all():
        raise BadInput(f"the matrix is singular: row {int(np.argmin(filled)) + 1} is zero.")
    check_diagonal(matrix)
    sums, size = (np.asarray(m.sum(axis=1)).ravel() for m in (scaled, abs(scaled)))
    if ((np.abs(sums) <= 1e-14 * size) & (size > 0)).all():
        raise BadInput("the matrix is singular: the sum of every row is zero.")


def checked_right_side(given: Any, rows: int) -> np.ndarray:
    """b as one number for each row; raises BadInput otherwise."""
    right_side = as_kind(given, np.float64, "b")
    if right_side.ndim == 2 and right_side.shape[1] == 1:
        right_side = right_side[:, 0]
    if right_side.shape != (rows,):
        shape = " x ".join(str(n) for n in right_side.shape) or "a single number"
        raise BadInput(f"b has length {shape} and the matrix {rows} rows: they must be the same.")
    bad = np.flatnonzero(~np.isfinite(right_side))
    if bad.size:
        raise BadInput(f"entry {bad[0] + 1} of b is {right_side[bad[0]]}: all must be finite numbers.")
    return right_side
