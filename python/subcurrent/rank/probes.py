# SPDX-License-Identifier: Apache-2.0
"""probes.csv: the fields of snapshots at the positions of output.probes, whenever history.csv gets a row."""

from __future__ import annotations

from typing import Any

from ..launch.rundir import RunFolder
from .table import MeasuredTable

COLUMNS = ("probe", "x", "y", "z")  # between step and time and the fields


def probes_of(solver: Any, case: Any, folder: RunFolder, writes: bool) -> list[MeasuredTable]:
    """None without output.probes. Collective."""
    positions = case.output.probes
    if not positions:
        return []
    names = solver.place_probes(positions)

    def rows() -> list[list[float]]:
        """One for each probe on rank 0."""
        found = solver.probes()
        if found is None:
            return []
        values = found.reshape(len(positions), -1).tolist()
        return [
            [number, *position, *row]
            for number, (position, row) in enumerate(zip(positions, values, strict=True))
        ]

    return [MeasuredTable(folder.probes, (*COLUMNS, *names), rows, writes)]
