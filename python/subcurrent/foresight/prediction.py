# SPDX-License-Identifier: Apache-2.0
"""Output of a prediction: tables and conclusions."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.table import Table

from ..case.strategies import WITHOUT_OVERLAP
from ..launch.run import say
from ..launch.rundir import write_text
from ..solvers.kinds import title_of

if TYPE_CHECKING:
    from ..case.reading import Case
    from .machine_keys import Machine

CLOSE = 0.005  # of a step: strategies that differ by less are called equal


def bare_table(title: str, headings: Iterable[str], left: tuple[str, ...] = ()) -> Table:
    """A table without a frame, of numbers but for the columns at the `left`."""
    return framed_table(title, headings, left, no_wrap=True, box=None, padding=(0, 1, 0, 0))


def framed_table(
    title: str, headings: Iterable[str], left: tuple[str, ...] = (), *, no_wrap: bool = False, **style: Any
) -> Table:
    shown = Table(title=title, title_justify="left", **style)
    for heading in headings:
        number = heading not in left
        shown.add_column(heading, justify="right" if number else "left", no_wrap=number and no_wrap)
    return shown


def write_rows(out: Path, rows: list[dict[str, Any]], console: Console) -> Path:
    """Writes prediction.json, and returns the path of the figure that is to be drawn beside it."""
    out.mkdir(parents=True, exist_ok=True)
    table, figure = out / "prediction.json", out / "prediction.png"
    write_text(table, json.dumps(rows, indent=1) + "\n")
    say(console, f"table: {table}, figure: {figure}")
    return figure


def best(row: dict[str, Any]) -> str:
    """The fastest strategy that a run would choose; of equal ones the simplest."""
    times = {name: s["T"] for name, s in row["strategies"].items() if name != "ordered"}
    fastest = min(times, key=times.get)
    return "blocking" if times["blocking"] <= times[fastest] * (1 + CLOSE) else fastest


def binding(row: dict[str, Any], name: str) -> str:
    """The bottleneck: what would save most of a step if it took no time, and how much. Computing that is
    bound by the memory is called so where bytes and operations are known separately."""
    saved = dict(row["strategies"][name]["saved"])
    memory = saved.pop("memory", 0.0)
    most = max(saved, key=saved.get)
    if most == "computing" and memory > saved[most] / 2:
        return f"memory {100 * memory:.0f} %"
    return f"{most} {100 * saved[most]:.0f} %"


def _range(times: dict[str, Any]) -> str:
    """Time of a step at both ends of the scatter of measurements; "-" if none is known."""
    low, high = times["range"]
    return "-" if low == high else f"{1e3 * low:.4g} to {1e3 * high:.4g}"


def _between(row: dict[str, Any], name: str) -> str:
    """Gain at both ends of the scatter of measurements, if it can be seen."""
    ends = zip(row["strategies"]["blocking"]["range"], row["strategies"][name]["range"], strict=True)
    low, high = sorted(plain / fast for plain, fast in ends)
    return (
        f" ({low:.3f} to {high:.3f} within the scatter of the measurements)"
        if high - low >= CLOSE / 5
        else ""
    )


def _regime(row: dict[str, Any]) -> str:
    """Which of both can hide the other: communication or the computation of the core."""
    core, messages = sum(s["core"] for s in _apart(row)["stages"]), _moving(row)
    if core <= 0 or messages <= 0:
        return ""
    hides = "communication can hide" if messages <= core else "only a part of the communication can hide"
    return f"; M / C_core = {messages / core:.2f}: {hides}"


def _moving(row: dict[str, Any]) -> float:
    """M: packing, sending and waiting without overlap."""
    return sum(s["start"] + s["wait"] for s in _apart(row)["stages"])


def _apart(row: dict[str, Any]) -> dict[str, Any]:
    """The strategy under which messages and computing take their times one after the other."""
    return row["strategies"].get("ordered", row["strategies"]["blocking"])


def efficiencies(rows: list[dict[str, Any]], weak: bool) -> list[float]:
    """Efficiency of each rank count relative to the first one, with the fastest strategy of each."""
    first = rows[0]
    base = first["strategies"][best(first)]["T"] * (1 if weak else first["ranks"])
    times = [row["strategies"][best(row)]["T"] * (1 if weak else row["ranks"]) for row in rows]
    return [base / time for time in times]


def table_of(rows: list[dict[str, Any]], case: Case, machine: Machine) -> Table:
    names = [name for name in rows[0]["strategies"] if name != "ordered"]
    named = (name.replace("_", "\n") for name in names)
    shown = bare_table(
        f"{machine.name}, {title_of(case)}; predicted milliseconds a step",
        ("ranks", "nodes", "split", "MiB\na rank", *named, "range", "M", "binds"),
    )
    for row in rows:
        fastest = best(row)
        times = [
            f"{'*' if name == fastest else ''}{1e3 * row['strategies'][name]['T']:.4g}" for name in names
        ]
        size = f"{row['memory'] / 2**20:.0f}{' (too many)' if row['fits'] is False else ''}"
        shown.add_row(
            str(row["ranks"]), str(row["nodes"]), "×".join(map(str, row["split"])), size, *times,
            _range(row["strategies"][fastest]), f"{1e3 * _moving(row):.4g}", binding(row, fastest),
        )  # fmt: skip
    return shown


# The columns of times in the table of stages by their keys; those in the second list only if any is not 0.
TIMES = {
    "C_shell": "shell", "C_core": "core", "boundary": "boundary", "start": "start", "poke": "poke", "M": "M",
    "W": "wait", "files": "files", "R": "reduction", "T": "T",
}  # fmt: skip
OPTIONAL = ("boundary", "start", "poke", "files")


def stages_of(row: dict[str, Any]) -> Table:
    """The stages of a step under every strategy, and their sums if a step has several."""
    lines = [
        (name, line)
        for name, told in row["strategies"].items()
        for line in _with_sums(told, [_line(row, stage) for stage in told["stages"]], _moving(row))
    ]
    shown_times = [
        heading
        for heading, key in TIMES.items()
        if heading not in OPTIONAL or any(line[key] for _, line in lines)
    ]
    shown = bare_table(
        f"{row['ranks']} ranks; milliseconds a step",
        ("strategy", "stage", "runs", *shown_times, "mes-\nsages", "kB"),
        left=("strategy", "stage"),
    )
    fastest, before = best(row), None
    for name, line in lines:
        times = [_milliseconds(line[TIMES[heading]], 4 if heading == "T" else 3) for heading in shown_times]
        counts = f"{line['messages']:g}", f"{1e-3 * line['bytes']:.4g}"
        label = f"{'*' if name == fastest else ''}{name}".replace("_", " ") if name != before else ""
        shown.add_row(label, line["stage"], f"{line['runs']:g}", *times, *counts)
        before = name
    return shown


def _milliseconds(seconds: float | None, digits: int) -> str:
    return "-" if seconds is None else f"{1e3 * seconds:.{digits}g}"


def _line(row: dict[str, Any], stage: dict[str, Any]) -> dict[str, Any]:
    """A stage with T, its runs and the reductions after them, and with M. Under strategies that fetch halos
    before they are read, another stage may send them than under `ordered`: M is then None."""
    alone = next((s for s in _apart(row)["stages"] if s["stage"] == stage["stage"]), None)
    same = alone is not None and alone["bytes"] == stage["bytes"]
    moving = alone["start"] + alone["wait"] if same else None
    return stage | {"M": moving, "T": stage["total"] + stage["reduction"]}


def _with_sums(told: dict[str, Any], lines: list[dict[str, Any]], moving: float) -> list[dict[str, Any]]:
    if len(lines) < 2:
        return lines
    keys = ("runs", "shell", "core", "boundary", "start", "poke", "wait", "files", "reduction")
    keys += ("messages", "bytes")
    sums = {key: sum(line[key] for line in lines) for key in keys}
    return [*lines, sums | {"stage": "all", "M": moving, "T": told["T"]}]


def conclusions(rows: list[dict[str, Any]], weak: bool, wanted: float | None = None) -> list[str]:
    """Where overlap pays or not, where efficiency falls below 80 and 50 %, where time stops falling, and the
    fewest ranks for a time."""
    said = []
    for row in rows:
        plain, fastest = row["strategies"]["blocking"]["T"], best(row)
        others = {n: s["T"] for n, s in row["strategies"].items() if n not in WITHOUT_OVERLAP}
        if not others:
            continue
        overlapped = min(others.values())
        if fastest == "blocking" or plain <= overlapped * (1 + CLOSE):
            loss = overlapped / plain - 1
            said.append(
                f"{row['ranks']} ranks: hiding does not pay, blocking is fastest"
                + (
                    f" and the best strategy with overlap takes {100 * loss:.1f} % longer."
                    if loss > CLOSE
                    else "."
                )
            )
        else:
            said.append(
                f"{row['ranks']} ranks: {fastest} is {plain / overlapped:.3f} times as fast as blocking"
                f"{_between(row, fastest)}{_regime(row)}."
            )
    shares = efficiencies(rows, weak)
    for limit in (0.8, 0.5):
        below = next((row["ranks"] for row, share in zip(rows, shares, strict=True) if share < limit), None)
        said.append(
            f"efficiency stays above {100 * limit:.0f} % up to {rows[-1]['ranks']} ranks."
            if below is None
            else f"efficiency falls below {100 * limit:.0f} % at {below} ranks."
        )
    too_large = [f"{row['ranks']}" for row in rows if row["fits"] is False]
    if too_large:
        said.append(f"the case does not fit into the memory of {', '.join(too_large)} ranks.")
    fitting = [(row["strategies"][best(row)]["T"], row) for row in rows if row["fits"] is not False]
    if not weak and fitting:
        fastest = min(fitting, key=lambda pair: pair[0])[1]
        if fastest["ranks"] != rows[-1]["ranks"]:
            said.append(f"a step is fastest on {fastest['ranks']} ranks: with more it takes longer.")
    if wanted is not None:
        said += _enough([pair for pair in fitting if pair[0] <= wanted], weak, wanted)
    return said


def _enough(enough: list[tuple[float, dict[str, Any]]], weak: bool, wanted: float) -> list[str]:
    """The fewest ranks that make a step in the time that is wanted, and those that occupy their nodes for the
    shortest time in all."""
    if not enough:
        return [f"none of these rank counts makes a step in {wanted:g} s."]
    fewest = enough[0][1]["ranks"]
    said = [f"{fewest} ranks are the fewest of these counts that make a step in {wanted:g} s."]
    if not weak:  # else each count is another problem
        time, row = min(enough, key=lambda pair: pair[0] * pair[1]["nodes"])
        nodes = row["nodes"]
        said.append(
            f"{row['ranks']} ranks on {nodes} node{'s' if nodes > 1 else ''} are the cheapest of them: "
            f"{time * nodes:.3g} node-seconds a step."
        )
    return said
