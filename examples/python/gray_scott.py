# SPDX-License-Identifier: Apache-2.0
"""The reaction of Gray and Scott in two dimensions: u feeds v, v eats u, and patterns of spots divide.

python gray_scott.py [CELLS [STEPS]]

J. E. Pearson, "Complex patterns in a simple system", Science 261 (1993).
"""

import sys

import numpy as np

import subcurrent as sc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 256
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 8000

FEED, KILL = 0.0367, 0.0649  # what flows in of u, what is taken out of v
DU, DV = 1.0, 0.5  # diffusion, in units of the laplacian below


# Physics: u and v are the components of one field c. Corners of the laplacian count one fifth.
@sc.kernel
def react(next: sc.Out, c: sc.In):
    u, v = c[0][0, 0], c[1][0, 0]
    uvv = u * v * v
    spread_u = (
        0.2 * (c[0][1, 0] + c[0][-1, 0] + c[0][0, 1] + c[0][0, -1])
        + 0.05 * (c[0][1, 1] + c[0][-1, 1] + c[0][1, -1] + c[0][-1, -1])
        - u
    )
    spread_v = (
        0.2 * (c[1][1, 0] + c[1][-1, 0] + c[1][0, 1] + c[1][0, -1])
        + 0.05 * (c[1][1, 1] + c[1][-1, 1] + c[1][1, -1] + c[1][-1, -1])
        - v
    )
    next[0][0, 0] = u + DU * spread_u - uvv + FEED * (1 - u)
    next[1][0, 0] = v + DV * spread_v + uvv - (FEED + KILL) * v


@sc.kernel(reduce="max")
def largest(c: sc.In):
    return c[0][0, 0], -c[0][0, 0], c[1][0, 0], -c[1][0, 0]


# Fields: u = 1 and v = 0, but for some squares.
grid = sc.Grid((cells, cells), periodic=True)
c = grid.field("concentration", levels=2, components=2)
corners = np.random.default_rng(1).integers(0, cells - 8, size=(max(4, cells // 16), 2))


def start(x, y):
    seeded = np.zeros(np.broadcast_shapes(x.shape, y.shape), dtype=bool)
    for i, j in corners:
        seeded |= (i <= x) & (x < i + 8) & (j <= y) & (y < j + 8)
    return np.where(seeded, 0.5, 1.0), np.where(seeded, 0.25, 0.0)


c.set(start)
loop = sc.Loop(grid)

# Time loop, with a picture after every quarter.
for n in loop.steps(steps, progress=True):
    loop.run(react(c.next, c.now))
    c.advance()
    if (n + 1) % max(1, steps // 4) == 0:
        c.plot(f"gray_scott_{n + 1}.png", component=1, title=f"v after {n + 1} steps")

# Check: concentrations stay between 0 and 1, and the pattern lives on.
most_u, least_u, most_v, least_v = loop.run(largest(c.now))
assert most_u <= 1 and least_u <= 0 and 0.05 < most_v <= 1 and least_v <= 0, (
    most_u,
    -least_u,
    most_v,
    -least_v,
)
if grid.rank == 0:
    print(f"{grid}: u from {-least_u:.3f} to {most_u:.3f}, v to {most_v:.3f}")
