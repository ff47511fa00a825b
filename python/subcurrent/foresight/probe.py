# SPDX-License-Identifier: Apache-2.0
"""`subcurrent probe --wait`: how long ranks wait for messages during longer work; table, CSV, figure."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console

from ..case.keys import shown
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import memory, mpi
from ..launch.plan import Plan
from ..launch.progress import say
from ..launch.run import ranks_of
from ..launch.rundir import RunFolder, make_folder, write_text
from ..launch.start import Start, answer_of, carry_out
from ..report.records import read_table
from .prediction import framed_table

TITLES = ("message", "M alone", "W, progress calls", "W, none", "hidden", "in calls")


@dataclass
class ProbeRequest:
    """The options of `probe`."""

    ranks: int | None
    sizes: str
    cover: float
    transport: str
    repeats: int
    out: Path
    overwrite: bool = False


def probe(request: ProbeRequest, console: Console) -> int:
    """Measures, prints the table and says where table and figure lie; also as a rank of an outer mpirun."""
    plan = _plan(request)
    folder = RunFolder(request.out)
    outer = mpi.outer()
    if outer is not None:
        ranks_of(request.ranks, outer, 2)  # refuses others than those of the outer mpirun
        plan.ranks = 0
    folder.check_new(request.overwrite)

    def prepare() -> None:
        folder.create()
        write_text(folder.plan, plan.text())

    def done(_: dict[str, Any]) -> int:
        _show(read_table(folder.path / "wait.csv"), folder, console)
        return OK

    return carry_out(plan, Start(folder, prepare, request.overwrite), console, done)


def covered(ranks: int) -> tuple[dict[str, float], float]:
    """Seconds of a message of 1 MiB between `ranks` ranks by MPI: alone, and the remaining wait after
    longer work, with progress calls ("poked") and without ("silent"). And MPI's eager limit in bytes,
    infinite if none was found."""
    plan = _plan(ProbeRequest(ranks, str(1 << 20), 1.5, "mpi", 11, Path()))
    plan.case["eager"] = True
    told = answer_of(plan, "wait.json")
    return told["rows"][0], math.inf if told["eager"] is None else told["eager"]


def _plan(request: ProbeRequest) -> Plan:
    try:
        sizes = [int(word) for word in request.sizes.split(",") if word.strip()]
    except ValueError:
        sizes = []
    if not sizes or any(size < 8 or size % 8 for size in sizes):
        raise BadInput(
            f"--sizes {shown(request.sizes)} is not allowed: it must be multiples of 8 bytes, separated "
            "by commas."
        )
    if request.transport not in ("auto", "shared", "mpi"):
        raise BadInput(f"--transport {request.transport} is not allowed: it must be auto, shared or mpi.")
    if not 1 <= request.cover <= 1000:
        raise BadInput(f"--cover {request.cover} is not allowed: it must be a number from 1 to 1000.")
    check_option("--repeats", request.repeats)
    ranks = 2 if request.ranks is None else request.ranks
    if ranks < 2:
        raise BadInput(
            f"-n {ranks} is not allowed: it must be >= 2, since a single rank has no messages to wait for."
        )
    if mpi.outer() is None:
        mpi.check_layout(ranks, 1)
    memory.check_bytes(  # every rank sends one to both sides and receives two
        f"--sizes {shown(max(sizes))}",
        4.0 * max(sizes) * ranks,
        lambda free: f": messages of up to {free // (4 * ranks) // 8 * 8} bytes would fit",
    )
    what = {"sizes": sizes, "cover": request.cover, "engine": {"transport": request.transport}}
    return Plan("probe", what, str(request.out), ranks, repeats=request.repeats)


def _show(rows: list[dict[str, float]], folder: RunFolder, console: Console) -> None:
    from ..report.plots.wait import draw_wait  # noqa: PLC0415 - matplotlib

    shown = framed_table("waiting for messages during longer work; microseconds, medians", TITLES)
    for row in rows:
        hidden = 1 - row["poked"] / row["alone"]
        times = [f"{1e6 * row[name]:.1f}" for name in ("alone", "poked", "silent")]
        shown.add_row(_size(row["bytes"]), *times, f"{100 * hidden:.0f} %", f"{1e6 * row['progress']:.1f}")
    console.print(shown)
    say(console, f"table: {folder.path / 'wait.csv'}")
    make_folder(folder.figures)
    draw_wait(folder.figures / "wait.png", rows)
    say(console, f"figure: {folder.figures / 'wait.png'}")


def _size(count: float) -> str:
    for unit, size in (("MiB", 2**20), ("KiB", 2**10)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count:g} B"
