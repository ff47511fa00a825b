# SPDX-License-Identifier: Apache-2.0
"""The same heat equation with Devito: `start` makes it, for stencil_peer.py."""

import numpy as np
from devito import Constant, Eq, Grid, Operator, TimeFunction


def start(cells, **_):
    grid = Grid(shape=(cells, cells, cells), extent=(cells - 1.0,) * 3, dtype=np.float64)
    T = TimeFunction(name="T", grid=grid, space_order=2)
    a = Constant(name="a", dtype=np.float64, value=0.1)
    x, y, z = np.ogrid[:cells, :cells, :cells]
    T.data[0] = np.exp(-((x - cells / 2) ** 2 + (y - cells / 3) ** 2 + (z - cells / 2) ** 2) / cells)
    operator = Operator(Eq(T.forward, T + a * T.laplace))
    taken, tuned = [0], {}

    def steps(count):
        how = tuned or {"autotune": "aggressive"}
        operator.apply(time_m=taken[0], time_M=taken[0] + count - 1, **how)
        taken[0] += count
        tuned.update(operator._state["autotuning"][-1]["tuned"])  # an apply() without them would tune again

    return steps, lambda: np.asarray(T.data[taken[0] % 2])
