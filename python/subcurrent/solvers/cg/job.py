# SPDX-License-Identifier: Apache-2.0
"""The verb `cg`: checks, starts the ranks, prints the result, draws the residuals."""

from __future__ import annotations

import contextlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from ...errors import OK, OTHER, BadInput, SubcurrentError
from ...given import check_option
from ...launch import memory, mpi
from ...launch.plan import Plan
from ...launch.progress import say
from ...launch.run import ranks_of
from ...launch.rundir import RunFolder, make_folder, write_text, writing
from ...launch.start import Start, carry_out
from ...report import account
from ...report.records import read_table
from . import files, solve
from .case import CLASSES, USUAL
from .worker import PARTS


@dataclass
class CgRequest:
    """The options of `cg`; None means not given."""

    name: str | None = None
    matrix: Path | None = None
    rhs: Path | None = None
    tol: float | None = None
    iterations: int | None = None
    preconditioner: str | None = None
    block: int | None = None
    degree: int | None = None
    pipelined: bool = False
    ranks: int | None = None
    threads: int = 1
    partition: str | None = None
    strategy: str | None = None
    depth: int | None = None
    transport: str = "auto"
    out: Path | None = None
    overwrite: bool = False
    figures: bool = True


def run(request: CgRequest, console: Console) -> int:
    """Runs the benchmark or solves the system, as launcher of its ranks or as one rank of an outer mpirun."""
    outer = mpi.outer()
    plan = _plan(request, outer)
    folder = RunFolder(plan.folder)
    folder.check_new(request.overwrite)
    system = None
    if request.matrix and (outer is None or outer.rank == 0):
        ranks = plan.ranks or 1
        system = files.read_system(
            request.matrix,
            request.rhs,
            lambda rows, entries: memory.check_system(
                rows, entries, plan.case["options"], ranks, memory.ranks_here(ranks)
            ),
        )
        solve.check_ranks(plan.ranks, system[-1].size)

    def prepare() -> None:
        nonlocal system
        folder.create()
        for unused in (folder.snapshots, folder.checkpoints):
            unused.rmdir()
        write_text(folder.plan, plan.text())
        if system is not None:
            _store(folder, system)
            system = None  # its memory is the ranks'

    def done(_: dict[str, Any]) -> int:
        return _after(folder, request.figures, console)

    start = Start(folder, prepare, request.overwrite)
    return carry_out(plan, start, console, done, ended=lambda: _remove_matrix(folder))


def _checked_ranks(request: CgRequest, outer: mpi.Outer | None) -> int:
    """Number of ranks, 0 if an outer launcher does not say; raises BadInput for more than there are rows,
    memory or processors."""
    ranks = ranks_of(request.ranks, outer, 1)
    check_option("--threads", request.threads)
    if request.name is not None:
        solve.check_ranks(ranks, CLASSES[request.name][0])
    if outer is None:
        mpi.check_layout(ranks, request.threads)
    if request.name is not None and ranks:
        memory.check_class(CLASSES, request.name, ranks, memory.ranks_here(ranks))
    return ranks


def _remove_matrix(folder: RunFolder) -> None:
    """Removes the ranks' copy of a system when they have ended; its folder contains nothing else."""
    with contextlib.suppress(OSError):
        for name in PARTS:
            (folder.path / "matrix" / f"{name}.npy").unlink(missing_ok=True)
        (folder.path / "matrix").rmdir()


def _plan(request: CgRequest, outer: mpi.Outer | None) -> Plan:
    if (request.name is None) == (request.matrix is None):
        raise BadInput("cg needs either --class, for the benchmark, or --matrix, for your own linear system.")
    of_matrix = ("rhs", "tol", "iterations", "preconditioner", "block", "degree")
    given = [name for name in of_matrix if getattr(request, name) is not None]
    given += ["pipelined-cg"] if request.pipelined else []
    if request.name is not None and given:
        raise BadInput(f"--{given[0]} needs --matrix: the rules of the benchmark do not allow it.")
    if request.name is not None and request.name not in CLASSES:
        raise BadInput(f"--class {request.name} is not known: allowed are {', '.join(CLASSES)}.")
    ranks = _checked_ranks(request, outer)
    if request.transport not in ("auto", "shared", "mpi"):
        raise BadInput(f"--transport {request.transport} is not allowed: it must be auto, shared or mpi.")
    benchmark = request.name is not None
    asked = {name: value for name in USUAL if (value := getattr(request, name)) is not None}
    options = solve.checked_options(**({"partition": "grid"} if benchmark else {}) | asked)
    if benchmark:
        options = {"class": request.name, **{k: options[k] for k in ("partition", "strategy", "depth")}}
    name = f"cg_class_{request.name}" if benchmark else f"cg_{request.matrix.stem}"
    engine = {"threads": request.threads, "transport": request.transport}
    what = {"kind": "benchmark" if benchmark else "solve", "options": options, "engine": engine}
    return Plan("cg", what, str(request.out or Path("runs") / name), ranks)


def _store(folder: RunFolder, system: tuple[np.ndarray, ...]) -> None:
    """The folder from which the ranks map the rows that they need, so that none reads all of them."""
    make_folder(folder.path / "matrix")
    for name, values in zip(PARTS, system, strict=True):
        path = folder.path / "matrix" / f"{name}.npy"
        with writing(path):
            np.save(path, values)


def _after(folder: RunFolder, figures: bool, console: Console) -> int:
    summary = json.loads(folder.summary.read_text(encoding="utf-8"))
    history = read_table(folder.history)
    _remove_matrix(folder)
    if figures:
        from .figures import draw_residuals  # noqa: PLC0415 - matplotlib, after the ranks have ended

        make_folder(folder.figures)
        draw_residuals(folder.figures / "residual.png", history, summary)
    text = benchmark_text(summary, history) if summary["kind"] == "benchmark" else solve_text(summary)
    say(console, text)
    if summary.get("note"):
        say(console, f"{summary['note']}.", "yellow")
    say(console, f"everything is in {folder.path}")
    if summary["kind"] == "benchmark":
        return OK if summary["verified"] else OTHER
    try:
        solve.complain(summary, summary["options"])
    except SubcurrentError as error:
        say(console, error.sentence, "red")
        return OTHER
    return OK


def benchmark_text(summary: dict[str, Any], history: list[dict[str, float]]) -> str:
    """The result in the format of the NAS benchmarks."""
    of, options = summary["class"], summary["options"]
    lines = [" NAS Parallel Benchmarks - CG (Subcurrent)", ""]
    lines += [f" Size: {of['n']:>10}", f" Iterations: {of['iterations']:>5}", ""]
    lines += ["   iteration           ||r||                 zeta"]
    lines += [f"{row['iteration']:10.0f}    {row['residual']:20.14E}{row['zeta']:20.13f}" for row in history]
    verdict = "SUCCESSFUL" if summary["verified"] else "FAILED"
    lines += ["", f" VERIFICATION {verdict}"]
    lines += [f" Zeta is    {summary['zeta']:20.13E}", f" Error is   {summary['error']:20.13E}", ""]
    values = [
        ("Class", of["name"]), ("Size", of["n"]), ("Iterations", of["iterations"]),
        ("Time in seconds", f"{summary['seconds']:.3f}"), ("Total ranks", summary["ranks"]),
        ("Threads a rank", summary["threads"]), ("Mop/s total", f"{summary['mops']:.2f}"),
        ("Mop/s/thread", f"{summary['mops'] / summary['ranks'] / summary['threads']:.2f}"),
        ("Non-zeros", summary["partition"]["nonzeros"]),
        ("Imbalance", f"{summary['partition']['imbalance']:.1%}"),
        ("Partition", options["partition"]), ("Strategy", f"{options['strategy']}, depth {options['depth']}"),
        ("Bytes sent", f"{summary['bytes_sent']:.0f}"),
        ("M, messages", account.seconds(summary["M"])), ("W, waiting", account.seconds(summary["W"])),
        ("R, reductions", account.seconds(summary["R"])), ("Hidden", account.hidden_share(summary)),
        ("Verification", verdict),
    ]  # fmt: skip
    return "\n".join([*lines, " CG Benchmark Completed.", *(f" {k:<18}= {v:>24}" for k, v in values)])


def solve_text(summary: dict[str, Any]) -> str:
    state = "converged" if summary["converged"] else "ended"
    return (
        f"{summary['n']} unknowns, {summary['partition']['nonzeros']} non-zeros, {summary['ranks']} ranks: "
        f"{state} after {summary['iterations']} iterations, |b - A x| / |b| = "
        f"{float(summary['residual']):.3e}, {summary['seconds']:.3f} s\n"
        f"M {account.seconds(summary['M'])}, W {account.seconds(summary['W'])}, "
        f"R {account.seconds(summary['R'])}, hidden {account.hidden_share(summary)}, "
        f"{summary['bytes_moved']:.0f} bytes moved"
    )
