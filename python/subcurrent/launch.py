# SPDX-License-Identifier: Apache-2.0
"""Starts the ranks of a plan under mpirun, shows what they say, passes signals on, returns the end."""

from __future__ import annotations

import contextlib
import ctypes
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from . import core, events, mpi
from .errors import OTHER, STOPPED, SubcurrentError
from .plan import Plan
from .progress import Watcher

PR_SET_PDEATHSIG = 1
ONE_REQUEST = 0.3  # seconds: `timeout` sends its signal to the command and then to the whole process group


def command_for(plan: Plan, plan_file: Path) -> list[str]:
    """The command line that starts the plan's ranks with the mpirun of the compiled module's MPI."""
    mpirun, family = mpi.find_mpirun(str(core.build_info()["mpi"]))
    line = mpi.command(mpirun, family, plan.layout(), mpi.cpus())
    return [*line, sys.executable, "-m", "subcurrent.worker", str(plan_file)]


def launch(line: list[str], layout: mpi.Layout, watcher: Watcher, log: Path) -> dict[str, Any]:
    """Runs the ranks to their end and returns their last event ({} when the ranks had nothing to say at the
    end).

    Raises SubcurrentError with the sentence of the lowest rank that failed. Ctrl-C and SIGTERM ask the ranks
    for a checkpoint and a clean stop; a second one ends them at once.
    """
    process = subprocess.Popen(
        line,
        env=mpi.environment(layout, mpi.cpus()),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,  # a terminal's Ctrl-C reaches us alone, and mpirun through us
        preexec_fn=_end_with_parent,  # noqa: PLW1509 - no other thread runs yet
    )
    job = _Job(process, watcher, log)
    complaints = threading.Thread(target=job.read_complaints, daemon=True)
    complaints.start()
    with _passing_signals(job):
        job.read_events()
        status = process.wait()
    complaints.join(timeout=5)
    return job.result(status)


def _end_with_parent() -> None:
    # A launcher that is killed must not leave ranks computing for nobody: mpirun gets the signal that asks
    # for a checkpoint and a clean stop, and passes it on.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGUSR1)


class _Job:
    """The running mpirun: its two streams, and what is known so far."""

    def __init__(self, process: subprocess.Popen, watcher: Watcher, log: Path):
        self._process, self._watcher, self._log = process, watcher, log
        self._started = False
        self._asked_at: float | None = None
        self._errors: list[dict[str, Any]] = []
        self._end: dict[str, Any] = {}
        self._noise: list[str] = []

    def read_events(self) -> None:
        for line in self._process.stdout:
            event = events.parse(line)
            if event is None:
                if line.strip():
                    self._watcher.note(line.rstrip())
                continue
            self._started = True
            if event["event"] == "error":
                self._errors.append(event)
            elif event["event"] == "end":
                self._end = event
            else:
                self._watcher.show(event)

    def read_complaints(self) -> None:
        """Shows what ranks print on stderr; keeps mpirun's blocks between dashes for an unexplained end."""
        in_block = False
        with _log_file(self._log) as log:
            for line in self._process.stderr:
                with contextlib.suppress(OSError):
                    log.write(line)
                dashes = line.startswith("-" * 20)
                in_block = in_block != dashes
                if dashes or in_block or re.match(r"\[[\w.-]+:\d+\]", line) or not line.strip():
                    self._noise.append(line.rstrip())
                else:
                    self._watcher.note(line.rstrip(), "yellow")

    def stop(self) -> None:
        """A request to stop: first kindly, the second time at once."""
        now, before = time.monotonic(), self._asked_at
        if before is not None and now - before < ONE_REQUEST:
            return
        self._asked_at = now
        if before is None and self._started:
            self._watcher.note("stopping after this step, with a checkpoint (once more: at once)", "yellow")
            self._process.send_signal(signal.SIGUSR1)  # mpirun passes it on, and does not kill on it
        else:
            self._process.terminate()

    def result(self, status: int) -> dict[str, Any]:
        if self._errors:
            first = min(self._errors, key=lambda event: event["rank"])
            raise SubcurrentError(first["text"], first["code"])
        if status == 0:
            return self._end
        if self._asked_at is not None:
            raise SubcurrentError("stopped at once, without a new checkpoint.", STOPPED)
        said = " ".join(line.strip() for line in self._noise if line.strip("- "))[:300]
        raise SubcurrentError(
            f"the ranks ended unexpectedly (mpirun returned {status}): {said or 'no reason given'}", OTHER
        )


@contextlib.contextmanager
def _passing_signals(job: _Job) -> Iterator[None]:
    handled = (signal.SIGINT, signal.SIGTERM, signal.SIGUSR1)
    before = {number: signal.signal(number, lambda *_: job.stop()) for number in handled}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _log_file(path: Path) -> Iterator[TextIO]:
    try:
        file = path.open("a")
    except OSError:
        file = open("/dev/null", "w")  # noqa: SIM115, PTH123 - a log that cannot be kept stops no run
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):
            file.close()
