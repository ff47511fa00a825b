# SPDX-License-Identifier: Apache-2.0
"""A running mpirun as seen by its launcher: output of the ranks, requests to stop, and time limits."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TextIO

from ..errors import OTHER, STOPPED, SubcurrentError
from . import banner, events, guard
from .progress import Watcher
from .rundir import refuse_special

ONE_REQUEST = 0.3  # seconds: `timeout` sends its signal to the command and then to the whole process group
# Seconds from a request to end at once to the kernel's: mpirun itself takes two, one of them for the ranks.
TO_END = 8.0
START_SECONDS = "SUBCURRENT_START_SECONDS"  # changes the limit for the start of the ranks
LOOK_EVERY = 0.2


def start_limit(ranks: int) -> float:
    """Seconds within which all ranks must start: they load hundreds of files, possibly from one busy disk."""
    given = os.environ.get(START_SECONDS, "")
    try:
        return max(1.0, float(given))
    except ValueError:
        return 120.0 + ranks


class SaidNothing(SubcurrentError):  # noqa: N818 - it reads as what is the matter
    """mpirun failed before a rank was up, without a word, as Open MPI's was seen to do, very rarely."""


class Job:
    """The running mpirun: its two streams, and what is known so far."""

    def __init__(self, process: subprocess.Popen, watcher: Watcher, log: Path, ranks: int):
        self._process, self._watcher, self._log = process, watcher, log
        self._lines: queue.Queue[tuple[str, str | None]] = queue.Queue(maxsize=10_000)
        self._limit = start_limit(ranks)
        self._begin = time.monotonic()
        self._up = self._late = self._heard = False
        self._asked_at: float | None = None
        self._untold = ""
        self._end_at: float | None = None  # when what still lives is killed
        self._errors: list[dict[str, Any]] = []
        self._end: dict[str, Any] = {}
        self._noise: list[str] = []
        self._in_block = False
        self._traceback = banner.Traceback()

    def run(self, computing: Callable[[], None]) -> dict[str, Any]:
        """Follows the ranks to their end and returns their last event; `computing` is called once when they
        have accepted their input. Raises SubcurrentError with the sentence of the lowest rank that failed;
        SaidNothing if nothing was started."""
        for name in ("stdout", "stderr"):
            threading.Thread(target=self._read, args=(name,), daemon=True).start()
        with _log_file(self._log) as log:
            self._follow(log, computing)
        self._tell()
        guard.kill_session(self._process.pid)
        return self._result(self._process.wait())

    def stop(self) -> None:
        """A request to stop: the first asks for a clean stop, the second ends the run at once. It is called
        by a signal handler, so it prints and imports nothing."""
        now, before = time.monotonic(), self._asked_at
        if before is not None and now - before < ONE_REQUEST:
            return
        self._asked_at = now
        if before is None and self._up:
            self._untold = f"{self._watcher.stopping} (a second signal stops at once)"
            if not self._end:  # or they end by themselves
                self._process.send_signal(signal.SIGUSR1)  # mpirun passes it on, and does not kill on it
        else:
            self._terminate()

    def _tell(self) -> None:
        if self._untold:
            text, self._untold = self._untold, ""
            self._watcher.note(text, "yellow")

    def _terminate(self) -> None:
        if self._end_at is None:
            self._end_at = time.monotonic() + TO_END
            self._process.terminate()

    def _read(self, name: str) -> None:
        with contextlib.suppress(OSError, ValueError):
            for line in getattr(self._process, name):
                self._lines.put((name, line))
        self._lines.put((name, None))

    def _follow(self, log: TextIO, computing: Callable[[], None]) -> None:
        open_streams = {"stdout", "stderr"}
        while open_streams:
            self._tell()
            try:
                name, line = self._lines.get(timeout=LOOK_EVERY)
            except queue.Empty:
                if not self._look():
                    return
                continue
            self._heard = self._heard or line is not None
            if line is None:
                open_streams.discard(name)
            elif name == "stderr":
                self._complaint(line, log)
            else:
                self._said(line, log, computing)
        while self._process.poll() is None and self._look():
            time.sleep(0.02)

    def _look(self) -> bool:
        """Checks the time limits; False if there is nothing more to wait for."""
        now = time.monotonic()
        if not self._up and self._end_at is None and now - self._begin > self._limit:
            self._late = True
            self._terminate()
        if self._end_at is None and self._process.poll() is not None:
            self._end_at = now + TO_END  # another process holds its streams
        if self._end_at is None or now < self._end_at:
            return True
        guard.kill_session(self._process.pid)
        self._process.kill()
        return now < self._end_at + TO_END

    def _said(self, line: str, log: TextIO, computing: Callable[[], None]) -> None:
        event = events.parse(line)
        if event is None:
            if line.strip():
                self._watcher.note(line.rstrip())
            return
        self._up = True
        if event["event"] == "error":
            self._errors.append(event)
            _write(log, event.get("trace", ""))
            return
        if event["event"] != "up":
            computing()
        if event["event"] == "end":
            self._end = event
        else:
            self._watcher.show(event)

    def _complaint(self, line: str, log: TextIO) -> None:
        """Prints the stderr of the ranks; keeps that of mpirun, to explain an abnormal end."""
        _write(log, line)
        dashes = line.startswith("-" * 20)
        self._in_block = self._in_block != dashes
        if self._traceback.takes(line):
            return
        if dashes or self._in_block or banner.NOISE.match(line):
            self._noise.append(line.rstrip())
        else:
            self._watcher.note(line.rstrip(), "yellow")

    def _result(self, status: int) -> dict[str, Any]:
        if self._errors:
            first = min(self._errors, key=lambda event: event["rank"])
            seen = f" (a defect{banner.where(self._log)})." if first.get("trace") else ""
            raise SubcurrentError(first["text"].rstrip(".") + seen if seen else first["text"], first["code"])
        if status == 0 or (self._end and self._asked_at is not None):  # a request after their end
            return self._end
        if self._late:
            raise SubcurrentError(
                f"the ranks did not start within {self._limit:g} seconds ({START_SECONDS} changes this "
                f"limit){banner.where(self._log)}.",
                OTHER,
            )
        if self._asked_at is not None:
            raise SubcurrentError("stopped at once, without a new checkpoint.", STOPPED)
        failed = SubcurrentError if self._heard or status < 0 else SaidNothing
        raise failed(f"{banner.reason(self._noise, status)}{banner.where(self._log)}.", OTHER)


def _write(log: TextIO, text: str) -> None:
    with contextlib.suppress(OSError):
        log.write(text)


@contextlib.contextmanager
def _log_file(path: Path) -> Iterator[TextIO]:
    try:
        refuse_special(path)
        file = path.open("a", encoding="utf-8", errors="replace")
    except (OSError, SubcurrentError):
        file = open("/dev/null", "w")  # noqa: SIM115, PTH123 - a log that cannot be kept stops no run
    try:
        yield file
    finally:
        with contextlib.suppress(OSError):
            file.close()
