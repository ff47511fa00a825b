#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation written in Python beside the same in C++ (heat_bench): seconds a step, in turns.

    bench/stencil_peer.py [--cells N] [--steps N] [--turns N] [--rounds N] [--trial]

Each side is a process of its own, one rank with one thread; in every round both have their turns, and the
medians of the rounds are compared. Also: seconds until the first step is done, with and without the compiled
kernel in the cache.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from script import left_out, parse, parser

BENCH = Path(__file__).resolve().parent
PROGRAM = Path(os.environ.get("SUBCURRENT_BUILD", BENCH.parent / "build/release")) / "bench/heat_bench"


def python_side(cells: int, steps: int, turns: int) -> None:
    """Prints seconds until the first step was done, then the median of seconds a step."""
    import subcurrent as sc  # noqa: PLC0415 - only the process that is measured is a rank of MPI

    @sc.kernel
    def diffuse(next: sc.Out, T: sc.In, a: float):
        next[0, 0, 0] = T[0, 0, 0] + a * (
            T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0]
        )

    grid = sc.Grid((cells, cells, cells), periodic=True)
    T = grid.field("temperature", levels=2)
    T.set(lambda x, y, z: (x + 2 * y + 3 * z) % 17)
    loop = sc.Loop(grid)
    taken = []
    for turn in range(-2, turns):
        begin = time.perf_counter()
        for _ in loop.steps(steps):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()
        seconds = time.perf_counter() - begin
        if turn == -2:
            print(f"{seconds:.3f}")
        elif turn >= 0:
            taken.append(seconds / steps)
    print(f"{statistics.median(taken):.9f}")


def in_cpp(options) -> float:
    line = [PROGRAM, options.cells, options.steps, options.turns]
    return float(said(line).splitlines()[-1].split()[0])


def in_python(options, cache: str) -> tuple[float, float]:
    """Seconds of the first turn and of a step."""
    line = [sys.executable, __file__, "--side", "--cells", options.cells, "--steps", options.steps]
    text = said([*line, "--turns", options.turns], SUBCURRENT_CACHE=cache)
    first, step = map(float, text.split())
    return first, step


def said(line: list, **environment: str) -> str:
    done = subprocess.run(
        [str(word) for word in line],
        check=True,
        capture_output=True,
        text=True,
        env={**os.environ, "OMP_NUM_THREADS": "1", **environment},
    )
    return done.stdout


def main() -> int:
    made = parser(__doc__)
    made.add_argument("--cells", type=int, default=192)
    made.add_argument("--steps", type=int, default=10)
    made.add_argument("--turns", type=int, default=15)
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--side", action="store_true", help="the Python side alone")
    options = parse(made, {"cells": 8, "steps": 1, "turns": 1, "rounds": 1})
    if options.side:
        python_side(options.cells, options.steps, options.turns)
        return 0
    if not PROGRAM.exists():
        return left_out("the heat equation in C++", f"{PROGRAM} is not built")
    cpp, python, first = [], [], []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(options.rounds):
            cpp.append(in_cpp(options))
            begun, step = in_python(options, cache)
            python.append(step)
            first.append(begun)
    a, b = statistics.median(cpp), statistics.median(python)
    print(
        f"| {options.cells}³ | C++ {1e3 * a:.3f} ms | Python {1e3 * b:.3f} ms | {a / b:.3f} (goal >= 0.98) |"
    )
    later = min(first[1:] or first)
    print(f"first turn of {options.steps} steps: {first[0]:.2f} s with compiling, {later:.2f} s without")
    return 0


if __name__ == "__main__":
    sys.exit(main())
