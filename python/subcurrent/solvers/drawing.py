# SPDX-License-Identifier: Apache-2.0
"""One figure of a run folder: its file, its caption, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..report.records import read_record

if TYPE_CHECKING:
    from ..launch.rundir import RunFolder


@dataclass(frozen=True)
class Drawing:
    """`draw(folder, case, path)` returns True if it drew, False if the folder has no data for it, and a
    sentence if the figure is not possible here. The ending of `path` gives the format; a view `in_space`,
    which PyVista draws, is a PNG."""

    name: str
    caption: str
    draw: Callable[[Any, Any, Any], bool | str] | None = None
    in_space: bool = False


def summary_of(folder: RunFolder) -> dict[str, Any]:
    return read_record(folder.summary)
