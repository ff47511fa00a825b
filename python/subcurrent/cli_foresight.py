# SPDX-License-Identifier: Apache-2.0
"""The verbs that look ahead: job, machines, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from . import doctor as examining
from . import job_script, machines
from . import probe as probing
from .cli_options import CaseArgument, SetOption, console

MachineOption = Annotated[
    str, typer.Option("--machine", help="a machine file, or the name of one that `subcurrent machines` lists")
]
PerNodeOption = Annotated[
    int | None,
    typer.Option("--ranks-per-node", help="ranks of a node  \\[default: as many as it has room for]"),
]


def add(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    for verb in (job, list_machines, doctor):
        app.command("machines" if verb is list_machines else verb.__name__)(verb)


def job(
    case: CaseArgument,
    *,
    machine: MachineOption,
    nodes: Annotated[int, typer.Option("-N", "--nodes", help="nodes of the job")],
    per_node: PerNodeOption = None,
    threads: Annotated[int, typer.Option(help="threads of each rank")] = 1,
    time: Annotated[str, typer.Option(help="limit of the job, hours:minutes:seconds")] = "01:00:00",
    sets: SetOption = None,
) -> None:
    """Print a job script for a case on a machine, ready to be submitted.

    The case is checked as `run` would: its keys, the split over so many ranks, the memory of a node.

    [bold]Examples[/bold]

    \b
      subcurrent job nickel_small --machine alps_gh200 --nodes 4 > nickel.sh
      subcurrent job case.toml --machine fx10 --nodes 12 --ranks-per-node 4 --threads 4
    """
    request = job_script.JobRequest(case, machine, nodes, per_node, threads, time, list(sets or []))
    print(job_script.script(request), end="", flush=True)


def doctor(
    *,
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="ranks of the run that is meant")] = 2,
    threads: Annotated[int, typer.Option(help="threads of each rank")] = 1,
    scratch: Annotated[Path, typer.Option(help="where fields in files would lie")] = Path(),
    measure: Annotated[
        bool,
        typer.Option("--measure", help="send a covered message between ranks and see what is waited for"),
    ] = False,
) -> None:
    """Say what of this machine would spoil hiding, each with the mend.

    Looks at the progress of messages, MPI's eager limit, whether it reads devices' memory, CPUs and binding,
    shared memory, large pages, the clock and the scratch folder. Exit code 1 where something is bad.

    [bold]Examples[/bold]

    \b
      subcurrent doctor -n 4 --threads 2
      subcurrent doctor --measure --scratch /scratch/me
    """
    waits = probing.covered(ranks) if measure else None
    raise typer.Exit(examining.doctor(ranks, threads, scratch, console(), waits))


def list_machines() -> None:
    """List the machines that there are files of, one line each."""
    for name, path in machines.shipped().items():
        machine = machines.load_machine(path)
        print(f"{name:18} {machine.name}: {machine.about}")
