# SPDX-License-Identifier: Apache-2.0
"""Sound from a point in three dimensions: of 4th order in space and 2nd in time, a sponge all around, and
receivers that hear what the exact solution says.

python acoustic_wave.py [CELLS]

d²p/dt² = c² laplace(p) + s(t) delta(x - source) has, without walls, the solution
p = s(t - r / c) / (4 pi c² r).
"""

import math
import sys

import numpy as np

import subcurrent as sc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 96

# Physics: lengths in cells, c = 1. A wavelet of Ricker whose wavelength is 16 cells where it is loudest.
PEAK, DELAY = 1 / 16, 24.0
SPONGE, STRENGTH = cells // 5, 0.12


def wavelet(t):
    square = (math.pi * PEAK * (t - DELAY)) ** 2
    return (1 - 2 * square) * math.exp(-square)


# Numerics: second differences of 4th order; the sponge takes away in proportion to dp/dt.
WEIGHTS = (-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12)


@sc.kernel
def step(
    next: sc.Out, p: sc.In, before: sc.In, sponge: sc.In, at: sc.Index, dt: float, source: float, middle: int
):
    laplace = 0.0
    for k in range(5):
        laplace += WEIGHTS[k] * (p[k - 2, 0, 0] + p[0, k - 2, 0] + p[0, 0, k - 2])
    force = source if at.x == middle and at.y == middle and at.z == middle else 0.0
    slow = sponge[0, 0, 0] * dt
    next[0, 0, 0] = (2 * p[0, 0, 0] - (1 - slow) * before[0, 0, 0] + dt * dt * (laplace + force)) / (1 + slow)


# Fields: three levels of the pressure, of which the last is the step before.
grid = sc.Grid((cells, cells, cells), halo=2)
p = grid.field("pressure", levels=3)
p.boundary("all", sc.Fixed(0.0))
sponge = grid.field("sponge")


def depth(x, y, z):
    inside = np.minimum(
        np.minimum(x, cells - 1 - x), np.minimum(np.minimum(y, cells - 1 - y), np.minimum(z, cells - 1 - z))
    )
    return STRENGTH * np.maximum(0, 1 - inside / SPONGE) ** 2


sponge.set(depth)
middle = cells // 2
receivers = [(middle + r, middle, middle) for r in (8, 12, 16)] + [(middle, middle + 9, middle - 12)]
distances = [math.dist(cell, (middle,) * 3) for cell in receivers]

# Time loop: until the wavelet has passed the receivers.
dt = 0.25
steps = int((2 * DELAY + max(distances) + 8) / dt)
loop = sc.Loop(grid)
heard = []
for n in loop.steps(steps, progress=True):
    loop.run(step(p.next, p.now, p.level(2), sponge, dt=dt, source=wavelet(n * dt), middle=middle))
    p.advance()
    heard.append(p.at(receivers))
    if n == int((DELAY + 0.3 * cells) / dt):
        p.plot("acoustic_wave.png", title=f"Pressure at t = {(n + 1) * dt:g}")

# Check: what was heard against the exact solution.
times = dt * np.arange(1, steps + 1)
exact = np.array([[wavelet(t - r) / (4 * math.pi * r) for r in distances] for t in times])
errors = np.sqrt(((np.array(heard) - exact) ** 2).sum(axis=0) / (exact**2).sum(axis=0))
assert errors.max() < 0.01, errors
if grid.rank == 0:
    shown = ", ".join(f"{100 * e:.2f} % at r = {r:g}" for e, r in zip(errors, distances, strict=True))
    print(f"{grid}, {steps} steps: off by {shown}")
