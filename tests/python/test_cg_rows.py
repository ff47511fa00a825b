# SPDX-License-Identifier: Apache-2.0
"""`subcurrent.cg` for rows that are distributed: solutions, the memory of a rank, and what is refused."""

import pytest

sparse = pytest.importorskip("scipy.sparse")

pytestmark = pytest.mark.mpi

HEAD = """
from mpi4py import MPI
import numpy as np, scipy.sparse as sparse
import subcurrent as sc

rank, ranks = MPI.COMM_WORLD.rank, MPI.COMM_WORLD.size

def poisson(first, last, n):
    '''Rows of the Laplacian on n x n points, as (indptr, indices, data), made without any others.'''
    row = np.arange(first, last)
    i, j = row % n, row // n
    parts = [(row, row, np.full(row.size, 4.0))]
    for there, inside in ((row - n, j > 0), (row - 1, i > 0), (row + 1, i < n - 1), (row + n, j < n - 1)):
        parts.append((row[inside], there[inside], np.full(inside.sum(), -1.0)))
    r, c, v = (np.concatenate(part) for part in zip(*parts))
    made = sparse.csr_array((v, (r - first, c)), shape=(last - first, n * n))
    return made.indptr, made.indices, made.data

def cuts(n, shares):
    return [int(n * s) for s in shares]
"""

SOLVE = """
import scipy.sparse.linalg as linalg
n = 30
shares = {1: (0, 1), 2: (0, 0.3, 1), 3: (0, 0.5, 0.55, 1)}[ranks]
edges = cuts(n * n, shares)
first, last = edges[rank], edges[rank + 1]
b = np.sin(np.arange(n * n) ** 1.3)
whole = sparse.csr_array(tuple(reversed(poisson(0, n * n, n))), shape=(n * n, n * n))
exact = linalg.spsolve(sparse.csc_array(whole), b)
mine = poisson(first, last, n)
matrix = sparse.csr_array((mine[2], mine[1], mine[0]), shape=(last - first, n * n))
for given in (mine, matrix, matrix.tocoo()):
    for way in ({}, {"preconditioner": "jacobi"}, {"pipelined": True}, {"strategy": "blocking"}):
        x, report = sc.cg(given, b[first:last], first=first, tol=1e-11, **way)
        assert x.shape == (last - first,) and report.residual <= 1e-11
        assert np.abs(x - exact[first:last]).max() < 1e-8 * np.abs(exact).max()
undivided, other = sc.cg(whole, b, tol=1e-11)
assert np.abs(undivided[first:last] - x).max() < 1e-8
if rank == 0:
    print("all good")
"""


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_solutions_are_those_of_a_direct_solver(program, ranks):
    done = program.script(HEAD + SOLVE, ranks=ranks)
    assert "all good" in done.stdout


MEMORY = """
import pathlib
def peak():
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    line = next(one for one in lines if one.startswith("VmHWM"))
    return 1024 * int(line.split()[1])

# Rows with many entries, so that the matrix weighs more than vectors do: a band of 151 diagonals.
n, half = 60_000, 75
ten = (np.arange(11), np.arange(10) + 10 * rank, np.ones(10))
sc.cg(ten, np.ones(10), first=10 * rank)  # all libraries are loaded
before = peak()
first, last = n * rank // ranks, n * (rank + 1) // ranks
row = np.arange(first, last)
columns = row[:, None] + np.arange(-half, half + 1)
inside = (columns >= 0) & (columns < n)
values = np.where(columns == row[:, None], 160.0, -1.0)[inside]
begins = np.concatenate([[0], np.cumsum(inside.sum(1))])
columns = columns[inside]
del inside
x, report = sc.cg((begins, columns, values), np.ones(last - first), first=first, tol=1e-6)
grown = peak() - before
print(f"{grown} {(n * (2 * half + 1)) * 16}\\n", end="", flush=True)
"""


@pytest.mark.parametrize("ranks", [1, 4])
def test_the_memory_of_a_rank_falls_with_the_ranks(program, ranks):
    """By construction no rank is given more than its rows; what it adds are copies of these."""
    done = program.script(HEAD + MEMORY, ranks=ranks)
    grown = [[int(word) for word in line.split()] for line in done.stdout.split("\n") if line.strip()]
    assert len(grown) == ranks
    for mine, matrix in grown:
        assert mine > matrix / ranks, "nothing was measured"
        if ranks == 4:
            assert mine < 2 * matrix


WRONG = """
n = 6
mine = poisson(3 * rank, 3 * rank + 3, 3) if ranks > 1 else poisson(0, 9, 3)
good = sparse.csr_array((mine[2], mine[1], mine[0]), shape=(len(mine[0]) - 1, 9))
b, first = np.ones(good.shape[0]), 3 * rank

def change(row, column, value):
    made = good.tolil()
    if row is not None and rank == ranks - 1:
        made[row, column] = value
    return made.tocsr()

calls = [
    (lambda: sc.cg(good, b, first=first + (rank == 1)), "the ranks before it have 3 rows together"),
    (lambda: sc.cg(good, b, first=-1), "first = -1"),
    (lambda: sc.cg(good, b, first=first, partition="grid"), "is not allowed with first"),
    (lambda: sc.cg(good.toarray(), b, first=first), "(indptr, indices, data)"),
    (lambda: sc.cg((mine[0], mine[1] + 7, mine[2]), b, first=first), "the matrix has a value in column"),
    (lambda: sc.cg((mine[0], mine[1] * 1.0, mine[2]), b, first=first), "a vector of whole numbers"),
    (lambda: sc.cg((mine[0][::-1], mine[1], mine[2]), b, first=first), "cannot be read as a sparse matrix"),
    (lambda: sc.cg(good, np.ones(2), first=first), "b has length 2"),
    (lambda: sc.cg(change(0, 0, 2.5), b, first=first), "not symmetric"),
    (lambda: sc.cg(change(2, 8, -1.0), b, first=first), "its diagonal entry 9 is -1"),
    (lambda: sc.cg(change(2, 8, np.inf), b, first=first), "all must be finite numbers"),
    (lambda: sc.cg(good * 1j, b, first=first), "the matrix is complex"),
]
for n, (call, part) in enumerate(calls):
    try:
        call()
    except Exception as error:
        assert part in str(error) or "another rank" in str(error), (n, str(error))
    else:
        raise SystemExit(f"call {n} was taken")
print("all refused")
"""


def test_what_cannot_be_is_refused_on_all_ranks(program):
    done = program.script(HEAD + WRONG, ranks=3)
    assert done.stdout.count("all refused") == 3
