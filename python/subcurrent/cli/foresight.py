# SPDX-License-Identifier: Apache-2.0
"""The verbs that look ahead: predict, tune, scale, job, machines, doctor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from ..foresight import doctor as examining
from ..foresight import job_script, machines, passes
from ..foresight import predict as predicting
from ..foresight import probe as probing
from ..foresight import scale as scaling
from ..foresight import tune as tuning
from .options import CaseArgument, SetOption, console

MachineOption = Annotated[
    str, typer.Option("--machine", help="a machine file, or the name of one that `subcurrent machines` lists")
]
PerNodeOption = Annotated[
    int | None,
    typer.Option("--ranks-per-node", help="ranks of a node  \\[default: as many as it has room for]"),
]


def add(app: typer.Typer) -> None:
    """Adds the verbs to the program."""
    for verb in (predict, tune, scale, job, list_machines, doctor):
        app.command("machines" if verb is list_machines else verb.__name__)(verb)


def predict(
    case: CaseArgument,
    *,
    machine: MachineOption,
    ranks: Annotated[str, typer.Option("-n", "--ranks", help="rank counts, comma-separated")] = "1,2,4,8",
    names: Annotated[
        str | None, typer.Option("--strategies", help="comma-separated  \\[default: all]")
    ] = None,
    per_node: PerNodeOption = None,
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    weak: Annotated[
        bool, typer.Option("--weak", help="as many cells a rank as with the first count")
    ] = False,
    stages: Annotated[bool, typer.Option("--stages", help="a table of the stages for every count")] = False,
    seconds: Annotated[float | None, typer.Option(help="of a step: how many ranks make one in that?")] = None,
    lengths: Annotated[
        str | None,
        typer.Option(
            "--steps-per-pass",
            metavar="LIST",
            help="comma-separated: which is the fastest, by rank count",
        ),
    ] = None,
    simulated: Annotated[
        bool, typer.Option("--simulate", help="every rank under SimGrid too, where messages share links")
    ] = False,
    steps: Annotated[int, typer.Option(help="steps that are averaged, for steps that come in cycles")] = 1,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps a step, where there are any")] = 200,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="folder for prediction.json and a figure")] = None,
) -> None:
    """Predict a case on a machine that is not here: which order of shell, core and messages, how many ranks?

    The case's own step is played as ranks that are not there, without cells and messages, and what it would
    compute and send is added up with the machine's figures. Memory, an exchange of halos, reductions and the
    order of a strategy are in it; contention between nodes is not, but for a network that is a bus. With
    --simulate every rank is played under SimGrid's SMPI besides, and messages share the links.

    \b
      M       messages where nothing hides them
      *       the fastest strategy
      binds   what would save most of the step if it took no time: computing, bandwidth of messages, latency

    [bold]Examples[/bold]

    \b
      subcurrent predict nickel_small --machine azure_hbv3 --ranks 120,240,480
      subcurrent predict cavity_re1000 --machine here.toml --ranks 1,2 --stages
      subcurrent predict nickel_small --machine fugaku -n 48,384,3072 --weak
      subcurrent predict nickel_small --machine azure_hbv3 -n 8,64,512 --weak --simulate
      subcurrent predict nickel_small --machine azure_hbv3 -n 30,120,480 --threads 4 --steps-per-pass 1,2,4,8
    """
    sets = list(sets or [])
    if threads is not None:
        sets.append(f"engine.threads={threads}")
    request = predicting.PredictRequest(
        case, machine, ranks, per_node=per_node, sets=sets, weak=weak, steps=steps, sweeps=sweeps
    )
    request.stages, request.seconds, request.out = stages, seconds, out
    request.simulate = simulated
    if names:
        request.strategies = [name.strip() for name in names.split(",") if name.strip()]
    if lengths is not None:
        raise typer.Exit(passes.predict_passes(request, lengths, console()))
    raise typer.Exit(predicting.predict(request, console()))


def tune(
    case: CaseArgument,
    *,
    ranks: Annotated[int | None, typer.Option("-n", "--ranks", help="with so many ranks only")] = None,
    threads: Annotated[int | None, typer.Option(help="with so many threads of each rank only")] = None,
    cpus: Annotated[
        int | None, typer.Option(help="shared out as ranks x threads  \\[default: the cores of this machine]")
    ] = None,
    machine: Annotated[
        str | None,
        typer.Option("--machine", help="a machine file: what it predicts to be slow is not measured"),
    ] = None,
    steps: Annotated[int, typer.Option(help="steps of a turn at least; short ones are repeated")] = 2,
    repeats: Annotated[int, typer.Option(help="rounds in which every candidate has its turn")] = 5,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps a step, where there are any")] = 50,
    show: Annotated[
        bool, typer.Option("--show", help="what was measured before, losers included; measures nothing")
    ] = False,
    network: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="a rank each on emulated hosts with this rate between them"),
    ] = None,
    sets: SetOption = None,
) -> None:
    """Measure which ranks, threads, split and order make a case fastest here; `run` then uses them.

    Whole steps are measured, in turns, so that what else the machine does falls on all candidates alike.
    First every split with every strategy, for every way to share out the cores as ranks x threads; then, of
    the fastest, one key after the other: corners, poke_ms, halo_thread_joins, steps_per_pass, and pieces
    where fields lie in files; what helps is put together and measured once more beside the case as it is.
    A candidate whose fastest round takes 10 % longer than the best leaves; one that gains less than 2 % is
    not taken. At the end the fastest layouts run in turn, each also with transport mpi.

    What the command line or the case file chooses stays: tune looks at the keys that are left. Results do
    not depend on any of them. Under an outer mpirun or srun ranks, threads and transport stay, too.

    The answer is kept for this case, size, machine and program in ~/.cache/subcurrent/tuned
    (SUBCURRENT_TUNED names another folder). `subcurrent run` takes it, says so in a line and in
    summary.json, and --untuned runs without.

    --network 100mbit tunes for slow messages without a cluster, as `strategies` shows them: for as long as
    it measures, every rank has a host of its own, emulated by network namespaces. Its answer is kept apart:
    no run takes it.

    [bold]Examples[/bold]

    \b
      subcurrent tune nickel_small
      subcurrent tune nickel_small -n 2 --network 100mbit
      subcurrent tune cavity_re1000 -n 2 --machine here.toml
      subcurrent tune case.toml --set 'engine.split=[1,1,4]' -n 4
      subcurrent tune nickel_small --show
      srun -n 64 subcurrent tune case.toml
    """
    request = tuning.TuneRequest(case, ranks, threads, cpus, machine, list(sets or []))
    request.steps, request.repeats, request.sweeps, request.show = steps, repeats, sweeps, show
    request.network = network
    raise typer.Exit(tuning.tune(request, console()))


def scale(
    case: CaseArgument,
    *,
    ranks: Annotated[str, typer.Option("-n", "--ranks", help="rank counts, comma-separated")] = "1,2",
    strategy: Annotated[str, typer.Option(help="of all of them")] = "blocking",
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    weak: Annotated[
        bool, typer.Option("--weak", help="as many cells a rank as with the first count")
    ] = False,
    steps: Annotated[int, typer.Option(help="steps of a round")] = 5,
    repeats: Annotated[int, typer.Option(help="rounds; the median counts")] = 5,
    sweeps: Annotated[int, typer.Option(help="pressure sweeps a step, where there are any")] = 200,
    machine: Annotated[
        str | None, typer.Option("--machine", help="a machine file, whose prediction stands beside")
    ] = None,
    network: Annotated[
        str | None,
        typer.Option(metavar="RATE", help="a rank each on emulated hosts with this rate between them"),
    ] = None,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="folder for scale.json")] = None,
) -> None:
    """Measure a case with several rank counts on this machine.

    With --network 100mbit every rank has a host of its own, emulated by network namespaces for as long as a
    count is measured; that takes root, iproute2 and Open MPI. One rank runs on the machine itself.

    [bold]Examples[/bold]

    \b
      subcurrent scale nickel_small -n 1,2,4
      subcurrent scale nickel_small -n 1,2 --strategy boundary_first --machine here.toml
      subcurrent scale nickel_small -n 1,2,4 --network 100mbit
    """
    sets = list(sets or [])
    if threads is not None:
        sets.append(f"engine.threads={threads}")
    request = scaling.ScaleRequest(case, ranks, strategy, sets, weak, steps, repeats, sweeps, machine, out)
    request.network = network
    raise typer.Exit(scaling.scale(request, console()))


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
