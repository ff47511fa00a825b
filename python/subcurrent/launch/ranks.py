# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of a plan under mpirun, forwards signals, and returns how they ended."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from rich.console import Console

from .. import core
from . import emulated, guard, mpi, segments
from .job import Job, SaidNothing
from .plan import Plan, digest
from .progress import Watcher
from .rundir import RunFolder, write_text

WORKER = "subcurrent.rank.worker"
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)


def command_for(plan: Plan, plan_file: Path, network: str | None = None) -> list[str]:
    """The command line that starts the plan's ranks with the mpirun of the compiled module's MPI, or on the
    hosts of an emulated network."""
    mpi.check_limits()
    # -P: no modules from the working directory, where users may have a queue.py of their own.
    program = [sys.executable, "-P", "-m", WORKER, str(plan_file), digest(plan.text())]
    if emulated.has_hosts(network):
        return emulated.command(program)
    mpirun, family = mpi.find_mpirun(str(core.build_info()["mpi"]))
    return [*mpi.command(mpirun, family, plan.layout(), mpi.cpus()), *program]


def launch(
    line: list[str],
    layout: mpi.Layout,
    watcher: Watcher,
    log: Path,
    computing: Callable[[], None] = lambda: None,
    *,
    env: Mapping[str, str] = os.environ,
) -> dict[str, Any]:
    """Runs the ranks to their end and returns their last event ({} if there was none); `computing` is called
    when they have accepted their input. An mpirun that fails without a word before that is started once more.

    Raises SubcurrentError with the sentence of the lowest rank that failed. Ctrl-C, SIGTERM and SIGHUP ask
    the ranks for a checkpoint and a clean stop; a second signal ends them at once.
    """
    family = mpi.flavour(str(core.build_info()["mpi"])) or ""

    def once() -> dict[str, Any]:
        with segments.folder(family, env) as held:
            process = subprocess.Popen(
                line,
                env=mpi.environment(layout, mpi.cpus(), env, family) | segments.environment(held),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                encoding="utf-8",
                errors="replace",
                start_new_session=True,  # a terminal's Ctrl-C reaches us alone, and mpirun through us
                # It calls the kernel and nothing else.
                preexec_fn=lambda: guard.when_parent_ends(signal.SIGUSR1),  # noqa: PLW1509
            )
            job = Job(process, watcher, log, layout.ranks)
            try:
                with guard.guarded(process, held), _passing_signals(job):
                    return job.run(computing)
            finally:
                guard.kill_session(process.pid)

    try:
        return once()
    except SaidNothing:
        watcher.note("mpirun failed before it started a rank, without a word: once more", "yellow")
        return once()


def launch_quietly(
    plan: Plan,
    network: str | None = None,
    *,
    console: Console | None = None,
    env: Mapping[str, str] | None = None,
) -> None:
    """Runs the ranks of a plan in its folder, which is new, perhaps over an emulated network, which is made
    unless there is its `env`; shows their progress only on a console. Raises SubcurrentError as launch()."""
    folder = RunFolder(Path(plan.folder))
    folder.create()
    write_text(folder.plan, plan.text())
    line = command_for(plan, folder.plan, network)
    hosts = emulated.hosts(network, plan.ranks) if env is None else contextlib.nullcontext(env)
    with Watcher(console or Console(quiet=True, force_terminal=False)) as watcher, hosts as there:
        launch(line, plan.layout(), watcher, folder.log, env=there)


@contextlib.contextmanager
def _passing_signals(job: Job) -> Iterator[None]:
    # Signals that the parent ignores stay ignored: nohup does that with SIGHUP.
    handled = [n for n in STOPPING if signal.getsignal(n) is not signal.SIG_IGN]
    before = {number: signal.signal(number, lambda *_: job.stop()) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
