# SPDX-License-Identifier: Apache-2.0
"""Two phases separate by the equation of Cahn and Hilliard, dc/dt = laplace(mu),
mu = c³ - c - kappa laplace(c): the mass stays, the energy falls.

python cahn_hilliard.py [CELLS [STEPS]]
"""

import sys

import numpy as np

import subcurrent as sc

cells = int(sys.argv[1]) if len(sys.argv) > 1 else 192
steps = int(sys.argv[2]) if len(sys.argv) > 2 else 6000

KAPPA, DT = 1.0, 0.01  # in cells


# Physics: the chemical potential, then the flow down its slope.
@sc.kernel
def potential(mu: sc.Out, c: sc.In):
    laplace = c[1, 0] + c[-1, 0] + c[0, 1] + c[0, -1] - 4 * c[0, 0]
    mu[0, 0] = c[0, 0] ** 3 - c[0, 0] - KAPPA * laplace


@sc.kernel
def flow(c: sc.InOut, mu: sc.In, dt: float):
    c[0, 0] += dt * (mu[1, 0] + mu[-1, 0] + mu[0, 1] + mu[0, -1] - 4 * mu[0, 0])


@sc.kernel(reduce="sum")
def mass_and_energy(c: sc.In):
    slope = (c[1, 0] - c[0, 0]) ** 2 + (c[0, 1] - c[0, 0]) ** 2
    return c[0, 0], 0.25 * (c[0, 0] ** 2 - 1) ** 2 + 0.5 * KAPPA * slope


# Fields: a mixture with a little noise, between walls along y.
grid = sc.Grid((cells, cells), periodic=(True, False))
c, mu = grid.field("concentration"), grid.field("potential")
c.boundary("all", sc.Mirror())
mu.boundary("all", sc.Mirror())
c.set(0.05 * np.random.default_rng(2).standard_normal((cells, cells)))
loop = sc.Loop(grid)
mass, energy = loop.run(mass_and_energy(c.now))
begin = energy

# Time loop. Check: after every hundred steps the mass is what it was, and the energy is less.
for n in loop.steps(steps, progress=True):
    loop.run(potential(mu, c), flow(c, mu, dt=DT))
    if (n + 1) % 100 == 0:
        now, less = loop.run(mass_and_energy(c.now))
        assert abs(now - mass) < 1e-12 * cells**2, (mass, now)
        assert less < energy, (energy, less)
        energy = less
c.plot("cahn_hilliard.png", title=f"Two phases after {steps} steps")
if grid.rank == 0:
    print(f"{grid}: mass {mass:.6f}, energy from {begin:.1f} to {energy:.1f}")
