# SPDX-License-Identifier: Apache-2.0
"""What a user gives as numbers, in the type that a solver takes; refused where that would change one."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .errors import BadInput


def as_kind(given: Any, kind: type, what: str) -> NDArray:
    """`given` as an array of `kind` (a float or complex type); itself where it is one already."""
    if np.ma.is_masked(given):
        raise BadInput(f"{what} has masked entries: all must be there.")
    try:
        array = np.asarray(given)
    except (TypeError, ValueError) as error:
        raise BadInput(f"{what} cannot be read as an array: {str(error).rstrip('.')}.") from None
    wanted = np.dtype(kind)
    if array.dtype == wanted:
        return array
    if array.dtype.kind not in "buifc":
        raise BadInput(f"{what} is of type {array.dtype}: numbers are needed.")
    if array.dtype.kind == "c" and wanted.kind == "f":
        raise BadInput(f"{what} is complex: real numbers are needed, the imaginary part would be lost.")
    if array.dtype.kind in "iu":
        _check_digits(array, wanted, what)
    elif not np.can_cast(array.dtype, wanted, "safe"):
        raise BadInput(
            f"{what} is {array.dtype}, which would lose digits as {wanted}: convert it where that is meant."
        )
    return array.astype(wanted)


def _check_digits(array: NDArray, wanted: np.dtype, what: str) -> None:
    largest = 2 ** (np.finfo(wanted).nmant + 1)
    if array.size and (int(array.max()) > largest or int(array.min()) < -largest):
        raise BadInput(f"{what} has whole numbers beyond {largest}, which would lose digits as {wanted}.")
