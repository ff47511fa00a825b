#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The heat equation written in Python on a device: microseconds a step, beside a copy of as many bytes and a
plain CUDA kernel, on the same card.

    bench/stencil_device.py [--cells 512] [--steps 200] [--device cuda] [--trial]

Needs a build with CUDA, nvcc and a card. On an emulated device (`--trial`) the other side is left out.
"""

import runpy
import shutil
import sys
import tempfile
import time
from pathlib import Path

from script import left_out, parse, parser, printed

PEER = Path(__file__).resolve().parent / "heat_cuda.cu"
KERNEL = PEER.parent / "stencils" / "heat_subcurrent.py"


def microseconds(cells: int, steps: int, device: str, dtype: str) -> float:
    """A step: the difference of many and few, so that beginning and waiting do not count."""
    import subcurrent as sc  # noqa: PLC0415 - only after the options are known to be right

    diffuse = runpy.run_path(str(KERNEL))["diffuse"]

    @sc.kernel(reduce="max")
    def highest(T: sc.In):
        return T[0, 0, 0]

    grid = sc.Grid((cells, cells, cells), periodic=True, device=device)
    T = grid.field("temperature", levels=2, dtype=dtype)
    T.set(lambda x, y, z: (x + 2 * y + 3 * z) % 17)
    loop = sc.Loop(grid)

    def run(count: int) -> float:
        begin = time.perf_counter()
        for _ in loop.steps(count):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()
        loop.run(highest(T.now))  # waits for the device
        return time.perf_counter() - begin

    few = max(1, steps // 10)
    run(few)
    short = min(run(few) for _ in range(3))
    return 1e6 * (min(run(few + steps) for _ in range(3)) - short) / steps


def peer(cells: int) -> dict[tuple[str, str], float]:
    """Microseconds of both sides of heat_cuda.cu, by precision; ends the script without nvcc or a card."""
    if not shutil.which("nvcc"):
        sys.exit("nvcc is not on the PATH: it compiles the plain CUDA kernel")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "heat_cuda"
        printed(["nvcc", "-O3", "-arch=native", "-o", str(program), str(PEER)])
        lines = printed([str(program), str(cells)]).split("\n")
    return {(word[0], word[1]): float(word[2]) for word in (line.split() for line in lines if line)}


def main() -> int:
    asked = parser(__doc__)
    asked.add_argument("--cells", type=int, default=512)
    asked.add_argument("--steps", type=int, default=200)
    asked.add_argument("--device", default="cuda", choices=("cuda", "emulated"))
    arguments = parse(asked, {"cells": 16, "steps": 4, "device": "emulated"})
    n = arguments.cells
    other = peer(n) if arguments.device == "cuda" else {}
    print("| precision | a step, µs | GB/s | of a copy | a plain CUDA kernel, µs | of its speed |")
    print("|---|---:|---:|---:|---:|---:|")
    for precision, dtype, size in (("single", "float32", 4), ("double", "float64", 8)):
        took = microseconds(n, arguments.steps, arguments.device, dtype)
        copy, plain = (other.get((precision, side)) for side in ("copy", "plain"))
        shares = [f"{side / took:.2f}" if side else "–" for side in (copy, plain)]
        beside = f"{plain:.0f}" if plain else "–"
        rate = f"{2e-3 * size * n**3 / took:.0f}"
        print(f"| {precision} | {took:.0f} | {rate} | {shares[0]} | {beside} | {shares[1]} |")
    return 0 if other else left_out("the plain CUDA kernel", "it needs a card, and --device cuda")


if __name__ == "__main__":
    sys.exit(main())
