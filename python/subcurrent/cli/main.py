# SPDX-License-Identifier: Apache-2.0
"""The command line: verbs, options and their help. What the verbs do is in `launch.run` and `foresight`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer
from rich.table import Table

from .. import core, starter
from ..case import library
from ..errors import BadInput
from ..launch import outcome
from ..launch import run as jobs
from . import foresight, measuring, pictures, usage, watch
from .cg import cg
from .options import CaseArgument, OverwriteOption, SetOption, console, with_engine


def _show_version(asked: bool) -> None:
    if asked:
        from .. import __version__  # noqa: PLC0415 - slow to load

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
    sets = with_engine(sets, threads=threads, strategy=strategy, device=device)
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
        str | None, typer.Option("--from", metavar="CASE", help="the case to copy  \\[default: cavity_re100]")
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


measuring.add(app)
app.command()(cg)
pictures.add(app)
watch.add(app)
foresight.add(app)


def main() -> None:
    outcome.main(app)


if __name__ == "__main__":
    main()
