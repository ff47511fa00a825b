# SPDX-License-Identifier: Apache-2.0
"""Input of the ranks: one JSON file with the checked case and the task."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..errors import SubcurrentError
from ..solvers.cases import typed_case
from .mpi import Layout


@dataclass
class Plan:
    """One job for the ranks. `case` contains the resolved tables of a case; for "probe", "device" and "cg",
    which have no case, what they do, and [engine] too. Checkpoints are sorted, newest first."""

    kind: str  # "run", "strategies", "tune", "machine", "probe", "device" or "cg"
    case: dict[str, Any]
    folder: str
    ranks: int
    checkpoints: list[str] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    steps: int = 0
    repeats: int = 0
    tune: dict[str, Any] = field(default_factory=dict)  # the candidates, and how many stand side by side
    tuned: dict[str, Any] = field(default_factory=dict)  # of a run: what it takes over from a tuning
    rate: float = 0.0  # bytes per second that an emulated network adapter sends; 0: there is none
    events: bool = True  # False under an outer mpirun: people read the output, not a launcher

    def typed_case(self) -> Any:
        return typed_case(self.case)

    def engine(self) -> dict[str, Any]:
        """Threads of each rank, the transport between ranks, and the device: cpu, cuda or emulated."""
        given = self.case.get("engine", {}) | ({"transport": "delayed"} if self.rate else {})
        usual = {"threads": 1, "transport": "auto", "device": "cpu"}
        return {name: given.get(name, value) for name, value in usual.items()}

    def layout(self) -> Layout:
        return Layout(self.ranks, self.engine()["threads"])

    def text(self) -> str:
        return json.dumps(asdict(self), indent=1) + "\n"

    @staticmethod
    def of(text: str) -> Plan:
        return Plan(**json.loads(text))


def digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def read_plan(path: Path, expected: str) -> str:
    """The text of a plan file; it must be the one that the launcher of this run has written."""
    text = path.read_text(encoding="utf-8")
    if digest(text) != expected:
        raise SubcurrentError(
            f"{path} is not the plan that this run was started with: another program has overwritten it."
        )
    return text
