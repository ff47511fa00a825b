# SPDX-License-Identifier: Apache-2.0
"""The paper on turbulence larger than memory: how much longer a step takes with its variables in files. The
paper prints 1.8 s for a step in memory (512³ points, 64 ranks on 8 hosts) and "4 to 7 times" with files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict
from subcurrent.foresight.machine_keys import Disk, Machine
from subcurrent.foresight.machines import load_machine

from .runs import table

POINTS, RANKS, HOSTS = 512, 64, 8
IN_MEMORY = 1.8  # seconds
PAPER_BYTES = 830  # a point and step: its variables in files (solvers/turbulence/README.md)
TIMES = (4, 7)  # as long as in memory, "about 4 to about 7": the disk of the machine file, and a slower one
PIECES = 8


def step(machine: Machine, strategies: list[str], *sets: str) -> dict[str, Any]:
    same = ("scheme.dealiasing=two_thirds", f"grid.points=[{POINTS},{POINTS},{POINTS}]")
    case = load_case(find_case("taylor_green_1600"), [*same, "engine.strategy=blocking", *sets])
    row = predict.predicted(case, machine, RANKS, strategies, per_node=RANKS // HOSTS)
    return {name: row["strategies"][name]["T"] for name in strategies}


def calibrated() -> Machine:
    """With the speed of a core at which a step in memory takes as long as it did."""
    machine = load_machine("sx_aurora")

    def with_flops(flops: float) -> Machine:
        return machine.model_copy(update={"node": machine.node.model_copy(update={"core_flops": flops})})

    flops = [machine.node.core_flops, machine.node.core_flops / 2]
    times = [step(with_flops(f), ["blocking"])["blocking"] for f in flops]
    # computing takes a / flops, the rest does not depend on it
    a = (times[1] - times[0]) / (1 / flops[1] - 1 / flops[0])
    return with_flops(a / (IN_MEMORY - times[0] + a / flops[0]))


def speed(times: float) -> float:
    """Bytes/s of a host's disk with which a step takes so many times as long as in memory, if it waits for
    each of the paper's variables, to be read or written."""
    return PAPER_BYTES * POINTS**3 / HOSTS / (IN_MEMORY * (times - 1))


def turbulence_paper(_: Path) -> list[str]:
    machine = calibrated()
    memory = step(machine, ["blocking"])["blocking"]
    filed = ("storage.place=files", f"storage.pieces={PIECES}", "storage.scratch=scratch")
    rows = []
    for times in TIMES:
        rate = speed(times)
        there = machine.model_copy(update={"disk": Disk(read=rate, write=rate, both=rate)})
        here = [seconds / memory for seconds in step(there, ["blocking", "boundary_first"], *filed).values()]
        misfits = (f"{one:.2f} ({100 * (one / times - 1):+.0f} %)" for one in here)
        rows.append((f"{times} times", f"{1e-9 * rate:.2f} GB/s", *misfits))
    return table(("printed", "disk of a host with which", "`blocking`", "`boundary_first`"), rows)
