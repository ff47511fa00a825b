# SPDX-License-Identifier: Apache-2.0
"""Measurements on the ranks: the same steps under every strategy, in turn; waiting for messages."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from types import ModuleType
from typing import Any

from ..errors import STOPPED, SubcurrentError
from ..launch import events
from ..launch.plan import Plan
from ..launch.rundir import write_text
from ..lines import progress
from ..report.account import account_of
from ..report.records import csv_text
from ..solvers.kinds import kind_of
from .recorder import clean

# Terms that add up over steps; the others (shares, rates) are taken as the solver gives them at the end.
ADDITIVE = ("C_shell", "C_core", "W", "R", "R_max", "R_sum")
ADDITIVE += ("start", "poke", "looks", "boundary", "settle", "bytes_moved", "M", "C_core_ordered")
MOST_TRIED = 50  # steps
BESIDE = "beside-"  # begins the folders of scratch files of solvers that stand side by side


def measure_strategies(
    module: ModuleType, context: Any, plan: Plan, stop: Any, computing: Callable[[], None]
) -> int:
    """Runs `plan.repeats` rounds of `plan.steps` steps; in each round every strategy has its turn.

    Taking turns spreads what the machine does besides evenly over the strategies. A first round, not
    counted, warms caches, settles what each strategy exchanges and what the automatic one chooses, and
    measures M where nothing overlaps. Rank 0 writes the table as `strategies.json`. A request to stop ends
    it after a round. Calls `computing` once all solvers stand.
    """
    context.sample(max(1, plan.steps - 2), 0)
    kind = kind_of(plan.case)
    solvers = {name: kind.make(module, context, _options(plan, name)) for name in plan.strategies}
    computing()
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    first: dict[str, dict[str, Any]] = {}
    for turn in range(plan.repeats + 1):
        if context.any(stop.asked):
            break
        for place, name in enumerate(_turns(plan.strategies, turn)):
            solver = solvers[name]
            context.barrier()
            begin = time.perf_counter()
            advance(solver, plan.steps, plan.typed_case().pass_length())
            context.barrier()
            spent = time.perf_counter() - begin
            if turn == 0:
                more = settle(solver)
                context.barrier()
                first[name] = {"first_steps": plan.steps + more, "first_seconds": time.perf_counter() - begin}
                solver.restart_terms()
                if name == plan.strategies[-1]:
                    context.sample(0, 0)
            else:
                seconds[name].append(spent / plan.steps)
            if context.rank == 0:
                _say(plan, turn, place, name, spent)
    if not seconds[plan.strategies[-1]]:
        raise SubcurrentError("stopped before a round of all strategies was measured.", STOPPED)
    terms = {name: account_of(solver.terms(), name) for name, solver in solvers.items()}
    transports = context.transports()
    if context.rank == 0:
        rows = [
            _row(plan, name, solver, seconds[name], terms[name]) | first[name]
            for name, solver in solvers.items()
        ]
        cells = next(iter(solvers.values())).cells
        table = {"ranks": context.size, "threads": context.threads, "cells": cells, "case": plan.case}
        table |= {
            "steps": plan.steps,
            "repeats": len(rows[0]["T_all"]),
            "transports": transports,
            "rows": rows,
        }
        write_text(Path(plan.folder) / "strategies.json", json.dumps(clean(table), indent=1) + "\n")
    del solvers, solver
    context.barrier()
    if context.rank == 0:
        remove_apart(plan.typed_case().options())
    return 0


def advance(solver: Any, steps: int, most: int) -> None:
    """Computes this number of steps, at most `most` in a pass."""
    if most == 1:
        for _ in range(steps):
            solver.step(diagnostics=False)
        return
    for first in range(0, steps, most):
        solver.step(diagnostics=False, count=min(most, steps - first))


def _options(plan: Plan, strategy: str) -> dict[str, Any]:
    options = plan.typed_case().options()
    options["engine"]["strategy"] = strategy
    return apart(options, strategy)


def apart(options: dict[str, Any], name: str) -> dict[str, Any]:
    """Options of one solver of several in a process: its fields in files have their own folder."""
    if "storage" in options:
        storage = options["storage"]
        options["storage"] = storage | {"scratch": f"{storage['scratch']}/{BESIDE}{name}"}
    return options


def remove_apart(options: dict[str, Any]) -> None:
    """Removes these folders when the solvers have left them empty."""
    if "storage" in options:
        scratch = Path(options["storage"]["scratch"])
        for folder in (*scratch.glob(f"{BESIDE}*"), scratch):
            with contextlib.suppress(OSError):
                folder.rmdir()


def _row(plan: Plan, name: str, solver: Any, seconds: list[float], terms: dict[str, Any]) -> dict[str, Any]:
    """One line of the table: medians of the step time and its parts, in seconds; None means not measured."""
    row = {"strategy": name, "split": list(solver.split), "T": median(seconds), "T_all": seconds}
    for term, value in terms.items():
        additive = term in ADDITIVE and value is not None
        row[term] = value / (plan.steps * len(seconds)) if additive else value
    row["stages"] = {
        stage: {phase: spent / (plan.steps * len(seconds)) for phase, spent in phases.items()}
        for stage, phases in solver.timeline_summary()["seconds"].items()
    }
    return row


def _turns(names: list[str], turn: int) -> list[str]:
    """The order of a round: each round begins with another strategy, so that none always follows the same
    one."""
    first = turn % len(names)
    return [*names[first:], *names[:first]]


def _say(plan: Plan, turn: int, place: int, name: str, spent: float) -> None:
    done = turn * len(plan.strategies) + place + 1
    share = done / ((plan.repeats + 1) * len(plan.strategies))
    said = progress(share, f"{name}: {spent / plan.steps * 1e3:.2f} ms a step")
    events.tell(plan.events, said, "turn", share=share, strategy=name, turn=turn, seconds=spent)


def settle(solver: Any) -> int:
    """Computes steps until an automatic strategy has tried all candidates, at most as many as its trials
    take, and returns their number."""
    for taken in range(MOST_TRIED):
        automatic = solver.terms().get("automatic")
        if automatic is None:  # several steps a pass
            return taken
        tried = automatic["trials"] > 0 and not automatic["trying"]
        if tried or not automatic["stages"]:
            return taken
        solver.step(diagnostics=False)
    return MOST_TRIED


WAIT_COLUMNS = ("bytes", "alone", "poked", "silent", "progress")
LIMIT_LOOKS = 5
POKE_SECONDS = 0.5e-3  # as the engine's strategies by default


def measure_wait(module: ModuleType, context: Any, plan: Plan) -> int:
    """`subcurrent probe --wait`, one message size after the other; rank 0 writes `wait.csv`, in seconds, and
    where MPI's eager limit is asked for `wait.json` with both."""
    rows = []
    sizes = plan.case["sizes"]
    for number, size in enumerate(sizes, 1):
        rows += module.wait_curve(context, [size], plan.case["cover"], POKE_SECONDS, plan.repeats)
        if context.rank == 0 and plan.events:
            events.emit("turn", share=number / len(sizes), strategy=f"messages of {size} bytes", turn=1)
    if context.rank == 0:
        table = csv_text(WAIT_COLUMNS, ([row[name] for name in WAIT_COLUMNS] for row in rows))
        write_text(Path(plan.folder) / "wait.csv", table)
    if plan.case.get("eager"):
        # A receiver that does not run for a while makes the limit look smaller, never larger.
        limits = [module.eager_limit(context) for _ in range(LIMIT_LOOKS)]
        if context.rank == 0:
            largest = None if None in limits else max(limits)
            told = {"rows": rows, "eager": largest}
            write_text(Path(plan.folder) / "wait.json", json.dumps(told) + "\n")
    return 0


def try_device_messages(module: ModuleType, context: Any, plan: Plan) -> int:
    """What MPI states of device memory, and then what arrives of test messages. Rank 0 writes `device.json`
    after each of both: a library whose statement is wrong may end the program at the first message."""
    found = {"declared": module.device_messages_declared(context)}
    _write_found(context, plan, found)
    if found["declared"]:
        found["to_itself"], found["around"] = module.test_device_messages(context)
        _write_found(context, plan, found)
    return 0


def _write_found(context: Any, plan: Plan, found: dict[str, bool]) -> None:
    if context.rank == 0:
        write_text(Path(plan.folder) / "device.json", json.dumps(found) + "\n")
    context.barrier()
