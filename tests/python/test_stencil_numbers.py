# SPDX-License-Identifier: Apache-2.0
"""Numbers in compiled kernels: fields of both precisions and whole numbers beyond 32 bits, against the same
kernel cell by cell on arrays; what kernels take from around them."""

import math

import numpy as np
import pytest

import subcurrent as sc
from stencil_runs import script
from subcurrent.errors import BadInput

MIXED = """
@sc.kernel(reduce="sum")
def product(out: sc.Out, f: sc.In, V: sc.In):
    out[0] = f[0] * V[1][0]
    return f[0] * f[1]

@sc.kernel
def power(out: sc.Out, f: sc.In):
    out[0] = f[0] ** 2 - 1.0

@sc.kernel
def root(out: sc.Out, f: sc.In):
    out[0] = math.sqrt(f[0]) if f[0] * f[0] > 0.1 else f[1] ** 3

@sc.kernel
def back(f: sc.InOut, d: sc.In):
    f[0] = f[0] * f[0] + d[0]

@sc.condition
def wall(q: sc.Out, n: sc.Layer, s: sc.In):
    q.ghost[n] = s.inside[1] * s.inside[1]

@sc.kernel
def right(out: sc.Out, q: sc.In):
    out[0] = q[1]

grid = sc.Grid((5,), periodic=True)
single = dict(dtype=np.float32)
out, f, V = grid.field("out"), grid.field("f", **single), grid.field("V", components=2, **single)
f.set(lambda x: 1 / (x + 3))
V.set(lambda x: (1 / (x + 1), 1 / (x + 7)))
loop = sc.Loop(grid)
for kernel, given in ((product, (out, f, V)), (power, (out, f)), (root, (out, f)), (back, (f, out))):
    arrays = [np.array(field) for field in given]
    expected = kernel.python(*arrays)
    assert loop.run(kernel(*given)) == expected, kernel.name
    assert np.array_equal(given[0].own, arrays[0]), (kernel.name, given[0].own, arrays[0])

walled = sc.Grid((4,))
q, s, y = walled.field("q"), walled.field("s", **single), walled.field("y")
s.set(1 / 3)
s.boundary("all", sc.Fixed(0))
q.boundary("all", wall(s.now))
sc.Loop(walled).run(right(y, q))
assert y.own[-1] == float(np.float32(1 / 3)) ** 2, y.own[-1]
"""


def test_with_fields_of_both_precisions_all_is_computed_in_double(tmp_path):
    script(tmp_path, MIXED)


WHOLE = """
MANY = 70_000

@sc.kernel
def square(out: sc.Out, at: sc.Index):
    out[0] = 100_000**2 + MANY**2 + at.x**4

@sc.kernel
def fourth(out: sc.Out):
    s = 0.0
    for k in range(210, 220):
        s += k**4
    out[0] = s

@sc.kernel
def chosen(out: sc.Out, at: sc.Index):
    out[0] = (100_000 if at.x > 1 else 200_000) * 100_000 + abs(-100_000) * 100_000

grid = sc.Grid((4,), periodic=True)
out, array, loop = grid.field("out"), np.zeros(4), sc.Loop(grid)
for kernel in (square, fourth, chosen):
    loop.run(kernel(out))
    kernel.python(array)
    assert np.array_equal(out.own, array), (kernel.name, out.own, array)
assert "10000000000" in square.source
"""


def test_whole_numbers_have_64_bits(tmp_path):
    script(tmp_path, WHOLE)


# -- names and texts ---------------------------------------------------------------------------------------

EARLIER = 4.0


def test_a_nested_function_may_have_a_text_at_the_margin_and_a_variable_set_later():
    if True:

        @sc.kernel
        def nested(next: sc.Out, T: sc.In):
            """A text
            at the margin,

              and beside it.
            """
            next[0] = T[0] + EARLIER

    @sc.kernel
    def plain(next: sc.Out, T: sc.In):
        next[0] = T[0] * EARLIER  # of the module

    out = np.zeros(3)
    for one, expected in ((nested, 5.0), (plain, 4.0)):
        one.python(out, np.ones(3))
        assert (out == expected).all()

    with pytest.raises(sc.KernelError, match=r"kernel \"late\" uses later, which is neither") as refused:

        @sc.kernel
        def late(next: sc.Out, T: sc.In):
            next[0] = T[0] * later

    later = 2.0
    assert "\n" not in str(refused.value)


def test_an_argument_may_be_called_self():
    @sc.kernel
    def scale(next: sc.Out, T: sc.In, self: float):
        next[0] = T[0] * self

    out = np.zeros(3)
    scale.python(out, np.ones(3), self=3.0)
    assert (out == 3).all()
    with pytest.raises(BadInput, match="it must be a level of a field"):
        scale(out, out, self=3.0)


def test_arrays_have_the_components_that_are_used():
    @sc.kernel(reduce="max")
    def third(V: sc.In):
        return V[2][0]

    with pytest.raises(BadInput, match="uses component 2 of V, and the array has 2"):
        third.python(np.zeros((2, 5)))
    values = np.zeros((3, 5))
    values[2, 3] = math.nan
    assert math.isnan(third.python(values))


MACROS = """
M_PI, NULL, EOF = 3.0, 2.0, 5.0

@sc.kernel
def scaled(next: sc.Out, T: sc.In, BUFSIZ: float):
    RAND_MAX = T[0] * M_PI
    next[0] = RAND_MAX * NULL + EOF * BUFSIZ

grid = sc.Grid((4,), periodic=True)
T, U = grid.field("T"), grid.field("U")
T.set(1.0)
sc.Loop(grid).run(scaled(U, T, BUFSIZ=2.0))
assert (U.own == 16).all(), U.own
"""


def test_names_of_macros_are_names_of_users_too(tmp_path):
    script(tmp_path, MACROS)
