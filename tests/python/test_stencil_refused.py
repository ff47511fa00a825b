# SPDX-License-Identifier: Apache-2.0
"""What grids, fields, loops and calls of kernels refuse, each in one sentence."""

import re
import sys

import pytest

from stencil_runs import HEAD, refused, run

GRID = "grid = sc.Grid((12, 12, 12), periodic=(True, True, False))\n"
MADE = GRID + "T = grid.field('T', levels=2)\nloop = sc.Loop(grid)\n"
THIN = """
@sc.kernel
def far(next: sc.Out, T: sc.In):
    next[0, 0] = T[1, 0] + T[0, 2]
grid = sc.Grid((12, 1), halo=2)
T = grid.field("T", levels=2)
T.set(1.0)
loop = sc.Loop(grid)
T.boundary("x- x+", sc.Mirror())
"""
WRONG = [
    ("sc.Grid((12, 12, 12, 12))", "cells = (12, 12, 12, 12)"),
    (
        "sc.Loop(sc.Grid((12, 12), device='emulated'), steps_per_pass=2, pass_tile=(4, 2))",
        "pass_tile = (4, 2) has no effect on a device: a pass there has no tiles",
    ),
    ("sc.Grid((12, 0))", "cells[1] = 0"),
    ("sc.Grid((12, 12), periodic=1)", "periodic = 1"),
    ("sc.Grid((12, 12), periodic=[True])", "it must be one, or 2"),
    ("sc.Grid((12, 12), halo=-1)", "halo = -1"),
    ("sc.Grid((12, 12), spacing=0)", "spacing = 0"),
    ("sc.Grid((12, 12), split=(2, 2))", "which does not multiply to the 1 ranks"),
    ("sc.Grid((12, 12), transport='pigeon')", "transport = 'pigeon'"),
    ("sc.Grid((10**5,) * 3).field('T')", "needs about"),
    (GRID + "grid.field('T', dtype=int)", "it must be float64 or float32"),
    (GRID + "grid.field('')", "a field's name is a text"),
    (GRID + "grid.field('flow/x')", "name = 'flow/x' is not allowed: a field's name is a text without /"),
    (GRID + "grid.field('T', levels=0)", "levels = 0"),
    (GRID + "grid.field('T').next", "the field T has one level"),
    (MADE + "T.level(2)", "the level of T = 2"),
    (MADE + "T.set('warm')", "real numbers are needed"),
    (MADE + "T.set(np.zeros((3, 3)))", "an array of shape (3, 3)"),
    (MADE + "T.set(lambda x, y, z: 1j * x)", "real numbers are needed"),
    (MADE + "T.set(np.ma.masked_array(np.ones((12, 12, 12)), mask=True))", "with masked entries"),
    (MADE + "T.set(2**62 + 1)", "whole numbers beyond 9007199254740992, which would lose digits"),
    (MADE + "T.at([(0, 0, 12)])", "outside of the grid"),
    (MADE + "T.boundary('x-', sc.Mirror())", "the face x- of T takes no boundary condition"),
    (MADE + "T.boundary('up', sc.Mirror())", "the face 'up' is not known"),
    (MADE + "T.boundary('z-', 3)", "the boundary condition 3 is not known"),
    (MADE + "T.boundary('', sc.Mirror())", "faces = '' is not allowed: name a face or several"),
    ("sc.Grid((9,), periodic=True).field('T').boundary('all', 'nonsense')", "'nonsense' is not known"),
    (
        MADE
        + "try:\n    T.boundary('z- q-', sc.Mirror())\nexcept sc.BadInput:\n    raise KeyError(T.conditions)",
        "{}",
    ),
    (MADE + "T.boundary('z-', sc.Dirichlet((1, 2)))", "it takes one finite number"),
    (MADE + "T.boundary('z-', sc.Mirror(odd=[1]))", "components of the field are 0 to 0"),
    (MADE + "T.name = 'U'", "cannot be set"),
    (MADE + "import pickle; pickle.dumps(T)", "cannot be pickled"),
    (MADE + "T.snapshot('t.vtkhdf', grid)", "it takes fields of one grid"),
    (MADE + "T.snapshot('t.vtkhdf', grid.field('T'))", "several fields of the name T"),
    (MADE + "T.snapshot('t.vtkhdf', time=math.nan)", "time = nan is not allowed: it must be a finite number"),
    (MADE + "T.plot('t.png', axis='w')", "axis = 'w' is not known"),
    (MADE + "sc.Loop(grid, strategy='luck')", "strategy = 'luck' is not known: allowed are"),
    (MADE + "sc.Loop(T)", "it must be an sc.Grid"),
    (MADE + "loop.run(diffuse)", "it takes calls of kernels"),
    (MADE + "loop.run(diffuse(T.next, T.now))", "beyond its face z_low, for which nothing is set"),
    (MADE + "loop.run(diffuse(T.now, T.now))", "got the same level of T twice"),
    (MADE + "loop.steps('x').__next__()", "count = 'x'"),
    (MADE + "diffuse(T.next, T.now, a='x')", "it must be a real number"),
    (
        MADE + "U = sc.Grid((12, 12, 12)).field('U')\ndiffuse(T.next, U)",
        "got T on another grid than next",
    ),
    (
        MADE + "U = sc.Grid((9, 9)).field('U', levels=2)\ndiffuse(U.next, U)",
        "3 indices, and the grid of U has 2",
    ),
    (MADE + "V = grid.field('V', components=2)\ndiffuse(V, T)", "as a field of one component, and V has 2"),
    (
        MADE + "U = sc.Grid((9, 9, 9)).field('U', levels=2)\nloop.run(diffuse(U.next, U))",
        "another grid than the loop's",
    ),
    (
        MADE
        + """
@sc.kernel
def far(next: sc.Out, T: sc.In):
    next[0, 0, 0] = T[3, 0, 0]
far(T.next, T.now)""",
        "reads T 3 cells away, and the grid of T has a halo of 1: make it sc.Grid(…, halo=3)",
    ),
    (
        """
narrow = sc.Grid((8, 8, 8), halo=3, wall_halo=1)
T = narrow.field("T", levels=2)

@sc.kernel
def far(next: sc.Out, T: sc.In):
    next[0, 0, 0] = T[3, 0, 0]
far(T.next, T.now)""",
        "reads T 3 cells away, and the grid of T has a halo of 1: make it sc.Grid(…, wall_halo=3)",
    ),
    (
        "sc.Grid((8, 8, 8), halo=2, wall_halo=3)",
        "wall_halo = 3 is not allowed",
    ),
    (
        MADE
        + """
@sc.kernel
def half(V: sc.Out):
    V[0][0, 0, 0] = 1.0
half(grid.field("V", components=2))""",
        "does not set component 1 of V, which V has",
    ),
    (
        MADE
        + """
@sc.condition
def deep(q: sc.Out, n: sc.Layer):
    q.ghost[n] = q.inside[13]
T.boundary("z-", deep())""",
        "reads 13 cells inside the face, but a block of the grid has 12",
    ),
    (
        THIN + "T.boundary('y- y+', sc.Mirror())\nloop.run(far(T.next, T.now))",
        "Mirror at a face of T along y mirrors 2 cells, as far as a kernel reads, and the grid has 1",
    ),
    (
        THIN
        + """
T.boundary('y- y+', sc.Fixed(0))
loop.run(far(T.next, T.now))
T.boundary('y+', sc.Neumann(0))""",
        "Neumann at a face of T along y mirrors 2 cells, as far as a kernel reads, and the grid has 1",
    ),
]


def test_a_deep_halo_may_mirror_as_many_cells_as_are_read(tmp_path):
    """Along x the kernel reads one cell, along y as many as there are, and the halo is deeper than both."""
    path = tmp_path / "script.py"
    path.write_text(
        HEAD
        + THIN.replace("(12, 1), halo=2", "(1, 2), halo=3")
        + "T.boundary('y- y+', sc.Mirror())\nloop.run(far(T.next, T.now))\nprint(T.gather(1).tolist())\n"
    )
    assert run([sys.executable, path]).stdout == "[[2.0], [2.0]]\n"


@pytest.mark.parametrize(("text", "part"), WRONG)
def test_what_cannot_be_is_one_sentence(tmp_path, text, part):
    sentence = refused(tmp_path, text)
    assert part in sentence, sentence
    assert not re.search(r"Traceback|TypeError", sentence)
