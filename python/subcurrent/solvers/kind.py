# SPDX-License-Identifier: Apache-2.0
"""The interface of each solver to the rest of the program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

from ..launch import memory
from ..launch.memory import Fields
from ..report.records import csv_text

if TYPE_CHECKING:
    from ..launch.rundir import RunFolder


class Predicted(ABC):
    """The interface of a solver to predictions."""

    def of(self, _case: Any) -> Self:
        """For a case, typed or in tables: another one if the solver has models that differ in what they
        show."""
        return self

    @abstractmethod
    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        """The solver on the ranks of a context, from its case's options()."""

    @abstractmethod
    def title(self, case: Any) -> str:
        """Name of the case in figures and reports."""

    @abstractmethod
    def memory(self, case: Any, ranks: int) -> int:
        """Bytes of all ranks together."""

    def tells(self, _case: Any) -> bool:
        """Whether the step of a rank depends on data that other ranks have sent before."""
        return False

    def comparison(self, sweeps: int) -> tuple[list[str], list[str]]:
        """`--set` texts before and after those of the user that make every strategy do the same work."""
        return [], []


class Measured(Predicted):
    """The interface of a solver to measurements, too. What make() returns then has

    step(diagnostics, count)   steps, collective; without a count one
    split, cells               ranks along each axis, and cells of the grid
    terms(), restart_terms()   where the time of its steps went (see engine/overlap/ledger.hpp)
    timeline_summary()         seconds by stage and phase
    """

    def memory(self, case: Any, ranks: int) -> int:
        return memory.needed(case, ranks)

    @abstractmethod
    def fields(self, case: Any) -> list[Fields]:
        """The fields that the compiled solver keeps in the host's memory, as it declares them."""

    def fields_on(self, case: Any, ranks: int) -> list[Fields]:
        """Those that it keeps besides on several ranks."""
        return []


class Kind(Measured):
    """The interface of a solver to sessions, recorders and reports, too."""

    compiled = ""  # the class in the compiled module
    history: tuple[str, ...] = ()  # the columns of history.csv, before the seconds

    def make(self, module: Any, context: Any, options: dict[str, Any]) -> Any:
        return getattr(module, self.compiled)(context, options)

    def history_of(self, _case: Any) -> tuple[str, ...]:
        """`history`, and what a case adds to it."""
        return self.history

    def units(self, case: Any) -> dict[str, str]:
        """The units of "length", "time" and the fields of a snapshot, as UDUNITS reads them; a missing one
        means a number without a unit."""
        return {}

    def columns(self, case: Any) -> dict[str, tuple[float, str]]:
        """Columns of history.csv that have units: a factor, and the unit in which people then read them."""
        return {}

    def notes(self, solver: Any) -> list[str]:
        """What the solver prints before it starts."""
        return []

    def series(
        self, solver: Any, case: Any
    ) -> dict[str, tuple[tuple[str, ...], Callable[[], list[list[float]]]]]:
        """Tables by file name that get rows whenever history.csv does: the columns after step and time, and
        what gives the rows on rank 0 and is collective."""
        return {}

    def step(self, solver: Any, case: Any, most: int) -> dict[str, Any]:
        """One step, or up to `most` where the solver does several a pass, with what the progress shows of
        the last, and, where history.csv gets a row, with what that shows. Collective."""
        every = case.output.history_every
        if case.single_steps:
            return solver.step(diagnostics=(solver.steps + 1) % every == 0)
        count = min(most, every - solver.steps % every)
        return solver.step((solver.steps + count) % every == 0, count)

    def beside_snapshot(self, solver: Any, folder: RunFolder) -> None:
        """Writes further files with a snapshot. Collective."""
        return

    @abstractmethod
    def facts(self, record: dict[str, Any]) -> list[str]:
        """The values of a step in a line of progress."""

    def count(self, record: dict[str, Any], totals: dict[str, Any]) -> None:
        """Adds a step to the counters of the run."""
        return

    def begun(self, solver: Any, case: Any) -> dict[str, Any]:
        """Measurements of the state at the beginning of the session. Collective."""
        return {}

    def measured(self, solver: Any, case: Any) -> dict[str, Any]:
        """Measurements of the final state that the last step did not make. Collective."""
        return {}

    def results(self, solver: Any, case: Any) -> dict[str, str]:
        """Files to write at the end, by name. Collective; empty on ranks other than 0."""
        return {}

    def summary(self, case: Any, found: dict[str, Any]) -> dict[str, Any]:
        """Further entries of summary.json, from the steps `taken` in this session, the counters of the run,
        the terms of its account and its `timeline`."""
        return {}

    def warnings(self, summary: dict[str, Any]) -> list[str]:
        """Warnings at the end of a run."""
        return []

    @abstractmethod
    def rows(self, summary: dict[str, Any]) -> list[tuple[str, str | None]]:
        """Further lines of the report's table."""

    def comparison(self, sweeps: int) -> tuple[list[str], list[str]]:
        return [], ["output.history_every=1000000"]

    def tables(self, summary: dict[str, Any]) -> str:
        """HTML after the report's table of facts."""
        return ""

    @staticmethod
    def points(case: Any) -> str:
        return " × ".join(str(count) for count in case.size()[1])


def last_texts(summary: dict[str, Any]) -> Callable[..., str | None]:
    """A function that formats a measurement of the last step, by a format with a unit or by a function; None
    if there is none."""
    last = summary.get("last_step") or {}

    def text(name: str, form: str | Callable[[float], str], unit: str = "") -> str | None:
        value = last.get(name)
        if value is None:
            return None
        return form(value) if callable(form) else f"{value:{form}}{unit}"

    return text


def csv_of(columns: dict[str, Any]) -> str:
    """Columns of one length as CSV text."""
    rows = zip(*columns.values(), strict=True)
    return csv_text(columns, ([f"{float(value):.10g}" for value in row] for row in rows))


def on_host(fields: list[Fields], device: str) -> list[Fields]:
    """Of fields that lie where they are computed. On the emulated device that is the host too, beside the
    copies that are made for files; of a real one only the copies are the host's."""
    return fields if device != "emulated" else [*fields, *fields]
