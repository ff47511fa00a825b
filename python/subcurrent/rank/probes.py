# SPDX-License-Identifier: Apache-2.0
"""probes.csv: the fields of snapshots at the positions of output.probes, whenever history.csv gets a row."""

from __future__ import annotations

from typing import Any

from ..launch.rundir import RunFolder
from .table import GrowingTable

COLUMNS = ("step", "time", "probe", "x", "y", "z")  # before those of the fields


class Probes:
    """Without output.probes nothing happens. Making one and `add` are collective; all else does nothing on
    the other ranks."""

    def __init__(self, solver: Any, case: Any, folder: RunFolder, first_rank: bool):
        self._positions = [[float(x) for x in position] for position in case.output.probes]
        self._solver = solver
        names = solver.place_probes(self._positions) if self._positions else []
        writes = first_rank and bool(self._positions)
        self._table = GrowingTable(folder.probes, (*COLUMNS, *names)) if writes else None

    def open(self, kept_until: int | None) -> None:
        """Starts the file; on resume keeps the rows up to the step of the checkpoint."""
        if self._table:
            self._table.open(kept_until)

    def add(self, step: int, time: float) -> None:
        """A row for each probe, with all digits: what changes little would be lost otherwise."""
        if not self._positions:
            return
        found = self._solver.probes()
        if not self._table:
            return
        values = found.reshape(len(self._positions), -1).tolist()
        self._table.add(
            [step, time, number, *position, *row]
            for number, (position, row) in enumerate(zip(self._positions, values, strict=True))
        )

    def flush(self) -> None:
        if self._table:
            self._table.flush()

    def close(self) -> None:
        if self._table:
            self._table.close()
