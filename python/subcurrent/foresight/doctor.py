# SPDX-License-Identifier: Apache-2.0
"""`subcurrent doctor`: what prevents overlap on this machine, and how to fix it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from .. import core
from ..errors import OK, OTHER, BadInput, SubcurrentError
from ..launch.plan import Plan
from ..launch.ranks import launch_quietly
from .doctor_checks import CHECKS
from .doctor_sight import DeviceTest, Finding, Sight
from .probe import covered


def look(ranks: int, threads: int, folder: Path, measure: bool = False) -> Sight:
    """Examines this machine; with `measure` ranks also send messages."""
    build = core.build_info()
    cuda = str(build.get("cuda", "no")) != "no"
    try:
        stat = os.statvfs("/dev/shm")
        shm = stat.f_frsize * stat.f_blocks
    except OSError:
        shm = None
    waits, limit = covered(ranks) if measure else (None, None)
    return Sight(
        ranks=ranks,
        threads=threads,
        library=str(build.get("mpi", "")),
        cuda=cuda,
        says_cuda=_says_cuda(),
        scratch=folder.resolve(),
        shm_bytes=shm,
        device=test_device(ranks) if measure and cuda else None,
        waits=waits,
        eager_limit=limit,
    )


def test_device(ranks: int, device: str = "cuda") -> DeviceTest:
    """Sends messages from and to the memory of the devices of so many ranks."""
    with tempfile.TemporaryDirectory() as place:
        plan = Plan("device", {"engine": {"device": device}}, str(Path(place) / "device"), ranks)
        ended = ""
        try:
            launch_quietly(plan)
        except SubcurrentError as error:
            ended = error.sentence.rstrip(".")
        try:
            return DeviceTest(**json.loads((Path(plan.folder) / "device.json").read_text()), ended=ended)
        except FileNotFoundError:
            return DeviceTest(ended=ended)


def _says_cuda() -> bool | None:
    program = shutil.which("ompi_info")
    if program is None:
        return None
    done = subprocess.run([program, "--parsable", "--all"], check=False, capture_output=True, text=True)
    found = re.search(r"mpi_built_with_cuda_support:value:(true|false)", done.stdout)
    return found[1] == "true" if found else None


def examine(sight: Sight) -> dict[str, Finding]:
    return {name: check(sight) for name, check in CHECKS.items()}


def doctor(ranks: int, threads: int, folder: Path, console: Console, measure: bool = False) -> int:
    """Prints the findings; exit code 1 if one is bad."""
    if ranks < 1 or threads < 1:
        raise BadInput(f"-n {ranks} --threads {threads} is not allowed: both must be whole numbers >= 1.")
    found = examine(look(ranks, threads, folder, measure))
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True)
    table.add_column(no_wrap=True)
    table.add_column()
    marks = {True: "[green]good[/green]", False: "[red]bad[/red]", None: "?"}
    for name, finding in found.items():
        table.add_row(marks[finding.good], name, escape(finding.says))
        if finding.mend:
            table.add_row("", "", escape(f"fix: {finding.mend}"))
    console.print(table)
    bad = sum(finding.good is False for finding in found.values())
    console.print(
        "nothing found that prevents overlap"
        if bad == 0
        else f"{bad} of {len(found)} checks found something that prevents overlap"
    )
    return OTHER if bad else OK
