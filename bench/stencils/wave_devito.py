# SPDX-License-Identifier: Apache-2.0
"""The same wave with Devito: `start` makes it, for stencil_peer.py."""

import numpy as np
from devito import Eq, Function, Grid, Operator, TimeFunction, solve


def start(cells, **_):
    grid = Grid(shape=(cells, cells, cells), extent=(cells - 1.0,) * 3, dtype=np.float32)
    p = TimeFunction(name="p", grid=grid, time_order=2, space_order=4)
    c = Function(name="c", grid=grid)
    x, y, z = np.ogrid[:cells, :cells, :cells]
    c.data[:] = 1 + 0.5 * z / cells + 0 * x * y
    for level in (0, 1):
        p.data[level] = np.exp(-((x - cells / 2) ** 2 + (y - cells / 3) ** 2 + (z - cells / 2) ** 2) / 20)
    operator = Operator(Eq(p.forward, solve(p.dt2 - c**2 * p.laplace, p.forward)))
    taken, tuned = [1], {}

    def steps(count):
        how = tuned or {"autotune": "aggressive"}
        operator.apply(time_m=taken[0], time_M=taken[0] + count - 1, dt=0.3, **how)
        taken[0] += count
        tuned.update(operator._state["autotuning"][-1]["tuned"])  # an apply() without them would tune again

    return steps, lambda: np.asarray(p.data[taken[0] % 3])
