# SPDX-License-Identifier: Apache-2.0
"""What every solver's case file has, and its checks."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

from pydantic import Field

from ..errors import BadInput
from .engine import Engine, check_engine, engine_options
from .keys import Table, key, setting, shown
from .passes import PassLength
from .splits import Halo, check_split, chosen_split, splits
from .starts import Starts, named_file
from .strategies import order_in_passes

Triple = Annotated[list[float], Field(min_length=3, max_length=3)]


@dataclass(frozen=True)
class Needs:
    """A key that has an effect only if another key, `on`, has one of the values `among`, or none of `but`.
    `why` is the reason if no value of `on` would do."""

    key: str
    on: str
    among: tuple[Any, ...] = ()
    but: tuple[Any, ...] = ()
    why: str = ""

    def met(self, value: Any) -> bool:
        return value not in self.but if self.but else value in self.among

    def refusal(self, value: Any, chosen: Any) -> str:
        stands = f"without {self.on}" if chosen is None else f"with {self.on} = {shown(chosen)}"
        if self.why:
            return f"{self.key} = {shown(value)} has no effect {stands}: {self.why}."
        if self.but or self.among == (None,):
            return f"{self.key} = {shown(value)} has no effect {stands}: leave one of them out."
        wanted = " or ".join(shown(other) for other in self.among)
        return f"{self.key} = {shown(value)} has no effect {stands}: it needs {self.on} = {wanted}."


class Output(Table):
    every: float = setting(
        "time between two snapshots, in the unit of run.time; 0: only the last state", 0.0, ge=0
    )
    snapshots: bool = setting("write VTKHDF snapshots", True)
    figures: bool = setting("draw PNG figures at the end", True)
    checkpoint_every: int = setting("steps between two checkpoints; 0: only the last state", 500, ge=0)
    timeline: bool = setting("write timeline.json, a trace for Perfetto, at the end", True)
    history_every: int = setting(
        "steps between two rows of history.csv, and of the tables beside it", 1, ge=1
    )
    probes: list[Triple] = key(
        "positions at which probes.csv has the fields over time, by trilinear interpolation; in the "
        "coordinates of snapshots",
        "a list of at most 1000 positions [x, y, z]",
        [],
        max_length=1000,
    )


class GridCase(PassLength, Table):
    """A case with cells that ranks divide: of all solvers, also of those without case files."""

    # What [engine] device may be.
    devices: ClassVar[tuple[str, ...]] = ("cpu",)
    # Whether a step has every rank send to many others at once, as transforms do.
    all_to_all: ClassVar = False

    def size(self) -> tuple[str, list[int]]:
        """The key for the size of the grid, and its value."""
        name = "points" if hasattr(self.grid, "points") else "cells"
        return f"grid.{name}", list(getattr(self.grid, name))

    def sized(self, size: list[int]) -> Self:
        """The same case on a grid of another size."""
        return self.updated("grid", **{self.size()[0].partition(".")[2]: size})

    def cells(self) -> list[int]:
        """Cells along each axis that are divided among the ranks."""
        return self.size()[1]

    def check_ranks(self, ranks: int) -> None:
        """Raises BadInput for more ranks than the grid can be divided among."""
        check_split(self.cells(), self.engine.split, ranks, self.halo())

    def split_over(self, ranks: int) -> tuple[int, int, int]:
        """Number of ranks along each axis."""
        return chosen_split(self.cells(), self.engine.split, ranks, self.halo())

    def other_blocks(self, ranks: int) -> tuple[tuple[list[int], tuple[int, int, int]], ...]:
        """Further grids of which ranks compute blocks: cells, and the number of ranks along each axis."""
        return ()

    def grown(self, first: int, ranks: int) -> Self | None:
        """The case for weak scaling: each of `ranks` ranks has as many cells as one of `first` ranks, and
        each axis grows with its number of ranks; None if this is not possible."""
        size, less = self.size()[1], self.split_over(first)
        for more in sorted(splits(ranks), key=max):
            if all(b % a == 0 for a, b in zip(less, more, strict=True)):
                return self.sized([n * b // a for n, a, b in zip(size, less, more, strict=True)])
        return None

    def budget(self) -> int | None:
        """Upper limit of the memory of all ranks in bytes, if the case has one; fields beyond it are in
        files."""
        return None

    def halo(self) -> int:
        """Number of halo layers beside neighbours."""
        return self.reach * self.pass_length()

    def wall_halo(self) -> int:
        """Number of halo layers beyond the walls of axes that are neither divided nor periodic."""
        return self.reach

    def periodic(self) -> tuple[bool, bool, bool]:
        """Which axes are; all without a table [boundaries]."""
        return self.boundaries.periodic() if "boundaries" in type(self).model_fields else (True, True, True)

    def halos(self) -> Halo:
        return Halo(self.halo(), self.wall_halo(), self.periodic())

    def updated(self, table: str, **values: Any) -> Self:
        """The same case with other values in one table."""
        return self.model_copy(update={table: getattr(self, table).model_copy(update=values)})


class SolverCase(GridCase):
    """A checked case file with all defaults. Each solver adds its tables, among them `grid` and `run` with
    `steps` and `time`, and what its compiled part takes beside the `options()` of all."""

    # The ends of a run, of which a case needs one.
    ends: ClassVar[tuple[str, ...]] = ("run.steps", "run.time")
    # Further groups of keys of which a case may hold only one.
    exclusive: ClassVar[tuple[tuple[str, ...], ...]] = ()
    # What would be accepted and ignored.
    needs: ClassVar[tuple[Needs, ...]] = (
        Needs("output.every", "output.snapshots", (True,)),
        Needs("engine.halo_thread_joins", "engine.strategy", ("halo_thread",)),
        Needs("engine.pass_tile", "engine.steps_per_pass", but=(1,), why="a single step has no tiles"),
    )
    # What a checkpoint fixes, and what the folder tells about all of the run: a resumed run must agree in
    # these.
    fixed_on_resume: ClassVar[tuple[str, ...]] = ("solver", "grid")
    # The key of [run] from which the time step follows where run.dt is left out, and its default.
    own_step: ClassVar[tuple[str, float] | None] = None
    # Keys that name files, and what these must be.
    files: ClassVar[tuple[tuple[str, str], ...]] = ()
    # What flow.initial may be, where it may be a run.
    starts: ClassVar[Starts | None] = None

    engine: Engine = setting("parallel execution, and overlap of communication with computation", Engine())
    output: Output = setting("output files", Output())

    def check(self) -> None:
        """Raises BadInput with one sentence for keys that cannot be combined."""
        self._check_exclusive()
        check_engine(self.engine, self.devices)
        self.check_passes()
        for need in self.needs:
            value, chosen = self._value(need.key), self._value(need.on)
            if value != self._default(need.key) and not need.met(chosen):
                raise BadInput(need.refusal(value, chosen))

    @classmethod
    def groups(cls) -> tuple[tuple[str, ...], ...]:
        """Of each a case may hold only one key, so that `--set` of one replaces the others."""
        step = ((f"run.{cls.own_step[0]}", "run.dt"),) if cls.own_step else ()
        return (cls.ends, *step, *cls.exclusive)

    def completed(self) -> Self:
        """The same case with the defaults that depend on other keys, and without unused keys."""
        if self.own_step is None:
            return self
        name, usual = self.own_step
        left_out = self.run.dt is None and getattr(self.run, name) is None
        return self.updated("run", **{name: usual}) if left_out else self

    def with_files(self, folder: Path) -> Self:
        """The same case with absolute paths; relative ones start from the folder of the file. Raises BadInput
        for a file that is not there."""
        case = self
        for name, wanted in self.files:
            if (given := self._value(name)) is not None:
                table, _, last = name.partition(".")
                case = case.updated(table, **{last: named_file(folder, name, given, wanted)})
        if self.starts and self.flow.initial not in self.starts.names:
            case = case.updated("flow", initial=self.starts.file(folder, self.flow.initial))
        return case

    def precision(self) -> str:
        """That of the fields; double where a solver has no choice."""
        return next((table.precision for _, table in self if hasattr(table, "precision")), "double")

    def number_size(self) -> int:
        """Bytes of a number in the fields."""
        return 4 if self.precision() == "single" else 8

    def options(self) -> dict[str, Any]:
        """What the compiled solver takes; here what all have in common, [grid] by its keys."""
        options: dict[str, Any] = {**self.grid.model_dump(), "precision": self.precision()}
        for name in ("boundaries", "storage"):
            if name in type(self).model_fields:
                options[name] = getattr(self, name).options()
        if self.own_step:
            name, usual = self.own_step
            options |= {name: getattr(self.run, name) or usual, "dt": self.run.dt or 0.0}
        options["end"] = self.run.time or 0.0
        return options | {"engine": engine_options(self.engine, self.pass_length())}

    def reference(self, folder: Path) -> Path | None:
        """The file in a case's folder with reference data for a run."""
        path = folder / "reference.csv"
        return path if path.is_file() else None

    def longest_pass(self) -> int:
        """How many steps a pass of a run may have: it ends at a row of the history."""
        return self.output.history_every

    def notes(self) -> list[str]:
        """What the program prints at the start besides grid and strategy."""
        if self.engine.steps_per_pass == "automatic" and self.pass_length() == 1:
            return [
                'engine.steps_per_pass = "automatic" takes single steps: the blocks of the ranks are '
                "too small for wider halos"
            ]
        every, notes = self.output.history_every, []
        if self.pass_length() > every:
            notes.append(
                f"passes have at most output.history_every = {every} steps, fewer than "
                f"engine.steps_per_pass = {self.passes_in_words()}"
            )
        order = order_in_passes(self.engine.strategy)
        if self.pass_length() > 1 and order != self.engine.strategy:
            joins = self.engine.strategy != "halo_thread" or self.engine.halo_thread_joins
            notes.append(
                f'in passes of several steps engine.strategy = "{self.engine.strategy}" is the order of '
                f"{order}" + ("" if joins else ", and engine.halo_thread_joins has no effect")
            )
        return notes

    def _check_exclusive(self) -> None:
        """Requires an end of the run, and at most one key of each group."""
        for group in self.groups():
            values = {name: self._value(name) for name in group}
            given = [f"{name} = {shown(value)}" for name, value in values.items() if value is not None]
            if len(given) > 1:
                raise BadInput(f"{' and '.join(given)} cannot be combined: give only one.")
            if group == self.ends and not given:
                raise BadInput(f"run does not say when to stop: give one of {' or '.join(group)}.")

    def _value(self, name: str) -> Any:
        """None for a key of an optional table that is not given."""
        table, _, last = name.partition(".")
        given = getattr(self, table)
        return getattr(given, last) if last and given is not None else given

    def _default(self, name: str) -> Any:
        table, _, last = name.partition(".")
        given = getattr(self, table)
        return None if given is None else type(given).model_fields[last].default


def check_pairs(faces: dict[str, Any]) -> None:
    """Raises BadInput for an axis that is periodic at one end only."""
    for axis in "xyz":
        low, high = faces[axis + "-"], faces[axis + "+"]
        if (low == "periodic") != (high == "periodic"):
            one, other = (axis + "-", axis + "+") if low == "periodic" else (axis + "+", axis + "-")
            raise BadInput(
                f'boundaries."{one}" = "periodic" needs boundaries."{other}" = "periodic" as well.'
            )


def check_round(key: str, cells: list[int], faces: dict[str, Any], halo: int, why: str) -> None:
    """Raises BadInput for a periodic axis with fewer cells than halo layers, which `why` makes necessary."""
    for axis, count in zip("xyz", cells, strict=True):
        if faces[axis + "-"] == "periodic" and count < halo:
            raise BadInput(
                f"{key} = {list(cells)} has {count} along {axis}, which is periodic, fewer than the {halo} "
                f"layers of halo that {why} needs."
            )
