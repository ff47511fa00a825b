# SPDX-License-Identifier: Apache-2.0
"""`subcurrent predict`: the time of a step of a case on a machine in a file, by rank count and strategy.

The step of the case is executed without computing (see `rehearse`), as some of the ranks of every count. The
engine's executor then runs their plans on a clock with the times of the machine. A step takes as long as its
slowest rank.
"""

from __future__ import annotations

import math
from typing import Any

from rich.console import Console

from ..case.reading import Case, as_tables
from ..errors import BadInput
from ..given import check_option
from ..launch.run import say
from . import simulate
from .asked import PredictRequest, asked, check_device, counts_of
from .machine_figures import at_end, figures, memory_of, places, without
from .machine_keys import Machine
from .machines import load_machine
from .positions import positions, share_of
from .prediction import conclusions, stages_of, table_of, write_rows
from .rehearse import Part, rehearse

PARTS = ("computing", "memory", "bandwidth", "latency", "disk")
MOST_STEPS = 10_000
CLOSE = 0.02  # shares of a step: as long
ENDS = {"fastest": -1.0, "slowest": 1.0}  # of what was measured several times


def predict(request: PredictRequest, console: Console) -> list[dict[str, Any]]:
    """Predicts, prints tables and conclusions; writes prediction.json and a figure."""
    if request.seconds is not None and not 0 < request.seconds < math.inf:
        raise BadInput(f"--seconds {request.seconds:g} is not allowed: it must be a number > 0.")
    machine = load_machine(request.machine)
    case, names, left_out = asked(request, machine)
    if request.simulate:
        simulate.simulator()  # before anything takes time
    counts = counts_of(request.ranks)
    for sentence in left_out:
        say(console, sentence)
    rows = [
        predicted(
            sized(case, counts[0], count, request.weak),
            machine,
            count,
            names,
            steps=request.steps,
            per_node=request.per_node,
        )
        for count in counts
    ]
    console.print(table_of(rows, case, machine))
    for sentence in estimated(case, machine, rows):
        say(console, sentence, "yellow")
    if request.simulate:
        _simulate(request, case, machine, rows, console)
    if request.stages:
        for row in rows:
            console.print(stages_of(row))
    for sentence in conclusions(rows, request.weak, request.seconds):
        say(console, sentence)
    if request.out is not None:
        from ..report.plots.prediction import draw_prediction  # noqa: PLC0415 - matplotlib

        draw_prediction(write_rows(request.out, rows, console), rows, machine.name, request.weak)
    return rows


def _simulate(
    request: PredictRequest, case: Case, machine: Machine, rows: list[dict[str, Any]], console: Console
) -> None:
    """Adds the times of every rank count that can be simulated under SimGrid, and prints them."""
    some = False
    for row in rows:
        if (why := simulate.too_many(case, row["ranks"])) is not None:
            say(console, why)
            continue
        steps = max(request.steps, simulate.steps_of(case))
        names = [name for name in row["strategies"] if name not in simulate.LEFT_OUT]
        one = sized(case, rows[0]["ranks"], row["ranks"], request.weak)
        taken = simulate.simulated(one, machine, row["ranks"], names, steps=steps, per_node=request.per_node)
        some = True
        for name, seconds in taken.items():
            row["strategies"][name]["simulated"] = seconds
    if not some:
        return
    console.print(simulate.table_of(rows, machine.name, request.weak))
    say(console, simulate.BLIND)


def sized(case: Case, first: int, count: int, weak: bool) -> Case:
    """With --weak each rank has as many cells as with the first count; each axis grows with its number of
    ranks."""
    if not weak or count == first:
        return case
    grown = case.grown(first, count)
    if grown is None:
        raise BadInput(
            f"--weak needs rank counts that are multiples of the first one along the axes: {count} "
            f"ranks are not possible after {first}."
        )
    return grown


def predicted(
    case: Case,
    machine: Machine,
    ranks: int,
    strategies: list[str],
    *,
    steps: int = 1,
    per_node: int | None = None,
) -> dict[str, Any]:
    """One rank count: seconds of a step by strategy, on the slowest rank that was computed, with its stages
    and the time that would be saved if something took no time."""
    check_device(case, machine)
    case.check_ranks(ranks)
    steps = whole_passes(case, machine, steps)
    where = places(machine, ranks, case.engine.threads, per_node)
    share = share_of(case, ranks)
    given = case.solver, where, 1e-3 * case.engine.poke_ms, share
    values = figures(machine, *given)
    absent = {"disk": machine.disk is None, "memory": bool(values["rates"])}  # a rate is of both
    parts_there = [what for what in PARTS if not absent.get(what)]
    machines = {"as it is": values} | {what: without(values, what) for what in parts_there}
    machines |= {what: figures(at_end(machine, end), *given) for what, end in ENDS.items()}
    played, like = positions(case, where)
    on_node = 1 if machine.gpu is not None else where.per_node  # devices exchange messages
    tables = as_tables(case)
    (answer,) = rehearse(
        [Part(tables, played, ranks, on_node, where.threads, steps, strategies, machines, like)]
    )
    has, need, _ = memory_of(machine, where, share.bytes)
    row: dict[str, Any] = {
        "ranks": ranks,
        "nodes": where.nodes,
        "split": list(case.split_over(ranks)),
        "cells": case.size()[1],
        "played": played,
        "kernels": _computed(answer[strategies[0]]["work"]),
        "memory": share.bytes,
        "fits": None if has is None else need <= has,
        "strategies": {},
    }
    for name in strategies:
        slowest = {what: _awaited(answer[name][what]) for what in machines}
        total = slowest["as it is"]["total"] / steps
        if machine.disk is None and any(s["read"] or s["written"] for s in slowest["as it is"]["stages"]):
            raise BadInput(
                f"cases with fields in files cannot be predicted on {machine.name}: its file has no "
                "[disk] with read and write."
            )
        row["strategies"][name] = {
            "T": total,
            "range": [slowest[what]["total"] / steps for what in ENDS],
            "R": slowest["as it is"]["reductions"] / steps,
            "stages": [
                {key: value if key == "stage" else value / steps for key, value in stage.items()}
                for stage in slowest["as it is"]["stages"]
            ],
            "saved": {
                what: 1 - slowest[what]["total"] / steps / total if total > 0 else 0.0 for what in parts_there
            },
        }
    return row


def _computed(work: dict[str, Any]) -> list[str]:
    """The kernels, each with a rate of its own, that compute or fill any cells."""
    return [
        name
        for name, does in work.items()
        if does["filled"] or any(does[part][0] for part in ("shell", "core", "all"))
    ]


def estimated(case: Case, machine: Machine, rows: list[dict[str, Any]]) -> list[str]:
    """Names the stages without a rate in a file that has rates of other stages, and the rates of no stage:
    one of both may be misspelt. The boundary of a field is a stage here, too."""
    rates = machine.rates.get(case.solver, {})
    stages = list(dict.fromkeys(name for row in rows for name in row["kernels"]))
    without_rate = [name for name in stages if name not in rates]
    unused = [name for name in rates if name not in stages]
    if not rates or not without_rate:
        return []
    others = f"; its rates of {', '.join(unused)} are not used" if unused else ""
    return [
        f"the file of {machine.name} has no rate of {', '.join(without_rate)}, whose times are estimated "
        f"from declared bytes and operations{others}"
    ]


def _awaited(ranks: list[dict[str, Any]]) -> dict[str, Any]:
    """The slowest rank; of ranks that are equally slow because they wait for each other, the one that works
    longest."""
    longest = max(told["total"] for told in ranks)
    late = [told for told in ranks if told["total"] >= (1 - CLOSE) * longest]
    busiest = max(late, key=lambda told: sum(s["total"] - s["wait"] - s["files"] for s in told["stages"]))
    return busiest | {"total": longest}


def whole_passes(case: Case, machine: Machine, steps: int) -> int:
    """At least this many steps, in whole passes. Raises BadInput for no steps, and for a machine with rates
    for single steps only, since passes have their own."""
    check_option("--steps", steps, most=MOST_STEPS)
    length, rates = case.one_length("a prediction"), machine.rates.get(case.solver, {})
    if length > 1 and rates and "pass" not in rates:
        raise BadInput(
            f"engine.steps_per_pass = {length} is not allowed on {machine.name}: its file has "
            f"rates of {case.solver}'s stages, but none for passes of several steps; probe the "
            "case with that key."
        )
    return -(-steps // length) * length
