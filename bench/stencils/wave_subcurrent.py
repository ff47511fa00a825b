# SPDX-License-Identifier: Apache-2.0
"""An acoustic wave of 4th order in space where the speed varies, single precision: `start` makes it, for
stencil_peer.py."""

import numpy as np

import subcurrent as sc

W = (-5 / 2, 4 / 3, -1 / 12)


@sc.kernel
def wave(next: sc.Out, p: sc.In, before: sc.In, c: sc.In, dt: float):
    laplacian = 3 * W[0] * p[0, 0, 0]
    for k in range(1, 3):
        laplacian += W[k] * (p[k, 0, 0] + p[-k, 0, 0] + p[0, k, 0] + p[0, -k, 0] + p[0, 0, k] + p[0, 0, -k])
    next[0, 0, 0] = 2 * p[0, 0, 0] - before[0, 0, 0] + dt**2 * c[0, 0, 0] ** 2 * laplacian


def start(cells, threads=1, steps_per_pass=1):
    grid = sc.Grid((cells, cells, cells), halo=2, threads=threads)
    p = grid.field("p", levels=3, dtype=np.float32)
    c = grid.field("c", dtype=np.float32)
    p.boundary("all", sc.Fixed(0.0))
    c.set(lambda x, y, z: 1 + 0.5 * z / cells + 0 * x * y)
    for level in (0, 2):
        p.set(
            lambda x, y, z: np.exp(
                -((x - cells / 2) ** 2 + (y - cells / 3) ** 2 + (z - cells / 2) ** 2) / 20
            ),
            level,
        )
    loop = sc.Loop(grid, strategy="boundary_first", steps_per_pass=steps_per_pass)

    def steps(count):
        for _ in loop.steps(count):
            loop.run(wave(p.next, p.now, p.level(2), c, dt=0.3))
            p.advance()

    return steps, lambda: np.transpose(p.own)
