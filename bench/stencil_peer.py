#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation written in Python beside the same in C++ (heat_bench): seconds a step, in turns.

    bench/stencil_peer.py [--cells N] [--steps N] [--turns N] [--rounds N] [--trial]
                          [--devito PYTHON [--threads N] [--steps-per-pass N]]

Each side is a process of its own, one rank with one thread; in every round both have their turns, and the
medians of the rounds are compared. Also: seconds until the first step is done, with and without the compiled
kernel in the cache. With `--devito`, an interpreter that has Devito, the programs of bench/stencils beside
one another: heat and an acoustic wave, lines of the program, seconds until the first turn is done, seconds a
step, and how far the two results are apart. Devito tunes its blocks in the first turn; with more than one
thread it uses OpenMP. The programs of Subcurrent are also run with several steps a pass.
"""

import ast
import os
import runpy
import statistics
import sys
import tempfile
import time
from pathlib import Path

from script import left_out, parse, parser, printed

BENCH = Path(__file__).resolve().parent
PROGRAM = Path(os.environ.get("SUBCURRENT_BUILD", BENCH.parent / "build/release")) / "bench/heat_bench"


def python_side(cells: int, steps: int, turns: int) -> None:
    """Prints seconds until a kernel is made, until the first turn is done, and the median of those a step."""
    begun = time.perf_counter()
    import subcurrent as sc  # noqa: PLC0415 - only the process that is measured is a rank of MPI

    grid = sc.Grid((cells, cells, cells), periodic=True)
    T = grid.field("temperature", levels=2)
    T.set(lambda x, y, z: (x + 2 * y + 3 * z) % 17)
    loop = sc.Loop(grid, strategy="boundary_first")  # as heat_bench
    ready = time.perf_counter()

    diffuse = runpy.run_path(str(BENCH / "stencils" / "heat_subcurrent.py"))["diffuse"]
    call = diffuse(T.next, T.now, a=0.1)
    diffuse.library(call.precision())
    made = time.perf_counter() - ready
    taken = []
    for turn in range(-2, turns):
        begin = time.perf_counter()
        for _ in loop.steps(steps):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()
        now = time.perf_counter()
        if turn == -2:
            print(f"{made:.3f} {now - begun:.3f}")
        elif turn >= 0:
            taken.append((now - begin) / steps)
    print(f"{statistics.median(taken):.9f}")


def program_side(path: str, options, keep: str) -> None:
    """Prints seconds until the first turn is done, then the median of seconds a step; keeps the result."""
    import numpy as np  # noqa: PLC0415

    begun = time.perf_counter()
    how = {"threads": options.threads, "steps_per_pass": options.steps_per_pass}
    advance, result = runpy.run_path(path)["start"](options.cells, **how)
    taken, steps = [], options.steps
    for turn in range(options.turns + 1):
        begin = time.perf_counter()
        advance(steps)
        now = time.perf_counter()
        if turn == 0:
            print(f"{now - begun:.3f}")
            np.save(keep, result())
        else:
            taken.append((now - begin) / steps)
    print(f"{statistics.median(taken):.9f}")


def lines_of(path: Path) -> int:
    """Lines with code on them: no comments, no documentation, nothing that is empty."""
    text = path.read_text()
    documented = ast.parse(text).body[0]
    own = range(documented.lineno - 1, documented.end_lineno)
    return sum(
        bool(line.strip()) and not line.strip().startswith("#") and n not in own
        for n, line in enumerate(text.splitlines())
    )


def in_cpp(options) -> float:
    line = [PROGRAM, options.cells, options.steps, options.turns]
    return float(printed(line, seconds=None, OMP_NUM_THREADS="1").splitlines()[-1].split()[0])


def in_python(options, cache: str) -> tuple[float, float, float]:
    """Seconds until the kernel is made, until the first turn is done, and of a step."""
    line = [sys.executable, __file__, "--side", "--cells", options.cells, "--steps", options.steps]
    line += ["--turns", options.turns]
    told = printed(line, seconds=None, OMP_NUM_THREADS="1", SUBCURRENT_CACHE=cache)
    made, first, step = map(float, told.split())
    return made, first, step


def in_program(python: str, name: str, options, folder: str, steps_per_pass: int = 1) -> tuple[float, float]:
    line = [
        python,
        __file__,
        "--program",
        BENCH / "stencils" / f"{name}.py",
        "--keep",
        f"{folder}/{name}.npy",
    ]
    line += ["--cells", options.cells, "--steps", options.steps, "--turns", options.turns]
    line += ["--threads", options.threads, "--steps-per-pass", steps_per_pass]
    # Of Devito C by the compiler at hand, nothing said beside the figures.
    peer = {
        "DEVITO_LANGUAGE": "openmp" if options.threads > 1 else "C",
        "DEVITO_LOGGING": "ERROR",
        "DEVITO_ARCH": "gcc",
        "TMPDIR": folder,
    }
    kept = {"SUBCURRENT_CACHE": f"{folder}/kernels", "OMP_NUM_THREADS": str(options.threads)}
    first, step = map(float, printed(line, seconds=None, **kept, **peer).split())
    return first, step


def beside_cpp(options) -> None:
    cpp, python, made, first = [], [], [], []
    with tempfile.TemporaryDirectory() as cache:
        for _ in range(options.rounds):
            cpp.append(in_cpp(options))
            compiled, begun, step = in_python(options, cache)
            python.append(step)
            made.append(compiled)
            first.append(begun)
    a, b = statistics.median(cpp), statistics.median(python)
    print(
        f"| {options.cells}³ | C++ {1e3 * a:.3f} ms | Python {1e3 * b:.3f} ms | {a / b:.3f} (goal >= 0.98) |"
    )
    later = min(made[1:] or made)
    print(f"the kernel is there after {made[0]:.2f} s (goal <= 5), later after {later:.3f} s (goal <= 0.2)")
    print(f"first turn of {options.steps} steps, imports and all: {first[0]:.2f} s, later {min(first):.2f} s")


def beside_devito(options) -> None:
    import numpy as np  # noqa: PLC0415

    several = options.steps_per_pass
    print("| | lines | first turn | a step | apart |\n|---|---:|---:|---:|---:|")
    with tempfile.TemporaryDirectory() as folder:
        for what in ("heat", "wave"):
            ours, theirs = f"{what}_subcurrent", f"{what}_devito"
            sides = {ours: (sys.executable, ours, 1), theirs: (options.devito, theirs, 1)}
            if several > 1:
                sides[f"{ours}, {several} steps a pass"] = (sys.executable, ours, several)
            found = {side: [] for side in sides}
            apart = {}
            for _ in range(options.rounds):
                for side, (python, name, passes) in sides.items():
                    found[side].append(in_program(python, name, options, folder, passes))
                    apart[side] = np.load(f"{folder}/{name}.npy").astype(float)
            for side, turns in found.items():
                first, step = turns[0][0], statistics.median(step for _, step in turns)
                lines = lines_of(BENCH / "stencils" / f"{sides[side][1]}.py")
                off = np.abs(apart[side] - apart[theirs]).max() / np.abs(apart[theirs]).max()
                print(f"| `{side}` | {lines} | {first:.1f} s | {1e3 * step:.2f} ms | {off:.0e} |")


def main() -> int:
    made = parser(__doc__)
    made.add_argument("--cells", type=int, default=192)
    made.add_argument("--steps", type=int, default=10)
    made.add_argument("--turns", type=int, default=15)
    made.add_argument("--rounds", type=int, default=5)
    made.add_argument("--devito", metavar="PYTHON", help="an interpreter that has Devito")
    made.add_argument("--threads", type=int, default=1, help="of each program beside Devito")
    made.add_argument("--steps-per-pass", type=int, default=1, help="run our programs also with so many")
    made.add_argument("--side", action="store_true", help="the Python side alone")
    made.add_argument("--program", metavar="FILE", help="one program of bench/stencils alone")
    made.add_argument("--keep", metavar="FILE", help="where that leaves its result")
    options = parse(made, {"cells": 8, "steps": 1, "turns": 1, "rounds": 1})
    if options.side:
        python_side(options.cells, options.steps, options.turns)
    elif options.program:
        program_side(options.program, options, options.keep)
    elif not PROGRAM.exists():
        return left_out("the heat equation in C++", f"{PROGRAM} is not built")
    else:
        beside_cpp(options)
        if options.devito:
            beside_devito(options)
    return 0


if __name__ == "__main__":
    sys.exit(main())
