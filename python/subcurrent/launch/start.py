# SPDX-License-Identifier: Apache-2.0
"""Carries out the plan of a job: starts its ranks, or is one of them under an outer mpirun or srun."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from rich.console import Console

from ..errors import OK
from ..rank import worker
from . import emulated, mpi
from .aside import recover, starting
from .plan import Plan
from .progress import Watcher, say
from .ranks import command_for, launch, launch_quietly
from .rundir import RunFolder


@dataclass
class Start:
    """What is done in a locked run folder before ranks compute: `check` raises BadInput before anything is
    changed, `prepare` writes what the ranks read."""

    folder: RunFolder
    prepare: Callable[[], None]
    overwrite: bool = False
    resume: bool = False
    check: Callable[[], None] | None = None  # None: the folder is new

    def checked(self) -> None:
        self.check() if self.check else self.folder.check_new(self.overwrite)

    def by_ranks(self, held: contextlib.ExitStack) -> Callable[[], None]:
        """A worker.Start."""
        held.enter_context(self.folder.taken())
        recover(self.folder)
        self.checked()
        computing = held.enter_context(starting(self.folder, self.overwrite, self.resume))
        self.prepare()
        return computing


def carry_out(
    plan: Plan,
    start: Start,
    console: Console,
    done: Callable[[dict[str, Any]], int],
    *,
    network: str | None = None,
    stopping: str = "stopping",
    ended: Callable[[], None] = lambda: None,
) -> int:
    """Returns what `done` does on success, which gets the last event of ranks that were started here; under
    an outer mpirun rank 0 calls it. `ended` is called when ranks that were started here are gone."""
    if (outer := mpi.outer()) is not None:
        plan.events = False
        code = worker.work(plan, start.by_ranks)
        return done({}) if code == OK and outer.rank == 0 else code
    with taken(start.folder, console):
        start.checked()
        line = command_for(plan, start.folder.plan, network)
        hosts = emulated.hosts(network, plan.ranks, partial(say, console))
        try:
            with starting(start.folder, start.overwrite, start.resume) as computing, hosts as env:
                start.prepare()
                with Watcher(console, stopping) as watcher:
                    end = launch(line, plan.layout(), watcher, start.folder.log, computing, env=env)
        finally:
            ended()
        return done(end)


@contextlib.contextmanager
def taken(folder: RunFolder, console: Console) -> Iterator[None]:
    """Locks a run folder for this process; prints a warning if this is not possible."""
    with folder.taken() as locked:
        if not locked:
            where = f"the file system of {folder.path} has no file locks"
            say(console, f"{where}: do not start another run in this folder", "yellow")
        recover(folder)
        yield


def answer_of(
    plan: Plan,
    name: str,
    network: str | None = None,
    *,
    console: Console | None = None,
    env: Mapping[str, str] | None = None,
    outer: mpi.Outer | None = None,
) -> Any:
    """The JSON file of this name that the ranks of a plan write, in a folder that is removed then; None on
    the ranks of an `outer` mpirun but the first. `env`: that of the emulated `network`, if it exists."""
    with tempfile.TemporaryDirectory() as place:
        plan.folder = place
        if outer is None:
            launch_quietly(plan, network, console=console, env=env)
        else:
            plan.events = False
            if code := worker.work(plan):
                raise SystemExit(code)
            if outer.rank > 0:
                return None
        return json.loads(Path(place, name).read_text(encoding="utf-8"))


def report_outside(folder: RunFolder) -> None:
    """Draws the figures of a run folder in a process that is not a rank of the outer mpirun."""
    command = [sys.executable, "-P", "-m", "subcurrent", "report", str(folder.path)]
    subprocess.run(command, check=False, env=mpi.without_outer(os.environ))
