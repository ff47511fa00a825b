# SPDX-License-Identifier: Apache-2.0
"""The memory that a case needs, and the free memory: compared before anything is allocated.

The need follows from the fields that a solver declares (`fields` of its Kind): how many numbers in a cell, in
how many time levels, on which grid with which halo. A test compares these lists with what the solvers
allocate.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..case.splits import Halo, chosen_split
from ..errors import BadInput
from . import mpi

if TYPE_CHECKING:
    from ..case.reading import Case

# A rank before it has a field: Python, NumPy, MPI, HDF5 and what they keep for themselves.
PROCESS = 75 * 2**20
ROW = 8  # elements to which the rows of a field are filled up
STAGGER = 12 * 5 * 64  # bytes by which the fields of a grid are set apart


@dataclass(frozen=True)
class Fields:
    """`count` fields of `components` numbers of `size` bytes on a grid of `cells` with a `halo`."""

    name: str
    cells: tuple[int, ...]
    halo: int | Halo
    size: int
    components: int = 1
    count: int = 1  # time levels, or fields that are alike
    whole: bool = False  # all on one rank

    def bytes(self, split: tuple[int, ...]) -> int:
        """On all ranks together, in the memory layout of the engine: components take slots of 8 bytes for
        each cell."""
        blocks = [
            blocks_of(n, 1 if self.whole else parts) for n, parts in zip(self.cells, split, strict=True)
        ]
        halo = self.halo.layers(split) if isinstance(self.halo, Halo) else (self.halo,) * 3
        x, y, z = ([n + 2 * layers for n in along] for along, layers in zip(blocks, halo, strict=True))
        ranks = math.prod(len(along) for along in blocks)
        elements = sum(map(row_of, x)) * sum(y) * sum(z) + ranks * row_of(halo[0])
        slots = math.ceil(self.components * self.size / 8)
        return self.count * slots * (8 * elements + ranks * STAGGER)


def of_slots(cells: Sequence[int], pieces: int, halo: int) -> tuple[int, int, int]:
    """The cells of a field in files that are in memory at a time: slots with a slab of each."""
    nx, ny, nz = cells
    return nx, ny, min(nz, 3 * (-(-nz // pieces) + 2 * halo))


def row_of(elements: int) -> int:
    """Elements of a row with its padding."""
    return math.ceil(elements / ROW) * ROW


def blocks_of(cells: int, parts: int) -> list[int]:
    """Cells of each block along an axis."""
    return [cells * (b + 1) // parts - cells * b // parts for b in range(parts)]


def needed(case: Case, ranks: int, solvers: int = 1) -> int:
    """Bytes of all ranks of a run together; `solvers`: number of simulations at the same time."""
    from ..solvers.kinds import kind_of  # noqa: PLC0415 - the kinds say what they need in terms of this module

    split = chosen_split(case.cells(), case.engine.split, ranks, case.halo())
    kind = kind_of(case)
    fields = sum(field.bytes(split) for field in [*kind.fields(case), *kind.fields_on(case, ranks)])
    if (budget := case.budget()) is not None:  # what does not fit into it goes to files, or is refused there
        fields = min(fields, budget)
    return ranks * PROCESS + solvers * fields


def check(case: Case, ranks: int, here: int | None = None, solvers: int = 1) -> None:
    """Raises BadInput for a case that does not fit into free memory; `here`: number of ranks on this machine,
    that of ranks_here() if None."""
    if ranks < 1:
        return  # an outer launcher does not tell how many there are
    share = (ranks_here(ranks) if here is None else here) / ranks
    key, cells = case.size()
    _refuse(
        f"{key} = {cells}",
        share * needed(case, ranks, solvers),
        lambda trial: share * needed(case.sized(trial), ranks, solvers),
        cells,
    )


def solvers_at_once(case: Case, ranks: int) -> int:
    """How many solvers of a case fit into half of the free memory at the same time, at least three."""
    alone, two = needed(case, ranks), needed(case, ranks, solvers=2)
    check(case, ranks, solvers=3)
    free = free_bytes()
    return 16 if free is None else int(max(3, min(16, (free / 2 - alone) / max(1, two - alone) + 1)))


def check_fft(cells: tuple[int, ...], kept: tuple[int, ...], size: int, ranks: int, here: int) -> None:
    """The same for a Fourier transform: the points, the modes, and the pencils between them."""

    def bytes_of(trial: list[int]) -> float:
        half = (trial[0] // 2 + 1, *trial[1:])
        modes = [n if k < 0 else min(n, 2 * k + 1) for n, k in zip(trial, kept, strict=True)]
        modes[0] = min(half[0], modes[0] if kept[0] < 0 else kept[0] + 1)
        arrays = size * math.prod(trial) + 2 * size * (math.prod(modes) + math.prod(half))
        return here / ranks * arrays

    _refuse(f"cells = {list(cells)}", bytes_of(list(cells)), bytes_of, list(cells))


def check_fields(fields: Fields, split: tuple[int, ...], ranks: int, here: int) -> None:
    """The same for a field of a stencil code in Python."""
    check_bytes(
        f"the field {fields.name} on {list(fields.cells)} cells",
        here / ranks * fields.bytes(split),
        lambda _: "",
    )


def check_class(classes: dict[str, tuple[int, int]], name: str, ranks: int, here: int) -> None:
    """The same for a class of the NAS kernel CG; `classes`: orders, and non-zeros of a random vector."""

    def fitting(free: int) -> str:
        fits = [other for other in classes if here / ranks * of_class(*classes[other], ranks) <= free]
        return f": class {fits[-1]} would fit" if fits else ", and no class would fit"

    check_bytes(f"--class {name}", here / ranks * of_class(*classes[name], ranks), fitting)


def check_system(
    rows: int, entries: int, options: dict[str, Any], ranks: int, here: int, *, read: bool = False
) -> None:
    """The same for a sparse matrix that all ranks solve with, and that one process reads if needed."""
    need = here / ranks * of_solving(rows, entries, options, ranks)
    if not read:
        need = max(need, of_reading(rows, entries))
    check_bytes(f"the matrix of {rows} rows and {entries} entries", need, lambda _: "")


def of_class(rows: int, nonzer: int, ranks: int) -> int:
    """Every rank generates all random vectors and keeps its entries, in two copies while they are sorted."""
    return ranks * (PROCESS + 25 * rows) + 64 * rows + 32 * rows * (nonzer + 1) ** 2


def of_reading(rows: int, entries: int) -> int:
    """Includes the copies for the check of symmetry; the largest of them are freed afterwards."""
    return PROCESS + 71 * entries + 25 * rows


def of_solving(rows: int, entries: int, options: dict[str, Any], ranks: int) -> int:
    """A rank maps the rows of its group, copies them, and keeps its own part, divided by owners."""
    members = {"row": 1, "column": ranks}.get(options["partition"], math.ceil(math.sqrt(ranks)))
    vectors = rows * (52 + (40 if options["pipelined"] else 0))
    if options["preconditioner"] == "block-jacobi":
        vectors += 32 * rows * min(options["block"], rows)
    if options["preconditioner"] == "ic":  # half of A, and its values once more while it is factored
        vectors += 10 * entries + 40 * rows
    if options["preconditioner"] == "chebyshev":  # |A| with a product of its own, for the bound
        vectors += 28 * entries + 56 * rows
    parts = max((36 * members + 16) * entries, (20 * members + 32) * entries + vectors)
    return ranks * (PROCESS + 25 * rows) + parts


def _refuse(what: str, need: float, need_of: Any, cells: list[int]) -> None:
    def fitting(free: int) -> str:
        fits = _largest(cells, lambda trial: need_of(trial) <= free)
        return (
            ", and no grid of this shape would fit"
            if fits is None
            else f", where up to about {fits} would fit"
        )

    check_bytes(what, need, fitting)


def check_bytes(what: str, need: float, advice: Callable[[int], str] = lambda _: "") -> None:
    """Raises BadInput if more is needed than is free; `advice` computes from the free memory what would
    fit."""
    free = free_bytes()
    if free is not None and need > free:
        raise BadInput(
            f"{what} needs about {gibibytes(need)} of memory on this machine, which has {gibibytes(free)} "
            f"free{advice(free)}."
        )


def _largest(cells: list[int], fits: Any) -> list[int] | None:
    """The largest grid of the same shape, with even numbers, that fits."""

    def scaled(share: float) -> list[int]:
        return [n if n <= 2 else max(4, int(share * n) // 2 * 2) for n in cells]

    low, high = 0.0, 1.0
    for _ in range(40):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fits(scaled(middle)) else (low, middle)
    return scaled(low) if fits(scaled(low)) else None


def gibibytes(count: float) -> str:
    for unit, size in (("TiB", 2**40), ("GiB", 2**30)):
        if count >= size:
            return f"{count / size:.1f} {unit}"
    return f"{count / 2**20:.0f} MiB"


# -- what is free -----------------------------------------------------------------------------------------


def free_bytes(root: Path = Path("/")) -> int | None:
    """Memory that processes can still take: of the machine, and of the control groups of this process; None
    if the system does not say. `root` is for tests."""
    known = [_available(root), *_of_groups(root)]
    return min((count for count in known if count is not None), default=None)


def _available(root: Path) -> int | None:
    for line in _text(root / "proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    return None


def _of_groups(root: Path) -> list[int | None]:
    """Under every limit between this process and the root of its control groups, versions 1 and 2."""
    found = []
    for line in _text(root / "proc/self/cgroup").splitlines():
        number, controllers, path = line.split(":", 2)
        if number == "0" and not controllers:
            top, names = root / "sys/fs/cgroup", ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = root / "sys/fs/cgroup/memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        group = top / path.strip("/")
        # In a container the path may be the host's, of which nothing is to be seen: then its own top counts.
        inside = [group, *group.parents]
        found += [_left(folder, *names) for folder in inside if folder == top or top in folder.parents]
    return found


def _left(group: Path, limit: str, used: str, cache: str) -> int | None:
    """Free memory within a group's limit; cached files count as free."""
    try:
        most, now = int(_text(group / limit)), int(_text(group / used))
    except ValueError:  # not there, or "max"
        return None
    held = dict(line.split(maxsplit=1) for line in _text(group / "memory.stat").splitlines() if " " in line)
    return max(0, most - now + int(held.get(cache, 0)))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError:
        return ""


def ranks_here(ranks: int, env: Any = os.environ) -> int:
    """Number of the ranks on this machine, of an outer launcher or of our mpirun: on the nodes of a Slurm job
    the most that one of them has. All if an outer launcher does not say; one if another batch system may give
    our mpirun other machines."""
    for name in ("OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"):
        if (digits := env.get(name, "")).isdecimal() and int(digits) >= 1:
            return min(int(digits), ranks)
    for name in ("SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"):
        if tasks := _tasks_of_nodes(env.get(name, "")):
            return min(ranks, max(*tasks, math.ceil(ranks / len(tasks))))
    return ranks if mpi.one_host(env) or mpi.outer(env) is not None else 1


def _tasks_of_nodes(text: str) -> list[int]:
    """The tasks of each node from Slurm's "64,32(x2)"; [] for any other text."""
    parts = [re.fullmatch(r"([1-9]\d{0,6})(?:\(x([1-9]\d{0,5})\))?", part) for part in text.split(",")]
    if not all(parts):
        return []
    return [int(part[1]) for part in parts for _ in range(int(part[2] or 1))]
