# SPDX-License-Identifier: Apache-2.0
"""Checks of the arguments of Python callers and of options: numbers, arrays of them, paths, attributes."""

from __future__ import annotations

import inspect
import math
import operator
import os
from typing import TYPE_CHECKING, Any

from .errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class FixedAttribute(BadInput, AttributeError):  # noqa: N818 - it reads as what was tried
    """An attribute that cannot be set."""


class Fixed:
    """An object whose public attributes are fixed when it is made. A user's class derived from ours may add
    attributes."""

    def __setattr__(self, name: str, value: Any) -> None:
        ours = next(kind for kind in type(self).__mro__ if kind.__module__.partition(".")[0] == "subcurrent")
        if name.startswith("_") or (type(self) is not ours and not hasattr(ours, name)):
            object.__setattr__(self, name, value)
            return
        known = "cannot be set" if hasattr(ours, name) else f"does not exist{_meant(ours, name)}"
        raise FixedAttribute(
            f"the attribute {name} of {ours.__name__} {known}: public attributes are fixed when "
            "the object is made, make a new one."
        )


def _meant(kind: type, name: str) -> str:
    """The attribute or argument with the most similar name; empty if there is none."""
    from .case.sentences import nearest  # noqa: PLC0415 - with the case files' schema, only to refuse

    arguments = set(inspect.signature(kind).parameters) - {"self"}
    attributes = {one for one in dir(kind) if not one.startswith("_")}
    found = nearest(name, sorted(arguments | attributes))
    if found is None:
        return ""
    if found == name:
        return f" but an argument of {kind.__name__}(…)"
    return f", did you mean {found}"


def plain(value: Any) -> Any:
    """Converts NumPy numbers to Python numbers, tuples and arrays to lists, at every depth."""
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    return plain(value.tolist()) if hasattr(value, "tolist") else value


def without_none(given: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were given."""
    return {name: value for name, value in given.items() if value is not None}


def table_of(name: str, given: Any) -> dict[str, Any]:
    """The keys of a table of the case file; empty if none was given."""
    if given is not None and not isinstance(given, dict):
        raise BadInput(f"{name} = {given!r} is not allowed: it must be a dict of the keys of [{name}].")
    return given or {}


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """The value as a whole number; raises BadInput for fractions, text and values outside of the limits."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or number < least or (most is not None and number > most):
        limits = f">= {least}" if most is None else f"from {least} to {most}"
        raise BadInput(f"{name} = {value!r} is not allowed: it must be a whole number {limits}.")
    return number


def wholes(name: str, values: Any, least: int, most: int | None = None, count: int = 3) -> tuple[int, ...]:
    """A list of `count` whole numbers."""
    values = plain(values)
    if not isinstance(values, list) or len(values) != count:
        raise BadInput(f"{name} = {values!r} is not allowed: it must be {count} whole numbers.")
    return tuple(whole(f"{name}[{n}]", value, least, most) for n, value in enumerate(values))


def check_option(option: str, value: int | None, least: int = 1, most: int | None = None) -> None:
    """Raises BadInput for a number of the command line that is not within its limits; None was not given."""
    if value is not None and value < least:
        raise BadInput(f"{option} {value} is not allowed: it must be a whole number >= {least}.")
    if value is not None and most is not None and value > most:
        raise BadInput(f"{option} {value} is not allowed: it must be at most {most}.")


def three(name: str, values: Any) -> tuple[float, ...]:
    """Three finite numbers."""
    values = plain(values)
    numbers = values if isinstance(values, list) and len(values) == 3 else [None]
    if not all(type(x) in (int, float) and math.isfinite(x) for x in numbers):
        raise BadInput(f"{name} = {values!r} is not allowed: it must be three numbers.")
    return tuple(float(x) for x in numbers)


def positive(name: str, value: Any, most: float = math.inf) -> float:
    """The value as a finite number greater than 0, below `most`."""
    try:
        number = math.nan if isinstance(value, (str, bytes, bool)) else float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not (0 < number < most):
        limit = "" if most == math.inf else f" and less than {most:g}"
        raise BadInput(f"{name} = {value!r} is not allowed: it must be a number greater than 0{limit}.")
    return number


def one_of(name: str, value: Any, allowed: tuple[str, ...]) -> str:
    """The value if it is one of these words."""
    if not isinstance(value, str) or value not in allowed:
        *most, last = (f'"{word}"' for word in allowed)
        raise BadInput(f"{name} = {value!r} is not known: it must be {', '.join(most)} or {last}.")
    return value


def path_text(name: str, value: Any) -> str:
    """A path as the system takes it; raises BadInput for other values."""
    try:
        text = os.fspath(value)
    except TypeError:
        text = b""
    if not isinstance(text, str) or not text or "\0" in text:
        raise BadInput(f"{name} = {value!r} is not allowed: it must be the path of a file.")
    return text


def as_kind(given: Any, kind: type, what: str) -> NDArray:
    """`given` as an array of `kind` (a float or complex type), without a copy if it is one already. Raises
    BadInput if the conversion would change a number."""
    import numpy as np  # noqa: PLC0415 - the program starts without NumPy

    if np.ma.is_masked(given):
        raise BadInput(f"{what} has masked entries: this is not allowed.")
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
        check_digits(array, wanted, 2 ** (np.finfo(wanted).nmant + 1), what)
    elif not np.can_cast(array.dtype, wanted, "safe"):
        raise BadInput(
            f"{what} is {array.dtype}, which would lose digits as {wanted}: convert it explicitly "
            "if this is intended."
        )
    return array.astype(wanted)


def check_digits(array: NDArray, wanted: np.dtype, largest: int, what: str) -> None:
    """Raises BadInput for whole numbers beyond `largest`."""
    if array.size and (int(array.max()) > largest or int(array.min()) < -largest):
        raise BadInput(f"{what} has whole numbers beyond {largest}, which would lose digits as {wanted}.")
