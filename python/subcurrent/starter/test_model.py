# SPDX-License-Identifier: Apache-2.0
"""PROJECT: the kernel against NumPy, and against the exact solution."""

import numpy as np
from model import advect, run


def test_the_kernel_does_what_numpy_does():
    T = np.random.default_rng(1).normal(size=(4, 5, 6))
    around = sum(np.roll(T, step, axis) for step in (1, -1) for axis in range(3))
    carried = 0.5 * (np.roll(T, -1, 2) - np.roll(T, 1, 2))
    following = np.empty_like(T)
    advect.python(following, T, a=0.1, c=0.2)
    np.testing.assert_allclose(following, T + 0.1 * (around - 6 * T) - 0.2 * carried, atol=1e-13)


def test_a_wave_decays_and_travels_as_it_should():
    cells, steps, a, c = 16, 50, 0.1, 0.1
    grid, T = run(cells, steps, a, c)
    k = 2 * np.pi / cells
    factor = (1 - 2 * a * (1 - np.cos(k)) - 1j * c * np.sin(k)) ** steps
    expected = 300 + (factor * np.exp(1j * k * grid.positions[0])).real
    np.testing.assert_allclose(T.own, np.broadcast_to(expected, T.own.shape), atol=1e-10)
