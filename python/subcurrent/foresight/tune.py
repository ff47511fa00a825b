# SPDX-License-Identifier: Apache-2.0
"""`subcurrent tune`: which ranks, threads, split, strategy and other keys give the shortest steps of a case
here.

Results do not depend on any of them, so only the time of a step counts.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from ..case.reading import Case, as_tables
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import emulated, memory, mpi, tuned
from ..launch.mpi import Layout
from ..launch.plan import Plan
from ..launch.progress import say
from ..launch.run import ranks_of
from ..launch.start import answer_of
from ..rank.tuning import MARGIN
from .subject import Subject, subject_of
from .tune_candidates import first_settings, layouts, pruned, varied
from .tuning_table import conclusion, table_of

NEAR = 1.15  # times the fastest: layouts that have the last runs to themselves
LAST_ROUNDS = 3  # of these, each a start of its ranks


@dataclass
class TuneRequest:
    """The options of `tune`."""

    case: str
    ranks: int | None = None
    threads: int | None = None
    cpus: int | None = None
    machine: str | None = None
    sets: list[str] = field(default_factory=list)
    steps: int = 2
    repeats: int = 5
    sweeps: int = 50
    show: bool = False
    network: str | None = None  # emulated between the ranks (see launch/emulated.py)


def tune(request: TuneRequest, console: Console) -> int:
    """Measures, prints the table and stores it for `run`; also as a rank of an outer mpirun."""
    subject = subject_of(request.case).for_tuning()
    sets = [*request.sets]
    if request.threads is not None:
        sets.append(f"engine.threads={request.threads}")
    case = subject.case(sets)
    file = tuned.file_of(subject.name, case, request.network)
    if request.show:
        return show(file, subject, console)
    if request.network is not None:
        request.ranks = 2 if request.ranks is None else request.ranks
        emulated.check(request.network, request.ranks)
    check_option("--steps", request.steps)
    check_option("--repeats", request.repeats, least=2)
    tuning = Tuning(request, subject, sets, console)
    outer = mpi.outer()
    if outer is None:
        groups = tuning.here()
    else:
        groups = tuning.as_rank(ranks_of(request.ranks, outer, 1))
        if outer.rank != 0:
            return OK
    record = tuning.record(groups)
    try:
        tuned.save(file, record)
    finally:  # minutes were spent on it
        console.print(table_of(groups))
        say(console, conclusion(record))
        for sentence in subject.use(record):
            say(console, sentence)
    again = "--show" if request.network is None else f"--show --network {request.network}"
    uses = "uses it" if request.network is None else "ignores measurements over an emulated network"
    by_run = f" `run` {uses}," if subject.runs else ""
    say(console, f"stored in {file};{by_run} `tune {again}` shows all measurements")
    return OK


def show(file: Path, subject: Subject, console: Console) -> int:
    """Prints earlier measurements, including slower candidates."""
    record = tuned.load(file)
    if not record:
        raise BadInput(
            "--show finds no measurements of this case with this size on this machine (with "
            "--network: at this rate)."
        )
    console.print(table_of(record["groups"], everything=True))
    for sentence in (conclusion(record), *subject.use(record), f"from {file}"):
        say(console, sentence)
    return OK


class Tuning:
    """The measurements of one case with all keys that it leaves open."""

    def __init__(self, request: TuneRequest, subject: Subject, sets: list[str], console: Console):
        self._request, self._path, self._console = request, subject.path, console
        self._env: Mapping[str, str] = os.environ
        self._fixed = subject.fixed(sets)
        self._own = subject.case(sets)
        self._case = subject.case(subject.alike(sets, request.sweeps))
        if self._case.engine.transport == "delayed":
            raise BadInput('engine.transport = "delayed" cannot be tuned: it is a test that delays messages.')

    def here(self) -> list[dict[str, Any]]:
        """Every layout of ranks and threads by itself; then a comparison of the fastest ones."""
        request = self._request
        found = layouts(self._case, request.ranks, request.cpus, "engine.threads" in self._fixed)
        for layout in found:
            mpi.check_layout(layout.ranks, layout.threads)
        firsts = [first_settings(self._on(layout), layout.ranks, self._fixed) for layout in found]
        if request.machine is not None:
            cases = [self._on(layout) for layout in found]
            found, firsts, said = pruned(cases, found, firsts, request.machine)
            say(self._console, said)
        with emulated.hosts(request.network, request.ranks or 1, partial(say, self._console)) as self._env:
            return self._all(found, firsts)

    def _all(self, found: list[Layout], firsts: list[list[dict[str, Any]]]) -> list[dict[str, Any]]:
        groups = []
        for layout, first in zip(found, firsts, strict=True):
            case = self._on(layout)
            say(
                self._console,
                f"{layout}: {1 + len(first)} candidates, then further keys of the fastest",
            )
            answer = self._measured(case, layout.ranks, first, self.varied(case, layout.ranks))
            groups.append(self._group(layout, case, answer))
        self._last_runs(groups)
        return groups

    def as_rank(self, ranks: int) -> list[dict[str, Any]]:
        """As one of the ranks of an outer mpirun: their number, threads and transport are fixed."""
        if self._request.machine is not None or self._request.cpus is not None:
            raise BadInput(
                "--machine and --cpus choose ranks and threads: they are not allowed under mpirun or srun."
            )
        ranks = ranks or 1
        case, layout = self._case, Layout(ranks, self._case.engine.threads)
        case.check_ranks(ranks)
        answer = self._measured(
            case, ranks, first_settings(case, ranks, self._fixed), self.varied(case, ranks)
        )
        return [] if answer is None else [self._group(layout, case, answer)]

    def varied(self, case: Case, ranks: int) -> dict[str, list[Any]]:
        """Other values of the keys, of which a run of the case can make use."""
        return varied(case, ranks, self._fixed, self._own.longest_pass())

    def _on(self, layout: Layout) -> Case:
        return self._case.updated("engine", threads=layout.threads)

    def _measured(
        self, case: Case, ranks: int, first: list[dict[str, Any]], vary: dict[str, list[Any]]
    ) -> dict[str, Any] | None:
        """What ranks measure; None on those of an outer mpirun but the first."""
        request = self._request
        plan = Plan("tune", as_tables(case), "", ranks, steps=request.steps, repeats=request.repeats)
        plan.rate = emulated.adapter_rate(request.network)
        plan.tune = {"first": first, "vary": vary, "at_once": memory.solvers_at_once(case, ranks)}
        how = {"console": self._console, "env": self._env, "outer": mpi.outer()}
        return answer_of(plan, "tuning.json", request.network, **how)

    def _group(self, layout: Layout, case: Case, answer: dict[str, Any]) -> dict[str, Any]:
        """One layout: its fastest settings, the values of all keys, and the rows that led to the choice."""
        winner = answer["winner"]
        settled = tuned.with_settings(case, winner["settings"])
        keys = {key: tuned.value_of(settled, key) for key in tuned.KEYS}
        plain = [row for row in answer["rows"] if not row["settings"]][-1]
        return {
            "ranks": layout.ranks,
            "threads": layout.threads,
            "as_it_is": plain["T"],
            "winner": {
                "ranks": layout.ranks,
                "threads": layout.threads,
                "keys": {key: value for key, value in keys.items() if value is not None},
                "settings": winner["settings"],
                "split": winner["split"],
                "T": winner["T"],
                "ratio": winner["ratio"],
            },
            "rows": answer["rows"],
        }

    def _last_runs(self, groups: list[dict[str, Any]]) -> None:
        """Runs the layouts that are about as fast as the fastest again, in turn, each also with messages by
        MPI. Times of programs that run at different times could not be compared otherwise."""
        limit = NEAR * min(group["winner"]["T"] for group in groups)
        entered = [
            (group, dict(group["winner"]["settings"])) for group in groups if group["winner"]["T"] <= limit
        ]
        # An emulated network uses MPI in any case.
        free = "engine.transport" not in self._fixed and self._case.engine.transport == "auto"
        if free and self._request.network is None:
            entered += [(g, s | {"engine.transport": "mpi"}) for g, s in entered if g["ranks"] > 1]
        if len(entered) < 2:
            return
        say(self._console, f"final comparison: {len(entered)} of these in turn, {LAST_ROUNDS} rounds")
        times: list[list[float]] = [[] for _ in entered]
        for _ in range(LAST_ROUNDS):
            for number, (group, settings) in enumerate(entered):
                case = tuned.with_settings(self._on(Layout(group["ranks"], group["threads"])), settings)
                times[number].append(self._measured(case, group["ranks"], [], {})["winner"]["T"])
        own = {
            id(group): taken
            for (group, s), taken in zip(entered, times, strict=True)
            if "engine.transport" not in s
        }
        for (group, settings), taken in zip(entered, times, strict=True):
            row = {"settings": settings, "phase": "last", "T": median(taken), "T_all": taken}
            row |= {
                "ratio": group["as_it_is"] / row["T"],
                "split": group["winner"]["split"],
                "left_after": None,
            }
            group["rows"].append(row)
            if "engine.transport" not in settings:
                group["winner"]["T"] = row["T"]
                group["as_it_is"] = row["T"] * group["winner"]["ratio"]
            elif _faster(taken, own[id(group)]):
                group["winner"] |= {
                    "T": row["T"],
                    "ratio": group["as_it_is"] / row["T"],
                    "settings": settings,
                }
                group["winner"]["keys"]["engine.transport"] = "mpi"

    def record(self, groups: list[dict[str, Any]]) -> dict[str, Any]:
        """What is stored."""
        return {
            "case": str(self._path),
            "size": self._case.size()[1],
            "fixed": self._fixed,
            "machine": tuned.machine(),
            "network": self._request.network,
            "measured": time.strftime("%Y-%m-%d %H:%M:%S"),
            "winners": [group.pop("winner") | {"as_it_is": group["as_it_is"]} for group in groups],
            "groups": groups,
        }


def _faster(one: list[float], other: list[float]) -> bool:
    """Whether times are shorter in every round, and by more than noise."""
    won = all(a < b for a, b in zip(one, other, strict=True))
    return won and median(one) < median(other) * (1 - MARGIN)
