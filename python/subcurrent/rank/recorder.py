# SPDX-License-Identifier: Apache-2.0
"""What rank 0 writes during a run: history.csv and tables beside it, progress, and the results at the end."""

from __future__ import annotations

import contextlib
import json
import math
from typing import Any

from .. import core
from ..errors import SubcurrentError
from ..launch import events
from ..launch.memory import needed
from ..launch.plan import Plan
from ..launch.rundir import RunFolder, write_text, writing
from ..lines import EVERY, Pace, progress, step_facts
from ..report.account import account_of, choice, overlap_case, passes
from ..report.records import read_record
from ..solvers.kinds import kind_of
from . import machine
from .ending import End, Forecast
from .probes import probes_of
from .table import GrowingTable, MeasuredTable

EVENT_EVERY = 0.25  # seconds between two progress events


class Recorder:
    """Making one, `started`, `finished` and `step`, the first one and those with a row, are collective; all
    else does nothing on the other ranks."""

    def __init__(
        self, context: Any, solver: Any, plan: Plan, folder: RunFolder, resumed: dict[str, Any] | None
    ):
        self._context, self._solver, self._plan, self._folder = context, solver, plan, folder
        self._writes = context.rank == 0
        self._transports = ""
        self._case = plan.typed_case()
        self._resumed = resumed
        self._begun: dict[str, Any] = {}
        self._forecast = Forecast(End.of(self._case.run))
        self._first_step = solver.steps
        self._kind = kind_of(self._case)
        self._columns = self._kind.history_of(self._case)
        self._totals: dict[str, Any] = {}
        self._seconds = 0.0
        self._seconds_before = 0.0
        self._pace = Pace(EVENT_EVERY if plan.events else EVERY)
        self._last: dict[str, Any] = {}
        self._before: dict[str, Any] = {}  # summary.json of the session before
        self._kept: dict[str, Any] = {}  # the row of the step at which this session begins
        self._history = GrowingTable(folder.history, (*self._columns, "seconds"))
        self._measured = probes_of(solver, self._case, folder, self._writes)
        for name, (columns, rows) in self._kind.series(solver, self._case).items():
            self._measured.append(MeasuredTable(folder.path / name, columns, rows, self._writes))

    def started(self) -> None:
        self._begun = self._kind.begun(self._solver, self._case)
        passes = self._plan_of_passes()
        if not self._writes:
            return
        if self._resumed:
            self._folder.drop_after(self._first_step)
            with contextlib.suppress(SubcurrentError):  # a damaged one is written anew
                self._before = read_record(self._folder.summary)
        kept_until = self._first_step if self._resumed else None
        self._open_history(kept_until)
        for table in self._measured:
            table.open(kept_until)
        facts = {
            **self._layout(),
            "step": self._solver.steps,
            "end": End.of(self._case.run).in_units(*self._kind.columns(self._case).get("time", ())),
            "resumed": self._resumed,
            "notes": [*self._case.notes(), *self._kind.notes(self._solver), *passes],
        }
        said = f"subcurrent: {facts['cells']} cells on {facts['ranks']} ranks, until {facts['end']}"
        events.tell(self._plan.events, "\n".join([said, *facts["notes"]]), "start", **facts)

    def _plan_of_passes(self) -> list[str]:
        """What is said of passes in memory before the first step. Collective."""
        cost = self._solver.pass_cost()
        if cost is None:
            return []
        cases = self._case, self._case.updated("engine", steps_per_pass=1)
        with_passes, without = (needed(case, self._context.size) for case in cases)
        return [self._case.plan_of_passes(cost, (with_passes, without))]

    def step(self, record: dict[str, Any], seconds: float) -> None:
        """Records one step; `seconds` count from the first step of this session."""
        self._kind.count(record, self._totals)
        self._seconds = seconds
        if not self._transports:  # known when the halos have been needed
            self._transports = self._context.transports()
            if self._writes and self._plan.events:
                events.emit("halos", transports=self._transports)
        due = record["step"] % self._case.output.history_every == 0
        if due:
            for table in self._measured:
                table.add(record["step"], record["time"])
        if not self._writes:
            return
        if not self._last:  # from here on the record of the session before is not that of this run
            with writing(self._folder.summary):
                self._folder.summary.unlink(missing_ok=True)
        self._last = record
        if due:
            seconds_in_all = f"{self._seconds_before + self._seconds:.4f}"
            self._history.add([[*(_cell(record[name]) for name in self._columns), seconds_in_all]])
        share, left = self._forecast.add(
            seconds, record["step"], record["time"], record.get("max_change", math.inf)
        )
        if self._pace.due():
            self._say(share, left)

    def flush(self) -> None:
        """Writes the tables to disk: they must have all rows up to a checkpoint from which a run can
        resume."""
        for table in self._measured:
            table.flush()
        if self._writes:
            self._history.flush()

    def _say(self, share: float, left: float | None) -> None:
        self.flush()
        facts = {**self._last, **self._totals, "share": share, "left": left, "seconds": self._seconds}
        facts["facts"] = self._kind.facts(facts)
        events.tell(self._plan.events, progress(share, step_facts(facts)), "step", **clean(facts))

    def finished(self, state: str) -> None:
        """Writes results and summary. Collective, since results are gathered from all ranks. Without a step
        in this session, the times of the session that computed the state are kept."""
        results = self._kind.results(self._solver, self._case)
        measured = self._kind.measured(self._solver, self._case)
        terms = account_of(self._solver.terms(), self._solver.strategy)
        timeline = dict(self._solver.timeline_summary())
        self._transports = self._context.transports()  # those of a later step too
        if not self._writes:
            return
        if self._last:
            self._last = self._last | measured
            self._say(1.0 if state == "finished" else 0.0, None)
        for table in self._measured:
            table.close()
        self._history.close()
        for name, text in results.items():
            write_text(self._folder.path / name, text)
        if not self._last:
            self._last = self._kept | {"step": self._solver.steps, "time": self._solver.time} | measured
        summary = self._summary(state, terms, timeline) | {"timeline": timeline}
        if self._solver.steps == self._first_step == self._before.get("steps"):
            summary = self._before | {name: summary[name] for name in ("state", "reached", "case")}
        write_text(self._folder.summary, json.dumps(clean(summary), indent=1, allow_nan=False) + "\n")
        said = [f"strategy: {choice(terms['automatic'])}"] if "automatic" in terms else []
        said += [f"passes: {passes(terms)}"] if "passes" in terms else []
        said.append(f"{state} after {self._solver.steps} steps; see {self._folder.summary}")
        text = "\n".join(f"subcurrent: {one}" for one in said)
        steps = self._solver.steps
        events.tell(self._plan.events, text, "end", state=state, steps=steps, seconds=self._seconds)

    def _layout(self) -> dict[str, Any]:
        return {
            "ranks": self._context.size,
            "threads": self._context.threads,
            "split": list(self._solver.split),
            "cells": self._solver.cells,
            "strategy": self._solver.strategy,
            "transports": self._transports,
            "device": self._context.device,
        }

    def _summary(self, state: str, terms: dict[str, Any], timeline: dict[str, Any]) -> dict[str, Any]:
        taken = max(self._solver.steps - self._first_step, 0)
        found = {"taken": taken, **self._totals, **terms, "timeline": timeline}
        return {
            "solver": self._case.solver,
            "state": state,
            "reached": str(End.of(self._case.run)) if state == "finished" else None,
            "steps": self._solver.steps,
            "time": self._solver.time,
            "seconds": self._seconds,
            "steps_this_session": taken,
            "seconds_per_step": self._seconds / taken if taken else None,
            **self._kind.summary(self._case, found),
            **({"at_start": self._begun} if self._begun else {}),
            "last_step": self._last,
            **self._layout(),
            **terms,
            "overlap_case": overlap_case(terms, self._solver.strategy),
            "resumed": self._resumed,
            **({"tuned": self._plan.tuned} if self._plan.tuned else {}),
            "machine": machine.describe(),
            "build": core.load().build,
            "case": self._plan.case,
        }

    def _open_history(self, kept_until: int | None) -> None:
        """A resumed run goes on counting seconds, and has the row of the step at which it begins."""
        kept = self._history.open(kept_until)
        if kept:
            self._seconds_before = float(kept[-1][-1])
        if kept and int(kept[-1][0]) == self._first_step:
            self._kept = dict(zip(self._columns, map(_value, kept[-1]), strict=False))


def clean(value: Any) -> Any:
    """The same value as JSON allows it: plain numbers, and null for what is not finite."""
    if isinstance(value, dict):
        return {str(name): clean(item) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [clean(item) for item in value]
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    return clean(value.tolist()) if hasattr(value, "tolist") else value


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return int(value)
    return f"{value:.10g}" if isinstance(value, float) else value


def _value(cell: str) -> float | int:
    return int(cell) if cell.isdigit() else float(cell or "nan")
