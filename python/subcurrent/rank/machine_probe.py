# SPDX-License-Identifier: Apache-2.0
"""The ranks' side of `subcurrent probe CASE`: this machine's figures, for a machine file.

Measured are copies by numbers of busy cores and size of the arrays, messages around the ring of ranks and
the eager limit of MPI, what the engine takes for a run that has hardly a cell, the disk if the case has
fields in files, and the rates of the case's own stages: under `ordered`, which computes shell and core apart,
on one rank alone and on all, for the case's number of cells and for fewer.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

from ..case.reading import as_tables
from ..errors import BadInput
from ..launch.memory import ranks_here
from ..launch.plan import Plan
from ..launch.rundir import write_text
from ..solvers.cases import typed_case
from ..solvers.kinds import kind_of
from .measure import advance, remove_apart

# Bytes of a core's arrays: from a first-level cache to a last, and of which caches hold hardly a part.
NEAR = [1 << power for power in (16, 19, 22, 25)]
IN_MEMORY = 256 * 2**20
SMALL, LARGE = 4096, 1 << 20  # bytes of messages
TINY = 8  # cells along an axis
PARTS = (2, 4)  # of the cells along each axis, for smaller working sets
SHORTER = 4  # these steps take an eighth of the time or less, so more are timed together
DISK_BYTES = 64 << 20  # of a rank, in each direction


def by_mpi(found: dict[str, Any]) -> bool:
    """Whether halos were messages of MPI, rather than copies in shared memory."""
    return "mpi" in found["transports"]


def measure_machine(module: ModuleType, context: Any, plan: Plan, computing: Callable[[], None]) -> int:
    """Rank 0 writes what was measured as `machine.json`. Collective."""
    threads, ranks = plan.typed_case().engine.threads, context.size
    scratch = _scratch(plan)
    context.sample(0, 0)
    solver, tiny = _solver(module, context, plan, plan.case), _tiny(module, context, plan)
    computing()
    length = plan.typed_case().pass_length()
    passes = -(-plan.steps // length)  # each as long as what is rehearsed
    found: dict[str, Any] = {"ranks": ranks, "threads": threads, "passes": passes, "messages": []}
    on_node = ranks_here(ranks)
    found["near"] = []
    for size in (*NEAR, IN_MEMORY):
        alone = module.copy_rate(1, size) if context.rank == 0 else 0.0
        context.barrier()
        found["copies"] = {1: alone, on_node * threads: on_node * module.copy_rate(threads, size)}
        context.barrier()
        if size != IN_MEMORY:
            found["near"] += [[size, busy, rate / busy] for busy, rate in found["copies"].items()]
    for _ in range(plan.repeats if ranks > 1 else 0):
        rows = module.wait_curve(context, [SMALL, LARGE], 1.5, 0.5e-3, 11)
        found["messages"].append({int(row["bytes"]): row["alone"] for row in rows})
    found["cells"] = math.prod(plan.typed_case().cells()) // ranks
    found["rounds"] = [_round(context, solver, passes, length) for _ in range(plan.repeats)]
    found["smaller"] = _smaller(module, context, plan, SHORTER * passes)
    found["per_node"] = on_node
    found["run"] = _run_of_nothing(context, tiny) if tiny is not None else None
    found["transports"] = context.transports()
    found["eager_limit"] = module.eager_limit(context) if by_mpi(found) else None
    found["disk"] = []
    for _ in range(plan.repeats if scratch else 0):
        *rates, share = module.disk_rate(context, scratch, DISK_BYTES)
        found["disk"].append([*(on_node * rate for rate in rates), share])
    del solver, tiny
    context.barrier()
    if context.rank == 0:
        remove_apart(plan.typed_case().options())
        write_text(Path(plan.folder) / "machine.json", json.dumps(found, indent=1) + "\n")
    return 0


def _scratch(plan: Plan) -> str | None:
    """The folder of the scratch files of a case with fields in files."""
    storage = plan.typed_case().options().get("storage")
    in_files = storage is not None and (storage["place"] == "files" or storage["memory"] > 0)
    return storage["scratch"] if in_files else None


def _solver(module: ModuleType, context: Any, plan: Plan, tables: dict[str, Any]) -> Any:
    case = typed_case(tables)
    options = case.options()
    options["engine"]["strategy"] = "ordered" if context.size > 1 else "blocking"
    return kind_of(case).make(module, context, options)


def _tiny(module: ModuleType, context: Any, plan: Plan) -> Any:
    """The same solver on very few cells; None if it has no such grid, or starts from files."""
    try:
        case = plan.typed_case()
        small = case.sized([min(n, TINY) for n in case.size()[1]])
        small.check_ranks(context.size)
        return _solver(module, context, plan, as_tables(small))
    except (BadInput, ValueError, module.Error):
        return None


def _smaller(module: ModuleType, context: Any, plan: Plan, passes: int) -> list[dict[str, Any]]:
    """Rounds of the case on fewer cells, whose arrays may fit into caches; those that it allows. Fields in
    files are in no cache."""
    case, all_found = plan.typed_case(), []
    length = case.pass_length()
    for part in PARTS if _scratch(plan) is None else ():
        size = [n // part if n > 1 else 1 for n in case.size()[1]]
        if any(1 < n < TINY * part for n in case.size()[1]):
            continue
        try:
            small = case.sized(size)
            small.check_ranks(context.size)
            solver = _solver(module, context, plan, as_tables(small))
            rounds = [_round(context, solver, passes, length) for _ in range(plan.repeats)]
        except (BadInput, ValueError, module.Error):
            continue
        found = {"size": size, "cells": math.prod(small.cells()) // context.size}
        all_found.append(found | {"passes": passes, "rounds": rounds})
        del solver
    return all_found


def _round(context: Any, solver: Any, passes: int, length: int) -> dict[str, dict[str, float]]:
    """By stage and phase what passes of `length` steps took on this rank; two before them only settle
    halos."""
    advance(solver, 2 * length, length)
    solver.restart_terms()
    context.barrier()
    advance(solver, passes * length, length)
    return solver.timeline_summary()["seconds"]


def _run_of_nothing(context: Any, solver: Any) -> float:
    """Seconds of a step of the tiny case, the shortest of several."""
    best = float("inf")
    for _ in range(30):
        context.barrier()
        begin = time.perf_counter()
        solver.step(diagnostics=False)
        best = min(best, time.perf_counter() - begin)
    return best
