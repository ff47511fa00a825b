# SPDX-License-Identifier: Apache-2.0
"""`subcurrent probe --wait`: how long ranks wait for messages during longer work; table, CSV, figure."""

from __future__ import annotations

import json
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from ..case.keys import shown
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import memory, mpi
from ..launch.aside import start_of_ranks, starting
from ..launch.plan import Plan
from ..launch.progress import Watcher
from ..launch.ranks import command_for, launch, launch_quietly
from ..launch.run import ranks_of, say, taken
from ..launch.rundir import RunFolder, make_folder, write_text
from ..rank import worker
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
        plan.events, plan.ranks = False, 0
        folder.check_new(request.overwrite)
        start = start_of_ranks(folder, request.overwrite, folder.create)
        code = worker.work(plan, worker.StopRequest(), start)
        if code == OK and outer.rank == 0:
            _show(read_table(folder.path / "wait.csv"), folder, console)
        return code
    folder.check_new(request.overwrite)
    with taken(folder, console):
        folder.check_new(request.overwrite)
        line = command_for(plan, folder.plan)
        with starting(folder, request.overwrite) as computing:
            folder.create()
            write_text(folder.plan, plan.text())
            with Watcher(console) as watcher:
                launch(line, plan.layout(), watcher, folder.log, computing)
        _show(read_table(folder.path / "wait.csv"), folder, console)
    return OK


def covered(ranks: int, size: int = 1 << 20) -> tuple[dict[str, float], float]:
    """Seconds of a message of `size` bytes between `ranks` ranks by MPI: alone, and the remaining wait after
    longer work, with progress calls ("poked") and without ("silent"). And MPI's eager limit in bytes,
    infinite if none was found."""
    with tempfile.TemporaryDirectory() as folder:
        request = ProbeRequest(ranks, str(size), 1.5, "mpi", 11, Path(folder) / "probe")
        plan = _plan(request)
        plan.probe["eager"] = True
        launch_quietly(plan)
        limit = json.loads((request.out / "eager.json").read_text())
        return read_table(request.out / "wait.csv")[0], math.inf if limit is None else limit


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
    memory.check_messages(max(sizes), ranks)
    plan = Plan("probe", {}, str(request.out), ranks)
    plan.repeats = request.repeats
    plan.probe = {"sizes": sizes, "cover": request.cover, "transport": request.transport, "device": "cpu"}
    return plan


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
