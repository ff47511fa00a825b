# SPDX-License-Identifier: Apache-2.0
"""One rank of a job: `python -P -m subcurrent.rank.worker PLAN` under our mpirun, or `run` under an outer
one."""

from __future__ import annotations

import contextlib
import signal
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from .. import core
from ..errors import SubcurrentError
from ..launch import events, guard, outcome
from ..launch.lock import among_the_ranks
from ..launch.plan import Plan, read_plan
from ..launch.rundir import RunFolder
from .machine_probe import measure_machine
from .measure import measure_strategies, measure_wait, try_device_messages
from .session import run_case
from .tuning import measure_candidates


class StopRequest:
    """Records that a signal asked this rank to stop; the ranks agree on it between two steps."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
            if signal.getsignal(number) is not signal.SIG_IGN:
                signal.signal(number, self._remember)

    def _remember(self, *_: Any) -> None:
        self.asked = True

    @staticmethod
    def too_late() -> None:
        """Everything is done: a request while the interpreter ends, without its handlers, ends no process."""
        signal.signal(signal.SIGUSR1, signal.SIG_IGN)


def main(arguments: list[str] | None = None) -> int:
    guard.when_parent_ends(signal.SIGKILL)  # ranks without their mpirun would wait for each other for ever
    path, expected = arguments or sys.argv[1:]
    try:
        plan = Plan.of(read_plan(Path(path), expected))
    except Exception as error:
        return events.complain(True, 0, error)
    return work(plan)


# What rank 0 does before anything is written: it enters what is left when the work has ended or failed, and
# returns what is to be called once the ranks have accepted their input.
Start = Callable[[contextlib.ExitStack], Callable[[], None]]


def work(plan: Plan, start: Start | None = None) -> int:
    """Executes the plan as one of its ranks and returns the exit code.

    A rank that fails alone cannot ask the others, which may be waiting for its messages: it reports the
    reason and ends all.
    """
    stop = None if plan.kind == "cg" else StopRequest()  # it has no state to write: signals end its ranks
    try:
        module = core.load()
        adapter = {"delay": 0.0, "rate": plan.rate} if plan.rate else {}
        context = module.Context(**plan.engine(), **adapter)
    except Exception as error:
        return events.complain(plan.events, 0, error)
    try:
        _check_size(module, context, plan)
        with started(context, start, plan.events) as computing, among_the_ranks(RunFolder(plan.folder).plan):
            code = _do(module, context, plan, stop, computing)
    except Exception as error:
        return fail(context, plan.events, error)
    context.close()
    StopRequest.too_late()
    # Under our own launcher the events carry the outcome; a non-zero status would make mpirun complain as
    # well.
    return 0 if plan.events else code


@contextlib.contextmanager
def started(context: Any, start: Start | None, to_launcher: bool) -> Iterator[Callable[[], None]]:
    """Collective: the block begins when rank 0 has started, and may compute."""
    with contextlib.ExitStack() as held:
        computing = start(held) if start is not None and context.rank == 0 else lambda: None
        context.barrier()
        if to_launcher and context.rank == 0:
            events.emit("up")
        yield computing


def fail(context: Any, to_launcher: bool, error: Exception) -> int:
    """Reports the reason and ends all ranks. Other ranks leave the first one time to report the same and to
    restore its folder."""
    if context.rank != 0 and not to_launcher:
        time.sleep(outcome.FIRST_SPEAKS)
    code = events.complain(to_launcher, context.rank, error)
    context.abort("", code)
    return code


def _do(
    module: ModuleType, context: Any, plan: Plan, stop: StopRequest | None, computing: Callable[[], None]
) -> int:
    if plan.kind == "run":
        return run_case(module, context, plan, stop, computing)
    if plan.kind == "strategies":
        return measure_strategies(module, context, plan, stop, computing)
    if plan.kind == "tune":
        return measure_candidates(module, context, plan, stop, computing)
    if plan.kind == "cg":
        from ..solvers.cg.worker import compute  # noqa: PLC0415 - NumPy: slow to load

        return compute(module, context, plan, computing)
    if plan.kind == "machine":
        return measure_machine(module, context, plan, computing)
    computing()
    if plan.kind == "device":
        return try_device_messages(module, context, plan)
    return measure_wait(module, context, plan)


def _check_size(module: ModuleType, context: Any, plan: Plan) -> None:
    if plan.ranks and context.size != plan.ranks:
        library = str(module.build.get("mpi", "its MPI")).splitlines()[0][:60]
        raise SubcurrentError(
            f"{plan.ranks} ranks were asked for but MPI counts {context.size}: mpirun must belong to "
            f"{library!r}, "
            "the MPI that subcurrent was built with."
        )


if __name__ == "__main__":
    sys.exit(main())
