# SPDX-License-Identifier: Apache-2.0
"""Progress and durations as plain text, for logs and output that is not a terminal."""

from __future__ import annotations

import math
import time
from typing import Any

EVERY = 5.0  # seconds between two lines of progress where there is no terminal


class Pace:
    """Progress is shown at once, at the end, and at most every so many seconds."""

    def __init__(self, every: float = EVERY):
        self._every, self._said = every, -math.inf

    def due(self, last: bool = False) -> bool:
        now = time.monotonic()
        if not last and now - self._said < self._every:
            return False
        self._said = now
        return True


def duration(seconds: float | None) -> str:
    """Seconds as text: 42 s, 3 min 20 s, 2 h 05 min."""
    if seconds is None:
        return "?"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60:02d} s"
    return f"{whole // 3600} h {whole % 3600 // 60:02d} min"


def step_facts(record: dict[str, Any]) -> str:
    """The measurements of one step, as text of its solver, and the time that is left."""
    left = [f"left {duration(record['left'])}"] if record["left"] else []
    return "  ".join([*record["facts"], *left])


def progress(share: float, facts: str) -> str:
    return f"{share:4.0%}  {facts}"


def count(number: int, thing: str) -> str:
    """1 rank, 2 ranks."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def number(value: float | None, form: str) -> str:
    """A number, or a dash if it is NaN."""
    return "-" if value is None else format(value, form)
