# SPDX-License-Identifier: Apache-2.0
"""`subcurrent scale`: measures a case with several rank counts on this machine, or on hosts that it emulates,
and compares with a prediction."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..case.reading import Case
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import emulated, memory, mpi
from ..launch.progress import say
from ..launch.rundir import write_text
from ..launch.start import answer_of
from ..solvers.kinds import title_of
from .machine_keys import Machine
from .machines import load_machine
from .predict import counts_of, predicted, sized
from .prediction import framed_table
from .strategies import check_whole_passes, measurement
from .subject import subject_of


@dataclass
class ScaleRequest:
    """The options of `scale`."""

    case: str
    ranks: str
    strategy: str = "blocking"
    sets: list[str] = field(default_factory=list)
    weak: bool = False
    steps: int = 5
    repeats: int = 5
    sweeps: int = 200
    machine: str | None = None
    out: Path | None = None
    network: str | None = None  # emulated between the ranks (see launch/emulated.py)


def scale(request: ScaleRequest, console: Console) -> int:
    """Measures every count, prints the table and, with a machine file, the prediction."""
    if mpi.outer() is not None:
        raise BadInput(
            "scale starts the ranks itself, with several rank counts: do not run it under mpirun or srun."
        )
    counts = counts_of(request.ranks)
    subject = subject_of(request.case)
    case = subject.case(
        [*subject.alike(request.sets, request.sweeps), f'engine.strategy="{request.strategy}"']
    )
    check_whole_passes(case, request.steps)
    check_option("--steps", request.steps)
    check_option("--repeats", request.repeats)
    machine = load_machine(request.machine) if request.machine is not None else None
    if machine is not None and request.strategy == "automatic":
        raise BadInput("--machine cannot predict the strategy automatic: give another --strategy.")
    cases = [sized(case, counts[0], count, request.weak) for count in counts]
    for one, count in zip(cases, counts, strict=True):  # all of them before the first is started
        mpi.check_layout(count, one.engine.threads)
        one.check_ranks(count)
        memory.check(one, count)
        if request.network is not None and count > 1:
            emulated.check(request.network, count)
    rows = [_row(request, one, count, machine) for one, count in zip(cases, counts, strict=True)]
    finish(rows, request.weak)
    where = "" if request.network is None else f", {emulated.title(request.network)}"
    console.print(table_of(rows, title_of(case) + where, request.strategy))
    if request.out is not None:
        request.out.mkdir(parents=True, exist_ok=True)
        write_text(request.out / "scale.json", json.dumps(rows, indent=1) + "\n")
        say(console, f"table: {request.out / 'scale.json'}")
    return OK


def _row(request: ScaleRequest, case: Case, ranks: int, machine: Machine | None) -> dict[str, Any]:
    row = {"ranks": ranks, "cells": case.size()[1]} | measured(case, ranks, request)
    if request.network is not None:
        row["network"] = request.network if ranks > 1 else None
    if machine is not None:
        names = list(dict.fromkeys((request.strategy, "ordered")))
        there = predicted(case, machine, ranks, names)
        row["predicted"] = there["strategies"][request.strategy]["T"]
    return row


def measured(case: Case, ranks: int, request: ScaleRequest) -> dict[str, Any]:
    """Seconds of a step: median, minimum and maximum over the rounds. One rank sends nothing, so it needs no
    emulated network."""
    asked = request if ranks > 1 else replace(request, network=None)
    plan = measurement(case, "", ranks, [request.strategy], asked)
    (row,) = answer_of(plan, "strategies.json", asked.network)["rows"]
    return {"split": row["split"], "T": row["T"], "least": min(row["T_all"]), "most": max(row["T_all"])}


def finish(rows: list[dict[str, Any]], weak: bool) -> None:
    """Adds the efficiency relative to the first count, measured and predicted."""
    for name, share in (("T", "efficiency"), ("predicted", "predicted_efficiency")):
        if any(name not in row for row in rows):
            continue
        for row in rows:
            more = 1 if weak else row["ranks"] / rows[0]["ranks"]
            row[share] = rows[0][name] / (more * row[name])


def table_of(rows: list[dict[str, Any]], title: str, strategy: str) -> Table:
    foretold = "predicted" in rows[0]
    headings = ("ranks", "split", "T", "least", "most", "efficiency")
    headings += ("predicted", "of it") if foretold else ()
    shown = framed_table(f"{title}, {strategy}; milliseconds a step, medians", headings)
    for row in rows:
        times = [f"{1e3 * row[name]:.4g}" for name in ("T", "least", "most")]
        beside = [f"{1e3 * row['predicted']:.4g}", f"{row['predicted'] / row['T']:.3f}"] if foretold else []
        split = "×".join(map(str, row["split"]))
        shown.add_row(str(row["ranks"]), split, *times, f"{row['efficiency']:.3f}", *beside)
    return shown
