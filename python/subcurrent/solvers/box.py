# SPDX-License-Identifier: Apache-2.0
"""What turbulence in a periodic box has in common, incompressible or not: spectra beside the snapshots."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ..launch.rundir import RunFolder, write_text, writing
from ..lines import number
from .kind import Kind


class BoxKind(Kind):
    @abstractmethod
    def spectrum(self, solver: Any) -> str:
        """The spectrum of the present flow as CSV text. Collective."""

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        return {"spectrum.csv": self.spectrum(solver)}

    def beside_snapshot(self, solver: Any, folder: RunFolder) -> None:
        text = self.spectrum(solver)
        if solver.rank != 0:
            return
        with writing(folder.spectra):
            folder.spectra.mkdir(exist_ok=True)
        write_text(folder.spectra / f"spectrum_{solver.steps:08d}.csv", text)

    @abstractmethod
    def scales(self, record: dict[str, Any]) -> list[str]:
        """What a line of progress says beside energy and dissipation where those were measured."""

    def facts(self, record: dict[str, Any]) -> list[str]:
        facts = [f"step {record['step']}", f"time {number(record['time'], '.4f')}"]
        if "energy" in record:
            facts.append(f"energy {number(record['energy'], '.5f')}")
            facts.append(f"dissipation {number(record['dissipation'], '.4g')}")
            facts += self.scales(record)
        return facts

    def notes(self, solver: Any) -> list[str]:
        return solver.plan.splitlines()

    def measured(self, solver: Any, case: Any) -> dict[str, Any]:
        return dict(solver.measure())
