# SPDX-License-Identifier: Apache-2.0
"""The Python interface: what the classes of all solvers have in common. Fields are views of the solver's
memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from ..case.reading import as_tables, typed_case
from ..errors import BadInput
from ..given import Fixed, one_of, path_text, plain, positive, whole, without_none
from ..launch import memory
from ..rank import parallel
from ..rank.ending import End
from ..report.account import account_of
from . import Each
from .kinds import kind_of, title_of


class Simulation(Fixed):
    """The methods of all solvers: steps, time, fields, files. On one rank: `python script.py`. On four ranks:
    `mpirun -n 4 python script.py`; then all ranks call every method."""

    _tables: ClassVar[tuple[str, ...]] = ()  # of a case file, beside those that have arguments of their own
    _fields: ClassVar[tuple[str, ...]] = ()  # that `gather` brings; the first where none is named
    _plots: ClassVar[tuple[str, ...]] = ()  # kinds that `plot` draws; the first where none is named

    def __init__(self, tables: dict[str, Any], given: dict[str, Any] | None = None):
        """Keys of `tables` that are None are left out. `given`: further tables by name. Raises BadInput for a
        name that is not in `_tables`."""
        for name in given or {}:
            one_of("the table", name, self._tables)
        own = {
            name: without_none(table) if isinstance(table, dict) else table for name, table in tables.items()
        }
        self._case = typed_case(plain({**own, **(given or {})}), Path())
        if self._case.engine.device != "cpu":
            raise BadInput(
                f'engine.device = "{self._case.engine.device}" is only allowed in case files: a '
                'simulation made in Python runs on the "cpu".'
            )
        self._context = parallel.context(self._case.engine.threads, self._case.engine.transport)
        self._case.check_ranks(self._context.size)
        parallel.check_memory(self._context, memory.check, self._case)
        kind = kind_of(self._case)
        self._solver = kind.make(parallel.module(), self._context, self._case.options())
        self._last: dict[str, Any] = {}

    @property
    def case(self) -> Any:
        """The checked case file with the same settings; it cannot be changed."""
        return self._case

    @property
    def last(self) -> dict[str, Any]:
        """The report of the last step, empty before the first one."""
        return self._last

    def __repr__(self) -> str:
        return f"<{self._title()}, step {self.steps}, time {self.time:.4g}>"

    def _title(self) -> str:
        return title_of(self.case)

    def step(self) -> dict[str, Any]:
        """Computes one time step and returns its report with all measurements. Raises `Error` if the state is
        no longer finite."""
        self._last = self._solver.step()
        return self._last

    def run(
        self,
        *,
        steps: int | None = None,
        time: float | None = None,
        each: Callable[[dict[str, Any]], Any] | None = None,
    ) -> dict[str, Any]:
        """Computes `steps` more steps, or steps until the `time` is reached. `each` is called with the report
        of every step. Without `each`, engine={"steps_per_pass": 8} computes eight steps on a tile of cells
        while it is in the cache, if the solver can. Returns the last report."""
        return self._run(self._end(steps, time), each)

    def _end(self, steps: int | None, time: float | None, steady: float | None = None) -> End:
        """The end that the arguments of `run` request. Raises BadInput unless exactly one is given."""
        if (steps, time, steady).count(None) != 2:
            raise BadInput("run takes exactly one of steps=… and time=….")
        last = None if steps is None else self.steps + whole("steps", steps, 1)
        return End(steady, last, None if time is None else positive("time", time))

    def _run(self, end: End, each: Callable[[dict[str, Any]], Any] | None) -> dict[str, Any]:
        if each is not None and not callable(each):
            raise BadInput(f"each = {each!r} is not allowed: it must be a function of a step's report.")
        most = self.case.pass_length()
        while not end.reached(self.steps, self.time, self.last.get("max_change", np.inf)):
            if (count := end.within(1 if each is not None else most, self._solver)) > 1:
                self._last = self._solver.step(count=count)
                continue
            result = self.step()
            if each is not None:
                each(result)
        return self.last

    @property
    def time(self) -> float:
        """Time of the present state."""
        return self._solver.time

    @property
    def steps(self) -> int:
        """Number of steps taken so far."""
        return self._solver.steps

    def gather(self, name: str | None = None) -> np.ndarray | None:
        """All cells or points of a field on rank 0, None on the other ranks: shape (NZ, NY, NX), vectors with
        the components first. A copy; collective. Raises BadInput with the names of the solver's fields if
        there is no such field."""
        return self._solver.gather(one_of("name", self._fields[0] if name is None else name, self._fields))

    @property
    def local_box(self) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
        """(low, high): the cells that this rank owns, half-open, along x, y, z."""
        return self._solver.local_box()

    def terms(self) -> dict[str, Any]:
        """Time spent so far: C_shell, C_core, M, W, R in seconds; hidden share, bytes moved, GB/s. None means
        not measured."""
        return account_of(self._solver.terms(), self._solver.strategy)

    def save(self, path: str | Path) -> None:
        """Writes a checkpoint; `load` continues from it on any number of ranks, bitwise identically;
        collective."""
        self._solver.write_checkpoint(path_text("path", path))

    def load(self, path: str | Path) -> None:
        """Continues from a checkpoint of the same grid; a damaged file or another grid is an error, for
        sound also another time step; collective."""
        self._solver.read_checkpoint(path_text("path", path))

    def snapshot(self, path: str | Path) -> None:
        """Writes a VTKHDF file that ParaView and xarray open; collective."""
        self._solver.write_snapshot(path_text("path", path), kind_of(self.case).units(self.case))

    def plot(self, path: str | Path, kind: str | None = None) -> None:
        """Draws a PNG, PDF or SVG on rank 0; collective. The class has the kinds, the first is drawn if it is
        left out."""
        self._draw(path, one_of("kind", self._plots[0] if kind is None else kind, self._plots))

    def _draw(self, path: str | Path, kind: str) -> None:
        """Draws the present state as the figure `kind`.png of a run folder shows it. Collective."""
        path = Path(path_text("path", path))
        drawings = Each("figures", "DRAWINGS")[self.case.solver]
        figure = next(drawing for drawing in drawings if drawing.name == f"{kind}.png")
        if why := figure.draw.of(self, path):
            raise BadInput(f'kind = "{kind}" is not possible here: {why}')

    def settings(self) -> dict[str, Any]:
        """The case as the tables of a case file, with all defaults."""
        return as_tables(self.case)
