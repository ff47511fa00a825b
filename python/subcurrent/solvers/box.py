# SPDX-License-Identifier: Apache-2.0
"""What turbulence in a periodic box has in common, incompressible or not: spectra beside the snapshots."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from ..launch.rundir import RunFolder, write_text, writing
from .kind import Kind


class BoxKind(Kind):
    @abstractmethod
    def spectrum(self, solver: Any) -> str:
        """The spectrum of the present flow as CSV text. Collective."""

    def beside_snapshot(self, solver: Any, folder: RunFolder) -> None:
        text = self.spectrum(solver)
        if solver.rank != 0:
            return
        with writing(folder.spectra):
            folder.spectra.mkdir(exist_ok=True)
        write_text(folder.spectra / f"spectrum_{solver.steps:08d}.csv", text)

    def measured(self, solver: Any, case: Any) -> dict[str, Any]:
        return dict(solver.measure())
