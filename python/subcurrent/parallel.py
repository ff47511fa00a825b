# SPDX-License-Identifier: Apache-2.0
"""The MPI context of a Python script: made with its first simulation, closed when the script ends."""

from __future__ import annotations

import atexit
import sys
from types import ModuleType, TracebackType
from typing import Any

from . import core
from .arrays import whole_numbers
from .errors import OTHER, BadInput

# MPI starts once per process, so what the first simulation asked for holds for the whole script.
_made: dict[tuple[int, str], Any] = {}


def module() -> ModuleType:
    return core.load()


def context(threads: int, transport: str) -> Any:
    """The script's one context; further simulations share it and must want the same threads and transport."""
    wanted = (*whole_numbers(threads, 1, 1, "threads"), transport)
    if not _made:
        _made[wanted] = core.load().Context(threads=threads, transport=transport)
        atexit.register(_made[wanted].close)
        _end_all_on_error(_made[wanted])
    if wanted not in _made:
        first = next(iter(_made))
        raise BadInput(
            f"engine.threads = {threads} and engine.transport = {transport!r} differ from this script's "
            f"first "
            f"simulation, which has {first[0]} and {first[1]!r}: they must be the same."
        )
    return _made[wanted]


def _end_all_on_error(made: Any) -> None:
    """A rank that dies of an exception takes the others with it: they may be waiting for its messages."""
    if made.size == 1:
        return
    before = sys.excepthook

    def end_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        sys.stderr.flush()
        made.abort("", getattr(error, "exit_code", OTHER))

    sys.excepthook = end_all
