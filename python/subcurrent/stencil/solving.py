# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients whose operator is a kernel: `subcurrent.cg` for fields, without a matrix."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ..errors import BadInput
from ..rank import parallel
from . import boundaries
from .compiled import Call, flat
from .field import Field, Level
from .loop import Loop
from .tree import Role
from .vectors import Vectors

Operator = Callable[[Level, Level], Any]
GAIN = 0.5  # starting anew is worth while where it takes the residual down to this share
FACES = {place: name for name, place in boundaries.FACES.items()}


class System:
    """A x = b with the vectors of the iteration: r = b - A x, the direction p, and q = A p."""

    def __init__(self, operator: Operator, b: Field, x: Field, loop: Loop):
        self.operator, self.b, self.x, self.loop = operator, b, x, loop
        self.r, self.p, self.q = self.vectors = _vectors(b, loop)
        for (axis, side), condition in x.conditions.items():
            self.p.boundary(FACES[axis, side], _homogeneous(condition, FACES[axis, side]))
        self.do = Vectors(b.grid.dimensions, b.components)
        self.epsilon = float(np.finfo(b.dtype).eps)

    def end(self) -> None:
        """Leaves the vectors to the next solve: a loop keeps the fields that its kernels have used."""
        _spare(self.b, self.loop).append(self.vectors)

    def run(self, call: Call) -> Any:
        return self.loop.run(call)

    def apply(self, to: Field, field: Field) -> None:
        """to = A field."""
        made = self.operator(to.now, field.now)
        calls = flat(made if isinstance(made, (tuple, list)) else [made])
        if not any(_sets(call, to.now) for call in calls):
            raise BadInput(
                "the operator of cg returns calls of kernels, but none of them sets its first "
                "argument: write it as lambda y, x: kernel(y, x)."
            )
        self.loop.run(*calls)

    def residual(self) -> float:
        """r = b - A x; its norm."""
        self.apply(self.q, self.x)
        return math.sqrt(self.run(self.do.left(self.r, self.b, self.q)))

    def begin(self) -> float:
        """|b - A 0|, which is |b| if the boundary conditions prescribe no values; r = b - A 0."""
        self.run(self.do.copy(self.p, self.x))
        self.run(self.do.fill(self.x, 0.0))
        try:
            norm = self.residual()
        finally:
            self.run(self.do.copy(self.x, self.p))
        if not math.isfinite(norm):
            raise BadInput("b, or the operator applied to 0, has entries that are not finite numbers.")
        self._check_symmetric(norm)
        return norm

    def _check_symmetric(self, norm: float) -> None:
        """Checks s A r = r A s up to rounding, for a vector s of numbers that depend on the position. Sets
        the size of A."""
        self.run(self.do.probe(self.p))
        self.apply(self.q, self.p)
        one, image = self.run(self.do.curvature(self.r, self.q))[0], self.run(self.do.square(self.q))
        probe = self.run(self.do.square(self.p))
        self.run(self.do.copy(self.p, self.r))
        self.apply(self.q, self.p)
        two, other = self.run(self.do.probed(self.q)), self.run(self.do.square(self.q))
        apart = abs(one - two)
        most = math.sqrt(image) * norm + math.sqrt(other * probe)
        if math.isfinite(apart) and apart > 1000 * self.epsilon * most:
            raise BadInput(
                f"the operator of cg is not symmetric: for two vectors s and r, s A r and r A s differ by "
                f"{apart / most:.1e} of their size."
            )
        self.size = math.sqrt(image / probe) if probe > 0 else 0.0


def solve(
    operator: Operator,
    b: Any,
    x: Any,
    loop: Any,
    *,
    tol: float,
    iterations: int,
    each: Callable[[int, float], Any] | None,
) -> tuple[Field, dict[str, Any]]:
    """x, and the report as in `CgReport`; collective. `iterations` 0: 10 n + 100."""
    b, x, loop = _checked(b, x, loop)
    if parallel.rehearses():
        raise BadInput(
            "the number of iterations of cg depends on values, which a rehearsal does not have: call "
            "predict() of the loop in a script that has computed some steps."
        )
    system = System(operator, b, x, loop)
    limit = iterations or 10 * math.prod(b.grid.cells) * b.components + 100
    try:
        found = _iterate(system, tol, limit, each)
    finally:
        system.end()
    found["terms"] = loop.terms()
    return x, found


def _iterate(
    system: System, tol: float, limit: int, each: Callable[[int, float], Any] | None
) -> dict[str, Any]:
    norm = system.begin()
    found = {"breakdown": "", "stagnated": False, "restarts": 0, "note": ""}
    # r = b - A x, here and after every end of the iteration: its own residual parts from this one by rounding
    residuals = found["residuals"] = [system.residual() / norm if norm > 0 else 0.0]
    if norm == 0:
        system.run(system.do.fill(system.x, 0.0))
    if each is not None:
        each(0, residuals[0])
    before = math.inf
    while residuals[-1] > tol:
        found["breakdown"] = _descend(system, norm, tol, limit, residuals, each)
        residuals[-1] = system.residual() / norm
        if residuals[-1] <= tol or len(residuals) > limit or found["breakdown"]:
            break
        if residuals[-1] > GAIN * before:
            found["stagnated"] = True
            break
        found["restarts"] += 1
        before = residuals[-1]
    found["residual"], found["iterations"] = residuals[-1], len(residuals) - 1
    found["converged"] = residuals[-1] <= tol
    if found["converged"]:
        found["breakdown"] = ""
    return found


def _descend(
    system: System,
    norm: float,
    tol: float,
    limit: int,
    residuals: list[float],
    each: Callable[[int, float], Any] | None,
) -> str:
    """Iterates from x and r until |r| is small enough or the iteration breaks down; returns the reason."""
    x, r, p, q, do = system.x, system.r, system.p, system.q, system.do
    # p = r, rho = r r
    system.run(do.copy(p, r))
    rho = system.run(do.square(r))
    while True:
        # q = A p, alpha = rho / p q
        system.apply(q, p)
        pq, pp = system.run(do.curvature(p, q))
        if not pq > 4 * system.epsilon * system.size * pp:
            where = f"at iteration {len(residuals)}"
            if pq < 0:
                return f"the operator is not positive definite: p A p < 0 {where}"
            return (
                f"p A p is not a number {where}"
                if math.isnan(pq)
                else f"the operator is singular: p A p = 0 {where}"
            )
        alpha = rho / pq
        # x = x + alpha p, r = r - alpha q, rho = r r
        before, rho = rho, system.run(do.advance(x, r, p, q, alpha=alpha))
        residuals.append(math.sqrt(rho) / norm)
        if each is not None:
            each(len(residuals) - 1, residuals[-1])
        if not math.isfinite(rho):
            return f"the residual is no longer a number at iteration {len(residuals) - 1}"
        if residuals[-1] <= tol or len(residuals) > limit:
            return ""
        # p = r + beta p
        system.run(do.turn(p, r, beta=rho / before))


def _spare(b: Field, loop: Loop) -> list[tuple[Field, ...]]:
    """The vectors of this kind that earlier solves of the loop have left."""
    return loop._spare.setdefault((b.components, b.dtype), [])


def _vectors(b: Field, loop: Loop) -> tuple[Field, ...]:
    """r, p and A p, of their own for every solve in progress."""
    if spare := _spare(b, loop):
        return spare.pop()
    like = {"components": b.components, "dtype": b.dtype}
    return tuple(b.grid.field(f"cg: {name}", **like) for name in ("r", "p", "A p"))


def _sets(call: Call, level: Level) -> bool:
    uses = zip(call.kernel.fields, call.levels, strict=True)
    return any(one == level and use.role is not Role.IN for use, one in uses)


def _homogeneous(condition: Any, face: str) -> Any:
    """The boundary condition of directions, which are differences of solutions."""
    if isinstance(condition, (boundaries.Dirichlet, boundaries.Fixed, boundaries.Neumann)):
        return type(condition)(0.0)
    if isinstance(condition, boundaries.Mirror) or condition == "unread":
        return condition
    raise BadInput(
        f"the boundary condition of x at {face} is a kernel: cg takes sc.Dirichlet, "
        'sc.Neumann, sc.Fixed, sc.Mirror and "unread", of which it knows the homogeneous '
        "form."
    )


def _checked(b: Any, x: Any, loop: Any) -> tuple[Field, Field, Loop]:
    if not isinstance(b, Field):
        raise BadInput(f"b = {b!r} is not allowed: where the operator is a kernel, b is a field.")
    grid = b.grid
    if x is None:
        if not all(grid.periodic):
            raise BadInput(
                "x is missing: on a grid with walls cg needs the field of the solution, with its conditions."
            )
        x = grid.field("x", components=b.components, dtype=b.dtype)
    if not isinstance(x, Field) or x.grid is not grid:
        raise BadInput(f"x = {x!r} is not allowed: it must be a field on the grid of b.")
    if x is b or (x.components, x.dtype) != (b.components, b.dtype):
        raise BadInput("x must be another field than b, of as many components and of the same type.")
    if loop is None:
        loop = Loop(grid)
    if not isinstance(loop, Loop) or loop.grid is not grid:
        raise BadInput(f"loop = {loop!r} is not allowed: it must be an sc.Loop on the grid of b.")
    return b, x, loop
