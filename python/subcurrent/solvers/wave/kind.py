# SPDX-License-Identifier: Apache-2.0
"""The wave solver: what the rest of the program needs to know about it."""

from __future__ import annotations

from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..kind import Kind, last_texts, on_host


class WaveKind(Kind):
    compiled = "Wave"
    history = ("step", "time", "dt", "energy", "p_low", "p_high")

    def fields(self, case: Any) -> list[Fields]:
        pressure = Fields("pressure", tuple(case.grid.cells), case.halos(), case.number_size(), count=2)
        return on_host([pressure], case.engine.device)

    def units(self, case: Any) -> dict[str, str]:
        return {"length": "m", "time": "s", "pressure": "Pa"}

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        return {
            **dict.fromkeys(("time", "dt"), (1e3, "ms")),
            **dict.fromkeys(("p_low", "p_high"), (1, "Pa")),
            "energy": (1, "Pa²/s²"),
        }

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [f"step {record['step']}", f"time {number(1e3 * record['time'], '.4f')} ms"]
        if "p_high" in record:
            facts.append(f"p from {number(record['p_low'], '.3g')} to {number(record['p_high'], '.3g')} Pa")
        return facts

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        return [("mean of (∂p/∂t)² / 2 + c² |∇p|² / 2", last_texts(summary)("energy", ".6g", " Pa²/s²"))]

    def title(self, case: Any) -> str:
        return (
            f"Sound at {case.medium.speed:g} m/s, {self.points(case)} cells of {100 * case.grid.spacing:g} cm"
        )


KIND = WaveKind()
