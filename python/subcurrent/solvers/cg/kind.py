# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients for predictions and measurements: the computation and communication of a step."""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...launch import memory
from ..kind import Predicted
from .case import CLASSES, USUAL, CgCase, pieces


class CgKind(Predicted):
    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        case, strategy = options["case"], options["engine"]["strategy"]
        if case.class_ is not None:
            depth = pieces(strategy, case.depth)
            benchmark = module.CgBenchmark(context, case.class_, case.partition or "grid", strategy, depth)
            return Outer(benchmark, case, context.size)
        return Solve(module, context, case, strategy)

    def tells(self, case: CgCase) -> bool:
        return case.class_ is not None and case.partition != "row"

    def title(self, case: CgCase) -> str:
        if case.class_ is not None:
            return f"CG, class {case.class_}, by {case.partition or 'grid'}, an outer iteration a step"
        size = " × ".join(map(str, case.laplacian))
        method = "pipelined CG" if case.pipelined else "CG"
        return f"{method}, Laplacian of {size}, {case.iterations or 25} iterations a step"

    def memory(self, case: CgCase, ranks: int) -> int:
        if case.class_ is not None:
            return memory.of_class(*CLASSES[case.class_], ranks)
        rows = prod(case.laplacian)
        return memory.of_solving(rows, 7 * rows, USUAL | {"pipelined": case.pipelined}, ranks)


class Steps:
    """What measurements ask of a solver (see `Measured`)."""

    def __init__(self, compiled: Any, case: CgCase, ranks: int) -> None:
        self.compiled, self.cells, self.split = compiled, case.cells(), case.split_over(ranks)
        self.terms, self.restart_terms = compiled.terms, compiled.restart_terms
        self.timeline_summary = compiled.timeline_summary


class Outer(Steps):
    """Outer iterations of the benchmark as steps."""

    def step(self, *, diagnostics: bool) -> None:
        self.compiled.step()


class Solve(Steps):
    """Solves with a Laplacian as steps, of so many iterations each."""

    def __init__(self, module: Any, context: Any, case: CgCase, strategy: str) -> None:
        cuts, begins, columns, values = laplacian(case.laplacian, case.split_over(context.size), context.rank)
        options = USUAL | {
            "strategy": strategy,
            "depth": pieces(strategy, case.depth),
            "pipelined": case.pipelined,
            "iterations": case.iterations or 25,
        }
        partition = module.cg_partition_of_cuts(context, cuts)
        super().__init__(module.CgSolver(partition, begins, columns, values, options), case, context.size)
        self._right_side = np.ones(len(begins) - 1)

    def step(self, *, diagnostics: bool) -> None:
        self.compiled.step(self._right_side)


def laplacian(
    cells: list[int], split: tuple[int, int, int], rank: int
) -> tuple[list[int], NDArray, NDArray, NDArray]:
    """Where the rows of each rank begin, and this rank's: of a box of cells, fixed beyond its faces, in
    blocks whose rows follow one another."""
    ends = [np.array([n * b // p for b in range(p + 1)]) for n, p in zip(cells, split, strict=True)]
    x, y, z = (np.diff(end) for end in ends)
    cuts = np.concatenate([[0], np.cumsum((z[:, None, None] * y[:, None] * x).ravel())])
    at = [rank % split[0], rank // split[0] % split[1], rank // (split[0] * split[1])]
    own = [np.arange(end[c], end[c + 1]) for end, c in zip(ends, at, strict=True)]
    shape = tuple(len(one) for one in reversed(own))
    columns = np.full((*shape, 7), -1)
    steps = [(0, 0), *((axis, step) for axis in range(3) for step in (-1, 1))]
    for n, (moved, step) in enumerate(steps):
        there = [one + (step if axis == moved else 0) for axis, one in enumerate(own)]
        block = [
            np.clip(np.searchsorted(end, one, "right") - 1, 0, len(end) - 2)
            for end, one in zip(ends, there, strict=True)
        ]
        within = [one - end[b] for end, one, b in zip(ends, there, block, strict=True)]
        inside = [(one >= 0) & (one < count) for one, count in zip(there, cells, strict=True)]
        owner = block[0] + split[0] * (block[1][:, None] + split[1] * block[2][:, None, None])
        rows = within[1][:, None] + y[block[1]][:, None] * within[2][:, None, None]
        column = cuts[owner] + within[0] + x[block[0]] * rows
        known = inside[0] & inside[1][:, None] & inside[2][:, None, None]
        columns[..., n] = np.where(known, column, -1)
    columns = columns.reshape(-1, 7)
    begins = np.concatenate([[0], np.cumsum((columns >= 0).sum(axis=1))])
    values = np.broadcast_to([6.0, *[-1.0] * 6], columns.shape)[columns >= 0]
    return cuts.tolist(), begins, columns[columns >= 0], np.ascontiguousarray(values)


KIND = CgKind()
