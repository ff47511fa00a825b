# SPDX-License-Identifier: Apache-2.0
"""Kernels for fields as vectors: sums and scalar products; the bits do not depend on the decomposition."""

from __future__ import annotations

import functools
from typing import Any

from .annotations import In, Index, InOut, Out
from .compiled import Call
from .kernels import Kernel
from .places import Source

KINDS: dict[str, Any] = {"In": In, "Out": Out, "InOut": InOut, "Index": Index, "float": float}
# Numbers from -5/8 to 5/8 that follow from the position, different along every axis and in every component.
PROBE = "((at.x * 7 + at.y * 5 + at.z * 3 + at.x * at.y + {k}) % 11 - 5) / 8"


class Vectors:
    """The kernels for grids of so many dimensions and fields of so many components; each method is a call."""

    def __init__(self, dimensions: int, components: int):
        self._make = functools.partial(_kernel, dimensions, components)

    def copy(self, to: Any, x: Any) -> Call:
        """to = x"""
        return self._make("copy", "to: Out, x: In", ("to{c} = x{c}",))(to, x)

    def fill(self, to: Any, value: float) -> Call:
        """to = value everywhere"""
        return self._make("fill", "to: Out, value: float", ("to{c} = value",))(to, value)

    def left(self, r: Any, b: Any, q: Any) -> Call:
        """r = b - q; the sum r r"""
        return self._make("left", "r: Out, b: In, q: In", ("r{c} = b{c} - q{c}",), ("r{c} * r{c}",))(r, b, q)

    def square(self, x: Any) -> Call:
        """the sum x x"""
        return self._make("square_of", "x: In", (), ("x{c} * x{c}",))(x)

    def curvature(self, p: Any, q: Any) -> Call:
        """the sums p q and p p"""
        return self._make("curvature", "p: In, q: In", (), ("p{c} * q{c}", "p{c} * p{c}"))(p, q)

    def advance(self, x: Any, r: Any, p: Any, q: Any, alpha: float) -> Call:
        """x = x + alpha p, r = r - alpha q; the sum r r"""
        lines = ("x{c} = x{c} + alpha * p{c}", "r{c} = r{c} - alpha * q{c}")
        arguments = "x: InOut, r: InOut, p: In, q: In, alpha: float"
        return self._make("advance", arguments, lines, ("r{c} * r{c}",))(x, r, p, q, alpha)

    def turn(self, p: Any, r: Any, beta: float) -> Call:
        """p = r + beta p"""
        return self._make("turn", "p: InOut, r: In, beta: float", ("p{c} = r{c} + beta * p{c}",))(p, r, beta)

    def probe(self, to: Any) -> Call:
        """to = numbers that follow from the position"""
        return self._make("probe", "to: Out, at: Index", (f"to{{c}} = {PROBE}",))(to)

    def probed(self, x: Any) -> Call:
        """the sum of x times these numbers"""
        return self._make("probed", "x: In, at: Index", (), (f"x{{c}} * ({PROBE})",))(x)


@functools.cache
def _kernel(
    dimensions: int,
    components: int,
    name: str,
    arguments: str,
    lines: tuple[str, ...],
    sums: tuple[str, ...] = (),
) -> Kernel:
    """`lines` and `sums` for each component, {c} the cell of one, {k} its number."""
    here = f"[{', '.join('0' * dimensions)}]"
    cells = [here] if components == 1 else [f"[{k}]{here}" for k in range(components)]
    text = [line.format(c=c, k=k) for line in lines for k, c in enumerate(cells)]
    if sums:
        added = (" + ".join(one.format(c=c, k=k) for k, c in enumerate(cells)) for one in sums)
        text.append(f"return {', '.join(added)}")
    kinds = dict(argument.split(": ") for argument in arguments.split(", "))
    source = Source(
        what=f'kernel "{name}"',
        name=name,
        file="subcurrent/stencil/vectors.py",
        line=1,
        text=f"def {name}({arguments}):\n" + "".join(f"    {line}\n" for line in text),
        annotations={one: KINDS[kind] for one, kind in kinds.items()},
        names={},
        one_line=True,
    )
    return Kernel(source, "sum" if sums else None, 1)
