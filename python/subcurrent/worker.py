# SPDX-License-Identifier: Apache-2.0
"""One rank of a job: `python -m subcurrent.worker PLAN` under our mpirun, or `run` under an outer one."""

from __future__ import annotations

import signal
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from . import core, events
from .errors import SubcurrentError
from .measure import measure_strategies, measure_wait
from .plan import Plan
from .session import run_case


class StopRequest:
    """Remembers that a signal asked this rank to stop; the ranks agree on it between two steps."""

    def __init__(self) -> None:
        self.asked = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
            signal.signal(number, self._remember)

    def _remember(self, *_: Any) -> None:
        self.asked = True


def main(arguments: list[str] | None = None) -> int:
    stop = StopRequest()
    path = (arguments or sys.argv[1:])[0]
    return work(Plan.read(Path(path)), stop)


def work(plan: Plan, stop: StopRequest, prepare: Any = None) -> int:
    """Does the plan as one of its ranks and returns the exit code; `prepare` runs on rank 0 before anything
    is written.

    A rank that fails alone cannot ask the others, who may be waiting for it in a message: it says why and
    ends all.
    """
    try:
        module = core.load()
        threads, transport = plan.engine()
        context = module.Context(threads=threads, transport=transport, device=plan.device())
    except Exception as error:
        return events.complain(plan.events, 0, error)
    try:
        _check_size(module, context, plan)
        if prepare is not None and context.rank == 0:
            prepare()
        context.barrier()
        if plan.kind == "run":
            code = run_case(module, context, plan, stop)
        elif plan.kind == "strategies":
            code = measure_strategies(module, context, plan)
        else:
            code = measure_wait(module, context, plan)
    except Exception as error:
        code = events.complain(plan.events, context.rank, error)
        context.abort("", code)
        return code
    context.close()
    # Under our own launcher the events carry the outcome; a non-zero status would make mpirun complain as
    # well.
    return 0 if plan.events else code


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
