# SPDX-License-Identifier: Apache-2.0
"""Converts the output of mpirun after an abnormal end of ranks into one sentence."""

from __future__ import annotations

import re
import signal
from pathlib import Path

BY_SIGNAL = r"process rank (\d+) with PID \d+ on node \S+ exited on signal (\d+)"
BY_CODE = r"Process name: \[\[\d+,\d+\],(\d+)\]\s+Exit code:\s+(\d+)"
BY_ABORT = r"MPI_ABORT was invoked on rank (\d+) in communicator .*? with errorcode (\d+)"
MPICH_SIGNAL = r"KILLED BY SIGNAL: (\d+)"
MPICH_CODE = r"EXIT CODE: (\d+)"
NOISE = re.compile(
    r"\[[\w.-]+:\d+\]|mpirun: Forwarding signal|\*\*\*|={20,}|=   |APPLICATION TERMINATED|\s*$"
)


class Traceback:
    """Recognises the lines of a Python traceback in a stream: they go to the log."""

    BEGIN = (
        "Traceback (most recent call last)",
        "Fatal Python error",
        "Python runtime state",
        "Exception ignored",
    )

    def __init__(self) -> None:
        self._inside = False

    def takes(self, line: str) -> bool:
        """Whether a line belongs to a traceback; its last line, the error itself, does."""
        if line.startswith(self.BEGIN):
            self._inside = line.startswith(("Traceback", "Exception"))
            return True
        if line.startswith('  File "'):  # of another rank's, whose lines came in between
            return True
        inside = self._inside
        if inside and not line.startswith(" "):
            self._inside = False
        return inside


def reason(noise: list[str], status: int) -> str:
    """Which rank ended and how, from the output and the exit code of mpirun."""
    text = " ".join(line.strip() for line in noise)
    for pattern, words in ((BY_SIGNAL, _signal), (BY_CODE, _code), (BY_ABORT, _code)):
        found = re.search(pattern, text)
        if found:
            return f"rank {found[1]} ended unexpectedly, {words(int(found[2]))}"
    for pattern, words in ((MPICH_SIGNAL, _signal), (MPICH_CODE, _code)):
        found = re.search(pattern, text)
        if found:
            return f"a rank ended unexpectedly, {words(int(found[1]))}"
    if status < 0:
        return f"mpirun ended unexpectedly, {_signal(-status)}"
    if status > 128:  # the shell's way, which mpirun follows for a rank that a signal ended
        return f"the ranks ended unexpectedly, {_signal(status - 128)}"
    said = " ".join(line.strip() for line in noise if line.strip("- "))[:300]
    return f"the ranks ended unexpectedly (mpirun returned {status}): {said or 'no reason given'}".rstrip(".")


def where(log: Path) -> str:
    """Where the output of the ranks is; empty if there is no log."""
    return f"; the output of the ranks is in {log}" if log.is_file() and log.stat().st_size > 0 else ""


def _signal(number: int) -> str:
    try:
        return f"by signal {number} ({signal.Signals(number).name})"
    except ValueError:
        return f"by signal {number}"


def _code(number: int) -> str:
    return f"with exit code {number}"
