# SPDX-License-Identifier: Apache-2.0
"""When a run ends, how far it has come and how long it will take."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class End:
    """Exactly one of `steady` (max |dV/dt| below it), `steps` (the last step) and `time` is set."""

    steady: float | None = None
    steps: int | None = None
    time: float | None = None

    @staticmethod
    def of(run: Any) -> End:
        """The end that the table [run] of a checked case requests."""
        if getattr(run, "until", None) == "steady":
            return End(steady=run.steady)
        return End(steps=run.steps) if run.steps is not None else End(time=run.time)

    def reached(self, step: int, time: float, change: float) -> bool:
        if self.steps is not None:
            return step >= self.steps
        if self.time is not None:
            return time >= self.time * (1 - 1e-12)
        return change < self.steady

    def within(self, most: int, solver: Any) -> int:
        """How many of `most` steps a pass may have before this end; at least 1. The last step before a time
        is a pass by itself, since rounding decides whether it reaches the time. A solver whose dt changes
        says how many steps have the present one."""
        if most > 1 and self.steps is not None:
            most = min(most, self.steps - solver.steps)
        if most > 1 and self.time is not None:
            left = int((self.time - solver.time) / solver.dt * (1 - 1e-9))
            most = min(most, left, getattr(solver, "steps_of_dt", left))
        return max(1, most)

    def __str__(self) -> str:
        if self.steps is not None:
            return f"step {self.steps}"
        return f"time {self.time:g}" if self.time is not None else f"steady (max |dV/dt| < {self.steady:g})"

    def in_units(self, factor: float = 1, unit: str = "") -> str:
        """A time of a case also in the unit in which people read it, of which it has `factor`."""
        return f"{self} ({factor * self.time:.4g} {unit})" if self.time and factor != 1 else str(self)


class Forecast:
    """Share done and seconds left, from the speed of the recent steps."""

    def __init__(self, end: End, window: int = 200):
        self.end = end
        self._recent: deque[tuple[float, float]] = deque(maxlen=window)  # (seconds, measure)
        self._first: float | None = None

    def add(self, seconds: float, step: int, time: float, change: float) -> tuple[float, float | None]:
        """Share done in [0, 1], and seconds left, or None if unknown."""
        measure = self._measure(step, time, change)
        goal = self._measure(self.end.steps or 0, self.end.time or 0.0, self.end.steady or 0.0)
        if not math.isfinite(measure):
            return 0.0, None
        if self._first is None:
            self._first = measure
        self._recent.append((seconds, measure))
        span = goal - self._first
        share = min(max((measure - self._first) / span, 0.0), 1.0) if span > 0 else 1.0
        return share, self._left(goal - measure)

    def _measure(self, step: int, time: float, change: float) -> float:
        # The change of a flow that settles decays exponentially: its negative logarithm grows steadily.
        if self.end.steps is not None:
            return float(step)
        if self.end.time is not None:
            return time
        return -math.log(change) if change > 0 else math.inf

    def _left(self, missing: float) -> float | None:
        if missing <= 0:
            return 0.0
        (then, before), (now, after) = self._recent[0], self._recent[-1]
        if after <= before or now <= then:
            return None
        return missing * (now - then) / (after - before)
