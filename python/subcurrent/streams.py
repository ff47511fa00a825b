# SPDX-License-Identifier: Apache-2.0
"""Standard streams that are closed, lose their reader or meet a full disk must not end a run."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from typing import Any

from .errors import StorageError, storage_error


class Lasting:
    """A text stream that drops what it can no longer write, and records the reason."""

    def __init__(self, stream: Any):
        self._stream = stream
        self.failure: OSError | None = None

    def write(self, text: str) -> int:
        self._try(lambda: self._stream.write(text))
        return len(text)

    def flush(self) -> None:
        self._try(self._stream.flush)

    def _try(self, action: Any) -> None:
        try:
            action()
        except OSError as error:
            if self.failure is None:
                self.failure = error
            # Buffered output is discarded, also when the interpreter ends.
            with contextlib.suppress(OSError):
                nowhere = os.open(os.devnull, os.O_WRONLY)
                os.dup2(nowhere, self._stream.fileno())
                os.close(nowhere)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def secure() -> None:
    """Replaces the streams of this process by lasting ones; streams that were closed discard their output."""
    for descriptor in (0, 1, 2):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free: this one
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is None:
            stream = open(descriptor, "w", closefd=False)  # noqa: SIM115 - open as long as we live
        if not isinstance(stream, Lasting):
            with contextlib.suppress(AttributeError):  # of streams that are no files
                stream.reconfigure(errors="replace")  # of letters that the terminal's encoding lacks
            setattr(sys, name, Lasting(stream))


def lost_reader() -> bool:
    """Whether the reader of standard output is gone."""
    failure = getattr(sys.stdout, "failure", None)
    return failure is not None and failure.errno == errno.EPIPE


def lost_output() -> StorageError | None:
    """Why standard output is incomplete, unless its reader has closed it."""
    failure = getattr(sys.stdout, "failure", None)
    if failure is None or failure.errno == errno.EPIPE:
        return None
    return storage_error(failure, "the output")
