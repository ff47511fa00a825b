# SPDX-License-Identifier: Apache-2.0
"""The files of `subcurrent cg`: Matrix Market, .npy, columns of numbers. Headers are checked before memory of
the stated size is allocated."""

from __future__ import annotations

import gzip
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ...errors import BadInput, storage_error
from . import matrix as cg_matrix

DEFLATE = 1032  # bytes that gzip can make of one, at most


class Head(NamedTuple):
    """The sizes in the first lines of a Matrix Market file."""

    rows: int
    columns: int
    entries: int
    dense: bool
    field: str
    symmetry: str
    size: int  # of the head itself, in bytes

    def most(self) -> int:
        """Entries of the matrix, those that symmetry adds included; of a dense one that many are 0, but each
        takes at least as much memory as a ninth of an entry."""
        if self.dense:
            return self.rows * self.columns // 9
        return self.entries if self.symmetry == "general" else 2 * self.entries


def read_system(
    matrix: Path, rhs: Path | None, check_memory: Callable[[int, int], None] = lambda rows, entries: None
) -> tuple[np.ndarray, ...]:
    """Row begins, columns and values of a matrix that conjugate gradients can take, and a right side.
    `check_memory` is asked about rows and entries as soon as they are known, and before they are copied."""
    if _is_matrix_market(matrix):
        head = _head(matrix)
        _check_matrix(matrix, head)
        check_memory(head.rows, head.most())
    given = _read(matrix)
    if isinstance(given, np.ndarray) and given.ndim == 2 and given.dtype.kind in "biuf":
        check_memory(given.shape[0], int(np.count_nonzero(given)))
    system = cg_matrix.checked_matrix(given)
    rows = system.shape[0]
    if rhs is not None and _is_matrix_market(rhs):
        _check_right_side(rhs, _head(rhs), rows)
    given = np.ones(rows) if rhs is None else _read(rhs)
    right_side = cg_matrix.checked_right_side(given.toarray() if hasattr(given, "toarray") else given, rows)
    return system.indptr, system.indices, system.data, right_side


def _is_matrix_market(path: Path) -> bool:
    return path.suffix == ".mtx" or path.name.endswith(".mtx.gz")


def _read(path: Path) -> Any:
    import scipy.io  # noqa: PLC0415 - only where a matrix is read

    _check_regular(path)
    try:
        if _is_matrix_market(path):
            return scipy.io.mmread(path)
        if path.suffix == ".npy":
            array = np.load(path, mmap_mode="r")  # allocates nothing
            if isinstance(array, np.ndarray):
                return array
            raise ValueError("it holds more than one array")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an empty file has the wrong length, which is said
            return np.loadtxt(path)
    except OSError as error:
        raise storage_error(error, path, "read") from None
    except MemoryError:
        raise BadInput(f"{path} cannot be read: there is not enough memory for it.") from None
    except (ValueError, TypeError, OverflowError, EOFError, SyntaxError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise BadInput(f"{path} cannot be read: {reason}.") from None


def _check_regular(path: Path) -> None:
    if path.exists() and not path.is_file():
        raise BadInput(f"{path} cannot be read: it is no regular file.")


def _head(path: Path) -> Head:
    """The first line and the line of sizes; raises BadInput if they are wrong."""
    _check_regular(path)
    try:
        with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
            words = file.readline(1024).decode("latin-1").lower().split()
            if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
                raise BadInput(
                    f"{path} is no Matrix Market file of a matrix: its first line does not say so."
                )
            line = "%"
            while line.startswith("%") or (line and not line.strip()):
                line = file.readline(1 << 16).decode("latin-1")
            size = file.tell()
    except (OSError, EOFError) as error:
        if isinstance(error, FileNotFoundError | PermissionError):
            raise storage_error(error, path, "read") from None
        raise BadInput(f"{path} cannot be read: {error}.") from None
    dense = words[2] == "array"
    numbers = line.split()
    if len(numbers) != (2 if dense else 3) or not all(_is_count(n) for n in numbers):
        shown = line.strip()[:60]
        raise BadInput(f'{path} has the sizes "{shown}": {2 if dense else 3} whole numbers are needed.')
    rows, columns = int(numbers[0]), int(numbers[1])
    return Head(rows, columns, _entries(numbers, dense, words[4]), dense, words[3], words[4], size)


def _is_count(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 1000  # int() takes no more than some thousand


def _entries(numbers: list[str], dense: bool, symmetry: str) -> int:
    rows = int(numbers[0])
    if not dense:
        return int(numbers[2])
    if symmetry == "general":
        return rows * int(numbers[1])
    return rows * (rows - 1 if symmetry == "skew-symmetric" else rows + 1) // 2


def _check_matrix(path: Path, head: Head) -> None:
    if head.field == "complex":
        raise BadInput("the matrix is complex: real numbers are needed, the imaginary part would be lost.")
    cg_matrix.check_shape(head.rows, head.columns, head.entries)
    _check_fits(path, head)


def _check_right_side(path: Path, head: Head, rows: int) -> None:
    if (head.rows, head.columns) != (rows, 1):
        raise BadInput(
            f"b has length {head.rows} x {head.columns} and the matrix {rows} rows: they must be the same."
        )
    _check_fits(path, head)


def _check_fits(path: Path, head: Head) -> None:
    """An entry takes two bytes ("1", and the end of its line), and as many for each of its indices."""
    least = 2 if head.dense else 4 if head.field == "pattern" else 6
    size = path.stat().st_size
    room = size * DEFLATE if path.suffix == ".gz" else size - head.size + 1
    if head.entries * least > room:
        raise BadInput(f"{path} states {head.entries} entries, but its {size} bytes cannot hold them.")
