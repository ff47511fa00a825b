# SPDX-License-Identifier: Apache-2.0
"""One run on a rank: step, check, write what is due, until the end or a request to stop."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..case.reading import Case
from ..errors import OK, STOPPED, SubcurrentError
from ..launch.plan import Plan
from ..launch.rundir import RunFolder
from ..solvers.kind import Kind
from ..solvers.kinds import kind_of
from .ending import End
from .recorder import Recorder


def run_case(module: ModuleType, context: Any, plan: Plan, stop: Any, computing: Callable[[], None]) -> int:
    """Runs the case of a plan to its end on all ranks; returns 0, or 5 after a clean stop. Calls `computing`
    when the solver exists."""
    case, folder = plan.typed_case(), RunFolder(plan.folder)
    kind = kind_of(case)
    solver = kind.make(module, context, case.options())
    for written in (folder.snapshots, folder.checkpoints):
        context.remove_leftovers(str(written))
    resumed = _resume(module, solver, plan)
    recorder = Recorder(context, solver, plan, folder, resumed)
    computing()
    recorder.started()

    end, first = End.of(case.run), solver.steps
    due = Due(case, solver.time)
    record: dict[str, Any] = {"step": solver.steps, "time": solver.time}
    stopped = context.any(stop.asked)
    begin = time.perf_counter()
    while not stopped and not end.reached(record["step"], record["time"], record.get("max_change", math.inf)):
        record = kind.step(solver, case, due.at_most(solver, end))
        recorder.step(record, time.perf_counter() - begin)
        if due.snapshot(record["step"], record["time"]):
            write_snapshot(kind, solver, case, folder)
        if due.checkpoint(record["step"]):
            recorder.flush()
            write_checkpoint(context, solver, folder)
        stopped = context.any(stop.asked)

    recorder.flush()
    if due.last_checkpoint != solver.steps:
        write_checkpoint(context, solver, folder)
    if not stopped and case.output.snapshots and due.last_snapshot != solver.steps:
        write_snapshot(kind, solver, case, folder)
    if case.output.timeline and solver.steps > first:
        solver.write_timeline(str(folder.timeline))
    recorder.finished("stopped" if stopped else "finished")
    return STOPPED if stopped else OK


def write_snapshot(kind: Kind, solver: Any, case: Any, folder: RunFolder) -> None:
    solver.write_snapshot(str(folder.snapshot(solver.steps)), kind.units(case))
    kind.beside_snapshot(solver, folder)


def write_checkpoint(context: Any, solver: Any, folder: RunFolder) -> None:
    """Writes one more checkpoint; older ones are removed only when it is complete on disk, so that two are
    always kept."""
    solver.write_checkpoint(str(folder.checkpoint(solver.steps)))
    if context.rank == 0:
        folder.keep_checkpoints(solver.steps)
    context.barrier()


def _resume(module: ModuleType, solver: Any, plan: Plan) -> dict[str, Any] | None:
    """Continues from the newest complete checkpoint; reports which were rejected and why."""
    refused = []
    for path in plan.checkpoints:
        try:
            solver.read_checkpoint(path)
        except module.Error as error:
            refused.append(str(error))
        else:
            return {"checkpoint": Path(path).name, "step": solver.steps, "refused": refused}
    if refused:
        raise SubcurrentError(refused[0], 3)
    return None


class Due:
    """When the next snapshot (by time) and the next checkpoint (by step) are due; the same on all ranks."""

    def __init__(self, case: Case, time: float):
        self._every = case.output.every if case.output.snapshots else 0.0
        self._checkpoint_every = case.output.checkpoint_every
        self._steps_per_pass = case.pass_length()
        self._count = self._counted(time)
        self.last_snapshot = -1
        self.last_checkpoint = -1

    def _counted(self, time: float) -> int:
        return int(time / self._every + 1e-9) if self._every > 0 else 0

    def snapshot(self, step: int, time: float) -> bool:
        before, self._count = self._count, self._counted(time)
        if self._count > before:
            self.last_snapshot = step
        return self._count > before

    def at_most(self, solver: Any, end: End) -> int:
        """How many steps a pass may have: it ends when something is written, or with the run."""
        most = end.within(self._steps_per_pass, solver)
        if most > 1 and self._checkpoint_every > 0:
            most = min(most, self._checkpoint_every - solver.steps % self._checkpoint_every)
        if most > 1 and self._every > 0:
            most = End(time=(self._count + 1) * self._every).within(most, solver)
        return most

    def checkpoint(self, step: int) -> bool:
        if self._checkpoint_every > 0 and step % self._checkpoint_every == 0:
            self.last_checkpoint = step
            return True
        return False
