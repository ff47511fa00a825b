# SPDX-License-Identifier: Apache-2.0
"""A table or picture of the documents that is computed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Figure:
    name: str
    place: str  # the document, or the picture
    seconds: int  # on two cores at rest
    what: str
    make: Callable[[Path], list[str] | Path]
    tolerance: float | None = None  # a share that two machines may differ by; None: measured time

    @property
    def picture(self) -> bool:
        return self.place.endswith(".png")

    @property
    def measured(self) -> bool:
        return self.tolerance is None and not self.picture


def on(
    page: str,
    make: Callable[[Path], list[str]],
    seconds: int,
    what: str,
    tolerance: float | None = None,
) -> Figure:
    """A table of a page, which has the name of its function; the page of a case is named by the case."""
    place = page if "/" in page else f"cases/{page}/README.md"
    return Figure(make.__name__, place, seconds, what, make, tolerance)
