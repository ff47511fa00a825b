# SPDX-License-Identifier: Apache-2.0
"""The wave solver: what the rest of the program needs to know about it."""

from __future__ import annotations

from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..kind import Kind, on_host


class WaveKind(Kind):
    compiled = "Wave"
    history = ("step", "time", "dt", "energy", "p_low", "p_high")

    def fields(self, case: Any) -> list[Fields]:
        size = 4 if case.start.precision == "single" else 8
        pressure = Fields("pressure", tuple(case.grid.cells), case.halos(), size, count=2)
        return on_host([pressure], case.engine.device)

    def units(self, case: Any) -> dict[str, str]:
        return {"length": "m", "time": "s", "pressure": "Pa"}

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        return {
            "time": (1e3, "ms"),
            "dt": (1e3, "ms"),
            "energy": (1, "Pa²/s²"),
            "p_low": (1, "Pa"),
            "p_high": (1, "Pa"),
        }

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [f"step {record['step']}", f"time {number(1e3 * record['time'], '.4f')} ms"]
        if "p_high" in record:
            facts.append(f"p from {number(record['p_low'], '.3g')} to {number(record['p_high'], '.3g')} Pa")
        return facts

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        last = summary.get("last_step") or {}
        energy = last.get("energy")
        return [("mean of (∂p/∂t)² / 2 + c² |∇p|² / 2", f"{energy:.6g} Pa²/s²" if energy else None)]

    def title(self, case: Any) -> str:
        return (
            f"Sound at {case.medium.speed:g} m/s, {self.points(case)} cells of {100 * case.grid.spacing:g} cm"
        )


KIND = WaveKind()
