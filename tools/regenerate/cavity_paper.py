# SPDX-License-Identifier: Apache-2.0
"""The paper on the hidden communication of a cavity flow: speed-ups and gains on its two machines by
`predict` and `predict --simulate`, each order on its own splits, each machine calibrated on one gain."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from pathlib import Path
from typing import Any

from subcurrent.case.library import find_case
from subcurrent.case.reading import Case, load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import load_machine
from subcurrent.report.plots import style

from .runs import table

Split = tuple[int, int, int]
PLAIN, HIDDEN = "blocking", "boundary_first"
SWEEPS = 10  # of a step, which takes nearly all its time (table 3)


@dataclass(frozen=True, eq=False)
class Series:
    """Runs on one machine and grid. Tables 4 and 5: by ranks the splits of the runs without overlap (normal)
    and with it. Figure 8 and section 6.5: from how many ranks on messages take longer than the core, the most
    that hiding gained in %, and what is said of speed-ups, whose figures 11 and 12 are lost in the scan."""

    machine: str
    kind: str
    normal: dict[int, Split]
    overlap: dict[int, Split]
    beyond: str
    gained: float | None
    said: str
    calibrated: bool = False  # the machine file, on this gain

    @property
    def name(self) -> str:
        return f"{load_machine(self.machine).name}, type {self.kind.upper()}"


SERIES = (
    Series(
        "rs6000_sp",
        "a",
        {2: (1, 1, 2), 4: (1, 2, 2), 8: (1, 4, 2), 16: (1, 4, 4), 32: (1, 4, 8)},
        {2: (1, 1, 2), 4: (1, 2, 2), 8: (1, 2, 4), 16: (1, 2, 8), 32: (1, 4, 8)},
        "16",
        None,
        "saturate, both orders alike",
    ),
    Series(
        "rs6000_sp",
        "b",
        {2: (1, 2, 1), 4: (1, 2, 2), 8: (1, 4, 2), 16: (2, 4, 2), 32: (2, 4, 4)},
        {2: (1, 2, 1), 4: (1, 4, 1), 8: (1, 4, 2), 16: (1, 8, 2), 32: (1, 8, 4)},
        "none",
        14,
        "straight from 8 ranks on",
        calibrated=True,
    ),
    Series(
        "pentium_cluster",
        "a",
        {2: (1, 1, 2), 4: (1, 1, 4), 8: (1, 1, 8)},
        {2: (1, 1, 2), 4: (1, 2, 2), 8: (1, 2, 4)},
        "4",
        31,
        "saturate, less with overlap",
        calibrated=True,
    ),
    Series(
        "pentium_cluster",
        "b",
        {2: (1, 2, 1), 4: (1, 2, 2), 8: (2, 2, 2)},
        {2: (1, 2, 1), 4: (1, 2, 2), 8: (2, 2, 2)},
        "none",
        12,
        "straight; with overlap above 5.8 on 8",
    ),
)


def case(series: Series, split: Split) -> Case:
    sets = ["pressure.method=jacobi", f"pressure.iterations={SWEEPS}", f"engine.split={list(split)}"]
    return load_case(find_case(f"cavity_paper_{series.kind}"), [*sets, f"engine.strategy={PLAIN}"])


def predicted(series: Series, split: Split, strategies: list[str]) -> dict[str, Any]:
    machine = load_machine(series.machine)
    return predict.predicted(case(series, split), machine, prod(split), strategies)["strategies"]


@functools.cache
def speed_ups(series: Series, by: Callable[[Series, Split, str], float]) -> dict[int, tuple[float, float]]:
    """By ranks the speed-ups without overlap and with it, each on its own split; one rank is predicted."""
    alone = foretold(series, (1, 1, 1), PLAIN)
    return {
        ranks: (alone / by(series, series.normal[ranks], PLAIN), alone / by(series, split, HIDDEN))
        for ranks, split in series.overlap.items()
    }


def foretold(series: Series, split: Split, name: str) -> float:
    """Seconds of a step."""
    return predicted(series, split, [name])[name]["T"]


def played(series: Series, split: Split, name: str) -> float:
    """The same by simulation."""
    there = load_machine(series.machine)
    return simulate.simulated(case(series, split), there, prod(split), [name], steps=1)[name]


def gain(speeds: dict[int, tuple[float, float]]) -> float:
    """The most that hiding gains, in %."""
    return 100 * max(hidden / plain - 1 for plain, hidden in speeds.values())


def beyond(series: Series) -> str:
    """The first number of ranks whose messages take longer than the core, in the order of runs with overlap
    but without it."""
    for ranks, split in series.overlap.items():
        stages = predicted(series, split, [PLAIN, "ordered"])["ordered"]["stages"]
        if sum(stage["start"] + stage["wait"] - stage["core"] for stage in stages) > 0:
            return str(ranks)
    return "none"


def told(series: Series, speeds: dict[int, tuple[float, float]]) -> str:
    """A gain, and how many percentage points it is from the printed one."""
    here, printed = gain(speeds), series.gained
    misfit = "" if printed is None else " (calibrated)" if series.calibrated else f" ({here - printed:+.0f})"
    return f"{here:.0f} %{misfit}"


def cavity_paper(_: Path) -> list[str]:
    rows = []
    for series in SERIES:
        printed = "very little" if series.gained is None else f"{series.gained} %"
        gains = [told(series, speed_ups(series, by)) for by in (foretold, played)]
        rows.append((series.name, series.beyond, beyond(series), printed, *gains))
    head = (
        "",
        "ranks from which messages take longer than the core",
        "predicted",
        "hiding gains at most",
        "predicted",
        "simulated",
    )
    return table(head, rows)


def curve(speeds: dict[int, tuple[float, float]], order: int) -> list[float]:
    """Speed-ups from one rank on."""
    return [1.0, *(speed[order] for speed in speeds.values())]


def cavity_speeds(_: Path) -> list[str]:
    rows = []
    for series in SERIES:
        for order, name in enumerate(("normal", "overlap")):
            lists = [
                ", ".join(f"{speed:.3g}" for speed in curve(speed_ups(series, by), order))
                for by in (foretold, played)
            ]
            ranks = ", ".join(map(str, (1, *series.normal)))
            rows.append((f"{series.name}, {name}", ranks, series.said if order == 0 else "", *lists))
    return table(("", "ranks", "printed", "predicted", "simulated"), rows)


def cavity_picture(scratch: Path) -> Path:
    path = scratch / "figure.png"
    note = "lines: predicted; dots: simulated; dashes: ideal. The paper's curves are lost in the scan."
    with style.figure(path, 9.5, 6.6, "The cavity on the paper's two machines: speed-up", note) as drawing:
        for series, axes in zip(SERIES, drawing.subplots(2, 2).flat, strict=True):
            ranks = [1, *series.normal]
            axes.plot(ranks, ranks, **style.REFERENCE)
            for order, (name, colour) in enumerate((("normal", style.ORANGE), ("overlap", style.BLUE))):
                line, dots = (curve(speed_ups(series, by), order) for by in (foretold, played))
                axes.plot(ranks, line, "-", color=colour, label=name)
                axes.plot(ranks, dots, "o", color=colour, markersize=5)
            axes.set_title(series.name, fontsize=10)
            axes.set(xlabel="ranks", ylabel="times one rank")
            axes.legend()
    return path
