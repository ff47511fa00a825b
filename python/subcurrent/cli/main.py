# SPDX-License-Identifier: Apache-2.0
"""The command line: verbs, options and their help. What the verbs do is in `launch.run` and `foresight`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from .. import __version__, core, starter
from ..case import library
from ..errors import BadInput
from ..foresight import machine_file as machine_file_of
from ..foresight import probe as probing
from ..foresight import strategies as compare
from ..launch import outcome
from ..launch import run as jobs
from . import foresight, pictures, usage, watch
from .cg import cg
from .options import CaseArgument, NetworkOption, OverwriteOption, SetOption, console


def _show_version(asked: bool) -> None:
    if asked:
        print(f"subcurrent {__version__}", flush=True)
        for part, made_with in core.build_info().items():
            print(f"  {part:10}  {made_with or 'none'}")
        raise typer.Exit


app = typer.Typer(
    name="subcurrent",
    cls=usage.Program,
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Large grid solvers that overlap communication with computation.

[bold]A first run[/bold]

\b
  subcurrent cases                        list the cases
  subcurrent run cavity_demo -n 2         run one on 2 MPI ranks; results in runs/cavity_demo
  subcurrent new my_case                  write a commented case file
  subcurrent run my_case/case.toml -n 2   run it
  subcurrent new --stencil my_code        write a stencil code in Python

[bold]Exit codes[/bold]

\b
  0  done
  2  bad input, nothing was written
  3  a file or folder could not be written or read
  4  the flow diverged (NaN)
  5  stopped on request with a checkpoint; continue with --resume
  1  anything else""",
)


@app.callback()
def program(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            is_eager=True,
            callback=_show_version,
            help="show the version, and what it was built with",
        ),
    ] = False,
) -> None:
    pass


@app.command()
def run(
    case: CaseArgument,
    *,
    ranks: Annotated[
        int | None, typer.Option("-n", "--ranks", help="MPI ranks to start  \\[default: 1]")
    ] = None,
    threads: Annotated[int | None, typer.Option(help="threads of each rank")] = None,
    strategy: Annotated[
        str | None, typer.Option(help="blocking, ordered, boundary_first, interior_first, …")
    ] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda")] = None,
    sets: SetOption = None,
    out: Annotated[Path | None, typer.Option(help="run folder  \\[default: runs/NAME]")] = None,
    resume: Annotated[
        bool, typer.Option("--resume", help="continue from the newest checkpoint in the folder")
    ] = False,
    overwrite: OverwriteOption = False,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="check the case, print it and the command, write nothing")
    ] = False,
    untuned: Annotated[
        bool, typer.Option("--untuned", help="do not use the settings found by `subcurrent tune`")
    ] = False,
) -> None:
    """Run a case. Starts the MPI ranks itself; under mpirun or srun each process is one rank.

    [bold]Examples[/bold]

    \b
      subcurrent run cavity_re100 -n 2
      subcurrent run case.toml -n 4 --set flow.reynolds=400 --out runs/re400
      subcurrent run case.toml -n 2 --set 'engine.split=[1,2,1]' --threads 2
      subcurrent run case.toml -n 8 --resume      continue; the number of ranks may differ
      srun -n 64 subcurrent run case.toml         on a cluster

    [bold]Stopping[/bold]

    Ctrl-C (or SIGTERM, SIGHUP, SIGUSR1) completes the step, writes a checkpoint and stops with exit code 5.
    A second Ctrl-C stops at once. A closed output (| head) does not stop a run.

    [bold]Tuned[/bold]

    If `subcurrent tune` has measured the case on this machine, the run uses the fastest ranks, threads,
    decomposition and other keys of \\[engine], except for those that this command or the case file sets. A
    line says so. Results do not depend on these settings. --untuned ignores them.

    [bold]--set[/bold]

    run.steps, run.time or run.until replaces the end of the run in the case file. In the same way run.dt
    and run.courant replace each other, and pressure.iterations and pressure.tolerance.
    """
    sets = list(sets or [])
    if threads is not None:
        sets.append(f"engine.threads={threads}")
    if strategy is not None:
        sets.append(f'engine.strategy="{strategy}"')
    if device is not None:
        sets.append(f'engine.device="{device}"')
    request = jobs.RunRequest(case, ranks, sets, out, resume, overwrite, dry_run, untuned)
    raise typer.Exit(jobs.run(request, console()))


@app.command()
def cases() -> None:
    """List the cases that are included, one line each. `subcurrent run NAME` runs one."""
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, path in library.shipped().items():
        table.add_row(name, library.summary_of(path))
    console().print(table)


@app.command()
def new(
    name: Annotated[str, typer.Argument(metavar="NAME", help="the folder to make")],
    *,
    start: Annotated[
        str | None,
        typer.Option("--from", metavar="CASE", help="the case to copy  \\[default: cavity_re100]"),
    ] = None,
    stencil: Annotated[
        bool, typer.Option("--stencil", help="write a stencil code in Python instead of a case")
    ] = False,
) -> None:
    """Write a new folder: a commented case file, or a stencil code in Python with its test.

    [bold]Examples[/bold]

    \b
      subcurrent new my_case --from cavity_re1000
      subcurrent new --stencil my_code
    """
    if stencil:
        if start is not None:
            raise BadInput("--from names a case to copy, and --stencil makes none: give one of them.")
        folder = starter.write(name)
        print(f"{folder} written; run it with: cd {folder} && python model.py, and test it with pytest")
        return
    start = start or "cavity_re100"
    target = library.new_case(name, library.find_case(start))
    print(f"{target} written: every line says what it means; run it with: subcurrent run {target} -n 2")


@app.command()
def report(
    path: Annotated[Path, typer.Argument(metavar="RUN", help="a run folder")],
    *,
    form: Annotated[
        Literal["png", "pdf", "svg"],
        typer.Option("--format", help="write each figure in this format, too; views in space only as png"),
    ] = "png",
) -> None:
    """Draw the figures of a run again and write report.html, one page with all pictures.

    [bold]Examples[/bold]

    \b
      subcurrent report runs/blast
      subcurrent report runs/blast --format pdf
    """
    raise typer.Exit(jobs.report(path, console(), f".{form}"))


@app.command()
def strategies(
    case: CaseArgument,
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

    [bold]Examples[/bold]

    \b
      subcurrent strategies cavity_paper_b -n 2 --strategies boundary_first
      subcurrent strategies nickel_small --network 100mbit --set 'grid.cells=[128, 128, 512]'
      subcurrent strategies nickel_small --network rdma:8gbit
      mpirun -n 2 subcurrent strategies cavity_paper_b      between the hosts of an outer mpirun
    """
    sets = list(sets or [])
    if threads is not None:
        sets.append(f"engine.threads={threads}")
    request = compare.CompareRequest(
        case, ranks=ranks, sets=sets, steps=steps, repeats=repeats, sweeps=sweeps
    )
    request.network, request.out, request.overwrite = network, out, overwrite
    if names:
        request.strategies = [name.strip() for name in names.split(",") if name.strip()]
    raise typer.Exit(compare.compare(request, console()))


@app.command()
def probe(
    case: Annotated[
        str | None,
        typer.Argument(metavar="[CASE]", help="measure the stages of this case for a machine file"),
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
    ranks, and the speed of the stages of the case on one rank and on all.

    [bold]Examples[/bold]

    \b
      subcurrent probe --wait
      subcurrent probe --wait --transport mpi --sizes 8192,131072
      mpirun -n 2 subcurrent probe --wait       between the hosts of an outer mpirun
      subcurrent probe nickel_small -n 4 --machine-file here.toml
    """
    if case is not None:
        if wait:
            raise BadInput("probe measures --wait or a CASE for a machine file: give one of them.")
        asked = machine_file_of.FileRequest(case, machine_file, ranks, list(sets or []), steps)
        asked.overwrite = overwrite
        raise typer.Exit(machine_file_of.probe_machine(asked, console()))
    if not wait:
        raise BadInput("probe needs to know what to measure: allowed is --wait, or a CASE.")
    request = probing.ProbeRequest(ranks, sizes, cover, transport, repeats, out, overwrite)
    raise typer.Exit(probing.probe(request, console()))


app.command()(cg)
pictures.add(app)
watch.add(app)
foresight.add(app)


def main() -> None:
    outcome.main(app)


if __name__ == "__main__":
    main()
