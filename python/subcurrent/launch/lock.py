# SPDX-License-Identifier: Apache-2.0
"""Who uses a run folder: one launcher from its check to the end, and the ranks that it started."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time
from collections.abc import Iterator
from pathlib import Path

from ..errors import BadInput

TIMEOUT_SECONDS = 10.0  # seconds: ranks of a killed launcher are gone after two
LOOK_SECONDS = 0.2  # who asks is_held() has the lock for a moment: a start tries again for so long


@contextlib.contextmanager
def only_one(path: Path, folder: Path) -> Iterator[bool]:
    """Holds the lock file `path` during the block, and removes it afterwards; False if the file system of
    `folder` has no locks. Raises BadInput if another process holds it."""
    descriptor, kept = _take(path, folder)
    try:
        yield kept
    finally:
        with contextlib.suppress(OSError):
            path.unlink()
        os.close(descriptor)


def _take(path: Path, folder: Path) -> tuple[int, bool]:
    until = time.monotonic() + LOOK_SECONDS
    while True:
        descriptor = os.open(
            path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, 0o644
        )
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(descriptor)
            if time.monotonic() < until:
                time.sleep(0.01)
                continue
            raise BadInput(
                f"--out {folder} is being written by another run: wait for it or stop it."
            ) from None
        except OSError:
            return descriptor, False
        # Its last holder may have removed the file that was opened.
        with contextlib.suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(path)):  # noqa: PTH116 - both are of os
                return descriptor, True
        os.close(descriptor)


def is_held(path: Path) -> bool:
    """Whether a run holds this lock file. A killed run leaves the file, but nobody holds it. If the file
    system has no locks, only the existence of the file counts."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:  # BlockingIOError, or no locks
        return True
    finally:
        os.close(descriptor)
    return False


@contextlib.contextmanager
def among_the_ranks(plan: Path) -> Iterator[None]:
    """Locks the plan for the ranks that use it: no run starts in the folder while one of them lives."""
    try:
        descriptor = os.open(plan, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except FileNotFoundError:  # under an outer mpirun a measurement of its own has none
        yield
        return
    try:
        with contextlib.suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)


def wait_for_ranks(plan: Path, folder: Path, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
    """Waits until no rank of an earlier run uses the plan; raises BadInput if one does not end."""
    if not plan.is_file():
        return
    until = time.monotonic() + timeout_seconds
    descriptor = os.open(plan, os.O_RDONLY | os.O_CLOEXEC)
    try:
        while not _free(descriptor):
            if time.monotonic() > until:
                raise BadInput(
                    f"--out {folder} is being written by ranks of another run: wait for them or stop them."
                )
            time.sleep(0.05)
    finally:
        os.close(descriptor)


def _free(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True  # a file system without locks
    return True
