# SPDX-License-Identifier: Apache-2.0
"""How ranks divide a grid: all splits, the one that the engine chooses, and what a case may ask for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ..errors import BadInput


@dataclass(frozen=True)
class Halo:
    """Layers of cells around a block, as `GridOptions` of engine/grid/grid.hpp: beside neighbours, along axes
    that are divided or periodic, and beyond the walls of the others."""

    beside_neighbours: int
    beyond_walls: int
    periodic: tuple[bool, ...]

    def layers(self, split: tuple[int, ...]) -> tuple[int, int, int]:
        """Along each axis."""
        x, y, z = (
            self.beside_neighbours if parts > 1 or periodic else self.beyond_walls
            for parts, periodic in zip(split, self.periodic, strict=True)
        )
        return x, y, z


def check_split(cells: list[int], split: Literal["auto"] | list[int], ranks: int, halo: int) -> None:
    """Raises BadInput if the number of blocks is not `ranks`, or a block is thinner than the halo read from
    it."""
    if ranks < 1:
        raise BadInput(f"-n {ranks} is not allowed: the number of ranks is a whole number >= 1.")
    if split == "auto":
        if not any(_too_thin(cells, trial, halo) is None for trial in splits(ranks)):
            raise BadInput(
                f"-n {ranks} is more ranks than this grid allows: no split of {cells} cells gives "
                f"every rank at least {halo} cells along each divided axis, as many as the halo has "
                "layers."
            )
        return
    px, py, pz = split
    if px * py * pz != ranks:
        raise BadInput(
            f"engine.split = {split} makes {px * py * pz} blocks for {ranks} ranks: they must be equal."
        )
    axis = _too_thin(cells, split, halo)
    if axis is not None:
        raise BadInput(
            f"engine.split = {split} gives a rank {cells[axis] // split[axis]} of {cells[axis]} "
            f"cells along {'xyz'[axis]}, less than the {halo} layers of a halo: at most "
            f"{cells[axis] // halo} ranks fit along this axis."
        )


def chosen_split(
    cells: list[int], split: Literal["auto"] | list[int], ranks: int, halo: int
) -> tuple[int, int, int]:
    """The requested split, or the one that the engine chooses: that with the least halo data, with faces
    across x counted four times."""
    if split != "auto":
        return tuple(split)

    def cost(parts: list[int]) -> float:
        nx, ny, nz = (count / part for count, part in zip(cells, parts, strict=True))
        faces = (4 * ny * nz, 1.01 * nx * nz, nx * ny)
        return sum(face for face, part in zip(faces, parts, strict=True) if part > 1)

    fitting = [parts for parts in splits(ranks) if _too_thin(cells, parts, halo) is None]
    return tuple(min(fitting, key=cost, default=[1, 1, ranks]))


def _too_thin(cells: list[int], split: list[int], halo: int) -> int | None:
    """The first axis along which a block would be thinner than the halo its neighbour reads, or None."""
    for axis, (count, parts) in enumerate(zip(cells, split, strict=True)):
        if parts > 1 and count // parts < halo:
            return axis
    return None


def splits(ranks: int) -> Iterator[list[int]]:
    for px in (n for n in range(1, ranks + 1) if ranks % n == 0):
        rest = ranks // px
        for py in (n for n in range(1, rest + 1) if rest % n == 0):
            yield [px, py, rest // py]
