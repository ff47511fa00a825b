# SPDX-License-Identifier: Apache-2.0
"""Weak scaling to 4096 ranks of a described machine: a stencil's step, a step with transforms and conjugate
gradients, predicted and, as far as SimGrid can, simulated with all ranks; and transforms whose messages share
links, predicted beside simulated."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import load_machine
from subcurrent.solvers.cg.case import cg_case

from .runs import table

FIRST = 64  # ranks
PLAIN = "engine.strategy=blocking"
TWO_THIRDS = "scheme.dealiasing=two_thirds"


@dataclass(frozen=True)
class Scaled:
    """A step, of which all ranks have as much under every count."""

    what: str
    case: Callable[[int], Any]
    counts: tuple[int, ...]
    per_node: int | None = 64
    simulated: int = simulate.MOST  # the largest count that SimGrid simulates in minutes
    strategy: str = "blocking"


def dendrite(ranks: int) -> Any:
    case = load_case(find_case("nickel_small"), [PLAIN, "grid.cells=[512,512,512]"])
    return predict.sized(case, FIRST, ranks, weak=True)


def turbulence(ranks: int) -> Any:
    case = load_case(find_case("taylor_green_1600"), [PLAIN, "grid.points=[256,256,256]", TWO_THIRDS])
    return predict.sized(case, FIRST, ranks, weak=True)


def laplacian(*more: str) -> Callable[[int], Any]:
    case = cg_case(["laplacian=[128,128,128]", "iterations=10", *more])
    return lambda ranks: predict.sized(case, FIRST, ranks, weak=True)


SCALED = (
    Scaled("dendrite, 128³ cells a rank", dendrite, (FIRST, 512, 4096), per_node=None),
    Scaled(
        "the same, `boundary_first`",
        dendrite,
        (FIRST, 512, 4096),
        per_node=None,
        strategy="boundary_first",
    ),
    Scaled("turbulence, 64³ points a rank", turbulence, (FIRST, 128, 512, 4096), simulated=128),
    Scaled("CG, 32³ rows a rank", laplacian(), (FIRST, 512, 4096)),
    Scaled("pipelined CG, the same", laplacian("pipelined=true"), (FIRST, 512, 4096)),
)


def both(
    case: Any,
    machine: Machine,
    ranks: int,
    per_node: int | None,
    *,
    most: int = simulate.MOST,
    strategy: str = "blocking",
) -> tuple[int, float | None, float]:
    """Nodes, seconds of a step that are simulated, of at most so many ranks, and predicted."""
    row = predict.predicted(case, machine, ranks, [strategy], per_node=per_node)
    taken = None
    if ranks <= most:
        steps = simulate.steps_of(case)
        played = simulate.simulated(case, machine, ranks, [strategy], steps=steps, per_node=per_node)
        taken = played[strategy]
    return row["nodes"], taken, row["strategies"][strategy]["T"]


def shown(base: float, seconds: float | None) -> tuple[str, str]:
    if seconds is None:
        return "–", "–"
    return f"{1e3 * seconds:.4g}", f"{100 * base / seconds:.1f} %"


def rows_of(one: Scaled) -> list[tuple[str, ...]]:
    machine = load_machine("azure_hbv3")
    found = [
        (
            ranks,
            *both(one.case(ranks), machine, ranks, one.per_node, most=one.simulated, strategy=one.strategy),
        )
        for ranks in one.counts
    ]
    first = found[0]
    between = [abs(there / here - 1) for _, nodes, here, there in found if here is not None and nodes > 1]
    rows = []
    for ranks, nodes, here, there in found:
        how = (
            f"formula; within {100 * max(between):.1f} % of SimGrid with fewer ranks"
            if here is None
            else "SimGrid, all ranks"
        )
        rows.append((one.what, str(ranks), str(nodes), *shown(first[2], here), *shown(first[3], there), how))
    return rows


def weak_scaling(_: Path) -> list[str]:
    head = (
        "step",
        "ranks",
        "nodes",
        "simulated, ms",
        "efficiency",
        "predicted, ms",
        "efficiency",
        "obtained by",
    )
    return table(head, [row for one in SCALED for row in rows_of(one)])


WAYS = {"all in one plan": [], "one after the other": ['storage.memory="4 GiB"']}


def shared_links(_: Path) -> list[str]:
    """A rank a node, and links on which messages take longer than computing."""
    machine = load_machine("pentium_cluster")
    rows = []
    for name, sets in WAYS.items():
        case = load_case(find_case("taylor_green_1600"), [PLAIN, "grid.points=[64,64,64]", TWO_THIRDS, *sets])
        for ranks in (2, 4, 8, 16):
            _, here, there = both(case, machine, ranks, 1)
            rows.append(
                (
                    name,
                    str(ranks),
                    f"{1e3 * here:.4g}",
                    f"{1e3 * there:.4g}",
                    f"{100 * (there / here - 1):+.1f} %",
                )
            )
    return table(("arrays", "ranks", "simulated, ms", "predicted, ms", "difference"), rows)
