# SPDX-License-Identifier: Apache-2.0
"""Runs kernels under a strategy, and keeps halos fresh."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from typing import Any, Literal

from ..errors import BadInput
from ..given import Fixed, positive, whole
from ..lines import duration
from ..rank import parallel
from ..report.account import account_of
from .grid import Grid
from .kernels import Call, flat

LINE_EVERY = 5.0  # seconds between two lines of progress where there is no terminal
MOST_TRIED = 16  # steps a pass, where the fastest number is to be found


class Loop(Fixed):
    """A runner for the kernels of a grid.

    strategy      how what moves hides under what is computed, e.g. "blocking", "boundary_first",
                  "interior_first", "halo_thread", "pipelined": all leave the same bits
    poke_seconds  how often messages are looked after meanwhile
    steps_per_pass    steps of `steps` that are done on cells while these are near: fewer messages, less
                  traffic with memory, the same bits. The grid's halo must hold what they read together: 8
                  steps of a kernel that reads 1 cell away need halo=8. "automatic": the fastest of 1, 2, 4, 8
                  and 16 that the halo allows, found meanwhile; `passes` says which, and why

        for n in loop.steps(1000):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()
    """

    def __init__(
        self,
        grid: Grid,
        *,
        strategy: str = "boundary_first",
        poke_seconds: float = 0.5e-3,
        steps_per_pass: int | Literal["automatic"] = 1,
    ):
        if not isinstance(grid, Grid):
            raise BadInput(f"grid = {grid!r} is not allowed: it must be an sc.Grid.")
        names = [name for name, _ in parallel.module().strategies]
        if strategy not in names:
            raise BadInput(f"strategy = {strategy!r} is not known: allowed are {', '.join(names)}.")
        found = isinstance(steps_per_pass, str) and steps_per_pass == "automatic"
        self._grid = grid
        self._core = parallel.module().make_stencil_loop(
            grid.core,
            strategy,
            positive("poke_seconds", poke_seconds),
            MOST_TRIED if found else whole("steps_per_pass", steps_per_pass, 1, 1000),
            found,
        )
        self._sweeps: dict[Any, Any] = {}
        self._steps = 0

    def __repr__(self) -> str:
        return f"<Loop on {self._grid!r}, {self.strategy}, step {self.count}>"

    @property
    def grid(self) -> Grid:
        """The grid whose kernels it runs."""
        return self._grid

    @property
    def strategy(self) -> str:
        """The order of shell, core and messages that was asked for."""
        return self._core.strategy

    @property
    def count(self) -> int:
        """Steps taken by `steps` so far."""
        return self._steps

    def run(self, *calls: Call) -> float | tuple[float, ...] | None:
        """Runs calls of kernels one after the other; collective. Returns what the last one reduces over all
        cells of all ranks: a number, several, or None."""
        result = None
        for call in flat(calls):
            values = self._core.run(self._sweep(call), call.kernel.members(call))
            result = None if not values else values[0] if len(values) == 1 else tuple(values)
        return result

    def _sweep(self, call: Call) -> Any:
        """What the engine runs: made for each kernel and set of levels once."""
        key = (call.kernel, call.levels)
        if key not in self._sweeps:
            if call.grid is not self._grid:
                raise BadInput(f"{call.kernel!r} was called with fields of another grid than the loop's.")
            self._sweeps[key] = self._grid.together(lambda: self._made(call))
        return self._sweeps[key]

    def _made(self, call: Call) -> Any:
        kernel = call.kernel
        by = call.computed_by
        return parallel.module().make_stencil_sweep(
            kernel.name,
            kernel.library(call.precision(), by),
            by != "cpu",
            kernel.values,
            kernel.reduce or "",
            kernel.colours,
            kernel.by_position,
            kernel.accesses(call),
        )

    def steps(self, count: int, *, progress: bool = False) -> Iterator[int]:
        """0, 1, …, count - 1, for a `for` loop; with `progress` rank 0 says how far it has come and how
        long it still takes, on the error output.

        Where `steps_per_pass` is not 1, calls within are recorded and carried out when so many steps
        are together, or earlier where one of them cannot be one of several (it reduces, runs in colours, or
        has conditions that read other fields) and where a field is gathered, modified or written. After a
        `break` what is recorded waits for `finish`."""
        count = whole("count", count, 0)
        shown = _Progress(count) if progress and self._grid.rank == 0 else None
        self._core.begin_steps()
        for step in range(count):
            yield step
            self._steps += 1
            self._core.end_step()
            if shown:
                shown.done(step + 1)
        self._core.end_steps()

    def finish(self) -> None:
        """Carries out what is recorded of steps that were left before their end; collective."""
        self._core.end_steps()

    @property
    def passes(self) -> str:
        """How many steps went in how many passes, and why passes ended early, in words."""
        return self._core.passes()

    def terms(self) -> dict[str, Any]:
        """Where the time went so far: C_shell, C_core, M, W, R in seconds; hidden share, bytes moved, GB/s;
        collective. What was not measured is None."""
        return account_of(self._core.terms(), self.strategy)


class _Progress:
    """A line that is written over on a terminal, a line every few seconds elsewhere."""

    def __init__(self, count: int):
        self._count, self._begin, self._said = count, time.monotonic(), 0.0
        self._terminal = sys.stderr.isatty()

    def done(self, step: int) -> None:
        now = time.monotonic()
        last = step == self._count
        if not last and now - self._said < (0.2 if self._terminal else LINE_EVERY):
            return
        self._said = now
        spent = now - self._begin
        left = spent / step * (self._count - step)
        line = f"{step / self._count:4.0%}  step {step} of {self._count}  " + (
            f"took {duration(spent)}" if last else f"left {duration(left)}"
        )
        end = "\n" if last or not self._terminal else ""
        print(f"\r{line:60}" if self._terminal else line, end=end, file=sys.stderr, flush=True)
