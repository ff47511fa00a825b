# SPDX-License-Identifier: Apache-2.0
"""One figure of a run folder: its file, its caption, and what draws it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..case.reference import read_columns

if TYPE_CHECKING:
    import numpy as np

    from ..launch.rundir import RunFolder


@dataclass(frozen=True)
class Drawing:
    """`draw(folder, case, path)` returns a sentence if the figure is not possible here, and draws nothing if
    there are no data for it. It is called for cases that the figure is `of`, if the folder has the files that
    it `needs` ("snapshots": at least one). The ending of `path` gives the format; a view `in_space`, which
    PyVista draws, is a PNG."""

    name: str
    caption: str
    draw: Callable[[Any, Any, Any], str | None]
    needs: tuple[str, ...] = ()
    of: Callable[[Any], bool] = lambda _case: True
    in_space: bool = False

    def possible(self, folder: RunFolder, case: Any) -> bool:
        return self.of(case) and all(
            folder.last_snapshot() is not None if name == "snapshots" else (folder.path / name).is_file()
            for name in self.needs
        )


def reference_of(folder: RunFolder) -> dict[str, np.ndarray] | None:
    """The columns of the reference, if there is one."""
    return read_columns(folder.reference) if folder.reference.is_file() else None
