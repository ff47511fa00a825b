# SPDX-License-Identifier: Apache-2.0
"""`subcurrent job`: a script that starts a case on a number of nodes of a machine."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path

from ..case.library import find_case, shipped
from ..case.reading import Case, load_case, parse_set, set_words
from ..errors import BadInput
from ..given import check_option
from ..launch import memory
from ..launch.run import default_name
from .machine_figures import Places, memory_of, places
from .machine_keys import Machine
from .machines import load_machine
from .topology import MOST_NODES

WARNING = 120  # seconds before the limit at which a job is asked to write a checkpoint
LIMIT = "01:00:00"  # where none is given


@dataclass
class JobRequest:
    """The options of `job`."""

    case: str
    machine: str
    nodes: int
    per_node: int | None = None
    threads: int | None = None  # those of the case
    time: str | None = None
    sets: list[str] = field(default_factory=list)


def script(request: JobRequest) -> str:
    """The script. Raises BadInput if the machine does not have such nodes, or the case does not fit."""
    machine = load_machine(request.machine)
    if machine.launch is None:
        raise BadInput(
            f"the file of {request.machine} has no table [launch], which states how jobs are started."
        )
    check_option("--nodes", request.nodes, most=MOST_NODES)
    if not re.fullmatch(r"\d{1,3}:[0-5]\d:[0-5]\d", request.time or LIMIT):
        raise BadInput(
            f"--time {request.time!r} is not allowed: it must be hours:minutes:seconds, e.g. 01:30:00."
        )
    if request.time is not None and machine.launch.kind != "slurm":
        raise BadInput(
            f"--time {request.time} has no effect on {machine.name}: its jobs are started by "
            f"{machine.launch.kind}, whose script has no limit."
        )
    path = find_case(request.case)
    case, sets = _chosen(request, machine, path)
    threads = case.engine.threads
    one = places(machine, 1, threads, request.per_node)
    where = places(machine, request.nodes * one.per_node, threads, request.per_node)
    case.check_ranks(where.ranks)
    _check_memory(machine, where, memory.needed(case, where.ranks) / where.ranks)
    name = re.sub(r"\s+", "_", default_name(path))  # one word, and one line
    shown = request.case if request.case in shipped() else str(Path(request.case))
    command = ["subcurrent", "run", shown, *set_words(sets)]
    head = _slurm(machine, where, request, name) if machine.launch.kind == "slurm" else []
    return "\n".join(
        [
            "#!/bin/bash",
            *head,
            f"# {name} on {machine.name}: {where.ranks} ranks, {where.per_node} a node",
            "set -eu",
            *machine.launch.lines,
            shlex.join([*_start(machine, where), *command]),
            "",
        ]
    )


def _chosen(request: JobRequest, machine: Machine, path: Path) -> tuple[Case, list[str]]:
    """The case, and the settings of its run. These name the threads, for which the script reserves cores,
    so that a run does not choose others."""
    given = list(request.sets)
    if request.threads is not None:
        given.append(f"engine.threads={request.threads}")
    if machine.gpu is not None:
        given.append("engine.device=cuda")
    case = load_case(path, given)
    others = [text for text in given if parse_set(text)[0] != "engine.threads"]
    return case, [f"engine.threads={case.engine.threads}", *others]


def _check_memory(machine: Machine, where: Places, rank_bytes: float) -> None:
    """Raises BadInput for a case that does not fit, if the file states the memory."""
    has, need, what = memory_of(machine, where, rank_bytes)
    if has is not None and need > has:
        raise BadInput(
            f"{what} of {machine.name} would need {memory.gibibytes(need)} and has {memory.gibibytes(has)}: "
            "give more nodes, or fewer cells."
        )


def _slurm(machine: Machine, where: Places, request: JobRequest, name: str) -> list[str]:
    lines = [
        f"--job-name={name}",
        f"--nodes={request.nodes}",
        f"--ntasks-per-node={where.per_node}",
        f"--cpus-per-task={where.threads}",
        f"--time={request.time or LIMIT}",
        f"--signal=USR1@{WARNING}",  # ends the step and writes a checkpoint; go on with --resume
    ]
    if machine.gpu is not None:
        lines.append("--gpus-per-task=1")
    return [f"#SBATCH {line}" for line in lines]


def _start(machine: Machine, where: Places) -> list[str]:
    if machine.launch.kind == "slurm":
        return ["srun", f"--ntasks={where.ranks}", f"--cpus-per-task={where.threads}", "--cpu-bind=cores"]
    map_by = f"ppr:{where.per_node}:node:PE={where.threads}"
    return ["mpirun", "-n", str(where.ranks), "--map-by", map_by, "--bind-to", "core"]
