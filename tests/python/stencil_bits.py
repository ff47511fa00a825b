# SPDX-License-Identifier: Apache-2.0
"""The kernels of tests/programs/stencil_reference.cpp written in Python; started by test_stencil_bits.py.

stencil_bits.py FOLDER STEPS STRATEGY THREADS TRANSPORT writes fields and sums of each precision
"""

import math
import sys
from pathlib import Path

import numpy as np

import subcurrent as sc


@sc.kernel
def advance_u(next: sc.Out, u: sc.In, v: sc.In, at: sc.Index, a: float, every: int):
    corner = u[1, -1, 0] * u[0, 1, 1] - u[-1, 0, 1] / (2.0 + v[0][0, 0, 0] * v[0][0, 0, 0])
    star = u[1, 0, 0] + u[-1, 0, 0] + u[0, 1, 0] + u[0, -1, 0] + u[0, 0, 1] + u[0, 0, -1] - 6 * u[0, 0, 0]
    value = u[0, 0, 0] + a * star + 0.01 * corner * v[1][-1, 0, 0]
    if (at.x + 2 * at.y + 3 * at.z) % 5 == 0 and every == 5:
        value += 1e-3 * math.sin(u[0, 0, 0])
    next[0, 0, 0] = value if abs(value) < 1.5 else 0.5 * value


@sc.kernel(reduce="sum")
def advance_v(next: sc.Out, v: sc.In, u: sc.In):
    next[0][0, 0, 0] = 0.9 * v[0][0, 0, 0] + 0.05 * (u[2, 0, 0] - u[0, -2, 0] + u[0, 0, 2])
    next[1][0, 0, 0] = 0.9 * v[1][0, 0, 0] + 0.05 * (u[0, 0, -2] + u[0, 2, 0] - u[-2, 0, 0]) * v[0][0, 0, 0]
    return next[0][0, 0, 0] * next[1][0, 0, 0], math.sqrt(abs(u[0, 0, 0]))


@sc.kernel(colours=2)
def relax(w: sc.InOut):
    w[0, 0, 0] = 0.4 * w[0, 0, 0] + 0.09 * (
        w[1, 0, 0] + w[-1, 0, 0] + w[0, 1, 0] + w[0, -1, 0] + w[0, 0, 1] + w[0, 0, -1]
    )


@sc.condition
def outflow(q: sc.Out, n: sc.Layer, s: sc.In, b: float):
    q.ghost[n] = 2 * q.inside[n] - q.inside[n + 1] + b * n - 0.1 * s[1].inside[1]


def run(precision, path, steps, strategy, grid):
    dtype = np.float32 if precision == "single" else np.float64
    u = grid.field("u", levels=2, dtype=dtype)
    v = grid.field("v", levels=2, components=2, dtype=dtype)
    w = grid.field("w", dtype=dtype)
    u.set(lambda x, y, z: ((x * 7 + y * 5 + z * 3) % 11 - 5) / 8)
    v.set(lambda x, y, z: [((x * 3 + y * 11 + z * 5 + k) % 13 - 6) / 8 for k in range(2)])
    s = grid.field("s", components=2, dtype=dtype)
    s.set(lambda x, y, z: [(x + y + z + k) % 7 / 8 for k in range(2)])
    w.set(lambda x, y, z: ((x * 5 + y * 3 + z * 7) % 17 - 8) / 16)
    u.boundary("x- x+", outflow(s, b=0.01))
    u.boundary("y- y+", sc.Dirichlet(0.25))
    u.boundary("z- z+", sc.Neumann(0.1))
    v.boundary("all", sc.Mirror())
    s.boundary("all", sc.Mirror())
    w.boundary("all", sc.Fixed(0.5))
    loop = sc.Loop(grid, strategy=strategy)
    sums = []
    for step in loop.steps(steps):
        a = float(dtype(0.05) + dtype(0.001) * dtype(step))
        loop.run(advance_u(u.next, u.now, v.now, a=a, every=5))
        u.advance()
        sums.append(loop.run(advance_v(v.next, v.now, u.now)))
        v.advance()
        loop.run(relax(w.now))
    arrays = [field.gather() for field in (u, v, w)]
    if grid.rank == 0:
        path.with_suffix(".sums").write_text("".join(f"{one:.17g} {other:.17g}\n" for one, other in sums))
        path.write_bytes(b"".join(array.tobytes() for array in arrays))


def main(folder, steps, strategy, threads, transport):
    grid = sc.Grid((18, 20, 22), halo=2, spacing=0.5, threads=int(threads), transport=transport)
    for precision in ("double", "single"):
        run(precision, Path(folder) / precision, int(steps), strategy, grid)


main(*sys.argv[1:])
