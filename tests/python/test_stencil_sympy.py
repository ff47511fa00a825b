# SPDX-License-Identifier: Apache-2.0
"""Kernels made of SymPy's expressions: what is printed, the same kernels by hand, and what is refused."""

import math

import numpy as np
import pytest

import subcurrent as sc
from stencil_runs import script
from subcurrent.errors import BadInput

sp = pytest.importorskip("sympy", reason="sympy is not installed")
T, S = sp.IndexedBase("T"), sp.IndexedBase("S")
U, V = (sp.IndexedBase(f"V[{k}]") for k in range(2))
a, x, y = sp.symbols("a x y")
n = sp.Symbol("n", integer=True)


def arrays(count, shape=(6, 7)):
    rng = np.random.default_rng(5)
    return [rng.uniform(0.5, 1.5, shape) for _ in range(count)]


def test_fields_roles_parameters_and_reach_are_read_off_the_expressions():
    kernel = sc.sympy_kernel(
        "advance",
        {"next": T[0, 0] + a * (T[1, 0] - 2 * T[0, -2]) / n, S: S[0, 0] / 3},
        returns=sp.Float(1 / 3) * T[0, 0],
        reduce="max",
    )
    assert [use.name for use in kernel._text.fields] == ["next", "S", "T"]
    assert kernel._text.order == ["next", "S", "T", "a", "n"]
    assert kernel.reach("T") == (2, 0) and kernel.reach("S") == (0, 0)
    assert "0.3333333333333333 * T[c]" in kernel.source and "std::int64_t n_;" in kernel.source


def test_against_the_same_by_hand():
    flux = sp.Piecewise((T[0, 0] ** 3 / (1 + a**2), T[1, 0] > x), (sp.sqrt(T[0, 1]) - sp.exp(-a), True))
    kernel = sc.sympy_kernel(
        "mixed", {"next": flux + sp.sin(y) ** -2, "other": sp.Max(T[0, -1], n, a)}, position=(x, y)
    )
    (values,) = arrays(1)
    got = [np.zeros_like(values), np.zeros_like(values)]
    kernel.python(*got, values, a=0.3, n=1)
    for j in range(6):
        for i in range(7):
            t = values[j, i]
            there = values[j, (i + 1) % 7] > i
            expected = t**3 / 1.09 if there else math.sqrt(values[(j + 1) % 6, i]) - math.exp(-0.3)
            with np.errstate(divide="ignore"):
                expected += float(1 / np.float64(math.sin(j)) ** 2)
            assert got[0][j, i] == pytest.approx(expected, rel=1e-14)
            assert got[1][j, i] == max(values[j - 1, i], 1.0)


def test_what_is_set_is_set_at_once_from_what_was_there():
    """A rotation: the second expression reads the first field as it was before."""
    kernel = sc.sympy_kernel("turn", {U: V[0, 0], V: -U[0, 0]}, returns=(U[0, 0], V[0, 0]), reduce="sum")
    first, second = arrays(2)
    both = np.stack([first, second])
    sums = kernel.python(both)
    assert np.array_equal(both, np.stack([second, -first]))
    assert sums == (math.fsum(first.ravel()), math.fsum(second.ravel()))


def test_common_parts_are_computed_once():
    root = sp.sqrt(T[0] + a)
    kernel = sc.sympy_kernel("root", {"next": root + 1 / root}, cse=True)
    assert kernel.source.count("std::sqrt") == 1
    assert sc.sympy_kernel("root", {"next": root + 1 / root}).source.count("std::sqrt") == 2


RUN = """
import sympy
U, b = sympy.IndexedBase("T"), sympy.Symbol("a")
around = [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
made = sc.sympy_kernel("made", {"next": U[0, 0, 0] + b * (sum(U[at] for at in around) - 6 * U[0, 0, 0])})

# The order in which SymPy prints, by hand.
@sc.kernel
def by_hand(next: sc.Out, T: sc.In, a: float):
    next[0, 0, 0] = a * (T[-1, 0, 0] + T[0, -1, 0] + T[0, 0, -1] - 6 * T[0, 0, 0] + T[0, 0, 1] + T[0, 1, 0]
                         + T[1, 0, 0]) + T[0, 0, 0]

lines = [kernel.source.split("{", 1)[1].split("\\n", 1)[1] for kernel in (made, by_hand)]
assert lines[0] == lines[1], made.source
grid = sc.Grid((12, 13, 14), periodic=True)
loop = sc.Loop(grid)
ends = []
for kernel in (made, by_hand):
    T = grid.field("T", levels=2)
    T.set(lambda x, y, z: np.sin(x * 1.1 + y * 0.7 + z))
    for step in loop.steps(3):
        loop.run(kernel(T.next, T, a=0.1))
        T.advance()
    ends.append(T.own.copy())
assert ends[0].std() > 0 and np.array_equal(*ends)
"""


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", [1, 2])
def test_it_runs_with_the_bits_of_its_text(tmp_path, ranks):
    script(tmp_path, RUN, ranks)


@pytest.mark.parametrize(
    ("make", "part"),
    [
        (lambda: sc.sympy_kernel("k", {"next": T[n, 0]}), "the index n of T, which is not a constant"),
        (lambda: sc.sympy_kernel("k", {"next": T[0] + S[0, 0]}), "cells with 1 and 2 indices"),
        (lambda: sc.sympy_kernel("k", {"next": sp.besselj(1, T[0])}), "which SymPy cannot print"),
        (lambda: sc.sympy_kernel("k", {"next": sp.gamma(T[0])}), "calls `math.gamma`"),
        (lambda: sc.sympy_kernel("k", {"next": sp.I * T[0]}), "of type complex"),
        (lambda: sc.sympy_kernel("k", {"next": "T >"}), "no expression of SymPy's"),
        (
            lambda: sc.sympy_kernel("k", {"next": T[0] * sp.Symbol("lambda")}),
            "has the symbol lambda: a param",
        ),
        (lambda: sc.sympy_kernel("k", {"lambda": T[0]}), "sets 'lambda': it must be the name of a field"),
        (lambda: sc.sympy_kernel("k", {"next": sp.IndexedBase("def")[0]}), "reads def: a field's name must"),
        (lambda: sc.sympy_kernel("k", {"a b": T[0]}), "it must be the name of a field"),
        (lambda: sc.sympy_kernel("k", {T: T[1]}), "needs @sc.kernel(colours=2)"),
        (lambda: sc.sympy_kernel("k", {"next": T[0]}, returns=a), "a return gives values to reduce"),
        (lambda: sc.sympy_kernel("k", {}), "has no field among its arguments"),
    ],
)
def test_what_cannot_be_is_one_sentence_with_the_line_of_the_call(make, part):
    with pytest.raises(sc.KernelError) as caught:
        make()
    said = str(caught.value)
    assert said.startswith("test_stencil_sympy.py:") and part in said and said.endswith("."), said


def test_names_and_options_are_checked():
    with pytest.raises(BadInput, match="a kernel's name is an identifier"):
        sc.sympy_kernel("a b", {"next": T[0]})
    with pytest.raises(BadInput, match="a kernel's name is an identifier"):
        sc.sympy_kernel("lambda", {"next": T[0]})
    with pytest.raises(BadInput, match="reduce = 'mean'"):
        sc.sympy_kernel("k", {"next": T[0]}, reduce="mean")
