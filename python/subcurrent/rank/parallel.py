# SPDX-License-Identifier: Apache-2.0
"""The MPI context of a Python script: created with its first simulation, closed when the script ends."""

from __future__ import annotations

import atexit
import sys
import time
from collections.abc import Callable
from types import ModuleType, TracebackType
from typing import Any, TypeVar

from .. import core
from ..errors import OTHER, BadInput, SubcurrentError
from ..given import whole
from ..launch import memory, outcome

T = TypeVar("T")

# MPI starts once per process, so what the first simulation asked for holds for the whole script.
_made: dict[tuple[int, str, str], Any] = {}
_played: list[int] = []  # a rank of a run that is rehearsed: see rehearse()


def module() -> ModuleType:
    return core.load()


def context(threads: int, transport: str, device: str = "cpu") -> Any:
    """The only context of the script; further simulations share it and must request the same threads,
    transport and device."""
    wanted = (whole("threads", threads, 1), transport, device)
    if not _made and rehearses():
        _made[wanted] = core.load().Context(threads=threads, rehearsed=_played)
    if not _made:
        _made[wanted] = core.load().Context(threads=threads, transport=transport, device=device)
        atexit.register(_made[wanted].close)
        _end_all_on_error(_made[wanted])
    if wanted not in _made:
        first = next(iter(_made))
        raise BadInput(
            f"threads = {threads}, transport = {transport!r} and device = {device!r} differ from this "
            f"script's first simulation, which has {first[0]}, {first[1]!r} and {first[2]!r}: they must be "
            "the same."
        )
    return _made[wanted]


def rehearse() -> None:
    """From now on the script plays the only rank of a run: nothing is compiled, allocated or computed. To be
    called before its first simulation."""
    _played[:] = [0, 1, 1]


def rehearses() -> bool:
    return bool(_played)


def check_memory(made: Any, check: Callable[..., None], *of: Any) -> None:
    """Raises BadInput for what does not fit into this machine's memory, on all ranks and before any of them
    allocates it. `check`, of launch/memory.py, takes `of`, the number of ranks, and how many of them are on
    this machine. Collective."""
    elsewhere = BadInput("another machine of this run has too little free memory: see its message.")
    together(made, lambda: check(*of, made.size, memory.ranks_here(made.size)), elsewhere)


def together(made: Any, action: Callable[[], T], elsewhere: SubcurrentError | None = None) -> T:
    """Executes it on all ranks; if it fails on one, all raise an error, those where it does not fail
    `elsewhere`. Collective."""
    failed, result = None, None
    try:
        result = action()
    except Exception as error:
        failed = error
    if made.any(failed is not None):
        other = elsewhere or SubcurrentError("another rank of this program failed: see its message.")
        other.of_another_rank = True
        raise failed or other
    return result


def _end_all_on_error(made: Any) -> None:
    """A rank that ends with an exception ends the others too, since they may be waiting for its messages.
    If another rank failed first, that one has time to print the reason: MPI_Abort kills it."""
    if made.size == 1:
        return
    before = sys.excepthook

    def end_all(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
        before(kind, error, trace)
        sys.stderr.flush()
        if getattr(error, "of_another_rank", False):
            time.sleep(outcome.FIRST_SPEAKS)
        made.abort("", getattr(error, "exit_code", OTHER))

    sys.excepthook = end_all
