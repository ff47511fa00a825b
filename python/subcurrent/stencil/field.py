# SPDX-License-Identifier: Apache-2.0
"""Fields of a stencil's grid: levels, values, boundary conditions, and ways out to NumPy and files."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import BadInput
from ..given import Fixed, path_text, whole, wholes
from ..rank import parallel
from . import setting
from .bound_faces import BoundFaces

if TYPE_CHECKING:
    from .grid import Grid


@dataclass(frozen=True)
class Level:
    """One time level of a field: 0 is now, 1 is next."""

    field: Field
    number: int

    def __repr__(self) -> str:
        return f"<{self.field.name}, level {self.number}>"


class Field(Fixed):
    """A field, made by `Grid.field`. Arrays are (z, y, x), components first: shape (nz, ny, nx) or (N, nz,
    ny, nx), with as many axes as the grid has."""

    def __init__(
        self,
        grid: Grid,
        core: Any,
        name: str,
        levels: int,
        components: int,
        dtype: np.dtype,
        units: str,
        place: str,
    ):
        self._grid, self._core, self._name, self._place = grid, core, name, place
        self._levels, self._components, self._dtype, self._units = levels, components, dtype, units
        self._advanced = 0  # times
        self._modified = 0  # blocks of modify() around
        self._faces = BoundFaces(grid, core, name, components)

    def __repr__(self) -> str:
        units = f" in {self.units}" if self.units else ""
        return f"<Field {self.name}{units}, {self.components} x {self.levels} levels on {self.grid!r}>"

    def __reduce__(self) -> Any:
        raise BadInput(f"the field {self.name} cannot be pickled: gather() it, or write a snapshot.")

    # -- what it is ------------------------------------------------------------------------------------

    @property
    def grid(self) -> Grid:
        """The grid of the field."""
        return self._grid

    @property
    def core(self) -> Any:
        """The object of the compiled module."""
        return self._core

    @property
    def name(self) -> str:
        """Name in files, pictures and messages."""
        return self._name

    @property
    def units(self) -> str:
        """Unit of the values, as text; "" if none was given."""
        return self._units

    @property
    def levels(self) -> int:
        """Number of time levels."""
        return self._levels

    @property
    def components(self) -> int:
        """Number of values in each cell."""
        return self._components

    @property
    def dtype(self) -> np.dtype:
        """np.float64 or np.float32."""
        return self._dtype

    @property
    def place(self) -> str:
        """Where the cells are stored: "memory", "host" or "files"."""
        return self._place

    @property
    def computed_by(self) -> str:
        """The processor that computes the field: "cpu", or the name of the device."""
        return self._grid.device if self._core.on_device else "cpu"

    # -- levels ----------------------------------------------------------------------------------------

    def level(self, number: int) -> Level:
        """Level 0 is now, 1 is next."""
        return Level(self, whole(f"the level of {self.name}", number, 0, self.levels - 1))

    @property
    def now(self) -> Level:
        """The present time level, level 0."""
        return self.level(0)

    @property
    def next(self) -> Level:
        """The next time level, level 1, of a field with two levels or more."""
        if self.levels < 2:
            raise BadInput(f"the field {self.name} has one level: make it with levels=2 for now and next.")
        return self.level(1)

    def advance(self) -> None:
        """Swaps the time levels without copying: next becomes now, and now becomes the last level."""
        self._core.advance()
        self._advanced += 1
        self._grid.note(self)

    # -- values ----------------------------------------------------------------------------------------

    @property
    def own(self) -> NDArray:
        """This rank's own cells at level 0, read-only: a view of the field's memory; for a field on a device,
        of its copy in host memory. Get it again after `advance`, and on a device after every run of a
        kernel."""
        return self._own(0)

    def _own(self, number: int) -> NDArray:
        view = self._shaped(self._core.view(number))
        view.flags.writeable = False
        return view

    @contextlib.contextmanager
    def modify(self, level: int = 0) -> Iterator[NDArray]:
        """A writable view of this rank's own cells, within a `with` block that all ranks execute; collective.
        Neither it nor a part of it may be written to after the block.

        with T.modify() as own:
            own[...] = 0
        """
        number = self.level(level).number
        view, before, collected = self._shaped(self._core.modify(number)), self._advanced, False
        self._modified += 1
        try:
            yield view
        except GeneratorExit:  # never left, which is no moment for what all ranks do
            collected = True
            raise
        finally:
            view.flags.writeable = False
            self._modified -= 1
            if not collected:  # a kernel may have filled the halo before the last change
                self._core.modify((number - (self._advanced - before)) % self.levels)

    def set(self, values: Any, level: int = 0) -> None:
        """Sets a level to a number, to an array of all cells or of this rank's own, or to the result of a
        function of the global positions x, y, z (whole numbers, arrays that broadcast); collective. With
        several components, they are the first axis of the array, or there is a tuple or list with a number or
        an array for each."""
        number = self.level(level).number
        if parallel.rehearses():
            return
        if self.place != "memory":
            setting.set_slabs(self, values, number)
            return
        array = self._grid.together(lambda: setting.array_of(self, values))
        with self.modify(level) as own:
            own[...] = array

    def each_slab(self, use: Callable[[int, NDArray], Any], level: int = 0) -> None:
        """Calls use(z, cells) with read-only own planes of this rank, from the global plane z on: once with
        all planes or, for a field in files or in host memory, once for each slab. `cells` is not valid after
        the call. Collective."""
        first = self._grid.local_box[0][2] if self._grid.dimensions == 3 else 0

        def read(low: int, view: NDArray) -> None:
            cells = self._shaped(view)
            cells.flags.writeable = False
            use(first + low, cells)

        setting.each_slab(self, self.level(level).number, False, read)

    def _shaped(self, array: NDArray) -> NDArray:
        """Without the axes that the grid does not have."""
        return array.reshape(array.shape[:-3] + array.shape[array.ndim - self._grid.dimensions :])

    def gather(self, level: int = 0) -> NDArray | None:
        """All cells on rank 0, None on the other ranks; a copy; collective."""
        array = self._core.gather(self.level(level).number)
        return None if array is None else self._shaped(array)

    def at(self, cells: Sequence[Sequence[int]]) -> NDArray[np.float64]:
        """Values at level 0 of single cells (x, y, z) of the whole grid, on all ranks: shape (cells,) or
        (cells, components); collective."""
        wanted = []
        for n, cell in enumerate(cells):
            place = wholes(f"cells[{n}]", cell, 0, count=self._grid.dimensions)
            if any(at >= most for at, most in zip(place, self._grid.cells, strict=True)):
                raise BadInput(f"cells[{n}] = {place} is outside of the grid of {self._grid.cells} cells.")
            wanted.append((*place, *[0] * (3 - len(place))))
        values = np.array(self._core.values_at(wanted))
        return values.reshape(len(wanted), self.components) if self.components > 1 else values

    # -- boundaries ------------------------------------------------------------------------------------

    def boundary(self, faces: str, condition: Any) -> None:
        """Sets the boundary condition on faces of the domain: "x-", "x+", …, several as "x- x+", or "all"
        faces that are not periodic. `condition` is Dirichlet(v), Neumann(g), Fixed(v), Mirror(), a call of an
        @sc.condition, or "unread" if no kernel reads beyond the face. It is used from the next halo exchange
        on; collective."""
        self._faces.bound(self, faces, condition)

    @property
    def conditions(self) -> dict[tuple[int, int], Any]:
        """The boundary conditions set by `boundary`, by axis and side."""
        return dict(self._faces.conditions)

    # -- out -------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray:
        own = self.own
        if copy is False and dtype not in (None, own.dtype):
            raise ValueError(f"the field {self.name} is {own.dtype}: as {dtype} it would be a copy")
        return np.array(own, dtype=dtype) if copy or dtype not in (None, own.dtype) else own

    def __dlpack__(self, **options: Any) -> Any:
        try:
            return self.own.__dlpack__(**options)
        except BufferError:
            raise BadInput(
                f"the field {self.name} is read-only, which the DLPack of this consumer cannot express: give "
                "it a copy, np.array(T), or the writable view of T.modify()."
            ) from None

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)  # the host's memory

    def to_xarray(self, level: int = 0) -> Any:
        """All cells as an xarray.DataArray on rank 0, None on the other ranks; collective. The coordinates
        are the centres of the cells, (i + 1/2) spacing."""
        from . import showing  # noqa: PLC0415 - xarray and matplotlib are loaded where they are asked for

        array = self.gather(level)
        return self._grid.together(lambda: None if array is None else showing.as_xarray(self, array))

    def snapshot(self, path: str, *others: Field, step: int = 0, time: float = 0.0) -> None:
        """Writes level 0 of this field, and of other fields of its grid, to a VTKHDF file that ParaView and
        xarray open; collective."""
        from . import showing  # noqa: PLC0415

        showing.write_snapshot(self, others, path, step, time)

    def plot(
        self,
        path: str | None = None,
        *,
        component: int = 0,
        axis: str = "z",
        at: int | None = None,
        title: str | None = None,
    ) -> str | None:
        """Draws a slice as PNG, PDF or SVG: the plane across an axis through the middle or at a cell, or a
        line in one dimension. Rank 0 writes it to `path`, or to NAME.png, and returns the path;
        collective."""
        component = whole("component", component, 0, self.components - 1)
        from . import showing  # noqa: PLC0415

        path = path_text("path", path or f"{self.name}.png")
        showing.check_slice(self, axis, at)
        array = self.gather()
        plane = array[component] if array is not None and self.components > 1 else array
        return self._grid.together(
            lambda: None if plane is None else showing.draw(self, plane, path, axis, at, title)
        )
