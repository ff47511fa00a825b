# SPDX-License-Identifier: Apache-2.0
"""What `predict` predicts, and `strategies`, `tune`, `scale` and `probe` measure: the case of a file, or the
step of a loop in a Python script; and for `predict`, `strategies` and `probe` conjugate gradients."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Any, Self

from ..case.library import find_case
from ..case.reading import Case, load_case
from ..case.strategies import STRATEGIES
from ..launch import memory, tuned
from ..launch.run import default_name
from ..solvers.cg.case import NAME as CG
from ..solvers.cg.case import CgCase, cg_case
from ..solvers.kinds import kind_of
from ..solvers.stencil.case import StencilCase, StencilEngine, stencil_case
from . import script

NO_KEYS = ("engine.strategy=blocking", "engine.device=cpu")  # what commands add, and CG does not have


class Subject(ABC):
    """`path`: the file; `name`: of folders with results."""

    path: Path
    name: str

    @abstractmethod
    def case(self, sets: list[str]) -> Any:
        """The typed case with these `--set` texts, to be measured. Raises BadInput with one sentence."""

    @abstractmethod
    def fixed(self, sets: list[str]) -> list[str]:
        """The keys that `tune` does not change: those of the command line, and those that the file sets to
        other values than the default."""

    def strategies(self, _sets: list[str]) -> tuple[str, ...]:
        """To compare where none are named; those that the case does not allow are left out."""
        return STRATEGIES

    def allow(self, strategy: str, sets: list[str]) -> None:
        """Raises BadInput for a strategy that the case does not allow."""
        self.case([*sets, f'engine.strategy="{strategy}"'])

    def check_memory(self, case: Any, ranks: int, solvers: int) -> None:
        """Raises BadInput where so many solvers do not fit beside each other into free memory."""
        memory.check(case, ranks, solvers=solvers)

    def for_tuning(self) -> Self:
        """Without what only a run can find."""
        return self

    runs = True  # whether `run` uses what `tune` has found

    def use(self, record: dict[str, Any]) -> list[str]:
        """How to use what `tune` has found, where `run` does not."""
        return []

    def alike(self, sets: list[str], sweeps: int) -> list[str]:
        """These texts and more, so that every strategy does the same work."""
        before, after = kind_of(self.case(sets)).comparison(sweeps)
        return [*before, *sets, *after]


class CaseFile(Subject):
    def __init__(self, path: Path):
        self.path, self.name = path, default_name(path)

    def case(self, sets: list[str]) -> Case:
        return load_case(self.path, sets)

    def fixed(self, sets: list[str]) -> list[str]:
        return tuned.fixed_keys(self.path, sets)


class Script(Subject):
    """The script runs once, in a rehearsal that computes nothing; the step of its loop is measured."""

    def __init__(self, path: Path, tables: dict[str, Any]):
        self.path, self.name, self._tables = path, path.stem, tables

    def step(self, sets: list[str]) -> StencilCase:
        """To be predicted, which needs less."""
        return stencil_case(self._tables, sets)

    def case(self, sets: list[str]) -> StencilCase:
        case = self.step(sets)
        case.check_measured()
        return case

    def fixed(self, sets: list[str]) -> list[str]:
        return tuned.fixed_in(self._tables, StencilEngine(), sets)

    runs = False

    def use(self, record: dict[str, Any]) -> list[str]:
        best = min(record["winners"], key=lambda row: row["T"])
        own = self.step([])
        found = tuned.with_settings(own, best["settings"] | {"engine.threads": best["threads"]})
        axes = own.grid.dimensions
        grid = {
            "halo": found.grid.halo,
            "split": found.engine.split if found.engine.split == "auto" else found.engine.split[:axes],
            "threads": found.engine.threads,
            "transport": found.engine.transport,
            "pieces": found.grid.pieces,
        }
        loop = {
            "strategy": found.engine.strategy,
            "poke_seconds": 1e-3 * found.engine.poke_ms,
            "steps_per_pass": found.engine.steps_per_pass,
            "pass_tile": found.engine.pass_tile,
        }
        before = own.grid.model_dump() | own.engine.model_dump()
        before["poke_seconds"] = 1e-3 * own.engine.poke_ms
        words = [
            f"sc.{name}(…, {', '.join(given)})"
            for name, values in (("Grid", grid), ("Loop", loop))
            if (
                given := [f"{key}={_written(value)}" for key, value in values.items() if value != before[key]]
            )
        ]
        start = f"python {self.path.name}"
        if best["ranks"] > 1:
            start = f"mpirun -n {best['ranks']} {start}"
        write = f"write {' and '.join(words)} into {self.path.name} and " if words else ""
        return [f"to use it, {write}start `{start}`"]

    def for_tuning(self) -> Self:
        """`tune` finds the fastest number of steps a pass itself."""
        if self._tables["engine"]["steps_per_pass"] == "automatic":
            self._tables["engine"]["steps_per_pass"] = 1
        return self


class ConjugateGradients(Subject):
    """Without a case file: its keys are given by `--set`. A strategy is an argument of its solver, not a key,
    and its fields are on the host."""

    path, name = Path(CG), CG

    def step(self, sets: list[str]) -> CgCase:
        """To be predicted: none of these keys are added."""
        return cg_case(sets)

    def case(self, sets: list[str]) -> CgCase:
        return self.step([text for text in sets if text not in NO_KEYS])

    def fixed(self, sets: list[str]) -> list[str]:
        return []

    def strategies(self, sets: list[str]) -> tuple[str, ...]:
        return tuple(self.case(sets).chosen([]))

    def allow(self, strategy: str, sets: list[str]) -> None:
        """All are: which of them a partition has no use for follows from its messages, and the engine says
        it."""

    def check_memory(self, case: CgCase, ranks: int, solvers: int) -> None:
        what = f"laplacian = {case.laplacian}" if case.class_ is None else f'class = "{case.class_}"'
        memory.check_bytes(what, solvers * kind_of(case).memory(case, ranks))


def _written(value: Any) -> str:
    return repr(tuple(value) if isinstance(value, list) else value)


def subject_of(name: str | Subject, *, solvers: bool = False) -> Subject:
    """Of the name that a user gives; `solvers`: also that of a solver without case files."""
    if isinstance(name, Subject):
        return name
    if solvers and name == CG:
        return ConjugateGradients()
    if name.endswith(".py"):
        return Script(Path(name), script.tables_of(name))
    return CaseFile(find_case(name))
