# SPDX-License-Identifier: Apache-2.0
"""probes.csv: the fields of snapshots at the positions of output.probes, whenever history.csv gets a row."""

from __future__ import annotations

import csv
import io
from typing import Any

from ..launch.rundir import RunFolder, write_text, writing
from ..report.records import rows_of

COLUMNS = ("step", "time", "probe", "x", "y", "z")  # before those of the fields


class Probes:
    """Without output.probes nothing happens. Making one and `add` are collective; all else does nothing on
    the other ranks."""

    def __init__(self, solver: Any, case: Any, folder: RunFolder, first_rank: bool):
        self._positions = [[float(x) for x in position] for position in case.output.probes]
        self._solver, self._path = solver, folder.probes
        self._names = solver.place_probes(self._positions) if self._positions else []
        self._writes = first_rank and bool(self._positions)
        self._file: io.TextIOBase | None = None

    def open(self, step: int, resumed: bool) -> None:
        """Starts the file; on resume keeps the rows up to the step of the checkpoint."""
        if not self._writes:
            return
        names = (*COLUMNS, *self._names)
        kept = rows_of(self._path, names) if resumed and self._path.exists() else []
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerows(
            [names, *(row for row in kept if int(row[0]) <= step)]
        )
        write_text(self._path, text.getvalue())
        with writing(self._path):
            self._file = self._path.open("a", newline="", encoding="utf-8")
            self._rows = csv.writer(self._file, lineterminator="\n")

    def add(self, step: int, time: float) -> None:
        """A row for each probe, with all digits: what changes little would be lost otherwise."""
        if not self._positions:
            return
        found = self._solver.probes()
        if not self._writes:
            return
        values = found.reshape(len(self._positions), -1).tolist()
        with writing(self._path):
            for number, (position, row) in enumerate(zip(self._positions, values, strict=True)):
                self._rows.writerow([step, time, number, *position, *row])

    def flush(self) -> None:
        if self._file:
            with writing(self._path):
                self._file.flush()

    def close(self) -> None:
        if self._file:
            with writing(self._path):
                self._file.close()
