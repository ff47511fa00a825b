# SPDX-License-Identifier: Apache-2.0
"""One rank of `subcurrent cg`: the NAS kernel CG, or a solve with a matrix mapped from the run folder."""

from __future__ import annotations

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from ... import core
from ...errors import OK
from ...launch import events
from ...launch.plan import Plan
from ...launch.rundir import write_text, writing
from ...lines import Pace
from ...rank import machine
from ...report.account import account_of, overlap_case
from ...report.records import csv_text
from . import solve

SAY_EVERY = 0.2  # seconds between two reports of a solve
PARTS = ("begins", "columns", "values", "right_side")


def compute(module: ModuleType, context: Any, plan: Plan, computing: Callable[[], None]) -> int:
    """Does what a plan of `cg` asks for, as one of its ranks; its summary says how well."""
    does = _benchmark if plan.case["kind"] == "benchmark" else _solve
    does(module, context, plan, computing)
    return OK


def _benchmark(module: ModuleType, context: Any, plan: Plan, computing: Callable[[], None]) -> None:
    begin = time.perf_counter()
    options = plan.case["options"]
    benchmark = module.CgBenchmark(
        context, options["class"], options["partition"], options["strategy"], options["depth"]
    )
    setup = time.perf_counter() - begin
    computing()
    total = module.cg_class(options["class"])["iterations"]
    told = None
    if plan.events:
        told = lambda n, residual, zeta: events.emit(  # noqa: E731
            "cg", iteration=n, residual=residual, zeta=zeta, share=n / total
        )
    result = benchmark.run(told)
    history = result.pop("history")
    facts = benchmark.facts()
    terms = account_of(benchmark.terms(), options["strategy"])  # all ranks
    if context.rank == 0:
        summary = {
            "class": module.cg_class(options["class"]),
            "partition": facts,
            **result,
            "setup_seconds": setup,
            "terms": terms,
        }
        _write(plan, context, summary, ("iteration", "residual", "zeta"), history)


def _solve(module: ModuleType, context: Any, plan: Plan, computing: Callable[[], None]) -> None:
    folder, options = Path(plan.folder), plan.case["options"]
    begins, columns, values, right_side = (
        np.load(folder / "matrix" / f"{name}.npy", mmap_mode="r") for name in PARTS
    )
    pace = Pace(SAY_EVERY)

    def each(iteration: int, residual: float) -> None:
        computing()
        if context.rank == 0 and plan.events and np.isfinite(residual) and pace.due():
            share = np.log(max(residual, 1e-300)) / np.log(options["tol"])
            events.emit("cg", iteration=iteration, residual=residual, share=float(np.clip(share, 0, 1)) + 0.0)

    begin = time.perf_counter()
    solved, found, facts = solve.solve_on(
        module, context, (begins, columns, values), right_side, options, each=each
    )
    if context.rank == 0:
        found["seconds"] = time.perf_counter() - begin
        with writing(folder / "solution.npy"):
            np.save(folder / "solution.npy", solved)
        history = list(enumerate(found.pop("residuals")))
        found = {"n": len(right_side), "partition": facts, **found}
        _write(plan, context, found, ("iteration", "residual"), history)


def _write(
    plan: Plan, context: Any, found: dict[str, Any], names: tuple[str, ...], history: list[tuple]
) -> None:
    folder, terms = Path(plan.folder), found.pop("terms")
    write_text(folder / "history.csv", csv_text(names, ((n, *map(float, values)) for n, *values in history)))
    summary = {
        "solver": "cg",
        "kind": plan.case["kind"],
        "options": plan.case["options"],
        "ranks": context.size,
        "threads": context.threads,
        "peak_memory_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,  # of rank 0
        "machine": machine.describe(),
        "build": core.load().build,
        **terms,
        "overlap_case": overlap_case(terms, plan.case["options"]["strategy"]),
        **{key: _number(value) for key, value in found.items()},
    }
    write_text(folder / "summary.json", json.dumps(summary, indent=1) + "\n")
    if plan.events:
        events.emit("end", state="finished")


def _number(value: Any) -> Any:
    """What JSON has no number for, as a word."""
    return str(value) if isinstance(value, float) and not np.isfinite(value) else value
