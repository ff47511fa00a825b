# SPDX-License-Identifier: Apache-2.0
"""Reads the records of a run, summary.json and tables that grow; a damaged one gives one sentence. And the
text of a table."""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..errors import BadInput, storage_error


def read_record(path: Path) -> dict[str, Any]:
    """The object in a JSON file, {} if there is no such file."""
    if not path.is_file():
        return {}
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise storage_error(error, path, "read") from None
    except (ValueError, RecursionError):
        record = None
    if not isinstance(record, dict):
        raise damaged(path, "it is not the JSON that a run writes")
    return record


def damaged(path: Path, what: str) -> BadInput:
    return BadInput(f"{path} is damaged: {what}; remove it, or restore the file that the run wrote.")


def read_history(path: Path) -> tuple[list[str], list[list[str]]]:
    """The names of the columns, and the rows up to the last complete one: a killed run may have left a
    partial row."""
    if path.exists() and not path.is_file():  # opening a pipe would block
        raise damaged(path, "it is no regular file")
    try:
        with path.open(newline="", encoding="utf-8") as file:
            text = file.read()
    except OSError as error:
        raise storage_error(error, path, "read") from None
    except ValueError:
        raise damaged(path, "it is no text") from None
    try:
        rows = list(csv.reader(io.StringIO(text[: text.rfind("\n") + 1])))
    except csv.Error:
        raise damaged(path, "it is no table") from None
    if not rows and text:
        raise damaged(path, "it has no whole line")
    if not rows:
        return [], []
    names, rows = rows[0], rows[1:]
    if rows and len(rows[-1]) < len(names):
        del rows[-1]
    for number, row in enumerate(rows, 2):
        if len(row) != len(names) or not _is_step(row[0]) or not all(map(_is_number, row)):
            raise damaged(path, f"line {number} is no row of {len(names)} numbers")
    return names, rows


def read_table(path: Path) -> list[dict[str, float]]:
    """The rows of a small table of numbers, by column."""
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: float(value) for name, value in row.items()} for row in csv.DictReader(file)]


def csv_text(names: Iterable[str], rows: Iterable[Iterable[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([names, *rows])
    return text.getvalue()


def lacking(path: Path, columns: tuple[str, ...]) -> str:
    """A sentence if the history of a run lacks some of these columns, as that of another version may."""
    names, _ = read_history(path)
    missing = [name for name in columns if name not in names] if names else []
    if not missing:
        return ""
    return f"{path} has no column {' and no '.join(missing)}: another version of Subcurrent wrote it."


def rows_of(path: Path, columns: tuple[str, ...]) -> list[list[str]]:
    """The rows of a table that grows with a run and has these columns."""
    names, rows = read_history(path)
    if names and names != list(columns):
        raise damaged(path, f"its columns are not {', '.join(columns[:-1])} and {columns[-1]}")
    return rows


def _is_step(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 20


def _is_number(text: str) -> bool:
    try:
        return not text or not math.isnan(float(text)) or text == "nan"
    except ValueError:
        return False
