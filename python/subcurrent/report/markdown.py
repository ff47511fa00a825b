# SPDX-License-Identifier: Apache-2.0
"""Tables in markdown, as the scripts of the cases print them and the documents contain them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence


def markdown(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """The lines of a table; one for each row as soon as there is one."""
    yield "| " + " | ".join(heading) + " |"
    yield "|" + "---|" * len(heading)
    for cells in rows:
        yield "| " + " | ".join(cells) + " |"


def number(value: float | None, digits: int) -> str:
    """A dash where there is none."""
    return "–" if value is None or math.isnan(value) else f"{value:.{digits}f}"


def print_table(heading: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    for line in markdown(heading, rows):
        print(line, flush=True)
