# SPDX-License-Identifier: Apache-2.0
"""`predict --simulate`: every rank of a run executes its recorded step under SimGrid's SMPI, where messages
share the links of the machine file. Cells and arithmetic are left out."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from rich.table import Table

from ..case.reading import Case, as_tables
from ..errors import BadInput, SubcurrentError
from ..launch.rundir import writing
from ..solvers.cg.case import NAME as CG
from .machine_figures import NO_LIMIT, Places, figures, places
from .machine_keys import Machine
from .positions import share_of
from .prediction import framed_table
from .rehearse import Part, rehearse
from .topology import described

MOST = 4096  # ranks
BY_PIECES = 256  # ranks; of more, what a stage sends from one to another is one message
TRANSFORMS_BY_PIECES = 16  # ranks; the same with transforms, where each sends to many others at once
MOST_ALL_TO_ALL = 256
STEPS = 10
LEFT_OUT = ("ordered", "halo_thread", "automatic")
SOURCES = (
    "model/simulate/simulated.cpp",
    "model/simulate/simulated_ports.cpp",
    "model/simulate/reductions.cpp",
    "model/predict/trace.cpp",
    "model/predict/machine.cpp",
    "engine/plan/plan.cpp",
    "engine/plan/executor.cpp",
    "engine/plan/strategy.cpp",
)
TOPOLOGY = "model/simulate/topology.cpp"
LONGEST = 2**31  # bytes, more than a simulated message has
ANSWERED = 2  # latencies of a message above the eager limit, with the answer before it
SPEED = 1e9  # operations/s of a simulated core; what is computed is given in seconds
INSTANT = 1e15  # bytes/s of what takes no time
SETTINGS = (
    "smpi/simulate-computation:no",
    f"smpi/host-speed:{SPEED:.0f}f",
    "smpi/wtime:0",
    "smpi/test:0",
    "smpi/grow-injected-times:no",
    "smpi/cpu-threshold:0",  # by default what takes less than 1 us is left out
    # a message is latency + bytes / bandwidth, as the machine file has it, and flows share links evenly
    "smpi/bw-factor:0:1",
    "network/crosstraffic:no",
    "network/TCP-gamma:0",
    "network/weight-S:0",
    # SimGrid 3.32 keeps all sends that nobody waits for in one list, and looks through it for each of them
    "smpi/send-is-detached-thresh:0",
    "contexts/stack-size:256",
)
# The simulator divides links anew at every event, among all messages: those of many ranks, or of transforms
# on more than a few, that begin or end within a microsecond do so together.
EXACT = 8
TOGETHER = "surf/precision:1e-6"
BLIND = (
    "the simulation assumes that messages always make progress, and it has no halo "
    f"threads and no shared memory; with more than {BY_PIECES} ranks ({TRANSFORMS_BY_PIECES} with "
    "transforms), all that a stage sends from one rank to another is one message, and there is no eager limit"
)


@dataclass(frozen=True)
class Simulator:
    """SimGrid's programs."""

    compiler: str
    run: str


def simulator() -> Simulator:
    """SimGrid's programs; raises BadInput if they are missing."""
    found = [shutil.which(name) for name in ("smpicxx", "smpirun")]
    if None in found:
        raise BadInput(
            "--simulate needs SimGrid's SMPI, and there is no smpicxx or smpirun on the PATH: install "
            "libsimgrid-dev (Debian), or build SimGrid."
        )
    return Simulator(*found)


def too_many(case: Case, ranks: int) -> str | None:
    """Why so many ranks, or a single one, are predicted but not simulated, as a sentence."""
    if not 2 <= ranks <= MOST:
        return f"-n {ranks} is not simulated: only 2 to {MOST} ranks are."
    if not case.all_to_all or ranks <= MOST_ALL_TO_ALL:
        return None
    return (
        f"{ranks} ranks are not simulated: with transforms at most {MOST_ALL_TO_ALL} are; for "
        "more, the predicted time is a formula that gives each rank its share of the links."
    )


def steps_of(case: Case) -> int:
    """Number of steps to simulate: one is enough if it has tens of transforms or iterations."""
    return 1 if case.all_to_all or case.solver == CG else STEPS


def simulated(
    case: Case,
    machine: Machine,
    ranks: int,
    strategies: list[str],
    *,
    steps: int,
    per_node: int | None = None,
    by_pieces: bool = True,
) -> dict[str, float]:
    """Seconds of a step by strategy, on the slowest of all ranks. Not `by_pieces`: all that a stage sends
    from one rank to another is one message on few ranks, too."""
    programs = simulator()
    if not 2 <= ranks <= MOST:
        raise BadInput(f"--simulate is possible for 2 to {MOST} ranks, not for {ranks}.")
    if machine.network is None:
        raise BadInput(f"--simulate needs a [network], and the file of {machine.name} has none.")
    case.check_ranks(ranks)
    where = places(machine, ranks, case.engine.threads, per_node)
    share = share_of(case, ranks)
    values = figures(machine, case.solver, where, 1e-3 * case.engine.poke_ms, share)
    transforms = case.all_to_all and case.solver != CG
    whole = not by_pieces or ranks > (TRANSFORMS_BY_PIECES if transforms else BY_PIECES)
    if whole:
        values["eager_limit"] = NO_LIMIT  # it is one of pieces
    if machine.gpu is not None:
        where = _apart(machine, where)
    program = compiled(programs)
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        network = _written(home, machine, where, values["network_byte"], programs)
        hosts = "".join(f"node-{rank // where.per_node}\n" for rank in range(ranks))
        (home / "hosts").write_text(hosts)
        for name in strategies:
            (home / name).mkdir()
        tables, length = as_tables(case), case.one_length("a simulation")  # a trace is one pass
        part = Part(tables, list(range(ranks)), ranks, where.per_node, where.threads, length, strategies)
        part.machines, part.traces = {"": values}, place
        rehearse([part])
        line = [programs.run, "-np", str(ranks), "-platform", network, "-hostfile", "hosts"]
        limit = values["eager_limit"]
        asking = f";{limit}:{ANSWERED}" if limit < LONGEST else ""
        settings = [*SETTINGS, f"smpi/lat-factor:0:1{asking}"]
        settings += [TOGETHER] if whole or (transforms and ranks > EXACT) else []
        line += ["-no-privatize", *(f"--cfg={one}" for one in settings), str(program)]
        pieces = "whole" if whole else "pieces"
        passes = str(-(-steps // length))
        return {name: _played(home, [*line, name, pieces, passes]) / length for name in strategies}


def _apart(machine: Machine, where: Places) -> Places:
    """Each rank as a node of its own, with its share of the links: messages between devices of a node pass
    through its links to the host, too."""
    if machine.network.shape and where.per_node > 1:
        raise BadInput(
            f"{where.per_node} devices a node are not simulated with network.shape = "
            f"{machine.network.shape}: only --ranks-per-node 1 is."
        )
    return replace(where, per_node=1)


def _written(home: Path, machine: Machine, where: Places, rank_byte: float, programs: Simulator) -> str:
    """Writes the description of the network, and returns the path of what reads it."""
    if not machine.network.shape or (machine.network.kind == "bus" and not where.segments):
        (home / "platform.xml").write_text(platform(machine, where, rank_byte))
        return "platform.xml"
    (home / "topology").write_text(described(machine, where, rank_byte, SPEED))
    return str(compiled(programs, (TOPOLOGY,), "topology", ".so", ("-shared", "-fPIC")))


def platform(machine: Machine, where: Places, rank_byte: float) -> str:
    """SimGrid's description of the network: a link to and from every node, or one bus for all."""
    bus = machine.network.kind == "bus"
    sharing = where.ranks if bus else where.on_node  # of the link that a rank has `1 / rank_byte` of
    bandwidth, latency = sharing / rank_byte, machine.network.latency
    link = (
        f'bw="{INSTANT}Bps" lat="0s" bb_bw="{bandwidth!r}Bps" bb_lat="{latency!r}s" '
        'bb_sharing_policy="SHARED" sharing_policy="FATPIPE"'
        if bus
        else f'bw="{bandwidth!r}Bps" lat="{latency / 2!r}s" sharing_policy="SPLITDUPLEX"'
    )
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">\n'
        '<platform version="4.1">\n'
        f'<cluster id="machine" prefix="node-" suffix="" radical="0-{where.nodes - 1}" speed="{SPEED:.0f}f" '
        f'core="{where.on_node}" {link} loopback_bw="{INSTANT}Bps" '
        f'loopback_lat="{machine.node.flag_latency!r}s"/>\n</platform>\n'
    )


def compiled(
    programs: Simulator,
    sources: tuple[str, ...] = SOURCES,
    name: str = "simulated",
    ending: str = "",
    more: tuple[str, ...] = (),
) -> Path:
    """The program that each simulated rank runs, or a library for the simulator, compiled once for these
    sources."""
    from ..stencil import compiling  # noqa: PLC0415 - all of the stencils: slow to load

    root = compiling.headers()
    missing = [source for source in sources if not (root / source).is_file()]
    if missing:
        raise SubcurrentError(f"{root / missing[0]} is missing: reinstall subcurrent.")
    digest = hashlib.sha256(programs.compiler.encode())
    included = (path for part in ("engine", "model") for path in (root / part).rglob("*.hpp"))
    for path in (*(root / source for source in sources), *sorted(included)):
        digest.update(path.read_bytes())
    program = compiling.folder() / f"{name}-{digest.hexdigest()[:16]}{ending}"
    if program.is_file():
        return program
    with writing(program.parent):
        program.parent.mkdir(parents=True, exist_ok=True)
    part = program.with_name(f"{program.name}.{os.getpid()}")
    line = [programs.compiler, "-std=c++20", "-O2", *more, f"-I{root}", "-o", str(part)]
    done = subprocess.run(
        [*line, *(str(root / source) for source in sources)], check=False, capture_output=True, text=True
    )
    if done.returncode != 0:
        said = next((text for text in done.stderr.splitlines() if "error" in text), "it said nothing")
        raise SubcurrentError(f"{programs.compiler} cannot compile the program for --simulate: {said}")
    part.replace(program)
    return program


def _played(home: Path, line: list[str]) -> float:
    done = subprocess.run(line, check=False, capture_output=True, text=True, cwd=home)
    found = re.search(r"^simulated (\S+)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or found is None:
        said = [text for text in done.stderr.splitlines() if text.strip()]
        raise SubcurrentError(
            f"the simulation failed with exit code {done.returncode}: {said[-1] if said else 'no message'}"
        )
    return float(found[1])


def table_of(rows: list[dict], title: str, weak: bool) -> Table:
    """Simulated and predicted milliseconds; efficiency relative to the first count, for constant (`weak`) or
    decreasing work of each rank."""
    headings = ("ranks", "strategy", "simulated", "predicted", "of it", "efficiency")
    shown = framed_table(f"{title}, under SimGrid; milliseconds a step", headings, ("strategy",))
    first: dict[str, float] = {}
    for row in rows:
        for name, told in row["strategies"].items():
            if "simulated" not in told:
                continue
            here, there = told["simulated"], told["T"]
            cost = here * (1 if weak else row["ranks"])
            share = first.setdefault(name, cost) / cost
            times = f"{1e3 * here:.4g}", f"{1e3 * there:.4g}", f"{there / here:.3f}", f"{100 * share:.1f} %"
            shown.add_row(str(row["ranks"]), name, *times)
    return shown
