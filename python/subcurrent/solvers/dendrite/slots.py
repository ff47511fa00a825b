# SPDX-License-Identifier: Apache-2.0
"""The memory of a crystal whose fields are in files, as solvers/dendrite/budget.cpp plans it."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

from ...case.splits import Halo
from ...launch.memory import blocks_of, row_of

PAGE = 4096  # a copy of a file begins and ends at multiples of it
STAGGER = 1536  # arrays of a slot begin this much further, see PlaneCut
UNDER_WAY, MOST_AHEAD = 4 * 2**20, 4  # bytes that hide the disk's latency; pieces read ahead for that
BATCH = 4 * 2**20  # of writing a checkpoint, at most
TAIL = 128  # bytes after the last plane of a slot, at most


@dataclass(frozen=True)
class Slots:
    """A ring of slots, each with a piece of every array and the planes around it, and the surfaces of blocks,
    which stay in memory."""

    cells: tuple[int, ...]
    halo: Halo
    size: int
    read: int  # arrays of a step
    written: int
    pieces: int
    reach: int
    length: int  # steps of a pass
    overlaps: bool  # pieces are read ahead

    def bytes(self, split: tuple[int, ...]) -> int:
        """On all ranks together."""
        blocks = map(blocks_of, self.cells, split)
        return sum(self._of_rank(block, split) for block in itertools.product(*blocks))

    def _of_rank(self, block: tuple[int, ...], split: tuple[int, ...]) -> int:
        x, y, z = block
        halo = self.halo.layers(split)
        plane = self.size * row_of(x + 2 * halo[0]) * (y + 2 * halo[1])
        piece = _pages((z - z * (self.pieces - 1) // self.pieces) * plane)
        slot = self._slot(plane, piece, halo[2])
        ahead = MOST_AHEAD if slot * MOST_AHEAD <= UNDER_WAY else max(1, -(-UNDER_WAY // slot))
        held = 2 if self.length > 1 else 1  # a pass keeps the piece before the present one
        ring = (2 * (ahead if self.overlaps else 0) + held) * _pages(slot)
        return ring + self._surfaces(block, split) + 2 * piece + min(BATCH, piece)

    def _slot(self, plane: int, piece: int, halo: int) -> int:
        def around(planes: int) -> int:
            return STAGGER + piece + 2 * _pages(planes * plane) + _pages(TAIL)

        bounced = 2 * halo * (_pages(plane) + 2 * PAGE)  # planes of the halo on their way
        single = self.read * (around(halo) + bounced) + self.written * (STAGGER + piece)
        if self.length == 1:
            return single
        # Both levels of every field are in a slot, with the planes that the steps of a pass need.
        room = max(self.reach * (self.length + 1), halo)
        return max(single, (self.read + self.written) * around(room))

    def _surfaces(self, block: tuple[int, ...], split: tuple[int, ...]) -> int:
        """Those that neighbours read, and the halos beside them, of every array."""
        cells, halo = 0, self.halo.layers(split)
        for axis in range(3):
            if axis < 2 and split[axis] == 1:
                continue  # a slot has both ends of the axis
            sides = 2 if self.halo.periodic[axis] or split[axis] > 2 else min(2, split[axis] - 1)
            wide = [n + 2 * halo[other] if other < axis else n for other, n in enumerate(block)]
            own = math.prod(n for other, n in enumerate(block) if other != axis)
            beyond = math.prod(n for other, n in enumerate(wide) if other != axis)
            cells += sides * (min(halo[axis], block[axis]) * own + halo[axis] * beyond)
        return (self.read + self.written) * self.size * cells


def _pages(size: int) -> int:
    return math.ceil(size / PAGE) * PAGE
