# SPDX-License-Identifier: Apache-2.0
"""Tables of the lid-driven cube: steady states against published profiles, and what the paper's runs give."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np

from subcurrent.case.reference import read_profiles

from . import python
from .runs import CASES, run, summary, table

STARTS = ("output.figures=false", "output.timeline=false", "output.every=0")  # keep the last snapshot


def cavity_lines(folder: Path, case: str) -> dict[str, float]:
    mine = read_profiles(folder / "centreline.csv")
    return mine.difference(read_profiles(CASES / case / "reference.csv"))


def cavity_coarse(scratch: Path) -> list[str]:
    """Largest differences on grids whose steady state takes seconds."""
    rows = []
    for n in (18, 26):
        folder = run(scratch / str(n), "cavity_re100", f"grid.points=[{n},{n},{n}]")
        found = cavity_lines(folder, "cavity_re100")
        time = summary(folder)["last_step"]["time"]
        rows.append((f"{n}³", f"{time:.1f}", f"{100 * found['u']:.2f} %", f"{100 * found['w']:.2f} %"))
    return table(("points", "steady at t", "u", "w"), rows)


def cavity_re400(scratch: Path) -> list[str]:
    """The case's own settings, when little changes any more."""
    folder = run(scratch / "run", "cavity_re400", "run.time=20.25")
    last = summary(folder)["last_step"]
    off = cavity_lines(folder, "cavity_re400")["u"]
    row = (
        "66³",
        f"{last['dt']:.1e}",
        f"{last['time']:.1f}",
        f"{last['max_change']:.0e}",
        f"{100 * off:.1f} %",
    )
    return table(("points", "Δt", "t", "change", "largest difference of u"), [row])


RE1000 = ("points", "t", "steps", "smallest u, at z", "smallest w, at x", "largest w, at x")


def cavity_re1000(scratch: Path) -> list[str]:
    """66³ points when little changes any more, the case's own to the steady state."""
    coarse = run(scratch / "66", "cavity_re1000", "grid.points=[66,66,66]", "run.time=35.384")
    fine = run(scratch / "82", "cavity_re1000")
    return table(RE1000, [re1000_row(coarse, 66), re1000_row(fine, 82)])


def cavity_re1000_coarse(scratch: Path) -> list[str]:
    """42³ points when little changes any more, against the published profiles."""
    folder = run(scratch / "42", "cavity_re1000", "grid.points=[42,42,42]", "run.time=35.384")
    off = cavity_lines(folder, "cavity_re1000")
    row = (
        "42³",
        f"{summary(folder)['last_step']['time']:.1f}",
        *(f"{100 * off[name]:.2f} %" for name in "uw"),
    )
    return table(("points", "t", "u", "w"), [row])


def re1000_row(folder: Path, n: int) -> tuple[str, ...]:
    last, lines = summary(folder)["last_step"], read_profiles(folder / "centreline.csv").lines

    def extreme(name: str, of) -> str:
        place, value = lines[name]
        return f"{value[of(value)]:.4f}, {place[of(value)]:.3f}"

    places = (extreme("u", np.argmin), extreme("w", np.argmin), extreme("w", np.argmax))
    return (f"{n}³", f"{last['time']:.1f}", str(last["step"]), *places)


# points, smallest spacing, end: each starts from the one before, the last is stopped when little changes
RE1000_GRIDS = ((42, 0.016, "run.until=steady"), (82, 0.008, "run.time=21"))
PUBLISHED = ("96³, published", "", "", "", "-0.28038", "-0.43502", "0.24665", "", "")


def cavity_re1000_starts(scratch: Path) -> list[str]:
    """Grids that start from the one before, against the published extrema."""
    rows, start = [PUBLISHED], "rest"
    for n, smallest, end in RE1000_GRIDS:
        sets = (f"grid.points=[{n},{n},{n}]", f"grid.smallest={smallest}", end, f'flow.initial="{start}"')
        folder = run(scratch / str(n), "cavity_re1000", *sets, quiet=STARTS)
        rows.append(extrema_row(folder, n, smallest))
        (start,) = (folder / "snapshots").glob("*.vtkhdf")
    head = ("points", "spacing at walls", "t", "change", "smallest u, at z", "smallest w, at x")
    return table((*head, "largest w, at x", "largest difference of u", "of w"), rows)


def extreme(place: np.ndarray, value: np.ndarray, sign: int) -> tuple[float, float]:
    """Place and value of the largest sign * value: of the parabola through the points around it."""
    k = int(np.argmax(sign * value))
    a, b, c = np.polyfit(place[k - 1 : k + 2] - place[k], value[k - 1 : k + 2], 2)
    return float(place[k] - b / (2 * a)), float(c - b * b / (4 * a))


def extrema_row(folder: Path, n: int, smallest: float) -> tuple[str, ...]:
    last, lines = summary(folder)["last_step"], read_profiles(folder / "centreline.csv").lines
    off = cavity_lines(folder, "cavity_re1000")
    cells = []
    for name, sign in (("u", -1), ("w", -1), ("w", 1)):
        place, value = extreme(*lines[name], sign)
        cells.append(f"{value:.5f}, {place:.4f}")
    return (
        *(f"{n}³", f"{smallest:g}", f"{last['time']:.1f}", f"{last['max_change']:.0e}"),
        *cells,
        *(f"{100 * off[name]:.2f} %" for name in "uw"),
    )


# points along the channel and up, end of the run; the second one starts from the first
STEPS = ((121, 33, 320), (241, 65, 100))


def backward_step(scratch: Path) -> list[str]:
    """What cases/backward_step/lengths.py prints of two grids."""
    folders, start = [], "rest"
    for along, up, time in STEPS:
        sets = (f"grid.points=[{along},4,{up}]", f"run.time={time}", f'flow.initial="{start}"')
        folders.append(run(scratch / str(up), "backward_step", *sets, quiet=STARTS))
        (start,) = (folders[-1] / "snapshots").glob("*.vtkhdf")
    return python(CASES / "backward_step" / "lengths.py", *folders).splitlines()


def channel(scratch: Path) -> list[str]:
    """What cases/channel/profile.py prints of two grids, the second one started from the first."""
    coarse = run(scratch / "25", "channel", quiet=STARTS)
    sets = ("grid.points=[193,4,49]", f'flow.initial="{coarse.resolve()}"')
    fine = run(scratch / "49", "channel", *sets, quiet=STARTS)
    return python(CASES / "channel" / "profile.py", coarse, fine).splitlines()


PAPER = (
    *("residual", "sweeps of the first step", "median of 100 steps"),
    *("pressure's share of the time, published", "here"),
)


def paper_row(folder: Path, name: str, published: str) -> tuple[str, ...]:
    with (folder / "history.csv").open() as file:
        sweeps = [int(row["iterations"]) for row in csv.DictReader(file)]
    share = f"{100 * summary(folder)['pressure_share']:.1f} %"
    return (name, f"{sweeps[0]:,}", f"{int(np.median(sweeps)):,}", published, share)


def paper_rows(scratch: Path, case: str, published: str) -> list[str]:
    """The paper's hundred steps by both readings of its residual."""
    rows = []
    for residual in ("true", "scaled"):
        folder = run(scratch / residual, case, f'pressure.residual="{residual}"')
        rows.append(paper_row(folder, residual, published))
    return table(PAPER, rows)


def cavity_paper_a(scratch: Path) -> list[str]:
    return paper_rows(scratch, "cavity_paper_a", "99.0 and 98.9 %")


def cavity_paper_b(scratch: Path) -> list[str]:
    return paper_rows(scratch, "cavity_paper_b", "99.2 and 98.8 %")
