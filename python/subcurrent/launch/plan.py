# SPDX-License-Identifier: Apache-2.0
"""Input of the ranks: one JSON file with the checked case and the task."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from ..case.reading import Case, as_tables
from ..errors import SubcurrentError
from ..solvers.cases import typed_case
from .mpi import Layout

ENDS_AT_SIGNALS = "--ends-at-signals"  # on the command line of ranks that have no state to write


@dataclass
class Plan:
    """One job for the ranks. `case` contains the resolved tables; checkpoints are sorted, newest first."""

    kind: str  # "run", "strategies", "tune", "machine", "probe", "device" or "cg"
    case: dict[str, Any]
    folder: str
    ranks: int
    checkpoints: list[str] = field(default_factory=list)
    strategies: list[str] = field(default_factory=list)
    steps: int = 0
    repeats: int = 0
    probe: dict[str, Any] = field(default_factory=dict)  # what a probe measures; it has no case
    cg: dict[str, Any] = field(default_factory=dict)  # what `cg` solves and how; it has no case either
    tune: dict[str, Any] = field(default_factory=dict)  # the candidates, and how many stand side by side
    tuned: dict[str, Any] = field(default_factory=dict)  # of a run: what it takes over from a tuning
    rate: float = 0.0  # bytes per second that an emulated network adapter sends; 0: there is none
    events: bool = True  # False under an outer mpirun: people read the output, not a launcher

    def typed_case(self) -> Any:
        return typed_case(self.case)

    def engine(self) -> tuple[int, str]:
        """Threads of each rank, and the transport between ranks."""
        if given := self.probe or self.cg:
            return given.get("threads", 1), given["transport"]
        engine = self.typed_case().engine
        return engine.threads, "delayed" if self.rate else engine.transport

    def layout(self) -> Layout:
        return Layout(self.ranks, self.engine()[0])

    def device(self) -> str:
        """Where the fields are stored and computed: cpu, cuda or emulated."""
        given = self.probe or self.cg
        return given.get("device", "cpu") if given else self.typed_case().engine.device

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


def run_plan(case: Case, folder: Path, ranks: int, checkpoints: list[Path] | None = None) -> Plan:
    return Plan("run", as_tables(case), str(folder), ranks, [str(path) for path in checkpoints or []])
