# SPDX-License-Identifier: Apache-2.0
"""`subcurrent strategies`: measures a case under several strategies; table, files and figure."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from . import memory, mpi
from .aside import starting
from .case import as_tables, as_toml, load_case
from .errors import OK, BadInput
from .figures import draw_figures
from .jobs import default_name, say, taken
from .kinds import kind_of
from .launch import command_for, launch
from .library import find_case
from .plan import Plan
from .progress import Watcher
from .rundir import RunFolder, write_text
from .schema.common import STRATEGIES

DEFAULT = ("blocking", "ordered", "boundary_first", "interior_first", "halo_thread")
COLUMNS = ("strategy", "T", "ratio", "C_shell", "C_core", "M", "W", "R", "hidden")


@dataclass
class CompareRequest:
    """What the user asked `strategies` for."""

    case: str
    strategies: list[str] = field(default_factory=lambda: list(DEFAULT))
    ranks: int = 2
    sets: list[str] = field(default_factory=list)
    steps: int = 5
    repeats: int = 5
    sweeps: int = 200
    out: Path | None = None
    overwrite: bool = False


def compare(request: CompareRequest, console: Console) -> int:
    """Runs every strategy in turn on the same ranks, prints the table and says where table and figure lie."""
    if mpi.outer() is not None:
        raise BadInput("strategies starts its own ranks with -n: run it without an outer mpirun or srun.")
    names = _names(request.strategies)
    path = find_case(request.case)
    before, after = kind_of(load_case(path, request.sets)).comparison(request.sweeps)
    sets = [*before, *request.sets, *after]
    for name in names:  # each must be allowed for this case, e.g. enough threads
        load_case(path, [*sets, f'engine.strategy="{name}"'])
    case = load_case(path, [*sets, "engine.strategy=blocking"])
    mpi.check_layout(request.ranks, case.engine.threads)
    case.check_ranks(request.ranks)
    for option, value in (("--steps", request.steps), ("--repeats", request.repeats)):
        if value < 1:
            raise BadInput(f"{option} {value} is not allowed: it must be a whole number >= 1.")
    memory.check(case, request.ranks, solvers=len(names))
    folder = RunFolder(request.out or Path("runs") / f"strategies_{default_name(path)}")
    folder.check_new(request.overwrite)
    plan = Plan("strategies", as_tables(case), str(folder.path), request.ranks)
    plan.strategies, plan.steps, plan.repeats = names, request.steps, request.repeats

    with taken(folder, console):
        folder.check_new(request.overwrite)
        line = command_for(plan, folder.plan)
        with starting(folder, request.overwrite) as computing:
            folder.create()
            write_text(folder.case, as_toml(case))
            write_text(folder.plan, plan.text())
            with Watcher(console) as watcher:
                launch(line, plan.layout(), watcher, folder.log, computing)
        return _after(folder, console)


def _after(folder: RunFolder, console: Console) -> int:
    table = json.loads((folder.path / "strategies.json").read_text())
    finish_rows(table["rows"])
    write_text(folder.path / "strategies.json", json.dumps(table, indent=1) + "\n")
    write_text(folder.path / "strategies.csv", as_csv(table["rows"]))
    console.print(as_table(table))
    say(console, verdict(table["rows"]))
    drawn = draw_figures(folder)
    say(
        console,
        f"table: {folder.path / 'strategies.csv'}   figure: {', '.join(str(figure) for figure in drawn.files)}",
    )
    return OK


def _names(given: list[str]) -> list[str]:
    """The strategies to measure: first `blocking` for the ratios and `ordered` for the hidden share."""
    for name in given:
        if name not in STRATEGIES:
            raise BadInput(f"--strategies {name!r} is not known: allowed is {', '.join(STRATEGIES)}.")
    return list(dict.fromkeys(["blocking", "ordered", *given]))


def finish_rows(rows: list[dict[str, Any]]) -> None:
    """Adds what needs other rows: the ratio to `blocking`, and the share of `ordered`'s M now hidden."""
    times = {row["strategy"]: row["T"] for row in rows}
    messages = {row["strategy"]: row.get("M") for row in rows}.get("ordered")
    for row in rows:
        row["ratio"] = times["blocking"] / row["T"]
        unhidden = row["strategy"] in ("blocking", "ordered") or not messages
        row["hidden"] = None if unhidden else 1.0 - (row.get("W") or 0.0) / messages


def as_table(table: dict[str, Any]) -> Table:
    """The table for a terminal; times in milliseconds a step."""
    grid = table["case"]["grid"]
    unit = "points" if "points" in grid else "cells"
    size = " x ".join(str(count) for count in grid[unit])
    title = (
        f"{size} {unit}, {table['ranks']} ranks x {table['threads']} threads; milliseconds a step, medians"
    )
    shown = Table(title=title, title_justify="left", title_style="bold")
    for name in COLUMNS:
        shown.add_column(
            {"ratio": "over blocking"}.get(name, name), justify="left" if name == "strategy" else "right"
        )
    for row in table["rows"]:
        shown.add_row(*(_cell(name, row.get(name)) for name in COLUMNS))
    return shown


def _cell(name: str, value: Any) -> str:
    if value is None:
        return "-"
    if name == "strategy":
        return value
    if name == "ratio":
        return f"{value:.2f}"
    return f"{100 * value:.0f} %" if name == "hidden" else f"{1e3 * value:.3g}"


def verdict(rows: list[dict[str, Any]]) -> str:
    """One sentence: what hiding can gain here at most, and what it gained."""
    by_name = {row["strategy"]: row for row in rows}
    ordered = by_name["ordered"]
    shell, core, messages = (ordered.get(name) or 0.0 for name in ("C_shell", "C_core", "M"))
    best = max(rows, key=lambda row: row["ratio"])
    gained = f"the fastest here is {best['strategy']} at {best['ratio']:.2f} times blocking"
    if messages <= 0 or shell + core <= 0:
        return f"No messages were measured, so there is nothing to hide; {gained}."
    ceiling = (shell + core + messages) / (max(core, messages) + shell)
    case = (
        "communication can hide under computation"
        if core >= messages
        else "computation can hide under communication"
    )
    return f"M / C_core = {messages / core:.2f}: {case}, at most {ceiling:.2f} times blocking; {gained}."


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The same table as CSV, times in seconds a step."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, extrasaction="ignore", lineterminator="\n", restval="")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
