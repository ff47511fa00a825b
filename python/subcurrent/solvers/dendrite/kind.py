# SPDX-License-Identifier: Apache-2.0
"""The dendrite solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import math
from typing import Any

from ...launch.memory import Fields
from ...lines import number
from ..kind import Kind, on_host

# Lengths along the first crystal's own axes, as history.csv calls them.
ARMS = tuple(f"arm_{axis}{side}" for axis in "xyz" for side in "+-")
ARM_VELOCITIES = tuple(f"tip_velocity_{axis}{side}" for axis in "xyz" for side in "+-")


class DendriteKind(Kind):
    compiled = "Dendrite"
    history = (
        "step",
        "time",
        "dt",
        "solid",
        "tip",
        "tip_velocity",
        "T_low",
        "T_high",
        "phi_low",
        "phi_high",
        "total",
        *ARMS,
        *ARM_VELOCITIES,
    )

    def fields(self, case: Any) -> list[Fields]:
        """`Fields` of solvers/dendrite/stages.hpp."""
        size = 4 if case.start.precision == "single" else 8
        cells = tuple(case.grid.cells)
        halo = case.halo()
        fields = [Fields("phase", cells, halo, size, count=2), Fields("heat", cells, halo, size, count=2)]
        if any(seed.angle for seed in case.seeds):
            fields.append(Fields("orientation", cells, halo, size, components=4))
        if case.storage.place == "files":  # near are the slots of the ring
            x, y, z = cells
            slab = (x, y, math.ceil(z / (case.storage.pieces or 8)) + 2)
            arrays = sum(field.components * field.count for field in fields)
            return [Fields("slots", slab, 1, size, components=arrays, count=3)]
        return on_host(fields, case.engine.device)

    def units(self, case: Any) -> dict[str, str]:
        return {"length": "um", "time": "s", "phase": "1", "temperature_above_melting": "K"}

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        return {
            "time": (1e9, "ns"),
            "dt": (1e9, "ns"),
            "solid": (100, "%"),
            **dict.fromkeys(("tip", *ARMS), (1e6, "µm")),
            **dict.fromkeys(("tip_velocity", *ARM_VELOCITIES), (1, "m/s")),
            **dict.fromkeys(("T_low", "T_high", "total"), (1, "K")),
        }

    def notes(self, solver: Any) -> list[str]:
        return solver.plan.splitlines()

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [f"step {record['step']}", f"time {number(1e9 * record['time'], '.3f')} ns"]
        if "solid" in record:
            facts.append(f"solid {number(100 * record['solid'], '.2f')} %")
            facts.append(f"tip {number(1e6 * record['tip'], '.3f')} um")
            if math.isfinite(record["tip_velocity"] or math.nan):
                facts.append(f"{number(record['tip_velocity'], '.1f')} m/s")
        return facts

    def summary(
        self, case: Any, taken: int, totals: dict[str, Any], timeline: dict[str, Any]
    ) -> dict[str, Any]:
        return {"undercooling": case.material.melting - case.start.temperature}

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        last = summary.get("last_step") or {}
        beyond = max(-(last.get("phi_low") or 0.0), (last.get("phi_high") or 1.0) - 1.0)
        return [f"phi leaves [0, 1] by {beyond:.2g}: a smaller run.safety may help"] if beyond > 1e-3 else []

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        last = summary.get("last_step") or {}

        def text(name: str, scale: float, form: str) -> str | None:
            value = last.get(name)
            return None if value is None else form.format(scale * value)

        return [
            ("undercooling", f"{summary['undercooling']:g} K"),
            ("solid fraction", text("solid", 100, "{:.2f} %")),
            ("longest arm of the first crystal", text("tip", 1e6, "{:.3f} um")),
            ("its speed", text("tip_velocity", 1, "{:.1f} m/s")),
            ("cell updates", _rate(summary)),
        ]

    def title(self, case: Any) -> str:
        crystals = "a dendrite" if len(case.seeds) == 1 else f"{len(case.seeds)} dendrites"
        below = case.material.melting - case.start.temperature
        name = f"{case.material.name[:1].upper()}{case.material.name[1:]}"
        return f"{name}, {crystals} {below:g} K below melting, {self.points(case)} cells"


def _rate(summary: dict[str, Any]) -> str | None:
    seconds = summary.get("seconds_per_step")
    return f"{1e-6 * summary['cells'] / seconds:.0f} million a second" if seconds else None


KIND = DendriteKind()
