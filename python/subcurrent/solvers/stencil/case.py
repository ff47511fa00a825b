# SPDX-License-Identifier: Apache-2.0
"""A step of a stencil code in Python, for predictions and measurements: grid, fields and kernels as a loop
has recorded them (see foresight/script.py). It has no case file; `--set` changes the grid and the engine."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from ...case.common import GridCase
from ...case.engine import DEVICES, Split, Tile
from ...case.keys import Table, key, setting
from ...case.reading import checked_case
from ...case.splits import check_split
from ...case.strategies import STRATEGIES, WITHOUT_OVERLAP, check_strategies
from ...case.tables import Cells
from ...errors import BadInput

NAME = "stencil"
MOST_LAYERS = 64  # of a halo


class Face(Table):
    """What is set beyond a face: the laws of a built-in condition, what a compiled one reads, or nothing that
    is read."""

    axis: int
    side: int
    laws: list[list[float]] = setting("of a built-in condition", [])
    reads: list[list[int]] = setting("other fields and their levels", [])
    inward: int = 0  # own cells of a column that a compiled condition reads
    unread: bool = False
    text: str = ""  # of a compiled condition: what is compiled, and its parameters in hexadecimal digits
    members: str = ""


class FieldPart(Table):
    name: str
    components: int
    size: int  # bytes of a number
    levels: int
    place: str
    faces: list[Face]


class KernelPart(Table):
    name: str
    values: int
    reduce: str
    colours: int
    by_position: bool
    flops: float
    accesses: list[list[Any]]  # field, level, mode, layers, layers of edges and corners
    text: str = ""  # what is compiled, and its parameters in hexadecimal digits; none if only predicted
    members: str = ""


class Step(Table):
    fields: list[FieldPart]
    kernels: list[KernelPart]
    order: list[list[Any]]  # "run" and a kernel, or "advance" and a field
    device: str = "cpu"  # for which the texts are

    def reach(self) -> int:
        """How many cells away a step reads at most: as if each of its kernels read what the one before it
        has set."""
        each = [max((one[3] for one in kernel.accesses), default=0) for kernel in self.kernels]
        return sum(each[number] for what, number in self.order if what == "run")


class StencilGrid(Table):
    cells: Cells = key("cells along x, y, z", "three whole numbers from 1 to 100000")
    periodic: list[bool] = setting("which axes are periodic")
    halo: int = setting("number of halo layers", ge=0, le=MOST_LAYERS)
    wall_halo: int | None = setting(
        "layers beyond the faces of axes that are neither periodic nor divided; None: as many", None, ge=0
    )
    dimensions: int = setting("axes that the script has given", 3, ge=1, le=3)
    pieces: int = setting("number of pieces of fields in files", ge=1, le=100_000)
    scratch: str = key("folder for fields in files", "a path", "scratch")


class StencilEngine(Table):
    strategy: Literal[STRATEGIES] = setting("order of computation and communication", "automatic")
    split: Literal["auto"] | Split = key(
        "number of MPI ranks along x, y, z", '"auto" or three whole numbers >= 1', "auto"
    )
    threads: int = setting("OpenMP threads of each rank", 1, ge=1, le=1024)
    transport: Literal["auto", "shared", "mpi"] = setting("how data is sent between ranks", "auto")
    device: Literal[DEVICES] = setting("where the fields are stored and computed", "cpu")
    poke_ms: float = setting(
        "milliseconds of computation between two calls that let MPI make progress", 0.5, gt=0
    )
    steps_per_pass: Literal["automatic"] | int = setting(
        "steps that are computed on a tile of cells while it is in the cache", 1
    )
    pass_tile: Literal["automatic"] | Tile = key(
        "rows along y and planes along z of such a tile",
        '"automatic" or two whole numbers from 1 to 100000',
        "automatic",
    )


class StencilCase(GridCase):
    devices: ClassVar = DEVICES

    solver: Literal["stencil"] = setting("the solver", NAME)
    title: str = setting("name in tables", "a loop in Python")
    grid: StencilGrid = setting("the grid")
    step: Step = setting("what a step does")
    engine: StencilEngine = setting("parallel execution", StencilEngine())

    def periodic(self) -> tuple[bool, ...]:
        return tuple(self.grid.periodic)

    def halo(self) -> int:
        return self.grid.halo

    def wall_halo(self) -> int:
        return self.grid.halo if self.grid.wall_halo is None else self.grid.wall_halo

    def updated(self, table: str, **values: Any) -> StencilCase:
        """As GridCase.updated. The halo grows with longer passes, which need what all of their steps
        read."""
        made = super().updated(table, **values)
        length = values.get("steps_per_pass", 1)
        if length == "automatic" or length <= self.engine.steps_per_pass:
            return made
        layers = max(self.grid.halo, min(MOST_LAYERS, length * self.step.reach()))
        return made.updated("grid", halo=layers)

    def check_ranks(self, ranks: int) -> None:
        check_split(self.cells(), self.engine.split, ranks, max(self.grid.halo, 1))

    def check(self) -> None:
        length = self.engine.steps_per_pass
        if length != "automatic" and not 1 <= length <= 1000:
            raise BadInput(
                f"engine.steps_per_pass = {length} is not allowed: it must be a whole number from 1 to 1000."
            )
        if self.engine.pass_tile != "automatic" and length == 1:
            raise BadInput(
                f"engine.pass_tile = {self.engine.pass_tile} has no effect with engine.steps_per_pass = 1: a "
                "single step has no tiles."
            )

    def check_measured(self) -> None:
        """Raises BadInput for what can be predicted, but not measured."""
        self.one_length("a measurement")
        if self.engine.device != self.step.device:
            raise BadInput(
                f'engine.device = "{self.engine.device}" is not allowed: the kernels of {self.title} are '
                f'those of its grid, which has device="{self.step.device}"; change it there.'
            )
        if self.engine.strategy == "halo_thread" and self.engine.device != "cpu":
            raise BadInput(
                "the strategy halo_thread divides the CPU threads of a rank, and a device computes the loop."
            )

    def longest_pass(self) -> int:
        return MOST_LAYERS

    def in_files(self) -> bool:
        return any(one.place == "files" for one in self.step.fields)

    def options(self) -> dict[str, Any]:
        made: dict[str, Any] = {"engine": {"strategy": self.engine.strategy}, "case": self}
        if self.in_files():
            made["storage"] = {"place": "files", "memory": 0, "scratch": self.grid.scratch}
        return made

    def chosen(self, given: list[str]) -> list[str]:
        """The strategies to predict, `blocking` and `ordered` among them."""
        check_strategies(given)
        known = [name for name in STRATEGIES if name != "automatic"]
        return [name for name in known if name in (*WITHOUT_OVERLAP, *(given or known))]


def stencil_case(tables: dict[str, Any], sets: list[str]) -> StencilCase:
    """The case of a recorded step with these `--set` texts. Raises BadInput with one sentence."""
    return checked_case(StencilCase, tables, sets)


CASE = StencilCase
