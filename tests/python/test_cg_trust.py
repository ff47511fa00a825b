"""What `cg` says of its solution is so, and files and numbers that it cannot take are refused at once."""

import gzip
import json
import tracemalloc

import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")
sparse = pytest.importorskip("scipy.sparse")

from subcurrent import BadInput  # noqa: E402
from subcurrent.solvers.cg import files, job, solve  # noqa: E402
from subcurrent.solvers.cg import matrix as cg_matrix  # noqa: E402


def biharmonic(n):
    """The square of (-1, 2, -1): its condition grows as n^4, and rounding is seen at once."""
    second = sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    return sparse.coo_array(second @ second)


def test_a_solve_that_rounding_ends_says_where(program):
    scipy_io.mmwrite(program.folder / "A.mtx", biharmonic(200))
    for extra in ([], ["--pipelined-cg"]):
        done = program("cg", "--matrix", "A.mtx", "--tol", "1e-8", "--overwrite", "--no-figures", *extra)
        assert done.returncode == 1, done.stdout
        assert "not converged: stagnated at" in done.stdout
        summary = json.loads((program.folder / "runs" / "cg_A" / "summary.json").read_text())
        assert summary["converged"] is False
        x = np.load(program.folder / "runs" / "cg_A" / "solution.npy")
        left = np.linalg.norm(1 - biharmonic(200) @ x) / np.sqrt(200)
        assert 1e-8 < left < 1e-6
        assert summary["residual"] == pytest.approx(left, rel=0.3)  # b - A x is itself rounded


def test_falling_back_from_the_pipelined_iteration_is_said(program):
    scipy_io.mmwrite(program.folder / "A.mtx", biharmonic(100))
    done = program.ok("cg", "--matrix", "A.mtx", "--pipelined-cg", "--no-figures")
    assert "plain conjugate gradients went on from there." in done.stdout
    np.save(program.folder / "A.npy", biharmonic(100).toarray())
    script = (
        "import warnings, numpy as np, subcurrent\n"
        "with warnings.catch_warnings(record=True) as said:\n"
        "    x, report = subcurrent.cg(np.load('A.npy'), np.ones(100), pipelined=True)\n"
        "assert report.converged and report.restarts > 0\n"
        "assert [str(w.message) for w in said] == [report.note + '.'] != ['.']\n"
        "for size in (1e-200, 1e200):  # squares are no numbers\n"
        "    y, report = subcurrent.cg(np.eye(3), np.full(3, size))\n"
        "    assert report.converged and (y == size).all(), y\n"
        "print('all good')\n"
    )
    ran = program.script(script)
    assert ran.stdout == "all good\n", ran.stderr


HEAD = "%%MatrixMarket matrix coordinate real symmetric\n% a comment\n\n"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (HEAD + "1e20 1e20 5\n1 1 1\n", 'the sizes "1e20 1e20 5": 3 whole numbers are needed.'),
        (HEAD + f"{10**20} {10**20} {10**20}\n1 1 1\n", f"the matrix has {10**20} rows: at most 2147483647"),
        (
            HEAD + "1000000000 1000000000 2\n1 1 1\n2 2 1\n",
            "the matrix is singular: it has 1000000000 rows and 2 entries.",
        ),
        (
            HEAD + "1000000000 1000000000 1000000000\n1 1 1\n",
            "states 1000000000 entries, but its 106 bytes cannot hold them.",
        ),
        (HEAD + "3 3 10000000000000\n1 1 1\n2 2 1\n3 3 1\n", "states 10000000000000 entries"),
        (HEAD + "9" * 9000 + " 3 3\n1 1 1\n", "3 whole numbers are needed."),
        (HEAD + "-3 -3 3\n1 1 1\n", 'the sizes "-3 -3 3": 3 whole numbers are needed.'),
        (HEAD + "3.5 3.5 3\n1 1 1\n", 'the sizes "3.5 3.5 3": 3 whole numbers are needed.'),
        (HEAD + "3 3\n1 1 1\n", 'the sizes "3 3": 3 whole numbers are needed.'),
        (HEAD, 'the sizes "": 3 whole numbers are needed.'),
        (HEAD + "3 4 3\n1 1 1\n", "the matrix is 3 x 4: conjugate gradients need a square one."),
        (HEAD + "0 0 0\n", "the matrix is empty"),
        (
            HEAD.replace("coordinate", "array") + "1000000 1000000\n1\n",
            "states 500000500000 entries",
        ),
        (HEAD.replace("real", "complex") + "1 1 1\n1 1 1 0\n", "the matrix is complex"),
        (HEAD + "2 2 2\n1 1 1\n3 3 1\n", "cannot be read"),
        (HEAD + "2 2 2\n1 1 1.000000\n", "cannot be read"),
        (HEAD + f"1 1 1\n1 1 {'9' * 400}\n", "cannot be read|all must be finite"),
        ("5 5 5\n", "is no Matrix Market file"),
        ("", "is no Matrix Market file"),
    ],
)
@pytest.mark.parametrize("packed", [False, True])
def test_heads_that_cannot_be_are_refused_before_memory_is_asked_for(tmp_path, text, sentence, packed):
    path = tmp_path / ("A.mtx.gz" if packed else "A.mtx")
    data = text.encode()
    path.write_bytes(gzip.compress(data) if packed else data)
    sentence = sentence.replace("106 bytes", f"{path.stat().st_size} bytes")
    scipy_io.mmread  # noqa: B018 - loaded before memory is counted
    tracemalloc.start()
    try:
        with pytest.raises(BadInput) as refused:
            files.read_system(path, None)
        assert tracemalloc.get_traced_memory()[1] < 10e6
    finally:
        tracemalloc.stop()
    assert any(part in str(refused.value) for part in sentence.split("|")), refused.value
    assert str(refused.value).endswith(".")
    assert "\n" not in str(refused.value)


def test_small_dense_matrices_of_every_symmetry_are_read(tmp_path):
    for n in (1, 2, 3):
        for symmetry in ("general", "symmetric"):
            scipy_io.mmwrite(tmp_path / "A.mtx", np.eye(n) * 4, symmetry=symmetry)
            _, _, values, b = files.read_system(tmp_path / "A.mtx", None)
            assert values.tolist() == [4.0] * n == (4 * b).tolist()


def test_matrices_near_the_ends_of_the_range_are_judged_as_they_are():
    for size in (1e-300, 1.7e308):
        matrix = cg_matrix.checked_matrix(size * np.array([[1.0, 0.5], [0.5, 1.0]]))
        assert (matrix.toarray() == size * np.array([[1.0, 0.5], [0.5, 1.0]])).all()
        with pytest.raises(BadInput, match="not symmetric"):
            cg_matrix.checked_matrix(size * np.array([[1.0, 0.5], [-0.5, 1.0]]))
    cg_matrix.checked_matrix(np.diag([1e300, 1e-300]))


def test_matrices_from_python_are_looked_at_before_they_are_turned_round():
    wide = sparse.coo_array(([1.0, 1.0], ([0, 1], [0, 1])), shape=(10**9, 10**9))
    torn = sparse.csr_array(np.eye(4))
    torn.indices[2] = 1000
    for matrix, sentence in (
        (wide, "the matrix is singular: it has 1000000000 rows and 2 entries."),
        (torn, "the matrix cannot be read as a sparse matrix"),
        (np.ones(3), "the matrix is 3: conjugate gradients need a square one."),
        (np.eye(3).astype(str), "the matrix is of type <U32: numbers are needed."),
        (sparse.csr_array(np.eye(3)).astype(np.longdouble), "which would lose digits as float64"),
        ([[1, 0], [0, 2**60]], "the matrix has whole numbers beyond 9007199254740992"),
    ):
        with pytest.raises(BadInput) as refused:
            cg_matrix.checked_matrix(matrix)
        assert sentence in str(refused.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"iterations": 1.5},
            "iterations = 1.5 is not allowed: it must be a whole number from 1 to 2147483647.",
        ),
        ({"iterations": 0}, "iterations = 0 is not allowed: it must be a whole number from 1 to 2147483647."),
        ({"block": True}, "block = True is not allowed: it must be a whole number from 1 to 1024."),
        ({"degree": 65}, "degree = 65 is not allowed: it must be a whole number from 1 to 64."),
        ({"depth": "5"}, "depth = '5' is not allowed: it must be a whole number from 1 to 1000000."),
        ({"tol": 1e-8j}, "tol = 1e-08j is not allowed: it must be more than 0 and less than 1."),
        ({"tol": np.nan}, "tol = nan is not allowed: it must be more than 0 and less than 1."),
        ({"pipelined": "no"}, "pipelined = 'no' is not allowed: it must be True or False."),
    ],
)
def test_options_of_the_wrong_kind_are_refused(options, sentence):
    given = {
        "tol": 1e-8, "iterations": None, "preconditioner": "none", "block": 32, "degree": 4,
        "pipelined": False, "partition": "row", "strategy": "interior_first", "depth": 5,
    }  # fmt: skip
    with pytest.raises(BadInput) as refused:
        solve.checked_options(**{**given, **options})
    assert str(refused.value) == sentence


def test_right_sides_in_files_are_checked_like_matrices(program, refusal):
    scipy_io.mmwrite(program.folder / "A.mtx", sparse.coo_array(4 * np.eye(20)))
    np.save(program.folder / "complex.npy", np.full(20, 1 + 1j))
    scipy_io.mmwrite(program.folder / "complex.mtx", np.full((20, 1), 1 + 1j))
    head = "%%MatrixMarket matrix array real general\n"
    (program.folder / "long.mtx").write_text(head + "1000000000000 1\n1\n")
    (program.folder / "short.mtx").write_text(head + "20 1\n1\n")
    (program.folder / "empty.txt").write_text("")
    (program.folder / "folder").mkdir()
    np.save(program.folder / "cut.npy", np.ones(20))
    cut = (program.folder / "cut.npy").read_bytes().replace(b"(20,), ", b"(2000000000000,), ")
    (program.folder / "cut.npy").write_bytes(cut)
    for name, sentence in (
        ("complex.npy", "b is complex: real numbers are needed, the imaginary part would be lost."),
        ("complex.mtx", "b is complex: real numbers are needed, the imaginary part would be lost."),
        ("long.mtx", "b has length 1000000000000 x 1 and the matrix 20 rows: they must be the same."),
        ("short.mtx", "short.mtx states 20 entries, but its 48 bytes cannot hold them."),
        ("empty.txt", "b has length 0 and the matrix 20 rows: they must be the same."),
        ("folder", "folder cannot be read: it is no regular file."),
        ("cut.npy", "cut.npy cannot be read: "),
    ):
        assert sentence in refusal("cg", "--matrix", "A.mtx", "--rhs", name), name
        assert not (program.folder / "runs").exists()


def test_ranks_without_a_row_are_refused(program):
    scipy_io.mmwrite(program.folder / "A.mtx", sparse.coo_array(4 * np.eye(20)))
    done = program("cg", "--matrix", "A.mtx", "-n", "21")
    assert done.returncode == 2
    assert "21 ranks are more than the matrix has rows: at most 20 are allowed." in done.stderr
    assert not (program.folder / "runs").exists()
    script = "import numpy as np, subcurrent; subcurrent.cg(np.eye(2), np.ones(2))"
    done = program.script(script, ranks=3, succeeds=False)
    assert "3 ranks are more than the matrix has rows: at most 2 are allowed." in done.stderr


def test_orders_of_the_classes_are_those_of_the_benchmark(program):
    ask = (
        "import json, subcurrent._core as c\n"
        "print(json.dumps({k: (c.cg_class(k)['n'], c.cg_class(k)['nonzer']) for k in 'SWABCD'}))"
    )
    done = program.script(ask)
    assert {name: tuple(of) for name, of in json.loads(done.stdout).items()} == job.CLASSES
