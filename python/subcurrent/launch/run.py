# SPDX-License-Identifier: Apache-2.0
"""The steps of the verbs `run` and `report`; the command line itself is in `cli`."""

from __future__ import annotations

import contextlib
import json
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rich.console import Console

from .. import core
from ..case.library import find_case
from ..case.reading import Case, as_tables, as_toml, load_case
from ..errors import OK, STOPPED, BadInput, StorageError, storage_error
from ..given import check_option
from ..lines import duration
from ..report import account
from ..report.figures import PNG, draw_figures, stored_case
from ..report.page import facts_of, write_report
from ..report.records import lacking, read_history, read_record, rows_of
from ..solvers.kinds import kind_of
from . import memory, mpi, tuned
from .plan import Plan
from .progress import say
from .ranks import command_for
from .rundir import RunFolder, make_folder, write_text, write_whole
from .start import Start, carry_out, report_outside


@dataclass
class RunRequest:
    """The options of `run`."""

    case: str
    ranks: int | None = None
    sets: list[str] = field(default_factory=list)
    out: Path | None = None
    resume: bool = False
    overwrite: bool = False
    dry_run: bool = False
    untuned: bool = False


def run(request: RunRequest, console: Console) -> int:
    """Checks everything, then runs the case; nothing is written before all checks have passed."""
    outer = mpi.outer()
    path = find_case(request.case)
    folder = RunFolder(request.out or Path("runs") / default_name(path))
    sets = [*request.sets, *(resolved_start(folder) if request.resume else ())]
    case = load_case(path, sets)
    ranks = ranks_of(request.ranks, outer, 1)
    if over := _taken_over(request, path, case, outer):
        ranks, case = over.ranks, load_case(path, [*sets, *over.sets])
    if outer is None:
        mpi.check_layout(ranks, case.engine.threads)
    if ranks or outer is None:
        case.check_ranks(ranks)
    check_device(case.engine.device)
    memory.check(case, ranks, None if outer is None else memory.ranks_here(ranks))
    plan = Plan("run", as_tables(case), str(folder.path), ranks, tuned=over.record if over else {})
    if request.dry_run:
        _check_folder(request, folder, case)
        if over:
            say(console, f"# {over.line()}")
        console.print(as_toml(case), markup=False, highlight=False)
        console.print(" ".join(command_for(plan, folder.plan)), markup=False, highlight=False, soft_wrap=True)
        return OK
    reference: bytes | None = None

    def check() -> None:
        nonlocal reference
        found = [str(path) for path in _check_folder(request, folder, case)]
        plan.checkpoints = plan.checkpoints or found  # those on which the ranks of an outer mpirun agree
        reference = reference_of(path, case)

    def done(end: dict[str, Any]) -> int:
        if outer is None:
            return _after(folder, case, end, console)
        if case.output.figures:
            report_outside(folder)
        return OK

    if outer is not None:
        check()  # on every rank
    if over and outer is None:
        say(console, over.line())
    elif over and outer.rank == 0:
        print(f"subcurrent: {over.line()}", flush=True)
    start = Start(
        folder,
        lambda: prepare_folder(folder, reference, case, plan),
        request.overwrite,
        request.resume,
        check,
    )
    return carry_out(plan, start, console, done, stopping="stopping after this step, with a checkpoint")


def _taken_over(request: RunRequest, path: Path, case: Case, outer: mpi.Outer | None) -> tuned.Tuned | None:
    """The settings that `tune` has found for this case on this machine, for the requested or present
    ranks."""
    if request.untuned or (outer is not None and outer.size is None):
        return None
    ranks = request.ranks if outer is None else outer.size
    return tuned.find(default_name(path), case, tuned.fixed_keys(path, request.sets), ranks)


def default_name(case_file: Path) -> str:
    """Name of the run folder if none is given: that of the case folder for `case.toml`, else that of the
    file."""
    return case_file.resolve().parent.name if case_file.name == "case.toml" else case_file.stem


def check_device(device: str) -> None:
    """Raises BadInput for a device that this build does not support; only the ranks can find out whether the
    machine has one."""
    if device == "cuda" and str(core.build_info().get("cuda", "no")) == "no":
        raise BadInput(
            'engine.device = "cuda" needs a build with CUDA, but this build has none: configure '
            "with -DSUBCURRENT_CUDA=ON where nvcc is installed, or take cpu."
        )


def resolved_start(folder: RunFolder) -> list[str]:
    """As a setting, the snapshot that a run began from: a folder that its case names may hold later ones."""
    with contextlib.suppress(OSError, ValueError):
        start = tomllib.loads(folder.case.read_text(encoding="utf-8")).get("flow", {}).get("initial", "")
        if Path(start).is_absolute():
            return [f"flow.initial={json.dumps(start, ensure_ascii=False)}"]
    return []


def reference_of(case_file: Path, case: Case) -> bytes | None:
    """The reference data beside a case, read before a start sets aside the run that it may belong to."""
    reference = case.reference(case_file.parent)
    try:
        return None if reference is None else reference.read_bytes()
    except OSError as error:
        raise storage_error(error, reference, "read") from None


def prepare_folder(folder: RunFolder, reference: bytes | None, case: Case, plan: Plan) -> None:
    """Creates the run folder with the resolved case, the plan of the ranks and the reference data."""
    folder.create()
    write_text(folder.case, as_toml(case))
    if reference is not None:
        write_whole(folder.reference, lambda temporary: temporary.write_bytes(reference))
    write_text(folder.plan, plan.text())


def ranks_of(asked: int | None, outer: mpi.Outer | None, default: int) -> int:
    """Number of ranks; 0 if an outer launcher does not say."""
    check_option("-n", asked)
    if outer is not None and outer.size is None:
        return asked or 0
    if outer is None:
        return default if asked is None else asked
    if asked not in (None, outer.size):
        raise BadInput(
            f"-n {asked} does not fit the {outer.size} ranks that the outer mpirun or srun started."
        )
    return outer.size


def _check_folder(request: RunRequest, folder: RunFolder, case: Case) -> list[Path]:
    if request.resume and request.overwrite:
        raise BadInput(
            "--resume and --overwrite cannot be combined: one continues the run, the other replaces it."
        )
    if not request.resume:
        folder.check_new(request.overwrite)
        return []
    checkpoints = folder.check_resume()
    _check_same(stored_case(folder), case)
    if folder.history.exists():
        rows_of(folder.history, (*kind_of(case).history_of(case), "seconds"))
    for table in (folder.probes, folder.forces):
        if table.exists():
            read_history(table)
    return checkpoints


def _check_same(before: Case, now: Case) -> None:
    """A resumed run must have the same grid and physics; end, time step, strategy, ranks, tolerances and
    similar keys may change."""
    for name in (*now.fixed_on_resume, "output.probes"):  # whose table is that of all of the run
        old, new = as_tables(before), as_tables(now)
        for part in name.split("."):  # a key that is not given is not in the tables
            old, new = old.get(part, {}), new.get(part, {})
        if old != new:
            key, there, here = _difference(name, old, new)
            anew = now.starts is not None and name.partition(".")[0] in ("flow", "forcing")
            raise BadInput(
                f"--resume needs the same {key} as the run it continues: {there} there, {here} here"
                f"{'; flow.initial starts a new run from its flow.' if anew else '.'}"
            )


def _difference(name: str, old: Any, new: Any) -> tuple[str, Any, Any]:
    """The first key that differs, and both values."""
    if isinstance(old, dict) and isinstance(new, dict) and old and new:
        part = next(part for part in {**new, **old} if old.get(part) != new.get(part))
        return _difference(f"{name}.{part}", old.get(part, {}), new.get(part, {}))
    return name, *("none" if value == {} else value for value in (old, new))


def _after(folder: RunFolder, case: Case, end: dict[str, Any], console: Console) -> int:
    """Prints how the run ended and draws its figures."""
    summary = read_record(folder.summary)
    say(console, f"{end['state']} at step {end['steps']} after {duration(end['seconds'])}")
    for sentence in kind_of(case).warnings(summary):
        say(console, sentence, "yellow")
    if "automatic" in summary:
        say(console, f"strategy: {account.choice(summary['automatic'])}")
    if "passes" in summary:
        say(console, f"passes: {account.passes(summary)}")
    if "halo_thread" in summary:
        say(console, summary["halo_thread"]["verdict"])
    if end["state"] == "stopped":
        say(console, f"checkpoint written: continue with --resume --out {folder.path}")
        return STOPPED
    if case.output.figures:
        report(folder.path, console)
    say(console, f"everything is in {folder.path}")
    return OK


def report(path: Path, console: Console, ending: str = PNG) -> int:
    """Draws the figures of a run folder again, also in the format of `ending`, and writes its HTML page."""
    folder = RunFolder(path)
    case = stored_case(folder)
    facts_of(folder, case)  # refuses what is damaged before anything is drawn
    missing = lacking(folder.history, kind_of(case).history_of(case)) if folder.history.is_file() else ""
    make_folder(folder.figures)
    with console.status("drawing the figures"):
        drawn = draw_figures(folder, ending)
    for sentence in [missing] * bool(missing) + drawn.complaints():
        say(console, f"not drawn: {sentence}", "yellow")
    if not drawn.files and not drawn.failed and not folder.summary.is_file():
        raise StorageError(
            f"{folder.path} holds nothing to draw: no profiles, history, snapshot or strategy table."
        )
    page = write_report(folder, [path for path in drawn.files if path.suffix == PNG])
    say(console, f"figures: {', '.join(str(figure) for figure in drawn.files) or 'none'}")
    say(console, f"report: {page}")
    return drawn.failed[0].exit_code if drawn.failed else OK
