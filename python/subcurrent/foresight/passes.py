# SPDX-License-Identifier: Apache-2.0
"""`subcurrent predict --steps-per-pass 1,2,4,8`: which number of steps in a pass is fastest, by rank count;
table, figure and conclusions."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

from ..case.reading import Case
from ..errors import OK, BadInput
from ..launch.run import say
from ..solvers.kinds import title_of
from .asked import PredictRequest, asked, counts_of
from .machine_keys import Machine
from .machines import load_machine
from .predict import predicted, sized
from .prediction import CLOSE, bare_table, best, binding, write_rows

Rows = dict[int, dict[int, dict[str, Any]]]  # of `predicted`, by ranks and steps a pass


def predict_passes(request: PredictRequest, text: str, console: Console) -> int:
    """Predicts every rank count with every number of steps in a pass, and prints which are not possible."""
    from ..report.plots.prediction import MOST_LINES, draw_lines  # noqa: PLC0415 - matplotlib

    lengths = counts_of(text, "--steps-per-pass")
    if len(lengths) > MOST_LINES:
        raise BadInput(f"--steps-per-pass {text!r} is not allowed: it must be at most {MOST_LINES} numbers.")
    given = {
        "--simulate": request.simulate,
        "--stages": request.stages,
        "--seconds": request.seconds is not None,
    }
    for option, there in given.items():
        if there:
            raise BadInput(
                f"{option} needs one number of steps a pass: give --set "
                f"engine.steps_per_pass={lengths[-1]} instead of --steps-per-pass."
            )
    machine, counts = load_machine(request.machine), counts_of(request.ranks)
    rows: Rows = {count: {} for count in counts}
    refused: list[str] = []
    for length in lengths:
        case = _predict_length(request, machine, length, rows, refused)
    console.print(table_of(rows, lengths, f"{machine.name}, {title_of(case)}"))
    console.print(plan_of(rows))
    for sentence in (*refused, *conclusions(rows)):
        say(console, sentence)
    if request.out is not None:
        flat = [row | {"steps_per_pass": k} for by in rows.values() for k, row in by.items()]
        lines = {
            f"{length} a pass": [(count, time(by[length])) for count, by in rows.items() if length in by]
            for length in lengths
            if any(length in by for by in rows.values())
        }
        figure = write_rows(request.out, flat, console)
        draw_lines(figure, lines, f"Steps a pass on {machine.name}, predicted", request.weak)
    return OK


def _predict_length(
    request: PredictRequest, machine: Machine, length: int, rows: Rows, refused: list[str]
) -> Case:
    """Predicts every rank count with this number of steps in a pass, and returns the case. One without passes
    is an error; rank counts with too thin blocks are left out."""
    case, names, _ = asked(request, machine, f"engine.steps_per_pass={length}")
    first = min(rows)
    for count, by_length in rows.items():
        try:
            one = sized(case, first, count, request.weak)
            one.check_ranks(count)
        except BadInput as error:
            refused.append(f"{count} ranks with {length} steps a pass are left out: {error.sentence}")
            continue
        by_length[length] = predicted(
            one, machine, count, names, steps=request.steps, per_node=request.per_node
        )
    return case


def time(row: dict[str, Any]) -> float:
    """Time of a step under the fastest strategy."""
    return row["strategies"][best(row)]["T"]


def fastest(by_length: dict[int, dict[str, Any]]) -> int:
    """The number of steps in a pass with the shortest step; of equal ones the smallest."""
    least = min(time(row) for row in by_length.values())
    return next(length for length, row in sorted(by_length.items()) if time(row) <= least * (1 + CLOSE))


def table_of(rows: Rows, lengths: list[int], title: str) -> Table:
    shown = bare_table(
        f"{title}; predicted milliseconds a step under the fastest strategy, by steps a pass",
        ("ranks", "split", *map(str, lengths), "strategy", "MiB\na rank", "messages", "binds"),
    )
    for count, by in rows.items():
        if not by:
            continue
        length = fastest(by)
        row, name = by[length], best(by[length])
        times = [f"{'*' if k == length else ''}{1e3 * time(by[k]):.4g}" if k in by else "-" for k in lengths]
        messages = sum(stage["messages"] for stage in row["strategies"][name]["stages"])
        size = f"{row['memory'] / 2**20:.0f}{' (too many)' if row['fits'] is False else ''}"
        split = "×".join(map(str, row["split"]))
        shown.add_row(str(count), split, *times, name, size, f"{messages:g}", binding(row, name))
    return shown


def plan_of(rows: Rows) -> Table:
    """Data that a rank moves in a step and memory that it needs, for every number of steps in a pass."""
    headings = ("ranks", "steps\na pass", "read", "written", "sent", "ms", "MiB\na rank")
    shown = bare_table("the plan of a rank: megabytes a step", headings)
    for count, by in rows.items():
        for length, row in by.items():
            stages = row["strategies"][best(row)]["stages"]
            moved = (sum(stage[key] for stage in stages) for key in ("read", "written", "bytes"))
            figures = (f"{1e-6 * one:.4g}" for one in moved)
            last = f"{1e3 * time(row):.4g}", f"{row['memory'] / 2**20:.0f}"
            shown.add_row(str(count), str(length), *figures, *last)
    return shown


def conclusions(rows: Rows) -> list[str]:
    """For every rank count the best number of steps in a pass, compared with single steps if these were
    requested."""
    said = []
    for count, by in rows.items():
        if not by:
            continue
        length = fastest(by)
        if length == 1:
            said.append(f"{count} ranks: passes of several steps do not pay.")
        elif 1 in by:
            gain = time(by[1]) / time(by[length])
            said.append(f"{count} ranks: {length} steps a pass are {gain:.3f} times as fast as one.")
        else:
            said.append(f"{count} ranks: {length} steps a pass are the fastest.")
    return said
