# SPDX-License-Identifier: Apache-2.0
"""The gains of the cavity's paper by simulation of all ranks (SimGrid), beside printed and predicted ones."""

from __future__ import annotations

from pathlib import Path

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import find_machine, load_machine

from .paper_machines import PRINTED, SPLITS
from .runs import table

STRATEGIES = ["blocking", "boundary_first"]


def cavity_simulated(_: Path) -> list[str]:
    rows = []
    for (name, kind), splits in SPLITS.items():
        machine, gains = load_machine(find_machine(name)), []
        for ranks, split in splits.items():
            sets = ["pressure.method=jacobi", f"engine.split={list(split)}", "engine.strategy=blocking"]
            case = load_case(find_case(f"cavity_paper_{kind}"), [*sets, "pressure.iterations=10"])
            row = predict.predicted(case, machine, ranks, STRATEGIES)["strategies"]
            foretold = {strategy: row[strategy]["T"] for strategy in STRATEGIES}
            times = simulate.simulated(case, machine, ranks, STRATEGIES, steps=1)
            gains.append([each["blocking"] / each["boundary_first"] - 1 for each in (foretold, times)])
        most = (f"{100 * max(each):.0f} %" for each in zip(*gains, strict=True))
        rows.append((f"{machine.name}, type {kind.upper()}", PRINTED[name, kind][1], *most))
    return table(("hiding gains at most", "printed", "predicted", "simulated"), rows)
