# SPDX-License-Identifier: Apache-2.0
"""Displays the events of the ranks: a progress bar on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

from .. import streams
from ..lines import Pace, count, progress, step_facts


def say(console: Console, text: str, style: str = "") -> None:
    console.print(text, style=style or None, markup=False, highlight=False, soft_wrap=True)


class Watcher:
    """Displays events as they arrive; a context manager around the run."""

    def __init__(self, console: Console, stopping: str = "stopping"):
        self._console = console
        self.stopping = stopping  # what it says after a request to stop
        self._pace = Pace()
        self._alone = False  # the output is closed
        self._progress: Progress | None = None
        if console.is_terminal:
            columns = (TextColumn("{task.description}"), BarColumn(bar_width=24), TaskProgressColumn())
            self._progress = Progress(*columns, TextColumn("{task.fields[facts]}"), console=console)
            self._task = self._progress.add_task("starting", total=1.0, facts="")

    def __enter__(self) -> Watcher:
        if self._progress:
            self._progress.start()
        return self

    def __exit__(self, *_: Any) -> None:
        if self._progress:
            self._progress.stop()

    def note(self, text: str, style: str = "") -> None:
        """Prints a sentence above the bar."""
        say(self._console, text, style)
        if streams.lost_reader() and not self._alone:
            self._alone = True
            print("subcurrent: this output is closed; the run continues.", file=sys.stderr)

    def show(self, event: dict[str, Any]) -> None:
        known = {"start": self._start, "halos": self._halos, "step": self._step}
        known |= {"turn": self._turn, "cg": self._cg}
        if shown := known.get(event["event"]):
            shown(event)

    def _start(self, event: dict[str, Any]) -> None:
        split = " x ".join(str(part) for part in event["split"])
        self.note(
            f"{event['cells']} cells, {count(event['ranks'], 'rank')} ({split}) x "
            f"{count(event['threads'], 'thread')}, "
            f"{event['strategy']}, until {event['end']}"
        )
        for text in event.get("notes", ()):
            self.note(text)
        resumed = event["resumed"]
        if resumed:
            for reason in resumed["refused"]:
                self.note(f"refused: {reason}", "yellow")
            self.note(f"resumed from {resumed['checkpoint']} at step {resumed['step']}")

    def _halos(self, event: dict[str, Any]) -> None:
        travels = event["transports"]
        self.note("no messages are sent" if travels.startswith("none") else f"messages are sent by {travels}")

    def _step(self, event: dict[str, Any]) -> None:
        self._advanced("running", event["share"], step_facts(event))

    def _turn(self, event: dict[str, Any]) -> None:
        name = event["strategy"] if event["turn"] else f"{event['strategy']} (warm-up)"
        self._advanced("measuring", event["share"], name)

    def _cg(self, event: dict[str, Any]) -> None:
        facts = f"iteration {event['iteration']}  |r| {event['residual']:.2e}"
        self._advanced("iterating", event["share"], facts)

    def _advanced(self, does: str, share: float, facts: str) -> None:
        """Moves the bar, or prints a line if the last one was long ago or everything is done."""
        if self._progress:
            self._progress.update(self._task, completed=share, description=does, facts=facts)
        elif self._pace.due(share >= 1):
            self.note(progress(share, facts))
