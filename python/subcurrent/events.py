# SPDX-License-Identifier: Apache-2.0
"""What ranks tell the launcher: one JSON line per event on stdout, marked so that other output passes by."""

from __future__ import annotations

import contextlib
import json
import sys
from typing import Any

MARK = "@subcurrent "


def emit(kind: str, **values: Any) -> None:
    line = MARK + json.dumps({"event": kind, **values}) + "\n"
    with contextlib.suppress(BrokenPipeError):  # a launcher that was killed stops no checkpoint
        sys.stdout.write(line)
        sys.stdout.flush()


def parse(line: str) -> dict[str, Any] | None:
    """The event in a line of output, or None for a line of anything else."""
    if not line.startswith(MARK):
        return None
    try:
        return json.loads(line[len(MARK) :])
    except json.JSONDecodeError:
        return None
