# SPDX-License-Identifier: Apache-2.0
"""Conjugate gradients for predictions and measurements: `subcurrent predict cg --set class=A`. This solver
has no case file; its keys are given by `--set`."""

from __future__ import annotations

from math import prod
from typing import Any, ClassVar, Literal

from ...case.common import GridCase
from ...case.keys import Table, key, setting
from ...case.reading import checked_case
from ...case.splits import check_split, splits
from ...case.strategies import STRATEGIES, check_strategies
from ...case.tables import Cells
from ...core import usual_cg_strategy
from ...errors import BadInput

NAME = "cg"
PARTITIONS = ("row", "column", "grid")
# The classes of the benchmark: order of the matrix, and non-zeros of each random vector that it is made of.
CLASSES = {
    "S": (1_400, 7), "W": (7_000, 8), "A": (14_000, 11), "B": (75_000, 13), "C": (150_000, 15),
    "D": (1_500_000, 21),
}  # fmt: skip
MOST_ROWS = 2**31 - 1
# The options of a solve that are not given; None: what follows from others.
USUAL = {
    "tol": 1e-8, "iterations": None, "preconditioner": "none", "block": 32, "degree": 4, "pipelined": False,
    "partition": "row", "strategy": None, "depth": None,
}  # fmt: skip


class CgEngine(Table):
    steps_per_pass: ClassVar = 1
    split: ClassVar = "auto"
    transport: ClassVar = "auto"
    device: ClassVar = "cpu"

    threads: int = setting("OpenMP threads of each rank", 1, ge=1, le=1024)
    poke_ms: float = setting(
        "milliseconds of computation between two calls that let MPI make progress", 0.5, gt=0
    )


class CgCase(GridCase):
    """The NAS kernel CG, where a step is an outer iteration with its 25 inner ones; or a 7-point Laplacian,
    where every rank has a block of the box and a step is a solve of `iterations` iterations."""

    solver: Literal["cg"] = setting("the solver", NAME)
    class_: Literal[tuple(CLASSES)] | None = key(
        "problem class of the NAS benchmark",
        "one of " + ", ".join(f'"{name}"' for name in CLASSES),
        None,
        alias="class",
    )
    laplacian: Cells | None = key(
        "cells along x, y, z of a 7-point Laplacian, instead of a class",
        "three whole numbers from 1 to 100000",
        None,
    )
    iterations: int | None = setting(
        "CG iterations of a solve with the Laplacian; 25 if left out", None, ge=1
    )
    pipelined: bool = setting("for a Laplacian: pipelined CG, with one reduction in each iteration", False)
    partition: Literal[PARTITIONS] | None = setting(
        "for a class: how the matrix is divided among the ranks; grid if left out", None
    )
    depth: int | None = setting(
        "number of pieces of a message; under the strategy pipelined 5 if left out, under others 1",
        None,
        ge=1,
        le=1000,
    )
    engine: CgEngine = setting("parallel execution", CgEngine())

    def check(self) -> None:
        if (self.class_ is None) == (self.laplacian is None):
            raise BadInput("cg needs either class or laplacian: give --set class=A, for instance.")
        if self.class_ is not None and (self.iterations is not None or self.pipelined):
            given = "iterations" if self.iterations is not None else "pipelined"
            raise BadInput(
                f"{given} cannot be combined with class, which fixes the iterations: leave one of them out."
            )
        if self.laplacian is not None and self.partition is not None:
            raise BadInput(
                "partition cannot be combined with laplacian, which is always divided by rows: leave "
                "one of them out."
            )
        if prod(self.cells()) > MOST_ROWS:
            raise BadInput(
                f"laplacian = {self.laplacian} is not allowed: it has more than {MOST_ROWS} cells."
            )

    @property
    def all_to_all(self) -> bool:
        """The columns of the benchmark are random: all ranks of a group send to each other."""
        return self.class_ is not None

    def size(self) -> tuple[str, list[int]]:
        return ("class", self.cells()[:1]) if self.class_ else ("laplacian", self.cells())

    def cells(self) -> list[int]:
        return [CLASSES[self.class_][0], 1, 1] if self.class_ else list(self.laplacian)

    def split_over(self, ranks: int) -> tuple[int, int, int]:
        """Blocks with the smallest faces: entries of a vector cost the same along every axis."""
        if self.class_:
            return ranks, 1, 1
        cells = self.cells()

        def faces(split: list[int]) -> float:
            block = [n / parts for n, parts in zip(cells, split, strict=True)]
            return sum(prod(block) / side * min(p - 1, 2) for side, p in zip(block, split, strict=True))

        fitting = [s for s in splits(ranks) if all(p <= n for p, n in zip(s, cells, strict=True))]
        return tuple(min(fitting, key=faces))

    def periodic(self) -> tuple[bool, bool, bool]:
        return False, False, False

    def check_ranks(self, ranks: int) -> None:
        check_split(self.cells(), "auto", ranks, 1)

    def sized(self, size: list[int]) -> CgCase:
        case = self.model_copy(update={"laplacian": size})
        case.check()
        return case

    def grown(self, first: int, ranks: int) -> CgCase | None:
        if self.class_ is not None:
            raise BadInput(
                "--weak needs a matrix of variable size, but a class has a fixed one: give laplacian."
            )
        return super().grown(first, ranks)

    def options(self) -> dict[str, Any]:
        return {"engine": {}, "case": self}

    def chosen(self, given: list[str]) -> list[str]:
        """The strategies to predict or to measure, `blocking` among them."""
        check_strategies(given)
        usual = usual_cg_strategy(self.partition or ("grid" if self.class_ else "row"))
        known = [name for name in STRATEGIES if name != "automatic"]
        return [name for name in known if name == "blocking" or name in (given or [usual])]


def pieces(strategy: str, depth: int | None) -> int:
    """Of a message, where `depth` may be left out."""
    usual = 5 if strategy == "pipelined" else 1
    return usual if depth is None else depth


def cg_case(sets: list[str]) -> CgCase:
    """The case of these `--set` texts. Raises BadInput with one sentence."""
    return checked_case(CgCase, {"solver": NAME}, sets)


CASE = CgCase
