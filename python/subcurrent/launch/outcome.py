# SPDX-License-Identifier: Apache-2.0
"""How the program ends: an exit code, and one sentence if something went wrong."""

from __future__ import annotations

import os
import signal
import sys
import time
import warnings
from collections.abc import Callable
from typing import Any

from .. import streams
from ..errors import OK, OTHER, BadInput, SubcurrentError, storage_error
from . import mpi

# Seconds that other ranks of an outer mpirun give the first, which says why: it kills all when one ends.
FIRST_SPEAKS = 3.0
STOPS = (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1)  # requests to stop


def main(app: Callable[[], Any]) -> None:
    """The program `subcurrent`: an error that the user can correct is one sentence and an exit code."""
    streams.secure()
    warnings.showwarning = _say
    code, text = _ending_of(app)
    _end_silently_by_signal()
    if code == OK and (lost := streams.lost_output()):
        code, text = lost.exit_code, lost.sentence
    rank = _rank()
    if text and not rank:
        print(f"subcurrent: {text}", file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    if rank is None or code == OK:
        sys.exit(code)
    if rank:
        time.sleep(FIRST_SPEAKS)
    os._exit(code)


def _say(message: Warning | str, *_: Any) -> None:
    if not _rank():
        print(f"subcurrent: {message}", file=sys.stderr)


def _ending_of(app: Callable[[], Any]) -> tuple[int, str]:
    """Exit code, and a sentence if needed."""
    try:
        _end_by_signal()
        app()
    except SystemExit as end:
        return (end.code if isinstance(end.code, int) else OK if end.code is None else OTHER), ""
    except SubcurrentError as error:
        return error.exit_code, error.sentence
    except OSError as error:
        failure = storage_error(error, "a file")
        return failure.exit_code, failure.sentence
    except MemoryError as error:
        return OTHER, f"there is not enough memory{f' ({error})' if str(error) else ''}."
    except Ended as end:
        return OTHER, f"ended by {end}."
    except KeyboardInterrupt:
        return OTHER, "interrupted."
    return OK, ""


class Ended(BaseException):
    """A signal that asks this process to end; outside of a run nothing has to be completed."""


def _end_by_signal() -> None:
    """Requests to stop end the program with a sentence; while ranks run, `launch` forwards them."""
    for number in STOPS:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _raise_ended)


def _end_silently_by_signal() -> None:
    """From here on nothing would catch `Ended`, and the outcome is known."""
    for number in STOPS:
        if signal.getsignal(number) is _raise_ended:
            signal.signal(number, signal.SIG_DFL)


def _raise_ended(number: int, _: Any) -> None:
    raise Ended(signal.Signals(number).name)


def _rank() -> int | None:
    """The rank of this process under an outer mpirun or srun."""
    try:
        outer = mpi.outer()
    except BadInput:
        return None
    return None if outer is None else outer.rank
