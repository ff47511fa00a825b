# SPDX-License-Identifier: Apache-2.0
"""The functions that a kernel may call: how each is called in Python, printed in C++ and stepped."""

from __future__ import annotations

import builtins
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Function:
    cpp: str
    arguments: int
    step: Callable[..., Any]


def where(test: Any, then: Any, other: Any) -> Any:
    """In a kernel: `then` if `test` holds, else `other`; the same as `then if test else other`."""
    return np.where(test, then, other)


# Of math; NumPy has names of its own for some.
_ONE = [
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sin", "cos", "tan",
    "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "trunc",
    "fabs", "erf", "erfc",
]  # fmt: skip
_TWO = ["atan2", "hypot", "copysign", "fmod", "pow"]
_NUMPY_NAMES = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "asinh": "arcsinh",
    "acosh": "arccosh",
    "atanh": "arctanh",
    "atan2": "arctan2",
    "pow": "power",
}


def _as_in_c(name: str) -> Callable[..., Any]:
    """The function of the C library, which `math` calls; where that raises, the value that C returns."""
    plain, of_numpy = getattr(math, name), getattr(np, _NUMPY_NAMES.get(name, name), None)

    def call(*arguments: Any) -> Any:
        kind = type(arguments[0])
        try:
            return kind(plain(*arguments))
        except (ValueError, OverflowError):
            with np.errstate(all="ignore"):
                return kind(of_numpy(*arguments)) if of_numpy else kind(math.nan)

    return call


ALL: dict[str, Function] = {
    **{name: Function(f"std::{name}", 1, _as_in_c(name)) for name in _ONE},
    **{name: Function(f"std::{name}", 2, _as_in_c(name)) for name in _TWO},
    "square": Function("square", 1, lambda x: x * x),
    "cube": Function("cube", 1, lambda x: x * x * x),
    "fourth": Function("fourth", 1, lambda x: (x * x) * (x * x)),
    # Of two numbers of either kind.
    "abs": Function("std::abs", 1, abs),
    "min": Function("std::min", 2, lambda a, b: b if b < a else a),
    "max": Function("std::max", 2, lambda a, b: b if a < b else a),
}

_KNOWN: dict[Any, str] = {getattr(math, name): name for name in (*_ONE, *_TWO)}
for _name in (*_ONE, *_TWO):
    if hasattr(np, _NUMPY_NAMES.get(_name, _name)):
        _KNOWN[getattr(np, _NUMPY_NAMES.get(_name, _name))] = _name
_KNOWN |= {np.abs: "abs", where: "where", np.where: "where"}
_KNOWN |= {called: called.__name__ for called in (builtins.abs, builtins.min, builtins.max, float, int)}


def named(called: Any) -> str | None:
    """The name here of what a kernel's text calls, if it may."""
    try:
        return _KNOWN.get(called)
    except TypeError:  # what has no hash
        return None


def allowed() -> str:
    """What may be called, for a sentence."""
    return "abs, min, max, float, int, sc.where and math's " + ", ".join(sorted((*_ONE, *_TWO)))
