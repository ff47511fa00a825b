# SPDX-License-Identifier: Apache-2.0
"""What rank 0 writes down during a run: history.csv, progress, and at the end the results."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import time
from pathlib import Path
from typing import Any

from . import events, machine
from .ending import End, Forecast
from .lines import plain_line
from .plan import Plan
from .rundir import RunFolder, write_text, writing

HISTORY = (
    "step",
    "time",
    "dt",
    "courant",
    "iterations",
    "residual",
    "max_change",
    "divergence_rms",
    "capped",
)
EVENT_EVERY = 0.25  # seconds between two progress events
LINE_EVERY = 5.0  # seconds between two progress lines when people read the output directly


class Recorder:
    """Collective only in `finished`; everything else does nothing on the other ranks."""

    def __init__(
        self, context: Any, solver: Any, plan: Plan, folder: RunFolder, resumed: dict[str, Any] | None
    ):
        self._context, self._solver, self._plan, self._folder = context, solver, plan, folder
        self._writes = context.rank == 0
        self._transports = ""
        self._case = plan.typed_case()
        self._resumed = resumed
        self._forecast = Forecast(End.of(self._case.run))
        self._first_step = solver.steps
        self._iterations = 0
        self._capped = 0
        self._seconds = 0.0
        self._seconds_before = 0.0
        self._said = -math.inf
        self._last: dict[str, Any] = {}
        self._file: io.TextIOBase | None = None

    def started(self) -> None:
        self._transports = self._context.transports()
        if not self._writes:
            return
        self._open_history()
        facts = {
            "ranks": self._context.size,
            "threads": self._context.threads,
            "split": list(self._solver.split),
            "cells": self._solver.cells,
            "strategy": self._solver.strategy,
            "transports": self._transports,
            "step": self._solver.steps,
            "end": str(End.of(self._case.run)),
            "resumed": self._resumed,
        }
        if self._plan.events:
            events.emit("start", **facts)
        else:
            print(
                f"subcurrent: {facts['cells']} cells on {facts['ranks']} ranks, until {facts['end']}",
                flush=True,
            )

    def step(self, record: dict[str, Any], seconds: float) -> None:
        """Takes note of one step; `seconds` count from the first step of this session."""
        self._iterations += record["iterations"]
        self._capped += bool(record["capped"])
        self._seconds = seconds
        if not self._writes:
            return
        self._last = record
        if record["step"] % self._case.output.history_every == 0:
            with writing(self._folder.history):
                self._rows.writerow([_cell(record[name]) for name in HISTORY] + [f"{self._total():.4f}"])
        share, left = self._forecast.add(seconds, record["step"], record["time"], record["max_change"])
        now = time.monotonic()
        if now - self._said >= (EVENT_EVERY if self._plan.events else LINE_EVERY):
            self._said = now
            self._say(share, left)

    def flush(self) -> None:
        """Puts history.csv on disk: it must never lag behind a checkpoint that a resume starts from."""
        if self._writes:
            with writing(self._folder.history):
                self._file.flush()

    def _say(self, share: float, left: float | None) -> None:
        self.flush()
        facts = {
            **self._last,
            "share": share,
            "left": left,
            "seconds": self._seconds,
            "capped_steps": self._capped,
        }
        if self._plan.events:
            events.emit("step", **clean(facts))
        else:
            print(plain_line(facts), flush=True)

    def finished(self, state: str) -> None:
        """Writes profiles and summary. Collective: gathering the profiles takes all ranks."""
        profiles = self._solver.centreline()
        terms = dict(self._solver.terms())
        timeline = dict(self._solver.timeline_summary())
        if not self._writes:
            return
        if self._last:
            self._say(1.0 if state == "finished" else 0.0, None)
        with writing(self._folder.history):
            self._file.close()
        write_text(self._folder.centreline, profiles_csv(profiles))
        summary = self._summary(state, terms) | {"timeline": timeline}
        write_text(self._folder.summary, json.dumps(clean(summary), indent=1, allow_nan=False) + "\n")
        if self._plan.events:
            events.emit("end", state=state, steps=summary["steps"], seconds=summary["seconds"])
        else:
            print(
                f"subcurrent: {state} after {summary['steps']} steps; see {self._folder.summary}", flush=True
            )

    def _summary(self, state: str, terms: dict[str, Any]) -> dict[str, Any]:
        taken = max(self._solver.steps - self._first_step, 0)
        return {
            "solver": self._case.solver,
            "state": state,
            "reached": str(End.of(self._case.run)) if state == "finished" else None,
            "steps": self._solver.steps,
            "time": self._solver.time,
            "seconds": self._seconds,
            "steps_this_session": taken,
            "seconds_per_step": self._seconds / taken if taken else None,
            "iterations_per_step": self._iterations / taken if taken else None,
            "capped_steps": self._capped,
            "last_step": self._last or None,
            "ranks": self._context.size,
            "threads": self._context.threads,
            "split": list(self._solver.split),
            "cells": self._solver.cells,
            "strategy": self._solver.strategy,
            "transports": self._transports,
            **terms,
            "overlap_case": overlap_case(terms),
            "resumed": self._resumed,
            "machine": machine.describe(),
            "case": self._plan.case,
        }

    def _total(self) -> float:
        return self._seconds_before + self._seconds

    def _open_history(self) -> None:
        """Starts history.csv; on resume keeps the rows up to the checkpoint and drops what came after."""
        path = self._folder.history
        kept = _rows_up_to(path, self._first_step) if self._resumed else []
        with writing(path):
            self._file = path.open("w", newline="")
            self._rows = csv.writer(self._file, lineterminator="\n")
            self._rows.writerow([*HISTORY, "seconds"])
            self._rows.writerows(kept)
            self._file.flush()
        if kept:
            self._seconds_before = float(kept[-1][-1])


def overlap_case(terms: dict[str, Any]) -> str | None:
    """Which of the two cases of overlapping the run was in: core longer than the messages, or shorter."""
    core, messages = terms.get("C_core"), terms.get("M")
    if not core or not messages:
        return None
    if core >= messages:
        return "communication hidden: T_m = C + W + R"
    return "computation hidden: T_p = C_shell + M + R"


def profiles_csv(profiles: dict[str, Any]) -> str:
    """The columns z,u,x,w; where z and x differ in length, the shorter pair ends in empty cells."""
    lines = ["z,u,x,w"]
    columns = (profiles["z"], profiles["u"], profiles["x"], profiles["w"])
    for row in itertools.zip_longest(*columns):
        lines.append(",".join("" if value is None else f"{float(value):.10g}" for value in row))
    return "\n".join(lines) + "\n"


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


def _rows_up_to(path: Path, step: int) -> list[list[str]]:
    """The rows of an earlier session that the checkpoint has seen; a row cut off by a kill is dropped."""
    if not path.exists():
        return []
    with writing(path), path.open(newline="") as file:
        rows = [row for row in csv.reader(file) if len(row) == len(HISTORY) + 1 and row[0].isdigit()]
    return [row for row in rows if int(row[0]) <= step]
