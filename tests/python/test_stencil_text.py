# SPDX-License-Identifier: Apache-2.0
"""Kernels written in Python, before anything is compiled: what is refused and how."""

import runpy
import textwrap

import pytest

import subcurrent as sc
from subcurrent.errors import BadInput

HEAD = """
import math
import numpy as np
import subcurrent as sc
K = 0.25
W = (1.0, -2.0, 1.0)
TEXT = "text"
"""


def made(folder, text):
    path = folder / "kernels.py"
    path.write_text(HEAD + textwrap.dedent(text))
    return runpy.run_path(str(path))


# (arguments, lines of the body, the line of the sentence counted from `def`, a part of the sentence)
PLAIN = "next: sc.Out, T: sc.In, a: float"
WRONG = [
    (PLAIN, "next[0, 0, 0] = T[a, 0, 0]", 1, "index `a` of T, which is not constant"),
    (PLAIN, "next[0, 0, 0] = T[0.5, 0, 0]", 1, "index 0.5 of T: a whole number is needed"),
    (PLAIN, "next[0, 0, 0] = T[0:1, 0, 0]", 1, "a range as index of T"),
    (PLAIN, "next[0, 0, 0] = T[0, 0, 0, 0]", 1, "with 4 indices: 3 are allowed"),
    (PLAIN, "next[0, 0, 0] = T[0, 0]", 1, "with 2 indices: 3 are allowed"),
    (PLAIN, "next[1, 0, 0] = T[0, 0, 0]", 1, "sets next beside the cell"),
    (PLAIN, "T[0, 0, 0] = 1.0", 1, "sets T, which is an sc.In"),
    (PLAIN, "next[0, 0, 0] = T[0, 0, 0] + b", 1, "uses b, which is neither an argument, a local variable"),
    (PLAIN, "next[0, 0, 0] = next[0, 0, 0] + a", 1, "reads its output next before it is set on every path"),
    (PLAIN, "next[0, 0, 0] = a; s = next[1, 0, 0]", 1, "reads its output next around the cell"),
    (PLAIN, "pass", 0, "does not set its output next on every path"),
    (PLAIN, "if a > 0:\n    next[0, 0, 0] = a", 0, "does not set its output next on every path"),
    (PLAIN, "if a > 0:\n    s = 1.0\nnext[0, 0, 0] = s", 3, "uses s, which is not set on every path through"),
    (PLAIN, "next[0, 0, 0] = T + a", 1, "uses the field T without a cell"),
    (PLAIN, "next = T[0, 0, 0]", 1, "sets next, which is a field"),
    (PLAIN, "a = 2.0\nnext[0, 0, 0] = a", 1, "sets a, which is a parameter"),
    (
        PLAIN,
        "s = 1\ns = T[0, 0, 0]\nnext[0, 0, 0] = s",
        2,
        "sets s to a real number, and it was a whole number",
    ),
    (PLAIN, "s = True\ns = 1.0\nnext[0, 0, 0] = s", 2, "sets s to a real number, and it was a truth value"),
    (PLAIN, "next[0, 0, 0] = a if a else 1.0", 1, "uses `a` as a condition, which is a number"),
    (PLAIN, "next[0, 0, 0] = a + (a > 1)", 1, "calculates with `a > 1`, which is true or false"),
    (PLAIN, "next[0, 0, 0] = a if a > 1 else False", 1, "a number and a truth value"),
    (PLAIN, "next[0, 0, 0] = math.gamma(a)", 1, "calls `math.gamma`: allowed are abs, min, max"),
    (PLAIN, "next[0, 0, 0] = print(a)", 1, "calls `print`"),
    (PLAIN, "next[0, 0, 0] = math.sqrt(a, a)", 1, "calls sqrt with 2 arguments: it takes 1"),
    (PLAIN, "next[0, 0, 0] = sc.where(a > 0, a)", 1, "calls where with 2 arguments: it takes 3"),
    (PLAIN, "next[0, 0, 0] = min(a)", 1, "it takes two numbers or more"),
    (PLAIN, "next[0, 0, 0] = math.pow(a, y=2.0)", 1, "with named or starred arguments"),
    (PLAIN, "next[0, 0, 0] = a @ a", 1, "allowed between numbers are + - * /"),
    (PLAIN, "next[0, 0, 0] = a % 2", 1, "uses % otherwise than on whole numbers"),
    (PLAIN, "next[0, 0, 0] = a / 0", 1, "divides by 0"),
    (PLAIN, "next[0, 0, 0] = ~3", 1, "uses `~`"),
    (PLAIN, "next[0, 0, 0] = a is a", 1, "allowed comparisons are"),
    (PLAIN, "next[0, 0, 0] = [a][0]", 1, "neither a field nor a table of its module"),
    (PLAIN, "next[0, 0, 0] = W[3]", 1, "the table has 3 entries"),
    (PLAIN, "next[0, 0, 0] = TEXT", 1, "uses TEXT, which is of type str"),
    (PLAIN, "next[0, 0, 0] = math.nothing", 1, "uses `math.nothing`, which is not known"),
    (PLAIN, "next[0, 0, 0] = (lambda: a)()", 1, "calls `lambda: a`"),
    (PLAIN, "next[0, 0, 0] = 2**70", 1, "a constant power of 1 to 4"),
    (PLAIN, "next[0, 0, 0] = 99999999999999999999", 1, "which has more than 64 bits"),
    (PLAIN, "while a > 0:\n    pass", 1, "allowed are assignments, if and else, for"),
    (PLAIN, "with a:\n    pass", 1, "allowed are assignments, if and else, for"),
    (PLAIN, "import os", 1, "has `import os`: allowed are assignments"),
    (PLAIN, "def f(): pass", 1, "allowed are assignments"),
    (PLAIN, "print(a)", 1, "has `print(a)`: allowed are assignments"),
    (PLAIN, "for k in (1, 2):\n    pass", 1, "loops over `(1, 2)`: allowed is range"),
    (PLAIN, "for k in range(a):\n    pass", 1, "bounds must be constant whole numbers"),
    (PLAIN, "for k in range(9999):\n    s = 1.0", 1, "unrolls to more than 4096 statements"),
    (PLAIN, "for k in range(3):\n    k = 1", 2, "sets k, which is the variable of a loop"),
    (PLAIN, "for k in range(2):\n    break", 2, "has `break`"),
    (PLAIN, "for T in range(2):\n    pass", 1, "which already is the name of something else"),
    (PLAIN, "for k in range(2):\n    pass\nelse:\n    pass", 1, "an else after a loop"),
    (PLAIN, "s = t = a\nnext[0, 0, 0] = s", 1, "sets several names by one value"),
    (PLAIN, "s, t = a\nnext[0, 0, 0] = s", 1, "as many values as names are needed"),
    (PLAIN, "s, t = 1.0, s\nnext[0, 0, 0] = s", 1, "whose values depend on each other"),
    (PLAIN, "next[0, 0, 0] = a\nreturn a", 2, "a return gives values to reduce"),
    (PLAIN, "K = 1.0\nnext[0, 0, 0] = K + a\n", 0, None),
    (PLAIN, "next[0, 0, 0] = K\nK = 1.0\n", 2, "a constant of its module that it has used before"),
    (PLAIN, "next[0, 0, 0] = W[0][0]", 1, "indexes `W[0]`"),
    (PLAIN, "next[0][0, 0, 0] = a; next[0, 0, 0] = a", 1, "both with and without a component"),
    (PLAIN, "next[-1][0, 0, 0] = a", 1, "component -1 of next: they are counted from 0"),
    (PLAIN, "s: str = 1\nnext[0, 0, 0] = a", 1, "allowed types of local variables are float, int and bool"),
    (PLAIN, "s: int = a\nnext[0, 0, 0] = a", 1, "a real number, as an int"),
    (PLAIN, "next[0, 0, 0] @= a", 1, "allowed are +=, -=, *=, /= and **="),
    (PLAIN, "a.x = 1", 1, "sets `a.x`: allowed are cells"),
    ("next: sc.Out, T: sc.In, a", "next[0, 0, 0] = T[0, 0, 0]", 0, "the argument a of no type"),
    ("next: sc.Out, T: sc.In, a: str", "next[0, 0, 0] = T[0, 0, 0]", 0, "the argument a of the type `str`"),
    ("next: sc.Out, n: sc.Layer", "next[0, 0, 0] = 1.0", 0, "the type `sc.Layer`"),
    ("next: sc.Out, *T", "next[0, 0, 0] = 1.0", 0, "takes *, ** or positional-only arguments"),
    ("T: sc.In", "s = T[0, 0, 0]", 0, "has no output"),
    ("a: float", "s = a", 0, "has no field among its arguments"),
    ("next: sc.Out, T: sc.In = None", "next[0, 0, 0] = 1.0", 0, "gives the field T a default"),
    ("next: sc.Out, n: int = 0.5", "next[0, 0, 0] = 1.0", 0, "the default `0.5`: it must be a whole number"),
    ("next: sc.Out, p: sc.Index", "next[0, 0, 0] = p", 1, "uses the position p as a number"),
    ("next: sc.Out, p: sc.Index", "next[0, 0, 0] = p.w", 1, "the position has x, y and z"),
    ("next: sc.Out, p: sc.Index, q: sc.Index", "next[0, 0, 0] = p.x", 0, "two arguments of type sc.Index"),
    ("T: sc.InOut", "T[0, 0, 0] = T[1, 0, 0]", 1, "that needs @sc.kernel(colours=2)"),
    ("T: sc.InOut", "T[0, 0, 0] = T[1, 0, 1]", 1, "that needs @sc.kernel(colours=4)"),
    ("T: sc.InOut", "T[0, 0, 0] = T[2, 0, 0]", 1, "that needs a second level"),
]


@pytest.mark.parametrize(("arguments", "body", "line", "part"), WRONG)
def test_a_wrong_kernel_is_one_sentence_with_its_line(tmp_path, arguments, body, line, part):
    text = f"@sc.kernel\ndef wrong({arguments}):\n" + textwrap.indent(body, "    ")
    if part is None:
        made(tmp_path, text)
        return
    with pytest.raises(sc.KernelError) as refused:
        made(tmp_path, text)
    begin = HEAD.count("\n") + 2 + line
    assert str(refused.value).startswith(f'kernels.py:{begin}: kernel "wrong" '), refused.value
    assert part in str(refused.value)
    assert str(refused.value).endswith(".") and "\n" not in str(refused.value)


CONDITIONS = [
    ("q: sc.Out, n: sc.Layer", "q.ghost[n] = q.ghost[n]", 1, "reads the halo of q before it is set"),
    ("q: sc.Out, n: sc.Layer", "q.inside[n] = 1.0", 1, "a condition sets .ghost[n]"),
    ("q: sc.Out, n: sc.Layer", "q.ghost[1] = 1.0", 1, "a condition sets .ghost[n]"),
    ("q: sc.Out, n: sc.Layer", "q.ghost[n] = q.inside[0]", 1, "cells within are counted from 1"),
    ("q: sc.Out, n: sc.Layer", "q.ghost[n] = q.inside[2 * n]", 1, "allowed are n, n + 1"),
    ("q: sc.Out, n: sc.Layer", "q.ghost[n] = q[1, 0, 0]", 1, "in a condition cells are .ghost[n]"),
    (
        "q: sc.Out, n: sc.Layer, T: sc.In",
        "T.ghost[n] = 1.0\nq.ghost[n] = 1.0",
        1,
        "sets T, which is an sc.In",
    ),
    ("q: sc.Out, n: sc.Layer", "pass", 0, "does not set its output q"),
    ("q: sc.Out, r: sc.Out, n: sc.Layer", "q.ghost[n] = 1.0\nr.ghost[n] = 1.0", 0, "has 2 outputs"),
    ("q: sc.Out, n: sc.Index", "q.ghost[n] = 1.0", 0, "allowed are sc.In, sc.Out, sc.Layer"),
]


@pytest.mark.parametrize(("arguments", "body", "line", "part"), CONDITIONS)
def test_a_wrong_condition_is_one_sentence_with_its_line(tmp_path, arguments, body, line, part):
    with pytest.raises(sc.KernelError) as refused:
        made(tmp_path, f"@sc.condition\ndef wrong({arguments}):\n" + textwrap.indent(body, "    "))
    begin = HEAD.count("\n") + 2 + line
    assert str(refused.value).startswith(f'kernels.py:{begin}: condition "wrong" '), refused.value
    assert part in str(refused.value)


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ("return 1.0\nT[0, 0, 0] = 2.0", "a statement after a return that is never reached"),
        ("if T[0, 0, 0] > 0:\n    return 1.0", "can end without `return`"),
        ("if T[0, 0, 0] > 0:\n    return 1.0\nreturn 1.0, 2.0", "returns 2 values here and 1 before"),
        ("return", "returns nothing"),
        ("for k in range(2):\n    return 1.0", "returns from inside a loop"),
    ],
)
def test_returns_are_checked(tmp_path, body, part):
    text = '@sc.kernel(reduce="sum")\ndef wrong(T: sc.InOut):\n' + textwrap.indent(body, "    ")
    with pytest.raises(sc.KernelError, match=part):
        made(tmp_path, text)


def test_what_is_no_function_has_no_text():
    with pytest.raises(BadInput, match="makes a kernel of a function"):
        sc.kernel(3)
    with pytest.raises(BadInput, match="reduce = 'mean' is not known"):
        sc.kernel(reduce="mean")
    with pytest.raises(BadInput, match="colours = 3"):
        sc.kernel(colours=3)
    names = {"sc": sc}
    exec("def lost(T: sc.InOut):\n    T[0] = 1.0", names)
    with pytest.raises(sc.KernelError, match="must stand in a file or in a notebook"):
        sc.kernel(names["lost"])
