"""`subcurrent.cg` and `subcurrent cg` against SciPy's direct solver, and what both refuse."""

import csv
import json

import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")
sparse = pytest.importorskip("scipy.sparse")
linalg = pytest.importorskip("scipy.sparse.linalg")

from conftest import summary  # noqa: E402
from subcurrent import BadInput  # noqa: E402
from subcurrent.solvers.cg import job  # noqa: E402
from subcurrent.solvers.cg import matrix as cg_matrix  # noqa: E402


def laplacian(n, dimensions):
    line = sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    whole = sparse.csr_array((n**dimensions, n**dimensions))
    for axis in range(dimensions):
        factors = [sparse.eye_array(n)] * dimensions
        factors[axis] = line
        term = factors[0]
        for factor in factors[1:]:
            term = sparse.kron(term, factor)
        whole = whole + term
    return sparse.csr_array(whole)


def random_spd(n, seed):
    """Diagonally dominant, entries over two decades, so that preconditioners have something to do."""
    rng = np.random.default_rng(seed)
    half = sparse.random_array((n, n), density=8 / n, rng=rng)
    scale = sparse.diags_array(10 ** rng.uniform(-0.5, 0.5, n))
    sums = np.asarray((half + half.T).sum(axis=1)).ravel()
    return sparse.csr_array(scale @ (sparse.diags_array(sums + 1.0) - (half + half.T)) @ scale)


SYSTEMS = {"2-D": laplacian(24, 2), "3-D": laplacian(9, 3), "random": random_spd(500, 3)}

SCRIPT = """
import sys, json, numpy as np, scipy.sparse as sparse, subcurrent
import subcurrent.rank.parallel as parallel
names, ways = json.loads(sys.argv[1])
for name in names:
    matrix = sparse.load_npz(f"{name}.npz")
    b = np.load(f"{name}.npy")
    found = []
    for way in ways:
        x, report = subcurrent.cg(matrix, b, tol=1e-11, **way)
        found.append((x, report.iterations, report.residual, report.residuals[-1]))
    if parallel.context(1, "auto").rank == 0:
        rest = np.array([f[1:] for f in found])
        np.savez(f"{name}.found.npz", x=np.array([f[0] for f in found]), rest=rest)
"""

WAYS = [
    {},
    {"preconditioner": "jacobi", "partition": "grid", "strategy": "pipelined", "depth": 3},
    {"preconditioner": "block-jacobi", "block": 16, "partition": "column", "strategy": "boundary_first"},
    {"preconditioner": "ic", "partition": "grid"},
    {"preconditioner": "chebyshev", "degree": 3, "strategy": "blocking"},
    {"pipelined": True},
    {"pipelined": True, "preconditioner": "jacobi", "partition": "grid"},
    {"pipelined": True, "preconditioner": "block-jacobi", "partition": "column", "strategy": "pipelined"},
]


@pytest.mark.parametrize("ranks", [1, 3])
def test_solution_is_that_of_a_direct_solver(program, tmp_path, ranks):
    sides = {}
    for name, matrix in SYSTEMS.items():
        sides[name] = np.random.default_rng(5).standard_normal(matrix.shape[0])
        sparse.save_npz(tmp_path / f"{name}.npz", matrix)
        np.save(tmp_path / f"{name}.npy", sides[name])
    program.environment["OMPI_MCA_mpi_yield_when_idle"] = "1"
    program.script(SCRIPT, json.dumps([list(SYSTEMS), WAYS]), ranks=ranks)
    for name, matrix in SYSTEMS.items():
        b = sides[name]
        exact = linalg.spsolve(sparse.csc_array(matrix), b)
        found = np.load(tmp_path / f"{name}.found.npz")
        for way, x, (iterations, residual, _) in zip(WAYS, found["x"], found["rest"], strict=True):
            apart = np.linalg.norm(matrix @ x - b) / np.linalg.norm(b)
            assert apart < 1e-9, (name, way)
            assert residual == pytest.approx(apart, rel=1e-2, abs=1e-14), (name, way)
            assert np.abs(x - exact).max() < 1e-6 * np.abs(exact).max(), (name, way)
            assert iterations > 1
        if name == "random":  # badly scaled: the diagonal helps
            assert found["rest"][1][0] < 0.5 * found["rest"][0][0]


def test_benchmark_prints_and_writes_its_result(program):
    done = program.ok(
        "cg", "--class", "S", "-n", "3", "--partition", "grid", "--strategy", "pipelined", "--depth", "4"
    )
    assert "VERIFICATION SUCCESSFUL" in done.stdout
    folder = program.folder / "runs" / "cg_class_S"
    found = summary(folder)
    assert found["verified"] is True
    assert found["error"] <= 1e-10
    assert found["partition"]["nonzeros"] == 78148
    assert found["partition"]["imbalance"] <= 0.1
    nz = 7 * 8
    million = 1e-6 * 2 * 15 * 1400 * (3 + nz + 25 * (5 + nz) + 3)
    assert found["mops"] * found["seconds"] == pytest.approx(million)
    rows = list(csv.DictReader((folder / "history.csv").open()))
    assert len(rows) == 15
    assert float(rows[-1]["zeta"]) == pytest.approx(8.5971775078648, rel=1e-12)
    assert (folder / "figures" / "residual.png").stat().st_size > 5000


def test_matrix_market_file_is_solved(program, refusal):
    matrix = SYSTEMS["2-D"]
    scipy_io.mmwrite(program.folder / "A.mtx", sparse.coo_array(matrix), symmetry="symmetric")
    b = np.arange(matrix.shape[0], dtype=float)
    scipy_io.mmwrite(program.folder / "b.mtx", b[:, None])
    words = ("--rhs", "b.mtx", "--tol", "1e-10", "--preconditioner", "jacobi", "-n", "2", "--no-figures")
    program.ok("cg", "--matrix", "A.mtx", *words)
    folder = program.folder / "runs" / "cg_A"
    x = np.load(folder / "solution.npy")
    assert np.linalg.norm(matrix @ x - b) <= 2e-10 * np.linalg.norm(b)
    residual = [float(row["residual"]) for row in csv.DictReader((folder / "history.csv").open())]
    assert residual[0] == 1.0
    assert residual[-1] <= 1e-10 < residual[-2]
    assert not (folder / "matrix").exists()
    assert not (folder / "figures" / "residual.png").exists()
    assert "is not empty" in refusal("cg", "--matrix", "A.mtx")


def test_what_does_not_converge_says_so(program):
    scipy_io.mmwrite(program.folder / "A.mtx", sparse.coo_array(SYSTEMS["2-D"]))
    done = program("cg", "--matrix", "A.mtx", "--iterations", "5", "--no-figures")
    assert done.returncode == 1
    assert "not converged: the residual is" in done.stdout
    indefinite = sparse.diags_array([np.ones(19), np.linspace(0.1, 2, 20), np.ones(19)], offsets=[-1, 0, 1])
    scipy_io.mmwrite(program.folder / "I.mtx", indefinite.tocoo())
    done = program("cg", "--matrix", "I.mtx", "-n", "2", "--no-figures")
    assert done.returncode == 1
    assert "no solution: the matrix is not positive definite: p^T A p < 0 at iteration" in done.stdout
    ones = sparse.coo_array(np.ones((3, 3)))
    scipy_io.mmwrite(program.folder / "O.mtx", ones)
    np.savetxt(program.folder / "b.txt", [1.0, 2.0, 3.0])
    done = program("cg", "--matrix", "O.mtx", "--rhs", "b.txt", "--no-figures")
    assert done.returncode == 1
    assert "the matrix is singular to working precision" in done.stdout


def broken(change):
    matrix = SYSTEMS["2-D"].tolil(copy=True)
    change(matrix)
    return matrix


def set_entry(row, column, value):
    return lambda matrix: matrix.__setitem__((row, column), value)


def neumann(matrix):
    matrix.setdiag(matrix.diagonal() - np.asarray(matrix.sum(axis=1)).ravel())


def empty_row(matrix):
    matrix[7, :] = 0
    matrix[:, 7] = 0


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (SYSTEMS["2-D"][:5], "the matrix is 5 x 576: conjugate gradients need a square one."),
        (broken(set_entry(0, 5, 3)), "the matrix is not symmetric: entry (1, 6) is 3 and entry (6, 1) is 0."),
        (broken(set_entry(2, 2, np.nan)), "entry (3, 3) of the matrix is nan: all must be finite numbers."),
        (broken(set_entry(2, 2, -1)), "the matrix is not positive definite: its diagonal entry 3 is -1."),
        (broken(empty_row), "the matrix is singular: row 8 is zero."),
        (broken(neumann), "the matrix is singular: the sum of every row is zero."),
        (
            SYSTEMS["2-D"] * 1j,
            "the matrix is complex: real numbers are needed, the imaginary part would be lost.",
        ),
    ],
)
def test_matrices_that_cannot_be_solved_are_refused(matrix, sentence):
    with pytest.raises(BadInput) as refused:
        cg_matrix.checked_matrix(matrix)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("b", "sentence"),
    [
        (np.ones(5), "b has length 5 and the matrix 4 rows: they must be the same."),
        (np.ones((4, 2)), "b has length 4 x 2 and the matrix 4 rows: they must be the same."),
        ([1, 2, np.inf, 4], "entry 3 of b is inf: all must be finite numbers."),
        (np.ones(4) + 0j, "b is complex: real numbers are needed, the imaginary part would be lost."),
        ([1, 2, 3, 4j], "b is complex: real numbers are needed, the imaginary part would be lost."),
        (["1", "2", "3", "4"], "b is of type <U1: numbers are needed."),
        ([1, 2, 3, 10**30], "b is of type object: numbers are needed."),
        (
            [1, 2, 3, 2**53 + 1],
            "b has whole numbers beyond 9007199254740992, which would lose digits as float64.",
        ),
        (
            np.ones(4, np.longdouble),
            f"b is {np.dtype(np.longdouble)}, which would lose digits as float64: convert it explicitly "
            "if this is intended.",
        ),
        (np.ma.masked_equal([1.0, 2.0, 3.0, 4.0], 3), "b has masked entries: this is not allowed."),
    ],
)
def test_right_sides_that_do_not_fit_are_refused(b, sentence):
    with pytest.raises(BadInput) as refused:
        cg_matrix.checked_right_side(b, 4)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    ("request_of", "sentence"),
    [
        ({}, "cg needs either --class, for the benchmark, or --matrix, for your own linear system."),
        ({"name": "E"}, "--class E is not known: allowed are S, W, A, B, C, D."),
        (
            {"name": "S", "tol": 1e-3},
            "--tol needs --matrix: the rules of the benchmark do not allow it.",
        ),
        ({"name": "S", "partition": "rows"}, "partition 'rows' is not known: allowed are row, column, grid."),
        ({"name": "S", "depth": 0}, "depth = 0 is not allowed: it must be a whole number from 1 to 1000000."),
        ({"name": "S", "ranks": -1}, "-n -1 is not allowed: it must be a whole number >= 1."),
        (
            {"name": "S", "ranks": 1401},
            "1401 ranks are more than the matrix has rows: at most 1400 are allowed.",
        ),
    ],
)
def test_requests_that_cannot_be_met_are_refused(request_of, sentence):
    with pytest.raises(BadInput) as refused:
        job._plan(job.CgRequest(**request_of), None)
    assert str(refused.value) == sentence
