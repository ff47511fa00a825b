# SPDX-License-Identifier: Apache-2.0
"""One figure of a run folder: its file, its caption, and what draws it, also of a simulation in memory."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..case.reference import read_columns
from .kinds import title_of

if TYPE_CHECKING:
    import numpy as np

    from ..launch.rundir import RunFolder
    from .simulation import Simulation


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


@dataclass(frozen=True)
class OfState:
    """Draws one state by `paint(path, state, case)`: what `read` finds in a folder, or what `gather` brings
    of a simulation to rank 0 (None to others). `without` tells why a case has no such figure. Sentences are
    those of `Drawing.draw`."""

    paint: Callable[[Path, Any, Any], str | None]
    read: Callable[[RunFolder, Any], Any]
    gather: Callable[[Simulation], Any]
    without: Callable[[Any], str | None] = lambda _case: None

    def __call__(self, folder: RunFolder, case: Any, path: Path) -> str | None:
        return self.without(case) or self.paint(path, self.read(folder, case), case)

    def of(self, simulation: Simulation, path: Path) -> str | None:
        """Draws the present state; collective. A sentence if this is not possible."""
        if why := self.without(simulation.case):
            return why
        state = self.gather(simulation)
        return None if state is None else self.paint(path, state, simulation.case)


def planes(paint: Callable[..., None], *names: str) -> OfState:
    """Draws fields in the middle plane across z by `paint(path, *planes, time, case)`, components first."""

    def read(folder: RunFolder, _case: Any) -> list[Any]:
        from ..report.snapshot import read_plane  # noqa: PLC0415 - NumPy, to draw only

        times, shown = zip(*(read_plane(folder.last_snapshot(), name) for name in names), strict=True)
        return [*shown, times[0]]

    def gather(simulation: Simulation) -> list[Any] | None:
        fields = [simulation.gather(name) for name in names]
        if fields[0] is None:
            return None
        return [*(field[..., field.shape[-3] // 2, :, :] for field in fields), simulation.time]

    return OfState(lambda path, state, case: paint(path, *state, case), read, gather)


def titled_planes(paint: Callable[..., None], *names: str) -> OfState:
    """The same by `paint(path, *planes, time, title)`."""
    return planes(lambda path, *state: paint(path, *state[:-1], title_of(state[-1])), *names)


def over_time(paint: Callable[..., None], *, with_reference: bool = False) -> Callable[..., None]:
    """Draws the history of a run by `paint(path, history, title)`, perhaps with the reference before the
    title."""

    def draw(folder: RunFolder, case: Any, path: Path) -> None:
        from ..report.plots.history import read_history  # noqa: PLC0415 - matplotlib

        reference = [reference_of(folder)] if with_reference else []
        paint(path, read_history(folder.history), *reference, title_of(case))

    return draw


def reference_of(folder: RunFolder) -> dict[str, np.ndarray] | None:
    """The columns of the reference, if there is one."""
    return read_columns(folder.reference) if folder.reference.is_file() else None
