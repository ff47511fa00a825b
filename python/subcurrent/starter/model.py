# SPDX-License-Identifier: Apache-2.0
"""PROJECT: heat spreads, and is carried along x."""

import numpy as np

import subcurrent as sc


# Physics: dT/dt + c dT/dx = a laplace(T), in units of a cell and a step.
@sc.kernel
def advect(next: sc.Out, T: sc.In, a: float, c: float):
    spread = T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0]
    carried = 0.5 * (T[1, 0, 0] - T[-1, 0, 0])
    next[0, 0, 0] = T[0, 0, 0] + a * spread - c * carried


@sc.kernel(reduce="sum")
def total(T: sc.In):
    return T[0, 0, 0]


def run(cells: int = 64, steps: int = 200, a: float = 0.1, c: float = 0.1) -> tuple[sc.Grid, sc.Field]:
    """The field after so many steps from one wave along x."""
    grid = sc.Grid((cells, cells, cells), periodic=True)
    T = grid.field("temperature", levels=2, units="K")
    T.set(lambda x, y, z: 300 + np.cos(2 * np.pi * x / cells) + 0 * y + 0 * z)
    loop = sc.Loop(grid)
    for _ in loop.steps(steps, progress=True):
        loop.run(advect(T.next, T.now, a=a, c=c))
        T.advance()
    mean = loop.run(total(T.now)) / cells**3
    if grid.rank == 0:
        print(f"{grid}: mean {mean:.12f} K after {steps} steps")
    return grid, T


if __name__ == "__main__":
    _, temperature = run()
    temperature.plot("temperature.png")
    temperature.snapshot("temperature.vtkhdf")
