# SPDX-License-Identifier: Apache-2.0
"""Published scaling tables of other codes: predicted from one row of each, beside what was published.

What is calibrated is one number a code, the seconds that a core computes for a cell. Messages, copies and
reductions follow from the machine's file; halos and sums by rehearsal (see `described`), transposes by the
closed form below, which counts who of a group sits on another node.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from subcurrent.foresight.machine_figures import Places, figures, places
from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import load_machine

from .described import Part, Stage, described
from .runs import table

DOUBLE, COMPLEX = 8, 16  # bytes


@dataclass(frozen=True)
class Row:
    """A published measurement."""

    cells: tuple[int, int, int]
    split: tuple[int, int, int]  # ranks along x, y, z; of transforms (1, P1, P2)
    seconds: float

    @property
    def ranks(self) -> int:
        return math.prod(self.split)


Sides = tuple[float, float]  # cells of the slowest rank; seconds of what is not computing


@dataclass(frozen=True)
class Code:
    name: str
    machine: str
    source: str
    sides: Callable[[Machine, Places, Row], Sides]
    rows: tuple[Row, ...]  # the first is the one that is calibrated on


def halos_and_sums(stages: tuple[Stage, ...], steps: int, periodic: bool) -> Callable[..., Sides]:
    """`steps` times the stages, as the ranks of the node in the middle rehearse them."""

    def sides(machine: Machine, where: Places, row: Row) -> Sides:
        values = figures(machine, "another code", where, 1e-3)
        # reductions of theirs are a number; the engine's, which do not depend on the order, are longer
        values |= {"byte": [0.0], "flop": [0.0], "run": 0.0, "reduction_byte": 0.0}
        first = where.nodes // 2 * where.per_node
        parts = [
            Part(rank, row.ranks, where.per_node, row.cells, row.split, periodic, stages, values)
            for rank in range(first, min(first + where.per_node, row.ranks))
        ]
        answers = described(parts)
        return (
            steps * max(answer["cells"] for answer in answers),
            steps * max(answer["seconds"] for answer in answers),
        )

    return sides


def transforms(machine: Machine, where: Places, row: Row) -> Sides:
    """A transform of a real field and back: two transposes each, one among P1 ranks that follow one another,
    one among P2 that are P1 apart. Packing and taking copy every byte; what leaves a node shares its link."""
    nx, ny, nz = row.cells
    _, p1, p2 = row.split
    values = figures(machine, "another code", where, 1e-3)
    bytes_of_rank = COMPLEX * (nx // 2 + 1) * ny * nz / row.ranks
    seconds = 0.0
    for members, apart in ((p1, 1), (p2, p1)):
        away, fullest = _away(row.ranks, where.per_node, members, apart)
        on_link = bytes_of_rank / members * away / (machine.network.bandwidth * machine.network.links)
        posted = 2 * (members - 1) * machine.network.overhead if fullest else 0.0
        copies = bytes_of_rank * (2 * values["copied_byte"])
        seconds += 2 * (copies + on_link + posted + (machine.network.latency if fullest else 0.0))
    return nx * ny * nz / row.ranks * math.log2(nx * ny * nz), seconds


def _away(ranks: int, per_node: int, members: int, apart: int) -> tuple[int, bool]:
    """Messages that leave the busiest node when all ranks write to all of their group; whether any does."""
    busiest = 0
    for node in range(math.ceil(ranks / per_node)):
        here = range(node * per_node, min((node + 1) * per_node, ranks))
        leaving = 0
        for rank in here:
            first = rank - rank // apart % members * apart
            group = (first + k * apart for k in range(members))
            leaving += sum(1 for other in group if other not in here)
        busiest = max(busiest, leaving)
    return busiest, busiest > 0


def _cubes(n: int, measured: dict[tuple[int, int, int], float]) -> tuple[Row, ...]:
    return tuple(Row((n, n, n), split, seconds) for split, seconds in measured.items())


# Fourth-order differences on 512^3 and 1024^3, three stages of Runge and Kutta a step. Their loops read ten
# fields two cells away along every axis, and five along one or two: six faces of two layers of twelve fields.
OPENSBLI = Code(
    "OpenSBLI, Taylor-Green",
    "archer",
    "github.com/hpc-uk/archer-benchmarks (f644ea4), apps/OpenSBLI; medians of repeated runs",
    halos_and_sums((Stage(12, 2),), 3, True),
    (
        *_cubes(512, {
            (4, 3, 2): 10.0386, (4, 4, 3): 4.8833, (6, 4, 4): 2.8880, (8, 6, 4): 1.4235, (8, 8, 6): 0.65854,
            (12, 8, 8): 0.35086,
        }),
        *_cubes(1024, {
            (6, 4, 4): 30.107, (8, 6, 4): 10.440, (8, 8, 6): 4.9596, (12, 8, 8): 2.8305,
            (16, 12, 8): 1.4378, (16, 16, 12): 0.6571,
        }),
    ),
)  # fmt: skip

P3DFFT = Code(
    "P3DFFT, there and back",
    "jean_zay",
    "github.com/jipolanco/PencilFFTs.jl (68f366f), benchmarks/clusters/idris.jean_zay",
    transforms,
    (
        *_cubes(512, {
            (1, 8, 16): 0.135754, (1, 16, 16): 0.0722731, (1, 16, 32): 0.0411147, (1, 32, 32): 0.0213275,
            (1, 32, 64): 0.0161718, (1, 64, 64): 0.0105496, (1, 64, 128): 0.006392,
        }),
        *_cubes(1024, {
            (1, 16, 16): 0.623159, (1, 16, 32): 0.333197, (1, 32, 32): 0.199013, (1, 32, 64): 0.141267,
            (1, 64, 64): 0.10248, (1, 64, 128): 0.0528223,
        }),
        *_cubes(2048, {
            (1, 16, 32): 3.01169, (1, 32, 32): 1.87287, (1, 32, 64): 1.1786, (1, 64, 64): 0.884647,
            (1, 64, 128): 0.439616, (1, 128, 128): 0.280825,
        }),
    ),
)  # fmt: skip

# GMRES(30), 500 iterations: a product with the five-point Laplacian in strips of rows, inner products with up
# to 30 vectors in one reduction, and a norm in another.
ITERATION = (Stage(1, 1, 15), Stage(1, 0, 1))
GMRES = halos_and_sums(ITERATION, 500, False)
LAP2D = "github.com/petsc/petsc (0304786), src/benchmarks/results/lap2d.m"


def _strips(n: int, seconds: dict[int, float]) -> tuple[Row, ...]:
    return tuple(Row((n, n, 1), (1, ranks, 1), one) for ranks, one in seconds.items())


def _petsc(machine: str, large: list[float], small: list[float]) -> Code:
    counts = (2, 4, 8, 16, 32)
    rows = (
        *_strips(1000, dict(zip(counts, large, strict=True))),
        *_strips(100, dict(enumerate(small, 1))),
    )
    return Code("PETSc, GMRES(30), 500 iterations", machine, LAP2D, GMRES, rows)


SP2 = _petsc(
    "sp2",
    [455.5, 245.2, 123.9, 72.41, 38.63],
    [9.425, 6.036, 4.32, 3.334, 3.634, 3.656, 3.657, 4.248],
)
T3E = _petsc(
    "t3e",
    [432.3, 220, 111.4, 56.24, 30.16],
    [9.566, 5.704, 4.260, 3.080, 3.000, 2.696, 2.614, 2.6061],
)
CODES = (OPENSBLI, P3DFFT, SP2, T3E)


@dataclass(frozen=True)
class Told:
    row: Row
    predicted: float
    computing: float  # the share of it

    @property
    def misfit(self) -> float:
        return self.predicted / self.row.seconds - 1


def predicted(code: Code, machine: Machine | None = None) -> list[Told]:
    """Every row of a table; the calibrated one comes out as published. Raises ValueError where the messages
    of that row take longer than all of it: then nothing is left to calibrate."""
    machine = machine or load_machine(code.machine)
    sides = [code.sides(machine, places(machine, row.ranks, 1), row) for row in code.rows]
    cells, moving = sides[0]
    seconds = code.rows[0].seconds
    if moving >= seconds:
        raise ValueError(
            f"{code.name} on {machine.name}: messages alone take {moving:.3g} s of the {seconds:.3g} s that "
            "were published for the row to be calibrated on."
        )
    cell = (seconds - moving) / cells
    told = []
    for row, (own, other) in zip(code.rows, sides, strict=True):
        total = own * cell + other
        told.append(Told(row, total, own * cell / total))
    return told


@cache
def shipped(number: int) -> list[Told]:
    return predicted(CODES[number])


def by_size(told: list[Told]) -> dict[int, list[Told]]:
    sizes = dict.fromkeys(one.row.cells[0] for one in told)
    return {n: [one for one in told if one.row.cells[0] == n] for n in sizes}


def named(code: Code, n: int) -> str:
    power = "³" if code.rows[0].cells[2] > 1 else "²"
    return f"{code.name}, {load_machine(code.machine).name}, {n}{power}"


def other_codes(_: Path) -> list[str]:
    rows = []
    for number, code in enumerate(CODES):
        told = shipped(number)
        for n, those in by_size(told).items():
            misfits = ("calibrated" if one is told[0] else f"{100 * one.misfit:+.0f}" for one in those)
            rows.append(
                (
                    named(code, n),
                    ", ".join(str(one.row.ranks) for one in those),
                    ", ".join(f"{one.row.seconds:.3g}" for one in those),
                    ", ".join(f"{one.predicted:.3g}" for one in those),
                    ", ".join(misfits),
                )
            )
    return table(("", "ranks", "published, s", "predicted, s", "misfit, %"), rows)
