# SPDX-License-Identifier: Apache-2.0
"""The grid of stencils written in Python."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..case.splits import Halo
from ..errors import BadInput
from ..given import Fixed, one_of, path_text, plain, positive, whole, wholes
from ..launch import memory
from ..rank import parallel
from .field import Field

T = TypeVar("T")
AXES = "xyz"
MOST_CALLS = 100_000  # of a step in a rehearsal; more are a loop that waits for a value
_numbers = itertools.count()  # of grids, the same on all ranks


class Grid(Fixed):
    """Cells in one, two or three dimensions, divided among the MPI ranks.

    cells      (nx,), (nx, ny) or (nx, ny, nz)
    periodic   True, False, or one for each axis
    halo       number of halo layers: how many cells away kernels may read
    wall_halo  number of layers beyond the faces of axes that are neither periodic nor divided; None: as many.
               A loop with several steps a pass needs wide halos, these only as wide as one kernel reads
    split      number of ranks along each axis; None: chosen
    spacing    size of a cell, one number or one for each axis; for pictures, files and Neumann conditions
    threads    OpenMP threads of every rank; the same for all grids and simulations of a script
    transport  "auto", "shared" (shared memory) or "mpi"
    scratch    folder for the files of fields with place="files"; use a fast local disk
    pieces     number of pieces of such fields, each at least one plane along z
    device     "cpu", "cuda", or "emulated", a device emulated on the host; the same for all grids and
               simulations of a script. Fields are stored and computed there

    `python script.py` runs on one rank, `mpirun -n 4 python script.py` on four. All ranks make every call;
    only attributes may be read on a single rank. Raises BadInput for arguments that are not possible.
    """

    def __init__(
        self,
        cells: Sequence[int],
        *,
        periodic: bool | Sequence[bool] = False,
        halo: int = 1,
        wall_halo: int | None = None,
        split: Sequence[int] | None = None,
        spacing: float | Sequence[float] = 1.0,
        threads: int = 1,
        transport: str = "auto",
        scratch: str = "scratch",
        pieces: int = 8,
        device: str = "cpu",
    ):
        given = plain(cells)
        if not isinstance(given, list) or not 1 <= len(given) <= 3:
            raise BadInput(f"cells = {cells!r} is not allowed: it must be one to three whole numbers.")
        self._cells = wholes("cells", given, 1, 2**31 - 1, len(given))
        self._periodic = self._each("periodic", periodic, _truth)
        self._spacing = self._each("spacing", spacing, positive)
        self._halo = whole("halo", halo, 0, 64)
        self._wall_halo = None if wall_halo is None else whole("wall_halo", wall_halo, 0, self._halo)
        walls = self._halo if wall_halo is None else wall_halo
        parts = (
            (0,) * 3
            if split is None
            else self._padded(wholes("split", split, 1, 2**31 - 1, self.dimensions), 1)
        )
        self._transport = one_of("transport", transport, ("auto", "shared", "mpi"))
        self._computes = one_of("device", device, ("cpu", "cuda", "emulated"))
        self._scratch = path_text("scratch", scratch)
        self._context = parallel.context(threads, self._transport, self._computes)
        self._core = parallel.module().StencilGrid(
            self._context,
            self._padded(self._cells, 1),
            self._padded(self._periodic, False),
            [self._halo, walls],
            parts,
            self._scratch,
            whole("pieces", pieces, 1, 100_000),
            next(_numbers),
        )
        self._layers = Halo(self._halo, walls, self._padded(self._periodic, False))
        self._pieces = pieces
        self._noted: list[Any] | None = None  # what the present step of a loop has done, in order

    def _each(self, name: str, given: Any, check: Callable[[str, Any], T]) -> tuple[T, ...]:
        """One value for each axis."""
        values = plain(given)
        if not isinstance(values, list):
            values = [values] * self.dimensions
        if len(values) != self.dimensions:
            raise BadInput(f"{name} = {given!r} is not allowed: it must be one, or {self.dimensions}.")
        return tuple(check(name, value) for value in values)

    def _padded(self, values: tuple[T, ...], more: T) -> tuple[T, ...]:
        return (*values, *[more] * (3 - self.dimensions))

    def __repr__(self) -> str:
        return f"<Grid {' x '.join(map(str, self.cells))} on {self._context.size} ranks>"

    def __reduce__(self) -> Any:
        raise BadInput("a Grid cannot be pickled: it is divided among the ranks of this program.")

    @property
    def cells(self) -> tuple[int, ...]:
        """(nx, ny, nz), one number for each axis."""
        return self._cells

    @property
    def dimensions(self) -> int:
        """Number of axes: 1 to 3."""
        return len(self._cells)

    @property
    def periodic(self) -> tuple[bool, ...]:
        """Which axes are periodic, along x, y, z."""
        return self._periodic

    @property
    def halo(self) -> int:
        """Number of halo layers beside neighbours."""
        return self._halo

    @property
    def wall_halo(self) -> int:
        """Number of halo layers beyond the faces of axes that are neither periodic nor divided."""
        return self._layers.beyond_walls

    @property
    def halos(self) -> tuple[int, int, int]:
        """Number of halo layers along x, y, z."""
        return self._layers.layers(self._core.split)

    @property
    def spacing(self) -> tuple[float, ...]:
        """Sides of a cell, along x, y, z."""
        return self._spacing

    @property
    def split(self) -> tuple[int, ...]:
        """Number of ranks along each axis."""
        return tuple(self._core.split)[: self.dimensions]

    @property
    def rank(self) -> int:
        """The number of this rank, from 0."""
        return self._context.rank

    @property
    def ranks(self) -> int:
        """Number of ranks that share the grid."""
        return self._context.size

    @property
    def device(self) -> str:
        """Name of the device; "cpu" without one."""
        return self._context.device.partition(" (device")[0]

    @property
    def local_box(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """(low, high): the cells that this rank owns, half-open, along x, y, z."""
        low, high = self._core.box()
        return tuple(low)[: self.dimensions], tuple(high)[: self.dimensions]

    @property
    def positions(self) -> tuple[NDArray[np.int64], ...]:
        """Global positions x, y, z of this rank's own cells, whole numbers with shapes that broadcast against
        views of fields."""
        low, high = self.local_box
        axes = [np.arange(a, b) for a, b in zip(low, high, strict=True)]
        return tuple(
            axis.reshape([-1 if n == k else 1 for n in reversed(range(self.dimensions))])
            for k, axis in enumerate(axes)
        )

    def field(
        self,
        name: str,
        *,
        levels: int = 1,
        components: int = 1,
        dtype: Any = np.float64,
        units: str = "",
        place: str = "memory",
    ) -> Field:
        """Makes a field on this grid, with all values zero. `levels`: number of time levels, 2 for now and
        next; `dtype`: float64 or float32; `units`: for labels; `place`: "memory" of the device or, without
        one, of the host; for larger fields "host", the host's memory beside a device, or "files". Planes of
        these are copied or read while others are computed. Collective."""
        if not isinstance(name, str) or not name or name == "." or "/" in name or "\0" in name:
            raise BadInput(f"name = {name!r} is not allowed: a field's name is a text without /.")
        kind = np.dtype(dtype)
        if kind not in (np.dtype(np.float64), np.dtype(np.float32)):
            raise BadInput(f"dtype = {dtype!r} is not allowed: it must be float64 or float32.")
        levels, components = whole("levels", levels, 1, 64), whole("components", components, 1, 64)
        far = one_of("place", place, ("memory", "host", "files")) != "memory"
        if far and self.dimensions < 3:
            raise BadInput(f'place = "{place}" needs three axes, and the grid has {self.dimensions}.')
        if place == "host" and self.device == "cpu" and not parallel.rehearses():
            raise BadInput(
                'place = "host" is the memory of the host beside a device, and the grid has none: make it '
                'sc.Grid(…, device="cuda"), or leave the field in "memory".'
            )
        near = self._padded(self._cells, 1)
        if place == "files":
            near = memory.of_slots(near, self._pieces, self._halo)
        one = memory.Fields(name, near, self._layers, kind.itemsize, components, levels)
        if not parallel.rehearses():
            parallel.check_memory(self._context, memory.check_fields, one, tuple(self._core.split))
        where = "memory" if place == "host" and parallel.rehearses() else place
        core = parallel.module().StencilField(self._core, name, components, kind == np.float32, levels, where)
        return Field(self, core, name, levels, components, kind, str(units), place)

    @property
    def core(self) -> Any:
        """The object of the compiled module."""
        return self._core

    def note(self, done: Any) -> None:
        """Adds a call of a kernel, or a field that has advanced, to the present step of a loop."""
        if self._noted is None:
            return
        self._noted.append(done)
        if len(self._noted) > MOST_CALLS and parallel.rehearses():
            raise BadInput(
                f"a step calls more than {MOST_CALLS} kernels in a rehearsal, which has no values: call "
                "predict() of the loop in a script that has computed some steps."
            )

    @contextlib.contextmanager
    def noting(self) -> Iterator[list[Any]]:
        """What a step of a loop does, in order."""
        outer, done = self._noted, []
        self._noted = done
        try:
            yield done
        finally:
            self._noted = outer
            if outer is not None:
                outer += done

    def tables(self) -> dict[str, Any]:
        """The grid, and how its ranks compute, as a case for predictions and measurements has them."""
        grid = {
            "cells": list(self._padded(self._cells, 1)),
            "periodic": list(self._padded(self._periodic, False)),
            "halo": self._halo,
            "wall_halo": self._wall_halo,
            "dimensions": self.dimensions,
            "pieces": self._pieces,
            "scratch": self._scratch,
        }
        engine = {"threads": self._context.threads, "transport": self._transport, "device": self._computes}
        return {"grid": grid, "engine": engine}

    def together(self, action: Callable[[], T]) -> T:
        """Does it on all ranks; where one of them fails, all do. Collective."""
        return parallel.together(self._context, action)

    def barrier(self) -> None:
        """Waits for all ranks; collective."""
        self._context.barrier()


def _truth(name: str, value: Any) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{name} = {value!r} is not allowed: it must be True or False.")
    return value
