# SPDX-License-Identifier: Apache-2.0
"""Events that ranks send to the launcher: one marked JSON line each on stdout; other output is passed on."""

from __future__ import annotations

import contextlib
import json
import sys
import traceback
from typing import Any

from ..errors import OTHER

MARK = "@subcurrent "


def emit(kind: str, **values: Any) -> None:
    line = MARK + json.dumps({"event": kind, **values}) + "\n"
    with contextlib.suppress(OSError):  # a launcher that was killed stops no checkpoint
        sys.stdout.write(line)
        sys.stdout.flush()


def tell(to_launcher: bool, said: str, kind: str, /, **values: Any) -> None:
    """An event for the launcher, or what people read of it."""
    if to_launcher:
        emit(kind, **values)
    else:
        print(said, flush=True)


def parse(line: str) -> dict[str, Any] | None:
    """The event in a line of output, or None for a line of anything else."""
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line[len(MARK) :])
    except json.JSONDecodeError:
        return None


def complain(to_launcher: bool, rank: int, error: Exception) -> int:
    """Reports why this rank fails, to the launcher or to the user, and returns the exit code."""
    code = getattr(error, "exit_code", OTHER)
    text = str(error)
    trace = ""
    if not hasattr(error, "exit_code"):
        trace = traceback.format_exc()
        text = f"{type(error).__name__}: {error}"
    if to_launcher:
        emit("error", rank=rank, code=code, text=text, trace=trace)
    else:
        sys.stderr.write(f"{trace}subcurrent: {text}\n")
        sys.stderr.flush()
    return code
