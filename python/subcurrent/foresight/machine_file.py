# SPDX-License-Identifier: Apache-2.0
"""`subcurrent probe CASE`: measures this machine and writes its file."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

from ..case.reading import Case, as_tables
from ..errors import OK, BadInput
from ..given import check_option
from ..launch import mpi
from ..launch.plan import Plan
from ..launch.progress import say
from ..launch.run import ranks_of
from ..launch.rundir import write_text
from ..launch.start import answer_of
from ..rank import machine
from ..rank.machine_probe import LARGE, SMALL, by_mpi
from ..solvers.kinds import title_of
from .machine_keys import LARGEST_SPREAD
from .machines import load_machine
from .rehearse import Part, rehearse
from .subject import subject_of

COMPUTING = ("core", "shell", "all")  # phases of the timeline in which a stage computes
BOUNDARY = "boundary"  # and in which halos are filled on the rank itself
TRANSFERS = ("files in", "files out")  # the lines of the timeline for fields in files


@dataclass
class FileRequest:
    """The options of `probe CASE`."""

    case: str
    out: Path
    ranks: int | None = None
    sets: list[str] = field(default_factory=list)
    steps: int = 10
    repeats: int = 3
    sweeps: int = 50
    overwrite: bool = False


def probe_machine(request: FileRequest, console: Console) -> int:
    """Measures on one rank and on all (under an outer mpirun on all only), and writes the machine file."""
    if request.out.exists() and not request.overwrite:
        raise BadInput(f"{request.out} exists already: give another --machine-file, or --overwrite.")
    if not request.out.absolute().parent.is_dir():
        raise BadInput(f"the folder {request.out.parent} does not exist: give another --machine-file.")
    subject, outer = subject_of(request.case, solvers=True), mpi.outer()
    ranks = ranks_of(request.ranks, outer, 2)
    sets = subject.alike(request.sets, request.sweeps)
    case = subject.case([*sets, "engine.strategy=blocking", "engine.device=cpu"])
    case.one_length("a probe is")
    check_option("--steps", request.steps)
    check_option("--repeats", request.repeats)
    case.check_ranks(ranks)
    subject.check_memory(case, ranks, 2)
    if outer is None:
        mpi.check_layout(ranks, case.engine.threads)
    found = []
    for count in sorted({1, ranks}) if outer is None else (ranks,):
        plan = Plan("machine", as_tables(case), "", count, steps=request.steps, repeats=request.repeats)
        found.append(answer_of(plan, "machine.json", outer=outer))
    if found[0] is not None:
        _write(request, case, found, console)
    return OK


def _write(request: FileRequest, case: Case, found: list[dict[str, Any]], console: Console) -> None:
    write_text(request.out, text_of(case, found, rehearsed(case, found)))
    node = load_machine(request.out).node
    busy = max(int(cores) for one in found for cores in one["copies"])
    if busy < node.cores:
        say(
            console,
            f"at most {busy} of {node.cores} cores were busy: for more ranks, predictions assume that the "
            "bandwidth of the memory does not grow; to measure it, give a larger -n",
            "yellow",
        )
    say(console, f"machine file: {request.out}")


def by_size(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The measurements of each layout, and after them those of its smaller sizes."""
    return [*found, *(one | smaller for one in found for smaller in one["smaller"])]


def rehearsed(case: Case, found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The boxes of one pass of rank 0, in each of the measured layouts and sizes. Adds to each layout the
    bytes that it reads from files and writes to them."""
    parts, length = [], case.pass_length()
    for one in by_size(found):
        strategy = "ordered" if one["ranks"] > 1 else "blocking"
        tables = as_tables(case.sized(one["size"]) if "size" in one else case)
        parts.append(Part(tables, [0], one["ranks"], one["ranks"], one["threads"], length, [strategy]))
    answers = [next(iter(answer.values())) for answer in rehearse(parts)]
    for one, answer in zip(found, answers, strict=False):  # without smaller sizes
        one["copied"] = answer["copied"]
    return [answer["work"] for answer in answers]


def text_of(case: Case, found: list[dict[str, Any]], works: list[dict[str, Any]]) -> str:
    """The machine file."""
    here, most, title = machine.describe(), found[-1], title_of(case)
    copies = {int(busy): rate for one in found for busy, rate in one["copies"].items()}
    cores = max(*copies, here["cores"])
    together = max(copies.values())
    flops = [_flops(work, one) for work, one in zip(works, found, strict=False)]  # without smaller sizes
    lines = [
        f"# Measured by subcurrent probe, {datetime.now(UTC):%Y-%m-%d}, with {title}.",
        f'name = "{here["host"]}"',
        f'about = "{here["cpu"]}"',
        "",
        "[node]",
        f"cores = {cores}",
        f"copy_bandwidth = {together:.4g}  # {' and '.join(map(str, sorted(copies)))} busy",
        f"core_bandwidth = {min(max(copies[min(copies)], together / cores), together):.4g}",
        f"core_flops = {flops[0]:.4g}  # of this case's stages",
        *([f"busy_flops = {min(flops):.4g}"] if len(found) > 1 else []),
        f"memory = {here['memory_gib'] * 2**30:.4g}",
    ]
    near = {(size, busy): rate for one in found for size, busy, rate in one["near"]}
    for (size, busy), rate in sorted(near.items()):
        lines += ["", "[[node.copies]]", f"bytes = {size}", f"bandwidth = {rate:.4g}", f"busy = {busy}"]
    lines += _messages(most)
    if most["disk"]:
        each = list(zip(*most["disk"], strict=True))
        read, written, both, share = map(median, each)
        lines += [
            "",
            f"[disk]  # of {most['per_node']} ranks",
            f"read = {read:.4g}",
            f"write = {written:.4g}",
            f"both = {both:.4g}",
            f"computing = {share:.4g}",
            f"awaited = {_awaited(most, read, written):.4g}",
            f"spread = {max(_scatter([1 / rate for rate in rates]) for rates in each[:3]):.3g}",
        ]
    lines += ["", "[engine]", f"run = {_engine_run(works, found):.3g}"]
    for work, one in zip(works, by_size(found), strict=True):
        lines += _rates(case, work, one)
    lines += ["", "[launch]", 'kind = "mpirun"']
    return "\n".join(lines) + "\n"


def _awaited(found: dict[str, Any], read: float, written: float) -> float:
    """Share of the disk's speed that was left in the rounds, in which ranks wait for each transfer."""
    seconds = median(sum(sum(one.get(stage, {}).values()) for stage in TRANSFERS) for one in found["rounds"])
    copied_in, copied_out = found["copied"]
    expected = found["passes"] * found["per_node"] * (copied_in / read + copied_out / written)
    return min(max(expected / seconds, 0.01), 1.0) if seconds > 0 else 1.0


def _messages(found: dict[str, Any]) -> list[str]:
    """[network] if messages used MPI; within a node only the copies of the receiver count. A round is two
    messages out and two in, one after the other on the link."""
    if not found["messages"] or not by_mpi(found):
        return []
    each = {
        size: [{int(s): t for s, t in one.items()}[size] for one in found["messages"]]
        for size in (SMALL, LARGE)
    }
    times = {size: median(rounds) for size, rounds in each.items()}
    on_node = found["per_node"]
    byte = (times[LARGE] - times[SMALL]) / (2 * (LARGE - SMALL))
    fixed = max(times[SMALL] - 2 * SMALL * byte, 4e-8)
    limit = found["eager_limit"]
    return [
        "",
        "[network]",
        f"latency = {max(fixed / 2, 1e-8):.3g}",
        f"bandwidth = {on_node / byte if byte > 0 else 1e13:.4g}  # {on_node} ranks a node",
        f"overhead = {fixed / 8:.3g}",
        f"spread = {max(map(_scatter, each.values())):.3g}",
        *([] if limit is None else [f"eager_limit = {limit}"]),
    ]


def solve_rates(
    work: dict[str, Any], seconds: dict[str, dict[str, float]], passes: int
) -> dict[str, tuple[float, float]]:
    """Of each kernel seconds a cell and a row, so that shell and core take what they were measured to
    take. `work`: of one pass, as `_core.rehearsed` tells it; `seconds`: by stage and phase, of all passes."""
    rates = {}
    for kernel, does in work.items():
        if does["filled"]:
            rates[kernel] = (_filled(does["filled"], work, seconds) / passes, 0.0)
        spent = seconds.get(kernel)
        if spent is None:
            continue
        (shell, shell_rows), (core, core_rows), (all_, _) = does["shell"], does["core"], does["all"]
        inner, outer, whole = (spent.get(phase, 0.0) / passes for phase in COMPUTING)
        determinant = core * shell_rows - shell * core_rows
        if shell and core and determinant != 0:
            cell = (inner * shell_rows - outer * core_rows) / determinant
            row = (core * outer - shell * inner) / determinant
            if cell <= 0 or row < 0:  # scatter: rows tell nothing then
                cell, row = (inner + outer) / (core + shell), 0.0
            rates[kernel] = (cell, row)
        elif all_ + core + shell:
            rates[kernel] = ((inner + outer + whole) / (all_ + core + shell), 0.0)
    return rates


def _filled(cells: dict[str, int], work: dict[str, Any], seconds: dict[str, dict[str, float]]) -> float:
    """Seconds for each cell of the halos of a field: all fields that a stage fills are assumed to take alike.
    `cells`: by stage."""
    spent = 0.0
    for stage, count in cells.items():
        together = sum(does["filled"].get(stage, 0) for does in work.values())
        spent += seconds.get(stage, {}).get(BOUNDARY, 0.0) * count / together
    return spent / sum(cells.values())


def _flops(work: dict[str, Any], found: dict[str, Any]) -> float:
    """Declared operations/s of a rank over all stages."""
    rates = _of_rounds(work, found)
    pairs = [(work[s]["flops_per_cell"], rates[s][0]) for s in rates if work[s]["flops_per_cell"] > 0]
    fastest = max((flops / cell for flops, cell in pairs if cell > 0), default=1e9)
    return min(max(fastest / found["threads"], 1e5), 1e13)


def _engine_run(works: list[dict[str, Any]], found: list[dict[str, Any]]) -> float:
    """Overhead of a stage: the time of a step on very few cells, on one rank."""
    runs = sum(stage["runs"] for stage in works[0].values())
    return min(found[0]["run"] / runs, 1.0) if found[0]["run"] and runs and found[0]["ranks"] == 1 else 5e-6


def _of_rounds(work: dict[str, Any], found: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Medians over the rounds."""
    rounds = [solve_rates(work, one, found["passes"]) for one in found["rounds"]]
    return {
        stage: (median(r[stage][0] for r in rounds), median(r[stage][1] for r in rounds))
        for stage in rounds[0]
        if all(stage in r for r in rounds)
    }


def _spread(kernel: str, does: dict[str, Any], found: dict[str, Any]) -> float:
    """Scatter of the seconds of the kernel, not of its rate per cell: with a few hundred cells the two rates
    of a round compensate each other, but their sum was measured."""
    stages, phases = (does["filled"], (BOUNDARY,)) if does["filled"] else ((kernel,), COMPUTING)
    each = [
        sum(one.get(stage, {}).get(phase, 0.0) for stage in stages for phase in phases)
        for one in found["rounds"]
    ]
    return _scatter(each)


def _scatter(times: list[float]) -> float:
    """The difference of the longest and the shortest time, by their median."""
    return min((max(times) - min(times)) / median(times), LARGEST_SPREAD) if median(times) > 0 else 0.0


def _rates(case: Case, work: dict[str, Any], found: dict[str, Any]) -> list[str]:
    lines = []
    for kernel, (cell, row) in _of_rounds(work, found).items():
        lines += [
            "",
            f'[[rates.{case.solver}."{kernel}"]]',
            f"cell = {cell:.4g}",
            f"row = {row:.4g}",
            f"threads = {found['threads']}",
            f"busy = {found['per_node'] * found['threads']}",
            f"cells = {found['cells']}",
            f"spread = {_spread(kernel, work[kernel], found):.3g}",
        ]
    return lines
