# SPDX-License-Identifier: Apache-2.0
"""Tables of the papers by `subcurrent predict`: the solvers' own steps on machines of the papers' figures."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import chain
from pathlib import Path
from typing import Any

from subcurrent.case.library import find_case
from subcurrent.case.reading import Case, load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import load_machine
from subcurrent.report.plots import style

from .runs import table

OPERATIONS = 373  # a cell of the paper of the dendrite
ALONE = 0.125  # TFLOPS of its GPU, from 960^3 on 16
ORDERS = ["blocking", "ordered", "boundary_first"]
GPUS = {512: (1, 2, 4, 8, 16, 24, 32, 40), 960: (4, 8, 16, 24, 32, 40), 1920: (30, 32, 40, 48, 64)}


def dendrite(n: int, split: str) -> Case:
    sets = [f"grid.cells=[{n},{n},{n}]", f"engine.split={split}", "engine.strategy=blocking"]
    return load_case(find_case("nickel_small"), sets)


@functools.cache
def simulated_on_gpus(n: int, gpus: int) -> dict[str, float]:
    """The same step, cut along z, with all ranks simulated (SimGrid): seconds by strategy. A face is one
    message: by pieces 24 GPUs take three minutes instead of three seconds, and the step differs by 0.2 %."""
    machine = load_machine("tsubame_1_2")
    case = dendrite(n, f"[1,1,{gpus}]")
    return simulate.simulated(case, machine, gpus, ["blocking", "boundary_first"], steps=2, by_pieces=False)


@functools.cache
def on_gpus(
    n: int, gpus: int, *, cubes: bool = False, change: Callable[[Any], Any] = lambda m: m
) -> dict[str, Any]:
    """A step of n^3 cells in single precision, cut along z or into blocks, on the machine of the dendrite's
    paper: seconds by strategy, and of the messages and the core where nothing overlaps."""
    machine = change(load_machine("tsubame_1_2"))
    row = predict.predicted(dendrite(n, "auto" if cubes else f"[1,1,{gpus}]"), machine, gpus, ORDERS)
    (apart,) = row["strategies"]["ordered"]["stages"]
    times = {name: row["strategies"][name]["T"] for name in ORDERS}
    return times | {"M": apart["start"] + apart["wait"], "core": apart["core"]}


def tflops(n: int, seconds: float) -> float:
    return 1e-12 * OPERATIONS * n**3 / seconds


def knee(n: int, **how: Any) -> int:
    """The first number of GPUs whose messages take longer than the core that they are to hide under."""

    def beyond(gpus: int) -> bool:
        step = on_gpus(n, gpus, **how)
        return step["M"] > step["core"]

    low, high = 1, 2
    while not beyond(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if beyond(middle) else (middle, high)
    return high


def misfit(here: float, printed: float) -> str:
    return f"{100 * (here / printed - 1):+.0f} %"


def dendrite_paper(_: Path) -> list[str]:
    knees = {n: knee(n) for n in GPUS}
    most = max(tflops(960, on_gpus(960, gpus)["boundary_first"]) for gpus in GPUS[960])
    last = tflops(1920, on_gpus(1920, 40)["boundary_first"])
    rows = [
        (
            "512³: ideal with overlap up to, not any more with",
            "8, 16 GPUs",
            f"{knees[512] - 1}, {knees[512]}",
            "",
        ),
        ("960³: messages outgrow computation between", "16 and 24", f"at {knees[960]}", ""),
        ("1920³: ideal up to", "32 (40 is its last)", str(knees[1920] - 1), ""),
        ("1920³ on 40 GPUs, TFLOPS", "5", f"{last:.2f}", misfit(last, 5)),
        ("960³, the most, TFLOPS", "2, on 16", f"{most:.2f}", misfit(most, 2)),
    ]
    return table(("", "paper", "predicted", "misfit"), rows)


# Figures 5 and 6: the last number of GPUs with ideal speed, one beyond it, and TFLOPS where they are printed.
KNEES = {512: {8: "ideal", 16: "less"}, 960: {16: "ideal, 2", 24: "less"}}
KNEES |= {1920: {32: "ideal", 40: "5", 48: "-"}}


def dendrite_simulated(_: Path) -> list[str]:
    rows = []
    for n, counts in KNEES.items():
        for gpus, printed in counts.items():
            each = [told(n, gpus)["boundary_first"] for told in (on_gpus, simulated_on_gpus)]
            rates = [tflops(n, seconds) for seconds in each]
            shares = (f"{rate:.2f}, {100 * rate / (gpus * ALONE):.0f} %" for rate in rates)
            known = 5.0 if printed == "5" else gpus * ALONE if printed.startswith("ideal") else None
            misfits = ("" if known is None else misfit(rate, known) for rate in rates)
            rows.append((f"{n}³ on {gpus} GPUs", printed, *chain(*zip(shares, misfits, strict=True))))
    return table(("", "printed", "predicted", "misfit", "simulated", "misfit"), rows)


def dendrite_picture(scratch: Path) -> Path:
    """Like the paper's figure 5."""
    path = scratch / "figure.png"
    note = "lines: predicted from one row (960³, 16 GPUs); crosses: the figures that the paper prints"
    with style.figure(path, 7.5, 4.8, "The dendrite on the paper's 40 GPUs", note) as drawing:
        axes = drawing.subplots()
        for (n, gpus), colour in zip(GPUS.items(), (style.GREEN, style.ORANGE, style.BLUE), strict=True):
            steps = [on_gpus(n, count) for count in gpus]
            for strategy, line in (("boundary_first", "o-"), ("blocking", "o:")):
                rates = [tflops(n, step[strategy]) for step in steps]
                axes.plot(gpus, rates, line, color=colour, markersize=4, label=f"{n}³, {strategy}")
        axes.plot((16, 40), (2, 5), "x", color=style.INK, markersize=9)
        axes.set_xlabel("GPUs")
        axes.set_ylabel("TFLOPS")
        axes.set_ylim(bottom=0)
        axes.legend()
    return path
