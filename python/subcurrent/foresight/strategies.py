# SPDX-License-Identifier: Apache-2.0
"""`subcurrent strategies`: measures a case under several strategies; table, files and figure."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from ..case.reading import as_tables, as_toml
from ..case.strategies import WITHOUT_OVERLAP, check_strategies
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import emulated, mpi
from ..launch.plan import Plan
from ..launch.progress import say
from ..launch.run import ranks_of
from ..launch.rundir import RunFolder, write_text
from ..launch.start import Start, carry_out, report_outside
from ..report import account
from ..report.figures import draw_figures
from ..report.records import csv_text
from ..solvers.cases import typed_case
from ..solvers.kinds import title_of
from ..solvers.stencil.case import NAME as STENCIL
from . import ceiling
from .subject import Subject, subject_of
from .verdict import verdict

COLUMNS = ("strategy", "T", "ratio", "C_shell", "C_core", "M", "W", "R", "hidden", "plan")


@dataclass
class CompareRequest:
    """The options of `strategies`."""

    case: str
    strategies: list[str] = field(default_factory=list)  # all that the case allows when empty
    ranks: int | None = None
    sets: list[str] = field(default_factory=list)
    steps: int = 5
    repeats: int = 5
    sweeps: int = 200
    network: str | None = None  # emulated between the ranks (see launch/emulated.py)
    out: Path | None = None
    overwrite: bool = False


def compare(request: CompareRequest, console: Console) -> int:
    """Runs the strategies in turn on the same ranks, prints the table and the paths of table and figure; also
    as a rank of an outer mpirun."""
    outer = mpi.outer()
    ranks = ranks_of(request.ranks, outer, 2)
    if request.network is not None:
        emulated.check(request.network, ranks)
    subject = subject_of(request.case, solvers=True)
    sets = subject.alike(request.sets, request.sweeps)
    case = subject.case([*sets, "engine.strategy=blocking"])
    names, left_out = chosen(request.strategies, subject, sets)
    if outer is None:
        mpi.check_layout(ranks, case.engine.threads)
    if ranks or outer is None:
        case.check_ranks(ranks)
    check_option("--steps", request.steps)
    check_option("--repeats", request.repeats)
    check_whole_passes(case, request.steps)
    subject.check_memory(case, ranks, len(names))
    name = [subject.name, *(request.network.split(":") if request.network else [])]
    folder = RunFolder(request.out or Path("runs") / f"strategies_{'_'.join(name)}")
    folder.check_new(request.overwrite)
    plan = measurement(case, str(folder.path), ranks, names, request)

    def prepare() -> None:
        folder.create()
        write_text(folder.case, as_toml(case))
        write_text(folder.plan, plan.text())

    def done(_: dict[str, Any]) -> int:
        _tell(folder, console, request.network)
        if outer is None:
            say(console, f"figure: {', '.join(str(figure) for figure in draw_figures(folder).files)}")
        else:
            report_outside(folder)
        return OK

    for sentence in [*left_out, *note_of_passes(case, names)] if outer is None or outer.rank == 0 else ():
        say(console, sentence)
    start = Start(folder, prepare, request.overwrite)
    return carry_out(plan, start, console, done, network=request.network)


def measurement(case: Any, folder: str, ranks: int, strategies: list[str], asked: Any) -> Plan:
    """The plan to measure these strategies; `asked` has the steps of a round, the rounds and the network."""
    plan = Plan("strategies", as_tables(case), folder, ranks, strategies=strategies)
    plan.steps, plan.repeats, plan.rate = asked.steps, asked.repeats, emulated.adapter_rate(asked.network)
    return plan


def check_whole_passes(case: Any, steps: int) -> None:
    """Raises BadInput for steps of a loop in Python that end within a pass, which would be computed in the
    next turn."""
    length = case.pass_length()
    if case.solver == STENCIL and steps % length:
        raise BadInput(
            f"--steps {steps} is not allowed with engine.steps_per_pass = {length} of this loop: it must be "
            f"a multiple of {length}."
        )


def _tell(folder: RunFolder, console: Console, network: str | None = None) -> None:
    """Completes the table of the ranks and prints it."""
    table = json.loads((folder.path / "strategies.json").read_text(encoding="utf-8"))
    if network is not None:
        table["network"] = network
    finish_rows(table["rows"])
    unknown = ceiling.add_plans(table, network)
    write_text(folder.path / "strategies.json", json.dumps(table, indent=1) + "\n")
    write_text(folder.path / "strategies.csv", as_csv(table["rows"]))
    console.print(as_table(table))
    say(console, verdict(table["rows"]))
    if unknown is not None:
        say(console, f"the critical path of the plan is not known: {unknown}")
    say(console, f"table: {folder.path / 'strategies.csv'}")


def chosen(given: list[str], subject: Subject, sets: list[str]) -> tuple[list[str], list[str]]:
    """The strategies to measure, first `blocking` (for ratios) and `ordered` (for the hidden share), and a
    sentence for each that was not named and that the case does not allow."""
    check_strategies(given)
    names, left_out = [*WITHOUT_OVERLAP], []
    for name in given or subject.strategies(sets):
        if name in names:
            continue
        try:
            subject.allow(name, sets)
        except BadInput as error:
            if given:
                raise
            left_out.append(f"{name} is left out: {error.sentence}")
        else:
            names.append(name)
    return names, left_out


def note_of_passes(case: Any, names: list[str]) -> list[str]:
    """Which strategies do the same in passes of several steps: those that overlap, and those that do not; if
    two of a kind are measured."""
    if case.pass_length() == 1:
        return []
    notes = []
    for kind, waits in (("that overlap", False), ("without overlap", True)):
        alike = [name for name in names if (name in WITHOUT_OVERLAP) is waits]
        if len(alike) > 1:
            notes.append(
                f"in passes of {case.passes_in_words()} steps all strategies {kind} are one order, so "
                f"{', '.join(alike[:-1])} and {alike[-1]} differ by chance only, but for stages outside of "
                "passes"
            )
    return notes


def finish_rows(rows: list[dict[str, Any]]) -> None:
    """Adds columns that depend on other rows: the ratio to `blocking`, and the hidden share of the M of
    `ordered`."""
    times = {row["strategy"]: row["T"] for row in rows}
    messages = {row["strategy"]: row.get("M") for row in rows}.get("ordered")
    for row in rows:
        row["ratio"] = times["blocking"] / row["T"]
        known = row["strategy"] not in WITHOUT_OVERLAP and messages and row.get("W") is not None
        spent = sum(row.get(name) or 0.0 for name in ("start", "poke", "W"))
        row["hidden"] = 1.0 - spent / messages if known else None


def as_table(table: dict[str, Any]) -> Table:
    """The table for a terminal; milliseconds per step."""
    grid = table["case"].get("grid")
    if grid is None:
        what = title_of(typed_case(table["case"]))
    else:
        unit = "points" if "points" in grid else "cells"
        what = " x ".join(str(count) for count in grid[unit]) + f" {unit}"
    ranks = f"{table['ranks']} ranks x {table['threads']} threads"
    if "network" in table:
        ranks += f", {emulated.title(table['network'])}"
    title = f"{what}, {ranks}; milliseconds a step, medians"
    shown = Table(title=title, title_justify="left", title_style="bold")
    for name in COLUMNS:
        first = name == "strategy"
        heading = {"ratio": "over blocking"}.get(name, name)
        shown.add_column(heading, justify="left" if first else "right", no_wrap=first)
    for row in table["rows"]:
        shown.add_row(*(_cell(name, row) for name in COLUMNS))
    return shown


def _cell(name: str, row: dict[str, Any]) -> str:
    value = row.get(name)
    if name == "strategy":
        return value
    if name == "plan" and value is None:
        return "-"
    if name == "ratio":
        return f"{value:.2f}"
    if name == "C_shell" and row["strategy"] == "blocking":
        return "-"
    if name == "hidden" and value is None:
        nothing = row["strategy"] in WITHOUT_OVERLAP or row.get("M") == 0
        return "-" if nothing else account.NOT_MEASURED
    return f"{100 * value:.0f} %" if name == "hidden" else account.milliseconds(value)


def as_csv(rows: list[dict[str, Any]]) -> str:
    """The same table as CSV, seconds per step."""
    return csv_text(COLUMNS, (map(row.get, COLUMNS) for row in rows))
