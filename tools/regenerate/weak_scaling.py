# SPDX-License-Identifier: Apache-2.0
"""Weak scaling to 4096 ranks of a described machine: a stencil's step and conjugate gradients, every rank
simulated, predicted beside it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import find_machine, load_machine
from subcurrent.solvers.cg.case import cg_case

from .runs import table

FIRST = 64  # ranks
PLAIN = "engine.strategy=blocking"


@dataclass(frozen=True)
class Scaled:
    """A step, of which all ranks have as much under every count."""

    what: str
    case: Callable[[int], Any]
    counts: tuple[int, ...]
    per_node: int | None = 64

    def row(self, ranks: int) -> tuple[int, float, float]:
        """Nodes, seconds that are simulated and predicted."""
        machine, case = load_machine(find_machine("azure_hbv3")), self.case(ranks)
        where = {"per_node": self.per_node}
        row = predict.predicted(case, machine, ranks, ["blocking"], **where)
        steps = simulate.steps_of(case)
        played = simulate.simulated(case, machine, ranks, ["blocking"], steps=steps, **where)
        return row["nodes"], played["blocking"], row["strategies"]["blocking"]["T"]


def dendrite(ranks: int) -> Any:
    case = load_case(find_case("nickel_small"), [PLAIN, "grid.cells=[512,512,512]"])
    return predict.sized(case, FIRST, ranks, weak=True)


def laplacian(*more: str) -> Callable[[int], Any]:
    case = cg_case(["laplacian=[128,128,128]", "iterations=10", *more])
    return lambda ranks: predict.sized(case, FIRST, ranks, weak=True)


SCALED = (
    Scaled("dendrite, 128³ cells a rank", dendrite, (FIRST, 512, 4096), per_node=None),
    Scaled("CG, 32³ rows a rank", laplacian(), (FIRST, 512, 4096)),
    Scaled("pipelined CG, the same", laplacian("pipelined=true"), (FIRST, 512, 4096)),
)


def rows_of(one: Scaled) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    first: tuple[float, ...] = ()
    for ranks in one.counts:
        nodes, *taken = one.row(ranks)
        first = first or tuple(taken)
        shown = [
            word
            for base, seconds in zip(first, taken, strict=True)
            for word in (f"{1e3 * seconds:.4g}", f"{100 * base / seconds:.1f} %")
        ]
        rows.append((one.what, str(ranks), str(nodes), *shown))
    return rows


def weak_scaling(_: Path) -> list[str]:
    head = ("step", "ranks", "nodes", "simulated, ms", "efficiency", "predicted, ms", "efficiency")
    return table(head, [row for one in SCALED for row in rows_of(one)])
