# SPDX-License-Identifier: Apache-2.0
"""Every way a run can end, as an exit code, and the exceptions that carry one sentence to the user."""

from __future__ import annotations

import errno
import os

OK = 0
OTHER = 1  # something else failed (MPI, a killed rank, a defect)
BAD_INPUT = 2  # nothing was written
STORAGE = 3  # the run folder could not be written or read
DIVERGED = 4  # the solution became NaN or infinite
STOPPED = 5  # on request, after writing a checkpoint; continue with --resume


class SubcurrentError(RuntimeError):
    """An error with a message of one sentence and the exit code of the program for it."""

    exit_code = OTHER
    of_another_rank = False  # raised because another rank of the script failed, which says why

    def __init__(self, sentence: str, exit_code: int | None = None):
        super().__init__(sentence)
        if exit_code is not None:
            self.exit_code = exit_code

    @property
    def sentence(self) -> str:
        return str(self.args[0])


class BadInput(SubcurrentError, ValueError):  # noqa: N818 - it reads as what the user gave
    """A key, an option, an argument or a file cannot be used."""

    exit_code = BAD_INPUT


class NoData(SubcurrentError):  # noqa: N818 - it reads as what is the matter
    """There is nothing to show yet; this is not an error."""


class StorageError(SubcurrentError):
    """A folder or file cannot be written or read."""

    exit_code = STORAGE


def storage_error(error: OSError, path: object, verb: str = "write") -> StorageError:
    """Says in one sentence which path failed and why, e.g. a full disk."""
    name = getattr(error, "filename", None) or path
    reason = "the disk is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else _reason(error)
    return StorageError(f"cannot {verb} {name}: {reason}.")


def _reason(error: OSError) -> str:
    text = os.strerror(error.errno) if error.errno else str(error)
    return text[:1].lower() + text[1:]
