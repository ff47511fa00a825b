# SPDX-License-Identifier: Apache-2.0
"""The dendrite solver: what the rest of the program needs to know about it."""

from __future__ import annotations

import math
from typing import Any

from ...case.strategies import WITHOUT_OVERLAP
from ...launch.memory import Fields
from ...lines import number
from ..kind import Kind, last_texts, on_host
from .slots import Slots
from .units import METRIC, NONE, Units

# Lengths along the first crystal's own axes, as history.csv calls them.
ARMS = tuple(f"arm_{axis}{side}" for axis in "xyz" for side in "+-")
ARM_VELOCITIES = tuple(f"tip_velocity_{axis}{side}" for axis in "xyz" for side in "+-")


COLUMNS = (
    "step", "time", "dt", "solid", "tip", "tip_velocity", "T_low", "T_high", "phi_low", "phi_high", "total",
    *ARMS, *ARM_VELOCITIES,
)  # fmt: skip


class DendriteKind(Kind):
    """With Kobayashi's model of a metal, in SI units; or with that of Karma and Rappel, which has none."""

    compiled = "Dendrite"

    def __init__(self, shown_in: Units = METRIC):
        self.shown_in = shown_in
        self.history = COLUMNS if shown_in is METRIC else (*COLUMNS, "free_energy")

    def of(self, case: Any) -> DendriteKind:
        table = case.get("model", {}) if isinstance(case, dict) else case.model
        name = table.get("name") if isinstance(table, dict) else table.name
        return DIMENSIONLESS if name == "karma_rappel" else KIND

    def fields(self, case: Any) -> list[Fields] | list[Slots]:
        """`Fields` of solvers/dendrite/stages.hpp."""
        cells, halo, size = tuple(case.grid.cells), case.halos(), case.number_size()
        fields = [Fields("phase", cells, halo, size, count=2), Fields("heat", cells, halo, size, count=2)]
        if any(seed.angle for seed in case.seeds):
            fields.append(Fields("orientation", cells, halo, size, components=4))
        if case.storage.place == "files":
            slots = Slots(
                cells,
                halo=halo,
                size=size,
                read=sum(field.components * field.count for field in fields) - 2,
                written=2,
                pieces=case.storage.pieces or 8,
                reach=case.reach,
                length=case.pass_length(),
                overlaps=case.engine.strategy not in WITHOUT_OVERLAP,
            )
            return [slots]
        return on_host(fields, case.engine.device)

    def units(self, case: Any) -> dict[str, str]:
        if self.shown_in is NONE:
            return {}
        return {"length": "um", "time": "s", "phase": "1", "temperature_above_melting": "K"}

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        if self.shown_in is NONE:
            return {"solid": (100, "%")}
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
        facts = [f"step {record['step']}", f"time {self._shown(record['time'], self.shown_in.time)}"]
        if "solid" in record:
            facts.append(f"solid {number(100 * record['solid'], '.2f')} %")
            facts.append(f"tip {self._shown(record['tip'], self.shown_in.length)}")
            if math.isfinite(record["tip_velocity"] or math.nan):
                facts.append(self._speed(record["tip_velocity"]))
        return facts

    @staticmethod
    def _shown(value: float, unit: tuple[float, str]) -> str:
        return f"{number(unit[0] * value, '.3f')} {unit[1].replace('µ', 'u')}".rstrip()

    def _speed(self, value: float) -> str:
        unit = self.shown_in.speed
        return f"{number(value, '.1f')} {unit}" if unit else f"speed {number(value, '.4f')}"

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        return {"undercooling": case.undercooling()}

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        last = summary.get("last_step") or {}
        beyond = max(-(last.get("phi_low") or 0.0), (last.get("phi_high") or 1.0) - 1.0)
        return [f"phi leaves [0, 1] by {beyond:.2g}: a smaller run.safety may help"] if beyond > 1e-3 else []

    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        text = last_texts(summary)
        return [
            ("undercooling", f"{summary['undercooling']:g} {self.shown_in.temperature}".rstrip()),
            ("solid fraction", text("solid", lambda part: f"{100 * part:.2f} %")),
            (
                "longest arm of the first crystal",
                text("tip", lambda tip: self._shown(tip, self.shown_in.length)),
            ),
            ("its speed", text("tip_velocity", self._speed)),
            ("free energy", text("free_energy", ".7g")),
            ("cell updates", _rate(summary)),
        ]

    def title(self, case: Any) -> str:
        crystals = "a dendrite" if len(case.seeds) == 1 else f"{len(case.seeds)} dendrites"
        below = case.undercooling()
        if self.shown_in is NONE:
            return f"Karma and Rappel, {crystals} undercooled by {below:g}, {self.points(case)} cells"
        name = f"{case.material.name[:1].upper()}{case.material.name[1:]}"
        return f"{name}, {crystals} {below:g} K below melting, {self.points(case)} cells"


def _rate(summary: dict[str, Any]) -> str | None:
    seconds = summary.get("seconds_per_step")
    return f"{1e-6 * summary['cells'] / seconds:.0f} million a second" if seconds else None


KIND, DIMENSIONLESS = DendriteKind(), DendriteKind(NONE)
