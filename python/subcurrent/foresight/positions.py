# SPDX-License-Identifier: Apache-2.0
"""The ranks of a run that a prediction rehearses, and which others each of them represents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..case.reading import Case
from ..solvers.kinds import kind_of
from .machine_figures import Places, Share

ALL = 8  # ranks are played as they are
POSITIONS = 3  # of more, those that differ
ON_SEGMENTS = 16  # on a bus in segments more of them: each uses other links
Blocks = tuple[Sequence[int], tuple[int, int, int]]  # cells of a grid, and the ranks along each axis


def positions(case: Case, where: Places) -> tuple[list[int], list[int]]:
    """The ranks to compute, and for each rank the index of the one that represents it, or -1. With few ranks
    all are computed. With many, those with most cells and those with most messages between nodes represent
    the others."""
    if where.ranks <= ALL:
        return list(range(where.ranks)), list(range(where.ranks))
    grid = list(case.cells()), case.split_over(where.ranks)
    others = case.other_blocks(where.ranks)
    kinds = [_kind(case, where, grid, others, rank) for rank in range(where.ranks)]
    away = [_away(kinds, rank, where.per_node) for rank in range(where.ranks)]
    found: dict[tuple, int] = {}
    for rank, kind in enumerate(kinds):
        if kind not in found or away[rank] > away[found[kind]]:
            found[kind] = rank
    order = sorted(found, key=lambda kind: (kind[0], away[found[kind]]), reverse=True)
    loaded = sorted(found, key=lambda kind: (away[found[kind]], kind[0]), reverse=True)
    most = ON_SEGMENTS if where.segments else POSITIONS
    played = sorted({found[kind] for kind in [*order[: most - 1], *loaded[:1]]})
    number = {rank: n for n, rank in enumerate(played)}
    return played, [number.get(found[kind], -1) for kind in kinds]


def _kind(case: Case, where: Places, grid: Blocks, others: tuple[Blocks, ...], rank: int) -> tuple:
    """What ranks that do the same have in common: cells of all grids, the block, those of other grids, and
    the sides with neighbours, on the same node or segment or not."""
    split = grid[1]
    at, block = _block(*grid, rank)
    beside = tuple(_block(*other, rank)[1] for other in others)
    sides = []
    for axis, (c, parts) in enumerate(zip(at, split, strict=True)):
        for step in (-1, 1):
            there = c + step
            if beside or parts == 1 or not (0 <= there < parts or case.periodic()[axis]):
                continue
            other = list(at)
            other[axis] = there % parts
            number = other[0] + split[0] * (other[1] + split[1] * other[2])
            sides.append((axis, step, where.apart(rank, number)))
    return math.prod(block) + sum(map(math.prod, beside)), block, beside, tuple(sides)


def _away(kinds: list[tuple], rank: int, per_node: int) -> int:
    """A measure of the messages of a rank between nodes; with transforms, of all ranks of its node."""
    _, block, beside, sides = kinds[rank]
    if beside:
        first = rank // per_node * per_node
        return sum(kind[0] for kind in kinds[first : first + per_node])
    return sum(math.prod(block) // block[axis] * 1000**apart for axis, _, apart in sides)


def _block(
    cells: Sequence[int], split: tuple[int, int, int], rank: int
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The position of a rank among the blocks of a grid, and its cells along each axis."""
    at = (rank % split[0], rank // split[0] % split[1], rank // (split[0] * split[1]))
    return at, tuple(n * (c + 1) // p - n * c // p for n, c, p in zip(cells, at, split, strict=True))


def share_of(case: Case, ranks: int) -> Share:
    """What a rank has of the case, on average."""
    return Share(math.prod(case.cells()) / ranks, kind_of(case).memory(case, ranks) / ranks)
