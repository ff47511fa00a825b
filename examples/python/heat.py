# SPDX-License-Identifier: Apache-2.0
"""The heat equation dT/dt = a laplace(T) in a periodic box: a wave of temperature decays, its heat stays.

python heat.py [CELLS [STEPS]]
mpirun -n 4 python heat.py
"""

import sys

import numpy as np

import subcurrent as sc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 128
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 200


# Physics: in units of a cell and a step, a laplace(T) by the six neighbours.
@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float):
    next[0, 0, 0] = T[0, 0, 0] + a * (
        T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0]
    )


@sc.kernel(reduce="sum")
def heat(T: sc.In):
    return T[0, 0, 0]


# Fields: now and next.
grid = sc.Grid((cells, cells, cells), periodic=True)
T = grid.field("temperature", levels=2, units="K")
k = 2 * np.pi / cells
T.set(lambda x, y, z: 300 + np.cos(k * x) * np.cos(2 * k * y) + 0 * z)
loop = sc.Loop(grid)
before = loop.run(heat(T.now))

# Time loop.
a = 0.1
for _ in loop.steps(steps, progress=True):
    loop.run(diffuse(T.next, T.now, a=a))
    T.advance()

# Check: a step multiplies the wave by 1 - 2 a ((1 - cos k) + (1 - cos 2k)), and heat is conserved.
decay = (1 - 2 * a * (2 - np.cos(k) - np.cos(2 * k))) ** steps
x, y, z = grid.positions
error = abs(T.own - (300 + decay * np.cos(k * x) * np.cos(2 * k * y) + 0 * z)).max()
after = loop.run(heat(T.now))
assert error < 1e-9, error
assert abs(after - before) < 1e-10 * before, (before, after)
T.plot("heat.png", title=f"Temperature after {steps} steps")
if grid.rank == 0:
    print(
        f"{grid}: amplitude {decay:.4f}, error {error:.1e} K, heat changed by {(after - before) / before:.1e}"
    )
