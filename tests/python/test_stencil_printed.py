# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python, before anything is compiled: what C++ comes out, and the same text cell by
cell on NumPy arrays."""

import math

import numpy as np
import pytest

import subcurrent as sc
from subcurrent.errors import BadInput
from subcurrent.stencil import printing

D = 0.5
WEIGHTS = (1.0, -2.0, 1.0)
math_sqrt = np.sqrt


@sc.kernel
def diffuse(next: sc.Out, T: sc.In, a: float):
    next[0, 0, 0] = T[0, 0, 0] + a * (
        T[1, 0, 0] + T[-1, 0, 0] + T[0, 1, 0] + T[0, -1, 0] + T[0, 0, 1] + T[0, 0, -1] - 6 * T[0, 0, 0]
    )


def test_a_kernel_prints_as_one_would_write_it():
    assert diffuse.source.splitlines()[1:] == [
        "  double a;",
        "  SC_FN void operator()(At c, Out<double> next, In<double> T) const {",
        "    next[c] = T[c] + a * (T[c.x(1)] + T[c.x(-1)] + T[c.y(1)] + T[c.y(-1)] + T[c.z(1)] + T[c.z(-1)]"
        " - 6 * T[c]);",
        "  }",
        "};",
    ]
    assert diffuse.reach("T") == (1, 0) and diffuse.reach("next") == (0, 0)


@sc.kernel(reduce="max")
def everything(V: sc.InOut, T: sc.In, at: sc.Index, new: float, n: int = 3, on: bool = True):
    """Every construct once."""
    s: float = 0
    for k in range(3):
        s += WEIGHTS[k] * T[k - 1, 0]
    for k in range(0, 4, 2):
        s -= 0.01 * T[1, 1 - k] * k
    if (at.x % 4 == 1 and not on) or s > 2:
        d = math_sqrt(abs(s)) ** 2 - new / n
    elif n < at.y <= 5:
        d = D * -s if s < 0 else 1 / 3
    else:
        d = min(s, 1, at.x // 3)
    u, v = V[0][0, 0], V[1][0, 0]
    V[0][0, 0] = d + v * -(u - (d - 1e-5)) - np.tanh(u) ** 3
    V[1][0, 0] /= 2
    return sc.where(s > 0.1, V[0][0, 0], d**0.5), float(n) * d


def test_reaches_are_read_off_the_indices():
    assert everything.reach("T") == (1, 1) and everything.reach("V") == (0, 0)


def everything_in_numpy(V, T, new, n, on):
    """The same, written again for one cell after the other with plain loops."""
    ny, nx = T.shape
    out, values = V.copy(), []
    for y in range(ny):
        for x in range(nx):
            s = 0.0
            for k in range(3):
                s += WEIGHTS[k] * T[y, (x + k - 1) % nx]
            for k in (0, 2):
                s -= 0.01 * T[(y + 1 - k) % ny, (x + 1) % nx] * k
            if (x % 4 == 1 and not on) or s > 2:
                root = np.sqrt(abs(s))
                d = root * root - new / n
            elif n < y <= 5:
                d = 0.5 * -s if s < 0 else 1 / 3
            else:
                d = min(s, 1.0, float(x // 3))
            u, v = V[0, y, x], V[1, y, x]
            tanh = math.tanh(u)
            out[0, y, x] = d + v * -(u - (d - 1e-5)) - tanh * tanh * tanh
            out[1, y, x] = v / 2
            with np.errstate(invalid="ignore"):
                values.append((out[0, y, x] if s > 0.1 else np.power(d, 0.5), float(n) * d))
    return out, values


@pytest.mark.parametrize("on", [True, False])
def test_a_kernel_steps_on_arrays(on):
    rng = np.random.default_rng(7)
    V, T = rng.normal(size=(2, 9, 10)), rng.normal(size=(9, 10))
    expected, _ = everything_in_numpy(V, T, 0.3, 2, on)
    got = V.copy()
    everything.python(got, T, 0.3, n=2, on=on)
    assert np.array_equal(got, expected)


def test_a_kernel_in_single_precision_prints_so():
    text = printing.source_of(everything._text, printing.plain_precision(everything._text, single=True))
    assert "double" not in text.replace("std::array<double, 2>", "")
    assert "InOut<float, 2> V" in text and "1e-05f" in text


@sc.kernel(colours=2)
def relax(u: sc.InOut):
    u[0, 0] = 0.25 * (u[1, 0] + u[-1, 0] + u[0, 1] + u[0, -1])


def test_colours_step_one_after_the_other():
    rng = np.random.default_rng(3)
    u = rng.normal(size=(6, 8))
    expected = u.copy()
    for colour in (0, 1):
        for y in range(6):
            for x in range(8):
                if (x + y) % 2 == colour:
                    expected[y, x] = 0.25 * (
                        expected[y, (x + 1) % 8]
                        + expected[y, x - 1]
                        + expected[(y + 1) % 6, x]
                        + expected[y - 1, x]
                    )
    relax.python(u)
    assert np.array_equal(u, expected)


@pytest.mark.parametrize(
    ("call", "part"),
    [
        (lambda a: diffuse.python(next=a), "was not given T, a"),
        (lambda a: diffuse.python(a, a, 0.1, 0.2), "got 4 arguments"),
        (lambda a: diffuse.python(a, a, a=0.1, b=2), "the argument b, which it does not have"),
        (lambda a: diffuse.python(a, a, 0.1, a=0.2), "the argument a, twice"),
        (lambda a: diffuse.python(a, a, a="x"), "a = 'x': it must be a real number"),
        (lambda a: diffuse.python(a, a, a=True), "a = True: it must be a real number"),
        (lambda a: diffuse.python(a, a[0], a=0.1), "an array of 3 axes"),
        (lambda a: diffuse(a, a, a=0.1), "it must be a level of a field"),
    ],
)
def test_wrong_calls_are_refused(call, part):
    with pytest.raises(BadInput, match=part):
        call(np.zeros((3, 3, 3)))
