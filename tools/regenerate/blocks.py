# SPDX-License-Identifier: Apache-2.0
"""Tables between marks in a document: found, replaced, compared; tables that stand without a mark, and
sections with figures that do not say where these come from."""

from __future__ import annotations

import re
from pathlib import Path

CLOSING = "<!-- /figures -->"
NONE = "<!-- no figures: "  # a reason follows
NUMBER = re.compile(r"[+−-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
FIGURE = re.compile(r"\d\.\d|\d %|\de-\d")  # what a measured or computed number looks like
NO_FIGURE = re.compile(r"`[^`]*`|\b[A-Z]\w+[ -]\d+\.\d+|version \d+\.\d+")  # settings; ParaView 5.11
# A command, script, test or file of a run, lines of code, a mark, or the README that has the figure.
SOURCE = re.compile(
    r"`[^`]*(?:subcurrent [a-z]|make |tools/|bench/|tests/|_bench|mpi\.|unit\.|\.(?:py|csv|html|json))[^`]*`"
    r"|^```|^    \S|^<!-- (?:no )?figures: |\]\([^)]*README\.md[^)]*\)",
    re.MULTILINE,
)


def mark(name: str) -> str:
    return f"<!-- figures: {name} -->"


def _bounds(lines: list[str], document: Path, name: str) -> tuple[int, int]:
    try:
        first = lines.index(mark(name)) + 1
        return first, lines.index(CLOSING, first)
    except ValueError:
        raise RuntimeError(f"{document} has no lines between {mark(name)} and {CLOSING}") from None


def get(document: Path, name: str) -> list[str]:
    lines = document.read_text().splitlines()
    first, last = _bounds(lines, document, name)
    return lines[first:last]


def put(document: Path, name: str, made: list[str]) -> None:
    lines = document.read_text().splitlines()
    first, last = _bounds(lines, document, name)
    document.write_text("\n".join([*lines[:first], *made, *lines[last:]]) + "\n")


def names_in(document: Path) -> list[str]:
    return re.findall(r"^<!-- figures: (\S+) -->$", document.read_text(), re.MULTILINE)


def tables_without_a_mark(document: Path) -> list[str]:
    """The headings of tables that hold figures and say neither what makes them nor why nothing does."""
    lines = document.read_text().splitlines()
    found, inside = [], False
    for number, line in enumerate(lines):
        inside = line.startswith("<!-- figures: ") or (inside and line != CLOSING)
        heads_table = (
            line.startswith("|")
            and lines[number + 1 : number + 2]
            and lines[number + 1][:3] in ("|--", "|:-")
        )
        if not heads_table or inside:
            continue
        excused = number > 0 and lines[number - 1].startswith(NONE)
        end = next((k for k in range(number, len(lines)) if not lines[k].startswith("|")), len(lines))
        if not excused and FIGURE.search("\n".join(lines[number + 2 : end])):
            found.append(f"{document.name}:{number + 1}: {line}")
    return found


def sections_without_a_source(document: Path) -> list[str]:
    """The headings of sections whose text has figures and names nothing that makes them."""
    found = []
    for section in re.split(r"^(?=#+ )", document.read_text(), flags=re.MULTILINE):
        text = "\n".join(line for line in section.splitlines() if not line.startswith("|"))
        if FIGURE.search(NO_FIGURE.sub("", text)) and not SOURCE.search(section):
            found.append(f"{document.name}: {section.splitlines()[0]}")
    return found


def differences(stored: list[str], made: list[str], tolerance: float) -> list[str]:
    """Lines that differ in words, or in numbers by more than a share of the number and a unit of its last
    digit."""
    if len(stored) != len(made):
        return [f"{len(stored)} lines stand there and {len(made)} were made"]
    return [
        f"{old}\n  {new}" for old, new in zip(stored, made, strict=True) if not _alike(old, new, tolerance)
    ]


def _alike(old: str, new: str, tolerance: float) -> bool:
    if NUMBER.sub("#", old) != NUMBER.sub("#", new):
        return False
    return all(
        abs(_value(a) - _value(b)) <= tolerance * max(abs(_value(a)), abs(_value(b))) + 1.01 * _unit(a)
        for a, b in zip(NUMBER.findall(old), NUMBER.findall(new), strict=True)
    )


def _value(text: str) -> float:
    return float(text.replace("−", "-"))


def _unit(text: str) -> float:
    """One of the last digit that a number shows."""
    digits, _, power = text.partition("e")
    return 10.0 ** (int(power or 0) - len(digits.partition(".")[2]))
