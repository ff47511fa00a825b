# SPDX-License-Identifier: Apache-2.0
"""The paper on halo threads: its table 2 beside `predict` of the magnetosphere's step."""

from __future__ import annotations

import functools
from pathlib import Path

from subcurrent.case.library import find_case
from subcurrent.case.reading import Case, load_case
from subcurrent.foresight import predict
from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import find_machine, load_machine

from .runs import table

RANKS = 16
CORES = 16  # of a node; its ranks use all of them
# Table 2: by threads and cells a rank along each axis the seconds of a run without and with a halo thread.
PRINTED = {
    (4, 100): (21.982, 25.245),
    (4, 200): (172.915, 212.559),
    (4, 300): (688.850, 885.331),
    (8, 100): (13.298, 12.367),
    (8, 200): (99.172, 101.900),
    (8, 300): (334.781, 362.068),
    (8, 400): (1340.867, 1373.371),
    (16, 100): (11.429, 12.165),
    (16, 200): (85.705, 80.808),
    (16, 300): (279.833, 270.063),
    (16, 400): (797.145, 766.988),
}
ROW = (8, 200)  # calibrated on: both stages of a step on the threads without halo, with a halo thread
STEP = 0.770 + 0.854


def case(threads: int, n: int) -> Case:
    """n³ points a rank; the halo thread computes the shell alone."""
    sets = [f"grid.points=[{2 * n},{2 * n},{4 * n}]", "engine.split=[2,2,4]", f"engine.threads={threads}"]
    alone = ["engine.strategy=halo_thread", "engine.halo_thread_joins=false"]
    return load_case(find_case("earth_south"), [*sets, *alone])


def seconds(machine: Machine, threads: int, n: int) -> tuple[float, float]:
    """Of a step without a halo thread and with one."""
    names = ["blocking", "halo_thread"]
    row = predict.predicted(case(threads, n), machine, RANKS, names, per_node=CORES // threads)
    plain, halo = (row["strategies"][name]["T"] for name in names)
    return plain, halo


@functools.cache
def calibrated() -> Machine:
    """The machine on which a step without a halo thread takes what the paper prints of ROW."""
    plain, halo = PRINTED[ROW]
    machine = load_machine(find_machine("fx10"))
    there, _ = seconds(machine, *ROW)
    flops = machine.node.core_flops * there / (STEP * plain / halo)
    return machine.model_copy(update={"node": machine.node.model_copy(update={"core_flops": flops})})


def halo_paper(_: Path) -> list[str]:
    rows, agree = [], 0
    for (threads, n), (plain, halo) in PRINTED.items():
        there, with_halo = seconds(calibrated(), threads, n)
        printed, foretold = plain / halo, there / with_halo
        same = (printed > 1) == (foretold > 1)
        agree += same
        rows.append(
            (
                f"{threads} threads, {n}³ points a rank",
                f"{printed:.3f}",
                f"{foretold:.3f}",
                "yes" if same else "no",
            )
        )
    rows.append(("all", "", "", f"{agree} of {len(PRINTED)}"))
    return table(("", "printed", "predicted", "same sign"), rows)
