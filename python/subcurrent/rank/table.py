# SPDX-License-Identifier: Apache-2.0
"""CSV tables that grow with a run and continue where a resumed run does."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ..launch.rundir import write_text, writing
from ..report.records import csv_text, rows_of


class GrowingTable:
    """Rows that begin with a step, below a line of names."""

    def __init__(self, path: Path, names: Iterable[str]):
        self._path, self._names = path, tuple(names)

    def open(self, kept_until: int | None = None) -> list[list[str]]:
        """Starts the file; a resumed run keeps the rows up to its checkpoint, which are returned."""
        kept: list[list[str]] = []
        if kept_until is not None and self._path.exists():
            kept = [row for row in rows_of(self._path, self._names) if int(row[0]) <= kept_until]
        write_text(self._path, csv_text(self._names, kept))
        with writing(self._path):
            self._file = self._path.open("a", newline="", encoding="utf-8")
            self._rows = csv.writer(self._file, lineterminator="\n")
        return kept

    def add(self, rows: Iterable[Iterable[Any]]) -> None:
        with writing(self._path):
            self._rows.writerows(rows)

    def flush(self) -> None:
        with writing(self._path):
            self._file.flush()

    def close(self) -> None:
        with writing(self._path):
            self._file.close()


class MeasuredTable:
    """A table with rows of its own whenever history.csv gets one. `rows` is collective and gives, on rank 0,
    what follows step and time in each of them; there the table is written."""

    def __init__(
        self, path: Path, names: Iterable[str], rows: Callable[[], Iterable[Iterable[Any]]], writes: bool
    ):
        self._rows = rows
        self._table = GrowingTable(path, ("step", "time", *names)) if writes else None

    def open(self, kept_until: int | None) -> None:
        """Starts the file; on resume keeps the rows up to the step of the checkpoint."""
        if self._table:
            self._table.open(kept_until)

    def add(self, step: int, time: float) -> None:
        """Collective. With all digits: what changes little would be lost otherwise."""
        rows = self._rows()
        if self._table:
            self._table.add([step, time, *row] for row in rows)

    def flush(self) -> None:
        if self._table:
            self._table.flush()

    def close(self) -> None:
        if self._table:
            self._table.close()
