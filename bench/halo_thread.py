#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Whether a halo thread pays for the magnetosphere's step: table 2 of Fukazawa et al. over sizes and links.

    bench/halo_thread.py [--cells 64 128 192] [--threads 2 3 4] [--links none 100mbit 1gbit] [--seconds 10]

Two ranks, CELLS^3 each. `none` is one host, whose ranks share memory; the other links are two hosts made
by tools/emulated-cluster (root). Each row takes about `--seconds`; the table is markdown. The last two
columns are the time of `blocking` over that of the halo thread without and with joining. The condition
comes with what it promises, (t_com - max(t_add, 0)) / blocking; below 5 % nothing can be told.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import script

from subcurrent.report.account import milliseconds
from subcurrent.solvers.magnetosphere.halo_table import CLOSE, promise

HEAD = (
    "link", "cells a rank", "threads", "halo comm.", "halo comp.", "halo thread", "computing threads",
    "t_add", "t_com", "t_add < t_com", "blocking", "no join", "join",
)  # fmt: skip


def command(link: str, program: Path, arguments: list) -> list:
    if link == "none":
        return ["mpirun", "-n", "2", "--oversubscribe", "--bind-to", "none", program, *arguments]
    return [script.ROOT / "tools" / "emulated-cluster", "with", "2", link, program, *arguments]


def row(link: str, program: Path, cells: int, threads: int, seconds: float) -> str:
    said = script.ran(
        command(link, program, [cells, threads, seconds]),
        seconds=60 + 20 * seconds,
        OMP_NUM_THREADS=str(threads),
        OMP_WAIT_POLICY="passive",
        OMPI_MCA_mpi_yield_when_idle="1",
    )
    line = next((line for line in said.splitlines() if line.startswith("row: ")), None)
    if line is None:
        raise script.NotDoneError(program, 0, said)
    values = [float(value) for value in line.split()[3:]]
    communication, shell, halo, core, t_add, t_com, blocking, apart, joined = values
    gain = promise(t_add, t_com, blocking)
    holds = f"{'holds' if gain > 0 else 'does not hold'}, {gain:+.0%}"
    happened = "as predicted" if (gain > 0) == (apart > 1) else "not as predicted"
    if abs(gain) < CLOSE:
        happened = "too close to tell"
    figures = [milliseconds(1e-3 * value) for value in (communication, shell, halo, core, t_add, t_com)]
    cells_of_row = [link, f"{cells}³", str(threads), *figures, holds, f"{blocking:.3g}"]
    return "| " + " | ".join([*cells_of_row, f"{apart:.2f} ({happened})", f"{joined:.2f}"]) + " |"


def main() -> int:
    parser = script.parser(__doc__)
    parser.add_argument("--cells", type=int, nargs="+", default=[64, 128, 192])
    parser.add_argument("--threads", type=int, nargs="+", default=[2, 3, 4])
    parser.add_argument("--links", nargs="+", default=["none", "100mbit", "1gbit"])
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--build", type=Path, default=script.ROOT / "build" / "release")
    trial = {"cells": [16], "threads": [2], "links": ["none"], "seconds": 0.2}
    arguments = script.parse(parser, trial)
    program = arguments.build / "bench" / "halo_thread_bench"
    if not program.is_file():
        sys.exit(f"halo_thread.py: {program} is not there: make bootstrap builds it")
    print("Times in ms a step, both stages together, on rank 0; load " + " ".join(map(str, os.getloadavg())))
    print("| " + " | ".join(HEAD) + " |\n|" + "---|" * len(HEAD))
    failed, left_out = False, 0
    for link in arguments.links:
        if link != "none" and os.geteuid() != 0:
            left_out = script.left_out(link, "the emulated network needs root")
            continue
        for cells in arguments.cells:
            for threads in arguments.threads:
                try:
                    print(row(link, program, cells, threads, arguments.seconds), flush=True)
                except script.NotDoneError as error:
                    failed = True
                    print(f"halo_thread.py: {link}, {cells}³, {threads} threads: {error}", file=sys.stderr)
    return 1 if failed else left_out


if __name__ == "__main__":
    sys.exit(main())
