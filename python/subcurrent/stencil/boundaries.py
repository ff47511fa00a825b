# SPDX-License-Identifier: Apache-2.0
"""The built-in boundary conditions: halo cells are functions of their mirror images, ghost(n) = a inside(n) +
b + c (2 n - 1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import BadInput
from ..given import plain

Law = tuple[float, float, float]  # a, b, c

FACES = {f"{axis}{side}": (n, s) for n, axis in enumerate("xyz") for s, side in enumerate("-+")}


@dataclass(frozen=True)
class Dirichlet:
    """This value on the face: ghost(n) = 2 value - inside(n), to second order. One number, or one for each
    component."""

    value: float | Sequence[float]

    def laws(self, count: int, spacing: float) -> list[Law]:
        """(a, b, c) for each of `count` components: ghost(n) = a inside(n) + b + c (2 n - 1)."""
        return [(-1.0, 2.0 * value, 0.0) for value in each(self.value, count, "Dirichlet")]


@dataclass(frozen=True)
class Fixed:
    """This value in the cells beyond the face. One number, or one for each component."""

    value: float | Sequence[float]

    def laws(self, count: int, spacing: float) -> list[Law]:
        """(a, b, c) for each of `count` components: ghost(n) = a inside(n) + b + c (2 n - 1)."""
        return [(0.0, value, 0.0) for value in each(self.value, count, "Fixed")]


@dataclass(frozen=True)
class Neumann:
    """This derivative along the outward normal on the face, with the `spacing` of the grid: ghost(n) =
    inside(n) + slope (2 n - 1) spacing, to second order."""

    slope: float | Sequence[float] = 0.0

    def laws(self, count: int, spacing: float) -> list[Law]:
        """(a, b, c) for each of `count` components: ghost(n) = a inside(n) + b + c (2 n - 1)."""
        return [(1.0, 0.0, slope * spacing) for slope in each(self.slope, count, "Neumann")]


@dataclass(frozen=True)
class Mirror:
    """The field is mirrored at the face, so nothing flows through it. `odd`: components that change their
    sign, such as the normal component of a velocity."""

    odd: Sequence[int] = ()

    def laws(self, count: int, spacing: float) -> list[Law]:
        """(a, b, c) for each of `count` components: ghost(n) = a inside(n) + b + c (2 n - 1)."""
        odd = plain(self.odd)
        if not isinstance(odd, list) or not set(odd) <= set(range(count)):
            raise BadInput(
                f"Mirror(odd={self.odd!r}) is not allowed: components of the field are 0 to {count - 1}."
            )
        return [(-1.0 if k in odd else 1.0, 0.0, 0.0) for k in range(count)]


BUILT_IN = (Dirichlet, Fixed, Neumann, Mirror)


def each(value: Any, count: int, what: str) -> list[float]:
    """One number for each component."""
    values = plain(value)
    values = values if isinstance(values, list) else [values] * count
    if len(values) != count or not all(isinstance(v, (int, float)) and np.isfinite(v) for v in values):
        raise BadInput(f"{what}({value!r}) is not allowed: it takes one finite number, or {count} of them.")
    return [float(v) for v in values]


def face_of(name: Any) -> tuple[int, int]:
    """Axis and side of "x-", "x+", …"""
    if name not in FACES:
        raise BadInput(f"the face {name!r} is not known: allowed are {', '.join(FACES)}.")
    return FACES[name]
