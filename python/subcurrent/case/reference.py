# SPDX-License-Identifier: Apache-2.0
"""Centreline profiles of a case's folder, and which of them a run can be compared with."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import BadInput, storage_error

if TYPE_CHECKING:
    import numpy as np

PAIRS = (("z", "u"), ("x", "w"))


@dataclass(frozen=True)
class Profiles:
    """Velocity along the two centrelines: u(z) and w(x). A file may hold only one of the two."""

    lines: dict[str, tuple[np.ndarray, np.ndarray]]  # "u": (z, u), "w": (x, w)
    header: str = ""

    @property
    def reynolds(self) -> float | None:
        """The Reynolds number in the header."""
        found = re.search(r"Re\s*=\s*(\d+(?:\.\d+)?)", self.header)
        return float(found[1]) if found else None

    @property
    def source(self) -> str:
        """The authors, short enough for a legend."""
        found = re.search(r"Source:\s*([^,;(\n]+?)(?: with |[,;(\n])", self.header)
        return found[1].strip() if found else "reference"

    def difference(self, other: Profiles) -> dict[str, float]:
        """Largest difference from the points of `other`, for each profile, in lid speeds."""
        shared = [name for name in self.lines if name in other.lines]
        return {name: _largest(self.lines[name], other.lines[name]) for name in shared}


def _largest(mine: tuple[np.ndarray, np.ndarray], theirs: tuple[np.ndarray, np.ndarray]) -> float:
    import numpy as np  # noqa: PLC0415 - slow to load, and most runs have no reference

    return float(np.max(np.abs(np.interp(theirs[0], *mine) - theirs[1])))


def read_profiles(path: Path) -> Profiles:
    """Reads a CSV with the columns z,u and x,w (one pair is enough) under a header of # lines."""
    try:
        header, rows = _read(path)
        lines = {
            value: _column_pair(rows, place, value) for place, value in PAIRS if rows and place in rows[0]
        }
    except (KeyError, TypeError, ValueError, csv.Error):
        lines = {}
    if not lines:
        raise BadInput(f"{path} holds no profiles: its columns must be z,u and x,w with numbers.")
    return Profiles(lines, header)


def _read(path: Path) -> tuple[str, list[dict[str, str]]]:
    """The text of the lines that begin with #, and the rows of the table that the others are."""
    try:
        text = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise storage_error(error, path, "read") from None
    header = "\n".join(line.lstrip("# ") for line in text if line.startswith("#"))
    return header, list(csv.DictReader(line for line in text if line and not line.startswith("#")))


def _column_pair(rows: list[dict[str, str]], place: str, value: str) -> tuple[np.ndarray, np.ndarray]:
    import numpy as np  # noqa: PLC0415 - slow to load, and most runs have no reference

    given = [(float(row[place]), float(row[value])) for row in rows if row[place]]
    return tuple(np.array(column) for column in zip(*given, strict=True))


def reference_for(folder: Path, reynolds: float) -> Path | None:
    """The reference in a case folder that was computed for this Reynolds number."""
    for path in sorted(folder.glob("reference*.csv")):
        if path.is_file() and read_profiles(path).reynolds == reynolds:
            return path
    return None


def read_columns(path: Path) -> dict[str, np.ndarray]:
    """The columns of a CSV file of numbers by name; lines that begin with # are left out."""
    import numpy as np  # noqa: PLC0415 - slow to load, and most runs have no reference

    try:
        _, rows = _read(path)
        return {
            name: np.array([_number(path, row, n, name) for n, row in enumerate(rows)]) for name in rows[0]
        }
    except BadInput:
        raise
    except (IndexError, TypeError, ValueError, csv.Error):
        raise BadInput(f"{path} holds no columns of numbers.") from None


def _number(path: Path, row: dict[str, str], n: int, column: str) -> float:
    try:
        return float(row[column])
    except (TypeError, ValueError):
        where = f"row {n + 1} has no number in its column {column}"
        raise BadInput(f"{path} holds no columns of numbers: {where}.") from None
