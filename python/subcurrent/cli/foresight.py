# SPDX-License-Identifier: Apache-2.0
"""The verbs for predictions and measurements: predict, tune, scale, job, machines, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..foresight import doctor as examining
from ..foresight import job_script, machines, passes
from ..foresight import predict as predicting
from ..foresight import scale as scaling
from ..foresight import tune as tuning
from .options import (
    CaseArgument,
    MeasuredArgument,
    NetworkOption,
    SetOption,
    console,
    names_in,
    with_engine,
)

MachineOption = Annotated[
    str, typer.Option("--machine", help="a machine file, or the name of one that `subcurrent machines` lists")
]
PerNodeOption = Annotated[
    int | None,
    typer.Option("--ranks-per-node", help="ranks on a node  \\[default: as many as fit]"),
]


def add(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    for verb in (predict, tune, scale, job, list_machines, doctor):
        app.command("machines" if verb is list_machines else verb.__name__)(verb)


def predict(
    case: Annotated[
        str,
        typer.Argument(
            metavar="CASE", help="a case file, its folder, a shipped case's name, or a Python script"
        ),
    ],
    *,
    machine: MachineOption,
    ranks: Annotated[str, typer.Option("-n", "--ranks", help="rank counts, comma-separated")] = "1,2,4,8",
    names: Annotated[
        str | None, typer.Option("--strategies", help="comma-separated  \\[default: all]")
    ] = None,
    per_node: PerNodeOption = None,
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    weak: Annotated[
        bool, typer.Option("--weak", help="weak scaling: each rank has as many cells as with the first count")
    ] = False,
    stages: Annotated[
        bool, typer.Option("--stages", help="print a table of the stages for every count and strategy")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option(help="print the fewest and the cheapest ranks that make a step in this many seconds"),
    ] = None,
    lengths: Annotated[
        str | None,
        typer.Option(
            "--steps-per-pass",
            metavar="LIST",
            help="comma-separated: compare these, for every rank count",
        ),
    ] = None,
    simulated: Annotated[
        bool, typer.Option("--simulate", help="also simulate every rank with SimGrid; messages share links")
    ] = False,
    steps: Annotated[int, typer.Option(help="number of steps to average, if steps differ")] = 1,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps in a step (cavity)")] = 200,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="folder for prediction.json and a figure")] = None,
) -> None:
    """Predict the time of a step on another machine: which strategy is fastest, how many ranks pay?

    The program runs a step of the case as one of many ranks, but without computing cells and without sending
    messages. It records what the step would compute and send, and adds up the times with the data of the
    machine file. The prediction includes memory, halo exchange, reductions and the order of a strategy. It
    does not include contention between nodes, except for a network that is a bus. With --simulate it also
    simulates every rank under SimGrid's SMPI, where messages share the links, also those between the
    switches of a fat tree, torus or dragonfly.

    \b
      M       time of the messages without overlap
      R       waiting for sums and maxima over all ranks (--stages)
      *       the fastest strategy
      binds   the bottleneck: what would save most if it took no time (computing or of that the memory,
              bandwidth of messages, latency, disk)

    [bold]Examples[/bold]

    \b
      subcurrent predict nickel_small --machine azure_hbv3 --ranks 120,240,480
      subcurrent predict cavity_re1000 --machine here.toml --ranks 1,2 --stages
      subcurrent predict nickel_small --machine fugaku -n 48,384,3072 --weak
      subcurrent predict nickel_small --machine azure_hbv3 -n 8,64,512 --weak --simulate
      subcurrent predict nickel_small --machine azure_hbv3 -n 30,120,480 --threads 4 --steps-per-pass 1,2,4,8
      subcurrent predict my_stencil.py --machine azure_hbv3 -n 30,120,480
    """
    sets = with_engine(sets, threads=threads)
    request = predicting.PredictRequest(
        case, machine, ranks, names_in(names), per_node, sets, weak, steps, sweeps, stages, seconds,
        simulated, out,
    )  # fmt: skip
    if lengths is not None:
        raise typer.Exit(passes.predict_passes(request, lengths, console()))
    predicting.predict(request, console())


def tune(
    case: MeasuredArgument,
    *,
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="try only this number of ranks")] = None,
    threads: Annotated[int | None, typer.Option(help="try only this number of threads")] = None,
    cpus: Annotated[
        int | None, typer.Option(help="cores to use, as ranks x threads  \\[default: all of this machine]")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--machine", help="a machine file; settings that it predicts to be slow are left out"),
    ] = None,
    steps: Annotated[int, typer.Option(help="least number of steps in a measurement")] = 2,
    repeats: Annotated[int, typer.Option(help="rounds; each measures all candidates")] = 5,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps in a step (cavity)")] = 50,
    show: Annotated[
        bool, typer.Option("--show", help="print all earlier measurements, and measure nothing")
    ] = False,
    network: NetworkOption = None,
    sets: SetOption = None,
) -> None:
    """Find the fastest ranks, threads, decomposition and strategy of a case here; `run` then uses them.

    tune measures whole steps of all candidates in turn, so that other load affects all of them alike. First
    it tries every decomposition with every strategy, for every division of the cores into ranks x threads.
    For the fastest it then changes one key after the other: corners, poke_ms, halo_thread_joins,
    steps_per_pass, pass_tile, and for fields in files the number of pieces. It combines the changes that
    help, and compares the combination with the original case. A candidate is dropped if its fastest round
    takes 10 % longer than the best. A change is not used if it gains less than 2 %. At the end the fastest
    layouts run in turn, each also with transport mpi.

    Keys that the command line or the case file sets are not changed. Results do not depend on any of the
    keys. Under mpirun or srun, ranks, threads and transport are not changed either.

    The settings are stored for this case, size, machine and program in ~/.cache/subcurrent/tuned
    (SUBCURRENT_TUNED names another folder). `subcurrent run` uses them, says so in a line and in
    summary.json; --untuned ignores them.

    --network tunes for a slow network without a cluster: with 100mbit every rank has a host of its own
    during the measurement, emulated by network namespaces; with rdma:100mbit messages are held back as if a
    network adapter sent them. These settings are stored separately, and no run uses them.

    [bold]Examples[/bold]

    \b
      subcurrent tune nickel_small
      subcurrent tune nickel_small -n 2 --network 100mbit
      subcurrent tune cavity_re1000 -n 2 --machine here.toml
      subcurrent tune case.toml --set 'engine.split=[1,1,4]' -n 4
      subcurrent tune nickel_small --show
      srun -n 64 subcurrent tune case.toml
    """
    request = tuning.TuneRequest(
        case, ranks, threads, cpus, machine, list(sets or []), steps, repeats, sweeps, show, network
    )
    raise typer.Exit(tuning.tune(request, console()))


def scale(
    case: MeasuredArgument,
    *,
    ranks: Annotated[str, typer.Option("-n", "--ranks", help="rank counts, comma-separated")] = "1,2",
    strategy: Annotated[str, typer.Option(help="strategy of all runs")] = "blocking",
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    weak: Annotated[
        bool, typer.Option("--weak", help="weak scaling: each rank has as many cells as with the first count")
    ] = False,
    steps: Annotated[int, typer.Option(help="steps of a round")] = 5,
    repeats: Annotated[int, typer.Option(help="rounds; the median is shown")] = 5,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps in a step (cavity)")] = 200,
    machine: Annotated[
        str | None, typer.Option("--machine", help="a machine file; also print its prediction")
    ] = None,
    network: NetworkOption = None,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="folder for scale.json")] = None,
) -> None:
    """Measure a case with several numbers of ranks on this machine.

    With --network 100mbit every rank has a host of its own during the measurement, emulated by network
    namespaces. This needs root, iproute2 and Open MPI. With --network rdma:100mbit messages are held back as
    if a network adapter sent them without the processor. A run with one rank uses no emulated network.

    [bold]Examples[/bold]

    \b
      subcurrent scale nickel_small -n 1,2,4
      subcurrent scale nickel_small -n 1,2 --strategy boundary_first --machine here.toml
      subcurrent scale nickel_small -n 1,2,4 --network 100mbit
    """
    sets = with_engine(sets, threads=threads)
    request = scaling.ScaleRequest(
        case, ranks, strategy, sets, weak, steps, repeats, sweeps, machine, out, network
    )
    raise typer.Exit(scaling.scale(request, console()))


def job(
    case: CaseArgument,
    *,
    machine: MachineOption,
    nodes: Annotated[int, typer.Option("-N", "--nodes", help="nodes of the job")],
    per_node: PerNodeOption = None,
    threads: Annotated[
        int | None, typer.Option(help="threads of each rank  \\[default: those of the case]")
    ] = None,
    time: Annotated[
        str | None, typer.Option(help="limit of a Slurm job, hours:minutes:seconds  \\[default: 01:00:00]")
    ] = None,
    sets: SetOption = None,
) -> None:
    """Print a job script for a case on a machine, ready to be submitted.

    It checks the case as `run` does: its keys, the decomposition for this number of ranks, the memory of a
    node.

    [bold]Examples[/bold]

    \b
      subcurrent job nickel_small --machine alps_gh200 --nodes 4 > nickel.sh
      subcurrent job case.toml --machine fx10 --nodes 12 --ranks-per-node 4 --threads 4
    """
    request = job_script.JobRequest(case, machine, nodes, per_node, threads, time, list(sets or []))
    print(job_script.script(request), end="", flush=True)


def doctor(
    *,
    ranks: Annotated[int, typer.Option("-n", "--ranks", help="ranks of the planned run")] = 2,
    threads: Annotated[int, typer.Option(help="threads of each rank")] = 1,
    scratch: Annotated[Path, typer.Option(help="folder for fields in files")] = Path(),
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="start ranks that measure whether messages overlap with computation and MPI's eager limit, "
            "and test messages from device memory",
        ),
    ] = False,
) -> None:
    """Find causes of slow or missing overlap on this machine, and print how to remove each.

    Looks at the progress of messages, MPI's eager limit, whether MPI reads device memory, CPUs and binding,
    shared memory, large pages, the clock and the scratch folder. Exit code 1 if it finds a problem.

    [bold]Examples[/bold]

    \b
      subcurrent doctor -n 4 --threads 2
      subcurrent doctor --measure --scratch /scratch/me
    """
    raise typer.Exit(examining.doctor(ranks, threads, scratch, console(), measure))


def list_machines() -> None:
    """List the machine files that are included, one line each."""
    for name, path in machines.shipped().items():
        machine = machines.load_machine(path)
        print(f"{name:18} {machine.name}: {machine.about}")
