# SPDX-License-Identifier: Apache-2.0
"""The heat equation in a box whose surroundings hold 0, in double: `start` makes it, for stencil_peer.py."""

import numpy as np

import subcurrent as sc


@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float):
    next[0, 0, 0] = T[0, 0, 0] + a * (
        T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0]
    )


def start(cells, threads=1, steps_per_pass=1):
    grid = sc.Grid((cells, cells, cells), threads=threads)
    T = grid.field("temperature", levels=2)
    T.boundary("all", sc.Fixed(0.0))
    T.set(
        lambda x, y, z: np.exp(-((x - cells / 2) ** 2 + (y - cells / 3) ** 2 + (z - cells / 2) ** 2) / cells)
    )
    loop = sc.Loop(grid, strategy="boundary_first", steps_per_pass=steps_per_pass)

    def steps(count):
        for _ in loop.steps(count):
            loop.run(diffuse(T.next, T.now, a=0.1))
            T.advance()

    return steps, lambda: np.transpose(T.own)
