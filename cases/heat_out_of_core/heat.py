# SPDX-License-Identifier: Apache-2.0
"""Heat that spreads in a field larger than the memory that the program may take: its planes lie in files and
come near for several steps at a time. Waves of temperature, whose decay is known, are the check.

python heat.py [CELLS [STEPS [PIECES [STEPS A PASS]]]]
"""

import sys

import numpy as np

import subcurrent as sc

given = [int(word) for word in sys.argv[1:]]
cells, steps, pieces, length = given + [384, 64, 16, 16][len(given) :]


@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float):
    around = T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1]
    next[0, 0, 0] = T[0, 0, 0] + a * (around - 6 * T[0, 0, 0])


# The field: walls through which nothing flows, and what fits between them.
grid = sc.Grid((cells, cells, cells), halo=1, scratch="scratch", pieces=pieces)
T = grid.field("temperature", levels=2, units="K", place="files")
T.boundary("all", sc.Mirror())
waves = (1, 2, 3)
k = [np.pi * count / cells for count in waves]


def temperature(amplitude, x, y, z):
    return 300 + amplitude * np.cos(k[0] * (x + 0.5)) * np.cos(k[1] * (y + 0.5)) * np.cos(k[2] * (z + 0.5))


T.set(lambda x, y, z: temperature(1.0, x, y, z))

# Every plane is read and written once for `length` steps.
a = 0.15
loop = sc.Loop(grid, steps_per_pass=length)
for _ in loop.steps(steps, progress=True):
    loop.run(diffuse(T.next, T.now, a=a))
    T.advance()
loop.finish()

# Check: a step multiplies the waves by 1 - 2 a sum of (1 - cos k).
decay = (1 - 2 * a * sum(1 - np.cos(one) for one in k)) ** steps
x, y = np.arange(cells), np.arange(cells)[:, None]
errors = [0.0]


def compare(first, own):
    for n, plane in enumerate(own):
        errors.append(abs(plane - temperature(decay, x, y, first + n)).max())


T.each_slab(compare)
assert max(errors) < 1e-10, max(errors)
size = 2 * 8e-6 * cells**3
print(f"{grid}: {size:.0f} MB of temperature in files, {loop.passes}")
print(f"amplitude {decay:.6f}, largest error {max(errors):.1e} K")
