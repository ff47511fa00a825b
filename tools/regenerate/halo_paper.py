# SPDX-License-Identifier: Apache-2.0
"""The paper on halo threads: its table 2 beside `predict` of the magnetosphere's step."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path

from subcurrent.case.library import find_case
from subcurrent.case.reading import Case, load_case
from subcurrent.foresight import predict
from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import load_machine

from .runs import table

RANKS = 16
CORES = 16  # of a node; its ranks use all of them
# Table 2: by threads and cells a rank along each axis the seconds of a run without and with a halo thread,
# and the time of messages relative to computing in the first, in %.
PRINTED = {
    (4, 100): (21.982, 25.245, 8),
    (4, 200): (172.915, 212.559, 4),
    (4, 300): (688.850, 885.331, 2),
    (8, 100): (13.298, 12.367, 11),
    (8, 200): (99.172, 101.900, 6),
    (8, 300): (334.781, 362.068, 4),
    (8, 400): (1340.867, 1373.371, 2),
    (16, 100): (11.429, 12.165, 11),
    (16, 200): (85.705, 80.808, 6),
    (16, 300): (279.833, 270.063, 4),
    (16, 400): (797.145, 766.988, 3),
}
ROW = (8, 200)  # calibrated on: both stages of a step on the threads without halo, with a halo thread
STEP = 0.770 + 0.854
TURNS = 6  # of the calibration: each number depends a little on the other


def case(threads: int, n: int) -> Case:
    """n³ points a rank; the halo thread computes the shell alone."""
    sets = [f"grid.points=[{2 * n},{2 * n},{4 * n}]", "engine.split=[2,2,4]", f"engine.threads={threads}"]
    alone = ["engine.strategy=halo_thread", "engine.halo_thread_joins=false"]
    return load_case(find_case("earth_south"), [*sets, *alone])


@dataclass(frozen=True)
class Step:
    """Seconds of a step without a halo thread, of its messages, and of a step with a halo thread."""

    plain: float
    messages: float
    halo: float

    @property
    def share(self) -> float:
        """Messages relative to the rest of the step without a halo thread."""
        return self.messages / (self.plain - self.messages)


def step(machine: Machine, threads: int, n: int) -> Step:
    names = ["blocking", "halo_thread"]
    row = predict.predicted(case(threads, n), machine, RANKS, names, per_node=CORES // threads)
    plain, halo = (row["strategies"][name] for name in names)
    return Step(plain["T"], sum(stage["start"] + stage["wait"] for stage in plain["stages"]), halo["T"])


@functools.cache
def calibrated() -> Machine:
    """The machine on which a step without a halo thread, and its messages, take what the paper prints of
    ROW. Messages are copies in the first place, so their bandwidth follows from these; computing hardly
    depends on it."""
    plain, halo, share = PRINTED[ROW]
    wanted = STEP * plain / halo
    messages = wanted * share / (100 + share)
    machine = load_machine("fx10")
    for _ in range(TURNS):
        there, node = step(machine, *ROW), machine.node
        better = {
            "core_flops": node.core_flops * (there.plain - there.messages) / (wanted - messages),
            "copy_bandwidth": node.copy_bandwidth * there.messages / messages,
        }
        machine = machine.model_copy(update={"node": node.model_copy(update=better)})
    return machine


def halo_paper(_: Path) -> list[str]:
    rows, agree = [], 0
    for (threads, n), (plain, halo, share) in PRINTED.items():
        there = step(calibrated(), threads, n)
        printed, foretold = plain / halo, there.plain / there.halo
        same = (printed > 1) == (foretold > 1)
        agree += same
        rows.append(
            (
                f"{threads} threads, {n}³ points a rank",
                f"{printed:.3f}",
                f"{foretold:.3f}",
                f"{100 * (foretold / printed - 1):+.0f} %",
                "yes" if same else "no",
                f"{share} %",
                f"{100 * there.share:.1f} %" + (" (calibrated)" if (threads, n) == ROW else ""),
            )
        )
    rows.append(("all", "", "", "", f"{agree} of {len(PRINTED)}", "", ""))
    head = ("", "printed", "predicted", "misfit", "same sign", "messages / computing, printed", "predicted")
    return table(head, rows)
