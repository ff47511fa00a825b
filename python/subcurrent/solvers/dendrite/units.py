# SPDX-License-Identifier: Apache-2.0
"""The units in which people read the results of a dendrite run, where the model has any."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Units:
    """`length` and `time` come with the factor from the solver's numbers; texts are empty where there is no
    unit."""

    length: tuple[float, str]
    time: tuple[float, str]
    temperature: str
    speed: str
    heat: str  # the name of the temperature
    kept: str  # what insulated faces conserve

    def moment(self, time: float) -> str:
        factor, unit = self.time
        return f"t = {factor * time:.1f} {unit}".rstrip()


METRIC = Units((1e6, "µm"), (1e9, "ns"), "K", "m/s", "temperature", "T − (L/C) h(φ)")
NONE = Units((1.0, ""), (1.0, ""), "", "", "u", "u − φ")


def labelled(name: str, unit: str) -> str:
    """The label of an axis."""
    return f"{name} ({unit or 'dimensionless'})"
