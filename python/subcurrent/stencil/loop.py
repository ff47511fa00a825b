# SPDX-License-Identifier: Apache-2.0
"""Runs kernels under a strategy, and exchanges halos when they are needed."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any, Literal

from ..errors import BadInput
from ..given import Fixed, positive, whole
from ..lines import EVERY, Pace, duration, progress
from ..rank import parallel
from ..report.account import account_of
from . import recording
from .compiled import Call, flat
from .grid import Grid

AUTOMATIC = "automatic"


class Loop(Fixed):
    """Runs the kernels of a grid. It keeps the fields that its kernels have used: make them before the steps,
    not in each.

    strategy      order of computation and communication: "automatic" measures the others in the first steps
                  and keeps the fastest for each kernel; or one of them, e.g. "blocking", "boundary_first",
                  "interior_first", "halo_thread" or "pipelined". The results are bitwise identical
    poke_seconds  interval between progress calls to MPI during computation
    steps_per_pass    steps of `steps` that are computed on a tile of cells while it is in the cache (temporal
                  blocking): fewer messages, less memory traffic, the same bits. The halo must hold what
                  these steps read together: 8 steps of a kernel that reads 1 cell away need halo=8.
                  "automatic": the fastest of 1, 2, 4, 8 and 16 that the halo allows, found during the run;
                  `passes` shows the choice and its reason
    pass_tile     rows along y and planes along z of such a tile; "automatic": chosen for the second-level
                  cache

        for n in loop.steps(1000):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()
    """

    def __init__(
        self,
        grid: Grid,
        *,
        strategy: str = AUTOMATIC,
        poke_seconds: float = 0.5e-3,
        steps_per_pass: int | Literal["automatic"] = 1,
        pass_tile: Sequence[int] | Literal["automatic"] = "automatic",
    ):
        if not isinstance(grid, Grid):
            raise BadInput(f"grid = {grid!r} is not allowed: it must be an sc.Grid.")
        names = [name for name, _ in parallel.module().strategies]
        if strategy not in names:
            raise BadInput(f"strategy = {strategy!r} is not known: allowed are {', '.join(names)}.")
        found = isinstance(steps_per_pass, str) and steps_per_pass == AUTOMATIC
        self._grid = grid
        self._poke_seconds = positive("poke_seconds", poke_seconds)
        self._steps_per_pass = steps_per_pass
        self._pass_tile = _tile(pass_tile)
        if self._pass_tile != AUTOMATIC and steps_per_pass == 1:
            raise BadInput(
                f"pass_tile = {pass_tile!r} has no effect with steps_per_pass=1: a single step has no tiles."
            )
        if self._pass_tile != AUTOMATIC and grid.device != "cpu":
            raise BadInput(f"pass_tile = {pass_tile!r} has no effect on a device: a pass there has no tiles.")
        self._core = parallel.module().make_stencil_loop(
            grid.core,
            strategy,
            self._poke_seconds,
            1 if found else whole("steps_per_pass", steps_per_pass, 1, 1000),
            found,
            [0, 0, 0] if self._pass_tile == AUTOMATIC else [0, *self._pass_tile],
        )
        self._sweeps: dict[Any, Any] = {}
        self._spare: dict[Any, list[Any]] = {}  # vectors of conjugate gradients
        self._steps = 0
        self._done: list[Any] = []  # in the last step of `steps`

    def __repr__(self) -> str:
        return f"<Loop on {self._grid!r}, {self.strategy}, step {self.count}>"

    @property
    def grid(self) -> Grid:
        """The grid of the kernels."""
        return self._grid

    @property
    def strategy(self) -> str:
        """The strategy that was requested: the order of computation and communication."""
        return self._core.strategy

    @property
    def count(self) -> int:
        """Number of steps taken by `steps` so far."""
        return self._steps

    def run(self, *calls: Call) -> float | tuple[float, ...] | None:
        """Runs calls of kernels, one after the other; collective. Returns the result of the last one's
        reduction over all cells of all ranks: one number, several, or None."""
        result = None
        for call in flat(calls):
            _check_not_modified(call)
            values = self._core.run(self._sweep(call), call.kernel.members(call))
            self._grid.note(call)
            result = None if not values else values[0] if len(values) == 1 else tuple(values)
        return result

    def _sweep(self, call: Call) -> Any:
        """The engine's sweep, created once for each kernel and set of levels."""
        key = (call.kernel, call.levels)
        if key not in self._sweeps:
            if call.grid is not self._grid:
                raise BadInput(f"{call.kernel!r} was called with fields of another grid than the loop's.")
            self._sweeps[key] = self._grid.together(lambda: self._made(call))
        return self._sweeps[key]

    def _made(self, call: Call) -> Any:
        kernel = call.kernel
        by = call.computed_by
        kernel.check_depth(call)
        return parallel.module().make_stencil_sweep(
            kernel.name,
            kernel.library(call.precision(), by),
            by != "cpu",
            kernel.values,
            kernel.reduce or "",
            kernel.colours,
            kernel.by_position,
            kernel.flops,
            kernel.accesses(call),
        )

    def steps(self, count: int, *, progress: bool = False) -> Iterator[int]:
        """0, 1, …, count - 1, for a `for` loop. With `progress` rank 0 prints the progress and the remaining
        time to the error output.

        With `steps_per_pass` other than 1, the calls in the loop are recorded, and executed when enough steps
        are recorded. They are executed earlier if a call cannot be part of a pass (it reduces, runs in
        colours, or has conditions that read other fields), and if a field is gathered, modified or written.
        After a `break`, the recorded calls are executed by `finish`.
        """
        count = whole("count", count, 0)
        shown = _Progress(count) if progress and self._grid.rank == 0 else None
        self._core.begin_steps()
        for step in range(count):
            with self._grid.noting() as done:
                yield step
            self._done = done
            self._steps += 1
            self._core.end_step()
            if shown:
                shown.done(step + 1)
            if parallel.rehearses() and (step > 0 or count == 1):
                raise recording.Recorded(self.tables())
        self._core.end_steps()

    def finish(self) -> None:
        """Executes the recorded calls of a loop that was left before its end; collective."""
        self._core.end_steps()

    @property
    def passes(self) -> str:
        """Number of steps and of passes, and why passes were shorter, as text."""
        return self._core.passes()

    @property
    def plan(self) -> str:
        """What this rank reads, writes and sends in a step of a pass, beside single steps, as text; known
        before the first pass is computed, and empty before that is recorded."""
        return self._core.plan()

    def tables(self) -> dict[str, Any]:
        """The last step of `steps` as a case for predictions and measurements. Raises BadInput if there was
        none."""
        if not self._done:
            raise BadInput(
                "the loop has computed no step: compute one in `for _ in loop.steps(1)` before predict()."
            )
        engine = {
            "strategy": self.strategy,
            "poke_ms": 1e3 * self._poke_seconds,
            "steps_per_pass": self._steps_per_pass,
            "pass_tile": self._pass_tile,
        }
        return recording.tables_of(self._grid, self._done, engine)

    def predict(
        self,
        machine: str,
        ranks: int | Sequence[int] = (1, 2, 4, 8),
        *,
        strategies: Sequence[str] = (),
        ranks_per_node: int | None = None,
        weak: bool = False,
        sets: Sequence[str] = (),
        show: bool = True,
    ) -> dict[int, dict[str, float]] | None:
        """Predicts the seconds of a step like the last one of `steps` on the machine of a file, by number of
        ranks and strategy, as `subcurrent predict` does; None on ranks other than 0. Collective.

        machine     a machine file, or a name that `subcurrent machines` lists
        strategies  the strategies to predict; none: all
        weak        each rank has as many cells as with the first number of ranks
        sets        other values, such as "grid.cells=[512, 512, 512]" or "engine.threads=4"
        show        print the table and the conclusions
        """
        from ..foresight.script import predict_step  # noqa: PLC0415 - with the schema of case files

        tables = self.tables()
        counts = [ranks] if isinstance(ranks, int) else ranks
        return self._grid.together(
            lambda: (
                predict_step(
                    tables,
                    machine,
                    counts,
                    strategies=strategies,
                    sets=sets,
                    show=show,
                    weak=weak,
                    per_node=ranks_per_node,
                )
                if self._grid.rank == 0
                else None
            )
        )

    def terms(self) -> dict[str, Any]:
        """Time spent so far: C_shell, C_core, M, W, R in seconds; hidden share, bytes moved, GB/s; under
        "automatic" also what it has chosen for each kernel; collective. None means not measured."""
        return account_of(self._core.terms(), self.strategy)


def _tile(given: Any) -> list[int] | str:
    """Rows and planes."""
    if isinstance(given, str) and given == AUTOMATIC:
        return AUTOMATIC
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise BadInput(f'pass_tile = {given!r} is not allowed: it must be "automatic" or (rows, planes).')
    return [whole(f"pass_tile[{n}]", one, 1, 100_000) for n, one in enumerate(given)]


def _check_not_modified(call: Call) -> None:
    """On a device a kernel computes with a copy of what the block writes to."""
    for level in call.levels:
        if level.field._modified and level.field.core.on_device:
            raise BadInput(
                f"{call.kernel!r} uses {level.field.name} within `with {level.field.name}.modify()`, and a "
                "device computes it: run the kernel after the block."
            )


class _Progress:
    """A line that is overwritten on a terminal, a line every few seconds elsewhere."""

    def __init__(self, count: int):
        self._count, self._begin = count, time.monotonic()
        self._terminal = sys.stderr.isatty()
        self._pace = Pace(0.2 if self._terminal else EVERY)

    def done(self, step: int) -> None:
        last = step == self._count
        if not self._pace.due(last):
            return
        spent = time.monotonic() - self._begin
        left = spent / step * (self._count - step)
        time_said = f"took {duration(spent)}" if last else f"left {duration(left)}"
        line = progress(step / self._count, f"step {step} of {self._count}  {time_said}")
        end = "\n" if last or not self._terminal else ""
        print(f"\r{line:60}" if self._terminal else line, end=end, file=sys.stderr, flush=True)
