# SPDX-License-Identifier: Apache-2.0
"""Kernels in the cells of a notebook, on one rank: a cell is run as Jupyter's kernel runs it."""

import sys

import pytest

from stencil_runs import run

pytest.importorskip("IPython", reason="IPython is not installed")

CELLS = '''
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance()
CELLS = [
    """
import numpy as np
import subcurrent as sc
SHARE = 0.25
grid = sc.Grid((16, 12), periodic=True)
T, loop = grid.field("T", levels=2), sc.Loop(grid)
T.set(lambda x, y: x + 10 * y)
""",
    """
@sc.kernel
def mean(next: sc.Out, T: sc.In):
    next[0, 0] = SHARE * (T[1, 0] + T[-1, 0] + T[0, 1] + T[0, -1])
""",
    """
before = T.own.copy()
for n in loop.steps(2):
    loop.run(mean(T.next, T.now))
    T.advance()
def by_numpy(T):
    return 0.25 * (np.roll(T, -1, 1) + np.roll(T, 1, 1) + np.roll(T, -1, 0) + np.roll(T, 1, 0))
assert np.array_equal(T.own, by_numpy(by_numpy(before)))
T  # shown by its repr
""",
    # The same name with another text, as one does in notebooks: the new one runs.
    """
@sc.kernel
def mean(next: sc.Out, T: sc.In):
    next[0, 0] = 7.0 + T[0, 0]
loop.run(mean(T.next, T.now))
T.advance()
assert np.array_equal(T.own, 7 + by_numpy(by_numpy(before)))
""",
]
for cell in CELLS:
    shell.run_cell(cell, store_history=True).raise_error()
wrong = shell.run_cell("""
@sc.kernel
def wrong(next: sc.Out, T: sc.In):
    next[1, 0] = T[0, 0]
""", store_history=True)
error = wrong.error_in_exec
assert ':3: kernel "wrong" sets next beside the cell' in str(error), error
print("all good")
'''


def test_kernels_in_cells(tmp_path):
    path = tmp_path / "notebook.py"
    path.write_text(CELLS)
    done = run([sys.executable, path], IPYTHONDIR=str(tmp_path), SUBCURRENT_CACHE=str(tmp_path / "kernels"))
    assert done.stdout.endswith("all good\n"), done.stdout + done.stderr
