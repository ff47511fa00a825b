# SPDX-License-Identifier: Apache-2.0
"""`subcurrent.cg` whose operator is a kernel: SciPy's direct solver and exact solutions, the same bits on any
number of ranks, and what it refuses."""

import json
import re

import numpy as np
import pytest

from stencil_runs import each_call

sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

pytestmark = pytest.mark.mpi

HEAD = """
import json, sys
import numpy as np
import subcurrent as sc

@sc.kernel
def laplacian(y: sc.Out, x: sc.In, h: float = 1.0):
    y[0, 0, 0] = (6 * x[0, 0, 0] - x[1, 0, 0] - x[-1, 0, 0] - x[0, 1, 0] - x[0, -1, 0] - x[0, 0, 1]
                  - x[0, 0, -1]) / h**2

def leave(x, report):
    everything = x.gather()
    if everything is not None:
        np.save("x.npy", everything)
        print(report.iterations, report.restarts, report.residual, everything.tobytes().hex()[-64:])
"""

# Coefficients that jump by a factor of 100, on the faces between cells; walls of several kinds.
JUMPS = """
@sc.kernel
def flow(y: sc.Out, x: sc.In, k: sc.In):
    here, at, s = k[0, 0, 0], x[0, 0, 0], 0.0
    for n in range(-1, 2, 2):
        s += (here + k[n, 0, 0]) / 2 * (at - x[n, 0, 0])
        s += (here + k[0, n, 0]) / 2 * (at - x[0, n, 0])
        s += (here + k[0, 0, n]) / 2 * (at - x[0, 0, n])
    y[0, 0, 0] = s

strategy, threads = sys.argv[1], int(sys.argv[2])
grid = sc.Grid((10, 11, 12), periodic=(True, False, False), threads=threads)
b, k, x = (grid.field(name) for name in ("b", "k", "x"))
k.set(lambda x, y, z: np.where((x // 3 + y // 4 + z) % 3 == 0, 100.0, 1.0))
k.boundary("all", sc.Mirror())
b.set(lambda x, y, z: np.sin(x * 1.3 + y * y * 0.4 - z))
x.boundary("y- y+", sc.Dirichlet(0.0))
x.boundary("z- z+", sc.Neumann(0.0))
x.set(0.5)
leave(*sc.cg(lambda y, x: flow(y, x, k), b, x=x, tol=1e-11, loop=sc.Loop(grid, strategy=strategy)))
"""


def assembled():
    """The same system entry by entry."""
    nx, ny, nz = 10, 11, 12
    z, y, x = np.meshgrid(np.arange(nz), np.arange(ny), np.arange(nx), indexing="ij")
    k = np.where((x // 3 + y // 4 + z) % 3 == 0, 100.0, 1.0)
    number = np.arange(nx * ny * nz).reshape(nz, ny, nx)
    matrix = sparse.lil_array((number.size, number.size))
    for at in np.ndindex(nz, ny, nx):
        for axis in range(3):
            for step in (-1, 1):
                there = list(at)
                there[axis] += step
                if axis == 2:
                    there[2] %= nx
                n = number[at]
                if 0 <= there[axis] < (nz, ny, nx)[axis]:
                    weight = (k[at] + k[tuple(there)]) / 2
                    matrix[n, number[tuple(there)]] -= weight
                    matrix[n, n] += weight
                elif axis == 1:  # the value 0 on the face: the ghost is the cell's own, negative
                    matrix[n, n] += 2 * k[at]
    return sparse.csc_array(matrix), np.sin(x * 1.3 + y * y * 0.4 - z)


def test_against_a_direct_solver_with_the_same_bits_everywhere(program, tmp_path):
    matrix, b = assembled()
    exact = linalg.spsolve(matrix, b.ravel())
    said = set()
    for ranks, strategy, threads in (
        (1, "blocking", 1),
        (1, "boundary_first", 2),
        (2, "boundary_first", 1),
        (3, "interior_first", 1),
        (4, "pipelined", 1),
    ):
        done = program.script(HEAD + JUMPS, strategy, threads, ranks=ranks)
        said.add(done.stdout)
        x = np.load(tmp_path / "x.npy").ravel()
        assert np.linalg.norm(matrix @ x - b.ravel()) < 1e-10 * np.linalg.norm(b)
        assert np.abs(x - exact).max() < 1e-8 * np.abs(exact).max()
    assert len(said) == 1
    assert float(said.pop().split()[2]) <= 1e-11


EXACT = """
# Laplace's equation between a wall that holds 1 and one that holds 3: a line.
grid = sc.Grid((8, 6, 20), periodic=(True, True, False))
b, x = grid.field("b"), grid.field("x")
x.boundary("z-", sc.Dirichlet(1.0))
x.boundary("z+", sc.Dirichlet(3.0))
x, report = sc.cg(laplacian, b, x=x, tol=1e-13)
height = (grid.positions[2] + 0.5) / 20
assert np.abs(x.own - (1 + 2 * height)).max() < 1e-11 and report.converged
again, report = sc.cg(laplacian, b, x=x, tol=1e-12)
assert again is x and report.iterations == 0

# A periodic box: waves are eigenvectors, and the mean stays what it was.
grid = sc.Grid((16, 12, 10), periodic=True)
b = grid.field("b")
wave = lambda x, y, z: np.cos(2 * np.pi * x / 16) * np.sin(2 * np.pi * z / 10)
value = (4 * np.sin(np.pi / 16) ** 2 + 4 * np.sin(np.pi / 10) ** 2) / 0.5**2
b.set(lambda x, y, z: value * wave(x, y, z))
seen = []
x, report = sc.cg(lambda y, x: laplacian(y, x, h=0.5), b, tol=1e-12, each=lambda n, r: seen.append((n, r)))
assert np.abs(x.own - wave(*grid.positions)).max() < 1e-12
assert seen[0] == (0, 1.0) and len(seen) == report.iterations + 1
b.set(0.0)
x, report = sc.cg(laplacian, b)
assert not x.own.any() and report.iterations == 0

# Two components that are coupled, in a plane, and two kernels after one another: (1 + L)^2.
@sc.kernel
def coupled(y: sc.Out, x: sc.In):
    y[0][0, 0] = 5 * x[0][0, 0] - x[0][1, 0] - x[0][-1, 0] + 0.5 * x[1][0, 0]
    y[1][0, 0] = 5 * x[1][0, 0] - x[1][0, 1] - x[1][0, -1] + 0.5 * x[0][0, 0]

@sc.kernel
def one_plus(y: sc.Out, x: sc.In):
    y[0, 0] = 5 * x[0, 0] - x[1, 0] - x[-1, 0] - x[0, 1] - x[0, -1]

plane = sc.Grid((9, 14), periodic=True)
b = plane.field("b", components=2)
b.set(lambda x, y: [np.sin(x * y + k) for k in range(2)])
x, report = sc.cg(coupled, b, tol=1e-12)
image, loop = plane.field("image", components=2), sc.Loop(plane)
loop.run(coupled(image, x))
assert np.abs(image.own - b.own).max() < 1e-11
b, between = plane.field("b"), plane.field("between")
b.set(lambda x, y: np.sin(x * y))
x, report = sc.cg(lambda y, x: [one_plus(between, x), one_plus(y, between)], b, tol=1e-12)
image = plane.field("image")
loop.run(one_plus(between, x), one_plus(image, between))
assert np.abs(image.own - b.own).max() < 1e-10

# Single precision comes as far as its digits.
line = sc.Grid((32,), periodic=True)
@sc.kernel
def stiff(y: sc.Out, x: sc.In):
    y[0] = 2.5 * x[0] - x[1] - x[-1]
b = line.field("b", dtype=np.float32)
b.set(lambda x: np.sin(x * x))
x, report = sc.cg(stiff, b, tol=1e-6)
assert x.dtype == np.float32 and report.residual <= 1e-6
print("all good")
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_exact_solutions(program, ranks):
    done = program.script(HEAD + EXACT, ranks=ranks)
    assert "all good" in done.stdout


WRONG = [
    ("sc.cg(laplacian, np.ones(3))", "b is a field"),
    ("sc.cg(laplacian, wall)", "x is missing"),
    ("sc.cg(laplacian, b, x=b)", "another field than b"),
    ("sc.cg(laplacian, b, x=wall)", "a field on the grid of b"),
    ("sc.cg(laplacian, b, x=grid.field('v', components=2))", "of as many components"),
    ("sc.cg(laplacian, b, loop=3)", "an sc.Loop on the grid"),
    ("sc.cg(laplacian, b, preconditioner='jacobi')", "is only for a matrix, but A is a kernel"),
    ("sc.cg(laplacian, b, first=0)", "is only for a matrix, but A is a kernel"),
    ("sc.cg(laplacian, b, tol=2)", "tol = 2"),
    ("sc.cg(lambda y, x: 3, b)", "it takes calls of kernels"),
    ("sc.cg(lambda y, x: laplacian(grid.field('other'), x), b)", "none of them sets its first argument"),
    ("sc.cg(lopsided, b)", "is not symmetric"),
    ("sc.cg(lambda y, x: laplacian(y, x, h=1e200), b)", "not finite numbers|singular|not a number"),
    ("sc.cg(upside_down, b)", "not positive definite: p A p < 0 at iteration 1"),
    ("sc.cg(nothing, b)", "singular: p A p = 0 at iteration 1"),
    ("sc.cg(laplacian, uneven, iterations=500)", "not converged|singular"),
    ("sc.cg(laplacian, b, iterations=1)", "not converged: the residual is"),
    ("sc.cg(laplacian, wall, x=walled)", "the boundary condition of x at z- is a kernel"),
    ("sc.cg(np.eye(3), np.ones(3), x=b)", "x is only for an operator that is a kernel"),
]

CALLS = """
@sc.kernel
def lopsided(y: sc.Out, x: sc.In):
    y[0, 0, 0] = 3 * x[0, 0, 0] - x[1, 0, 0]

@sc.kernel
def upside_down(y: sc.Out, x: sc.In):
    y[0, 0, 0] = -3 * x[0, 0, 0] + x[1, 0, 0] + x[-1, 0, 0]

@sc.kernel
def nothing(y: sc.Out, x: sc.In):
    y[0, 0, 0] = 0 * x[0, 0, 0]

@sc.condition
def own(q: sc.Out, n: sc.Layer):
    q.ghost[n] = -q.inside[n]

grid = sc.Grid((8, 9, 10), periodic=True)
b, uneven = grid.field("b"), grid.field("uneven")
b.set(lambda x, y, z: np.sin(2 * np.pi * x / 8) * np.cos(2 * np.pi * 2 * z / 10) + np.sin(2 * np.pi * y / 9))
uneven.set(lambda x, y, z: 1.0 + x)
box = sc.Grid((8, 9, 10), periodic=(True, True, False))
wall, walled = box.field("b"), box.field("x")
walled.boundary("z- z+", own())
"""


def test_what_cannot_be_is_one_sentence(program):
    done = program.script(
        HEAD + CALLS + each_call("sc.SubcurrentError"), json.dumps([call for call, _ in WRONG])
    )
    for (call, words), said in zip(WRONG, json.loads(done.stdout), strict=True):
        assert re.search(words, said), (call, said)
        assert said.endswith(".") and "\n" not in said


AGAIN = """
@sc.kernel
def plus(y: sc.Out, x: sc.In):
    y[0, 0] = 5 * x[0, 0] - x[1, 0] - x[-1, 0] - x[0, 1] - x[0, -1]

grid = sc.Grid((6, 6))
b, x, loop = grid.field("b"), grid.field("x"), sc.Loop(grid)
x.boundary("all", sc.Dirichlet(0.0))
b.set(lambda x, y: np.sin(x * y + 1.0))

def inner(y, x):  # a solve in the solve has vectors of its own
    if not nested:
        nested.append(1)
        z = grid.field("z")
        z.boundary("all", sc.Dirichlet(0.0))
        sc.cg(plus, b, x=z, loop=loop, tol=1e-12)
    return plus(y, x)

numbers, nested = [], [1]
for n in range(5):
    x.set(0.0)
    sc.cg(inner, b, x=x, loop=loop, tol=1e-12)
    numbers.append(len(loop._sweeps))
    found = x.gather()
    first = found if n == 0 else first
    assert np.array_equal(found, first)
assert numbers[1] == numbers[4], numbers
nested.clear()
x.set(0.0)
sc.cg(inner, b, x=x, loop=loop, tol=1e-12)
assert nested and np.array_equal(x.gather(), first)

x.set(3.0)
b.set(np.nan)
for operator in (plus, lambda y, x: plus(grid.field("other"), x)):
    try:
        sc.cg(operator, b, x=x, loop=loop)
    except sc.BadInput:
        assert (x.own == 3).all(), x.own
    else:
        raise SystemExit("b has no number")
print("all good")
"""


def test_one_loop_for_many_solves_keeps_its_vectors_and_a_refusal_keeps_x(program):
    done = program.script(HEAD + AGAIN)
    assert "all good" in done.stdout
