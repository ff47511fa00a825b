# SPDX-License-Identifier: Apache-2.0
"""`subcurrent strategies` and `subcurrent probe`: measurements on this machine."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..errors import BadInput
from ..foresight import machine_file as machine_file_of
from ..foresight import probe as probing
from ..foresight import strategies as compare
from .options import (
    MeasuredArgument,
    NetworkOption,
    OverwriteOption,
    SetOption,
    console,
    names_in,
    with_engine,
)


def strategies(
    case: MeasuredArgument,
    *,
    names: Annotated[
        str | None, typer.Option("--strategies", help="comma-separated  \\[default: all]")
    ] = None,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="MPI ranks to start  \\[default: 2]")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    steps: Annotated[int, typer.Option(help="steps of each strategy in a round")] = 5,
    repeats: Annotated[int, typer.Option(help="rounds; each measures all strategies")] = 5,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps in a step, the same for all")] = 200,
    network: NetworkOption = None,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="folder for table and figure")] = None,
    overwrite: OverwriteOption = False,
) -> None:
    """Measure a case under several strategies: how long does each part of a step take?

    Every strategy does the same work. A cavity case makes a fixed number of Jacobi sweeps in a step (or of
    the method that --set pressure.method names). The strategies are measured in turn, and medians are
    shown. blocking and ordered are always measured, as the baselines. Without --strategies, so are all
    others that the case allows. Starts the MPI ranks itself; under mpirun or srun each process is one rank.

    --network emulates a slow network on this machine during the measurement. With 100mbit every rank has an
    emulated host, and messages by TCP are limited to this rate in each direction. This needs root, iproute2
    and Open MPI, and processor time for every message. With rdma:100mbit ranks hold back their messages as
    if a network adapter sent them at this rate without the processor. Latency is not emulated.

    Columns, in seconds:

    \b
      T                a step
      C_shell, C_core  computing the shell and the core (blocking does not separate them)
      M                the messages without overlap
      W                waiting for messages
      R                waiting for reductions
      hidden           1 - (start + poke + W) / M, the share of M that was overlapped; M is that of ordered
      plan             the shortest step by the dependences of the plan, with the times of ordered

    [bold]Examples[/bold]

    \b
      subcurrent strategies cavity_paper_b -n 2 --strategies boundary_first
      subcurrent strategies nickel_small --network 100mbit --set 'grid.cells=[128, 128, 512]'
      subcurrent strategies nickel_small --network rdma:8gbit
      subcurrent strategies cg -n 2 --set class=A           conjugate gradients, which have no case file
      mpirun -n 2 subcurrent strategies cavity_paper_b      between the hosts of an outer mpirun
    """
    sets = with_engine(sets, threads=threads)
    request = compare.CompareRequest(
        case, names_in(names), ranks, sets, steps, repeats, sweeps, network, out, overwrite
    )
    raise typer.Exit(compare.compare(request, console()))


def probe(
    case: Annotated[
        str | None,
        typer.Argument(
            metavar="[CASE]",
            help="measure the stages of this case, or of the loop of a Python script, for a machine file",
        ),
    ] = None,
    *,
    wait: Annotated[bool, typer.Option("--wait", help="measure how much of a message can be hidden")] = False,
    machine_file: Annotated[Path, typer.Option("--machine-file", help="the machine file to write")] = Path(
        "machine.toml"
    ),
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="MPI ranks  \\[default: 2]")] = None,
    sizes: Annotated[
        str, typer.Option(help="message sizes in bytes, comma-separated")
    ] = "1024,4096,16384,65536,262144,1048576,4194304",
    cover: Annotated[
        float, typer.Option(help="work during a message, relative to the time of the message")
    ] = 1.5,
    transport: Annotated[str, typer.Option(help="auto, shared or mpi")] = "auto",
    repeats: Annotated[int, typer.Option(help="exchanges of each kind; medians are shown")] = 11,
    steps: Annotated[int, typer.Option(help="steps of CASE to time together")] = 10,
    sets: SetOption = None,
    out: Annotated[Path, typer.Option(help="folder for table and figure")] = Path("runs/probe"),
    overwrite: OverwriteOption = False,
) -> None:
    """Measure this machine: how much of a message can be hidden, or the data of a machine file.

    --wait sends messages around a ring of ranks, during work that takes longer than the messages. For each
    message size it shows how long a rank still waits at the end of the work: with progress calls during
    the work, as the strategies make them, and without.

    With a CASE it writes a machine file for predict. It measures copies by busy cores, messages between the
    ranks, and the speed of the stages of the case on one rank and on all. It measures the host: the table
    `gpu` of a machine with devices is written by hand.

    [bold]Examples[/bold]

    \b
      subcurrent probe --wait
      subcurrent probe --wait --transport mpi --sizes 8192,131072
      mpirun -n 2 subcurrent probe --wait       between the hosts of an outer mpirun
      subcurrent probe nickel_small -n 4 --machine-file here.toml
      subcurrent probe cg -n 2 --set class=A --machine-file here.toml
    """
    if case is not None:
        if wait:
            raise BadInput("probe measures --wait or a CASE for a machine file: give one of them.")
        asked = machine_file_of.FileRequest(
            case, machine_file, ranks, list(sets or []), steps, overwrite=overwrite
        )
        raise typer.Exit(machine_file_of.probe_machine(asked, console()))
    if not wait:
        raise BadInput("probe needs to know what to measure: allowed is --wait, or a CASE.")
    request = probing.ProbeRequest(ranks, sizes, cover, transport, repeats, out, overwrite)
    raise typer.Exit(probing.probe(request, console()))


def add(app: typer.Typer) -> None:
    app.command()(strategies)
    app.command()(probe)
