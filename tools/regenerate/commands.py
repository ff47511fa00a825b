# SPDX-License-Identifier: Apache-2.0
"""Tables that a program of the repository prints, or that follow from what it prints or declares."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from math import prod
from pathlib import Path

from . import RELEASE, ROOT, printed, python
from .runs import summary, table


def script(name: str, *arguments) -> str:
    return python(ROOT / "bench" / name, *arguments)


def tables_in(text: str) -> list[list[str]]:
    """The markdown tables that a program printed, in order."""
    found: list[list[str]] = []
    for before, line in zip(["", *text.splitlines()], text.splitlines(), strict=False):
        if line.startswith("|"):
            if not before.startswith("|"):
                found.append([])
            found[-1].append(line)
    if not found:
        raise RuntimeError("nothing printed is a table")
    return found


def benchmarks(scratch: Path) -> Path:
    """The whole document, with the day and the machine."""
    file = scratch / "benchmarks.md"
    script("run.py", "--table", file, "--minutes", 30, "--json", scratch / "bench.json")
    return file


def table_of(name: str, words: str = "", called: str = "") -> Callable[[Path], list[str]]:
    """The first table that a script prints with these words, under its name or another; a script without a
    folder is one of bench/."""
    path = ROOT / (name if "/" in name else f"bench/{name}")

    def first(_: Path) -> list[str]:
        return tables_in(python(path, *shlex.split(words)))[0]

    first.__name__ = called or Path(name).stem
    return first


def turbulence_peer(_: Path) -> list[str]:
    """The ratios of `result:` lines, a row for each number of points and ranks."""
    text = script("turbulence_peer.py") + script(
        "turbulence_peer.py", "--points", 256, "--rounds", 3, "--steps", 1
    )
    lines = re.findall(
        r"^result: step against fluidsim, (\d+)\^3, (\d+) ranks, (\w+): ([\d.]+) ", text, re.MULTILINE
    )
    found = {(points, ranks, library): float(ratio) for points, ranks, library, ratio in lines}
    keys = dict.fromkeys((points, ranks) for points, ranks, _ in found)
    rows = [(f"{p}³", r, f"{found[p, r, 'pocketfft']:.2f}", f"{found[p, r, 'fftw']:.2f}") for p, r in keys]
    return table(("points", "ranks", "pocketfft", "FFTW behind our lines"), rows)


def npb_peer(_: Path) -> list[str]:
    text = script("npb_peer.py", "--classes", "A,B")
    lines = re.findall(r"^result: Mop/s over NPB-CPP, class (\w), (.+): ([\d.]+) ", text, re.MULTILINE)
    ways = ("1 rank of 1 thread", "2 ranks of 1 thread", "1 rank of 2 threads")
    found = {(name, way): ratio for name, way, ratio in lines}
    rows = [(name, *(found[name, way] for way in ways)) for name in ("A", "B")]
    return table(("class", "1 rank", "2 ranks", "2 threads"), rows)


def attack(_: Path) -> list[str]:
    return tables_in(python("-m", "tests.attack", "--table"))[0]


def cg_volume(scratch: Path) -> list[str]:
    """kB of a product of class A by partition, counted on sending."""
    rows = []
    for ranks in range(2, 9):
        counted = []
        for partition in ("row", "column", "grid"):
            out = scratch / f"{partition}{ranks}"
            line = ["-m", "subcurrent", "cg", "--class", "A", "--partition", partition, "-n", ranks]
            python(*line, "--strategy", "blocking", "--out", out)
            counted.append(bytes_of_product(out))
        rows.append((str(ranks), *(f"{1e-3 * count:.0f}" for count in counted)))
    return table(("ranks", "row", "column", "grid"), rows)


def cg_class_c(scratch: Path) -> list[str]:
    """Zeta of class C on 4 ranks; a run that is finished in its folder is taken."""
    out = scratch / "C"
    if not (out / "summary.json").is_file():
        line = ["-m", "subcurrent", "cg", "--class", "C", "--partition", "grid", "-n", 4]
        python(*line, "--out", out)
    told = summary(out)
    nonzeros = f"{told['partition']['nonzeros']:,}".replace(",", " ")
    zetas = (f"{zeta:.12f}" for zeta in (told["zeta"], told["class"]["zeta"]))
    heading = ("class", "ranks", "non-zeros", "ζ", "ζ_ref", "verified")
    return table(heading, [("C", str(told["ranks"]), nonzeros, *zetas, "yes" if told["verified"] else "no")])


def ksp(_: Path) -> list[str]:
    """Ratios of ksp_bench on one rank and on two."""
    found: dict[str, list[str]] = {}
    for ranks in ("1", "2"):
        line = ["mpirun", "-n", ranks, "--oversubscribe", "--bind-to", "none", RELEASE / "bench/ksp_bench"]
        for name, ratio in re.findall(r"KSPCG's, Laplacian (.+), \d ranks?: (\S+) \(", printed(line)):
            found.setdefault(name, []).append(f"{float(ratio):.2f}")
    rows = [(*name.replace("^3", "³").replace("^2", "²").split(", "), *both) for name, both in found.items()]
    return table(("Laplacian", "preconditioner", "1 rank", "2 ranks"), rows)


def bytes_of_product(folder: Path) -> float:
    told = summary(folder)
    return told["bytes_sent"] / (told["class"]["iterations"] * 26)


ORDERS = {  # as the serial reference prints them, and as the document calls them
    "Poisson (Neumann)": "Poisson solve, Neumann",
    "gradient": "∇p",
    "Laplacian of the velocity": "∇² of the velocity",
    "wall pressure": "wall pressure (max norm)",
    "convection utopia, 4th metrics": "convection, UTOPIA, fourth-order metrics",
    "convection kawamura, 4th metrics": "convection, Kawamura–Kuwahara, fourth-order metrics",
    "convection utopia, 2nd metrics": "convection, UTOPIA, second-order metrics",
}


def cavity_orders(scratch: Path) -> list[str]:
    text = printed([oracle(scratch), "orders"])
    rows = []
    for line in text.splitlines():
        found = re.match(r"(.+?) +(\S+) +(\S+) +(\S+) +order (\S+) (\S+) +max +\S+ order (\S+)", line)
        if found:
            name, coarse, middle, fine, one, two, most = found.groups()
            errors = (error.replace("e-0", "e-") for error in (coarse, middle, fine))
            rows.append((ORDERS[name], *errors, f"{one}, {two}", most))
    return table(("check", "17 points", "33", "65", "order", "order in max norm"), rows)


def oracle(scratch: Path) -> Path:
    """The serial reference of the cavity, compiled as its first lines say."""
    program = scratch / "validate_cavity"
    source = ROOT / "tests" / "oracle" / "validate_cavity.cpp"
    printed(["g++", "-std=c++20", "-O3", "-march=native", "-I.", source, "-o", program])
    return program


# Points, spacing at the walls (0: uniform), skew, Reynolds number, the end where it is not steady before.
CUBES = (
    ("26", "uniform", 0, 0, 100, 99),
    ("26", "tanh 0.012", 0.012, 0, 100, 99),
    ("26", "uniform, skew 0.1", 0, 0.1, 100, 99),
    ("34", "uniform", 0, 0, 100, 99),
    ("34", "tanh 0.012, Re 400, t = 24", 0.012, 0, 400, 24),
    ("66", "uniform", 0, 0, 100, 99),
    ("66", "tanh 0.012", 0.012, 0, 100, 99),
)


def cavity_cube(scratch: Path, cubes: tuple = CUBES) -> list[str]:
    """The serial reference against the published profiles."""
    program, rows = oracle(scratch), []
    for points, grid, smallest, skew, reynolds, end in cubes:
        reference = ROOT / "cases" / f"cavity_re{reynolds}" / "reference.csv"
        text = printed([program, "cube", points, smallest, skew, reynolds, end, reference])
        last = text.splitlines()[-1]
        rms, inside, u, w = re.search(
            r" div rms (\S+) interior (\S+) error u (\S+) % w (\S+) %", last
        ).groups()
        w = f"{float(w):.2f} %" if reynolds == 100 else "–"  # the other reference has no w
        inside = inside.replace("e-0", "e-")
        rows.append((points, grid, f"{float(u):.2f} %", w, f"{float(rms):.2f}", inside))
    heading = ("points", "grid", "u", "w", "rms ∇·V", "largest ∇·V farther than 0.1 from walls")
    return table(heading, rows)


def dendrite_fronts(_: Path) -> list[str]:
    """What mpi_dendrite_physics_test prints of plane fronts."""
    test = RELEASE / "tests" / "mpi" / "mpi_dendrite_physics_test"
    text = printed([test, "--gtest_filter=*Front*"])
    rows = []
    slow = re.findall(
        r"^(\d+) K, (\d+) cells to the width: (\S+) m/s, travelling wave (\S+), mu", text, re.MULTILINE
    )
    for kelvin, cells, speed, wave in slow:
        rows.append(
            (f"{kelvin} K", cells, f"{float(wave):.2f}", f"{100 * (float(speed) / float(wave) - 1):+.2f} %")
        )
    for kelvin, cells, off, wave in re.findall(
        r"^(\d+) K, (\d+) cells to the width: (\S+) % of (\S+) m/s", text, re.MULTILINE
    ):
        rows.append((f"{kelvin} K", cells, wave, f"{off} %"))
    if len(rows) != 7:
        raise RuntimeError("the test printed other fronts than those of 2, 10 and 217 K")
    return table(("undercooling", "cells to the width δ", "travelling wave, m/s", "the solver's front"), rows)


def dendrite_work(_: Path) -> list[str]:
    """From the constants that tests/unit/dendrite_kernels_test.cpp holds against a count."""
    text = (ROOT / "solvers" / "dendrite" / "stages.hpp").read_text()
    line = re.search(r"constexpr double (advance_flops = [^;]+);", text)
    if not line:
        raise RuntimeError("solvers/dendrite/stages.hpp declares no advance_flops")
    flops: dict[str, float] = {}
    for part in line[1].split(","):
        name, _, value = part.partition("=")
        terms = [re.split(r"\s*\*\s*", term.strip()) for term in value.split("+")]
        flops[name.strip()] = sum(prod(flops[f] if f in flops else float(f) for f in term) for term in terms)
    rows = [
        ("step", flops["advance_flops"], 4),
        ("with noise", flops["advance_flops"] + flops["noise_flops"], 4),
    ]
    rows += [
        ("fourth order", flops["advance_flops"] + flops["fourth_order_flops"], 4),
        ("rotated crystals", flops["rotated_flops"], 8),
        ("Karma and Rappel", flops["karma_rappel_flops"], 4),
        ("the same, rotated crystals", flops["karma_rappel_rotated_flops"], 8),
    ]
    told = [(name, f"{count:.0f}", str(4 * arrays), str(8 * arrays)) for name, count, arrays in rows]
    return table(("a cell", "floating-point operations", "bytes, single", "bytes, double"), told)


BLOCKING = "time with blocking / time with the default strategy"
OPERATIONS = "cells a second / those of the paper's kernel at half the FMA peak"


def dendrite_rates(_: Path) -> list[str]:
    """Cells a second of bench/dendrite_bench, with the shares that it holds against its goals."""
    text = printed([RELEASE / "bench" / "dendrite_bench", 160, 2, 9])
    rows = []
    for name, rate in re.findall(r"^(\S.*?) +([\d.]+) million cells/s", text, re.MULTILINE):
        if "in cache" in name:
            continue
        kinds = f"{re.escape(BLOCKING)}|{re.escape(OPERATIONS)}|share of .+"
        named = rf"^result: {re.escape(name)}, ({kinds}): (\S+) \("
        shares = {what: f"{float(share):.2f}" for what, share in re.findall(named, text, re.MULTILINE)}
        bound = next(what for what in shares if what.startswith("share of"))
        rows.append((
            name, f"{float(rate):.0f}", f"{shares[bound]} of the {bound.removeprefix('share of the ')}",
            shares[BLOCKING], shares.get(OPERATIONS, "–"),
        ))  # fmt: skip
    heading = (
        "",
        "million cells/s",
        "of the nearer bound",
        "blocking / default",
        "/ the paper's operations at half the peak",
    )
    return table(heading, rows)
