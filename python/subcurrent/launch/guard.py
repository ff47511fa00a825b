# SPDX-License-Identifier: Apache-2.0
"""No process of a run outlives its launcher: the kernel, a guard process and the launcher ensure this.

launcher -> mpirun -> ranks. If the launcher is killed, the kernel sends SIGUSR1 to mpirun, which asks the
ranks for a checkpoint and a clean stop; the guard kills mpirun if that takes too long. If mpirun is killed,
the kernel kills the ranks.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

PR_SET_PDEATHSIG = 1
# Reads until the launcher says that it is done, or until its end of the pipe closes because it was killed.
GUARD = """
read -r done && exit
for tenth in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
  kill -0 "$1" 2>/dev/null || { rm -rf -- "$2"; exit; }
  sleep 0.1
done
kill -KILL "$1"
rm -rf -- "$2"
"""


LIBC = ctypes.CDLL(None)  # here, and not between fork and exec


def when_parent_ends(number: int) -> None:
    """Makes the kernel send this process a signal when its parent process ends."""
    LIBC.prctl(PR_SET_PDEATHSIG, int(number))


def watching(script: str, *arguments: str) -> subprocess.Popen:
    """A process of its own, whose input ends when this process is done with it or is killed."""
    return subprocess.Popen(
        ["/bin/sh", "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # what a terminal sends to the launcher does not end it
    )


@contextlib.contextmanager
def guarded(process: subprocess.Popen, folder: Path | None = None) -> Iterator[None]:
    """During the block a separate process waits for the end of this one; it then ends `process` and removes
    `folder`, which both use."""
    guard = watching(GUARD, "subcurrent-guard", str(process.pid), str(folder or ""))
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            guard.stdin.write(b"done\n")
            guard.stdin.close()
        guard.wait()


def kill_session(leader: int) -> None:
    """Kills every process of the session that `leader`, a process of ours, has begun."""
    for pid in session(leader):
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def session(leader: int) -> list[int]:
    """The processes of a session, without those that have ended and are not yet waited for."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            text = path.read_text(encoding="utf-8")
        except OSError:
            continue
        fields = text.rpartition(")")[2].split()  # state, parent, group, session
        if fields[0] not in "ZX" and int(fields[3]) == leader:
            found.append(int(path.parent.name))
    return found
