# SPDX-License-Identifier: Apache-2.0
"""What `cg` says of where its time went, as every solver does, and of the memory that it takes."""

import gzip
import json
import re

import numpy as np
import pytest

scipy_io = pytest.importorskip("scipy.io")
sparse = pytest.importorskip("scipy.sparse")

from subcurrent import BadInput  # noqa: E402
from subcurrent.launch import memory  # noqa: E402
from subcurrent.solvers.cg import files, job  # noqa: E402
from test_cg import laplacian  # noqa: E402

MIB = 2**20


def solved(program, *arguments):
    """What a solve says, and its summary."""
    done = program.ok("cg", "--matrix", "A.mtx", "--out", "r", "--overwrite", "--no-figures", *arguments)
    return done.stdout, json.loads((program.folder / "r" / "summary.json").read_text())


# -- where the time went ---------------------------------------------------------------------------


@pytest.mark.mpi
@pytest.mark.parametrize("strategy", ["blocking", "interior_first"])
def test_a_solve_says_what_moved_and_what_that_cost(program, strategy):
    n = 40
    scipy_io.mmwrite(program.folder / "A.mtx", laplacian(n, 2))
    said, summary = solved(program, "-n", "2", "--strategy", strategy)
    # A line of n points goes each way in each product: one an iteration, and one for b - A x at the end.
    assert summary["bytes_moved"] == (summary["iterations"] + 1) * 2 * 8 * n
    assert summary["movements"]["messages"]["bytes"] == summary["bytes_moved"]
    assert summary["movements"]["reductions"]["pieces"] > 0
    assert summary["M"] > 0
    assert summary["W"] >= 0
    assert summary["C_core"] > 0
    assert summary["gb_per_s"] > 0
    if strategy == "blocking":
        assert summary["hidden"] == 0
        assert summary["C_shell"] is None
        assert summary["overlap_case"].startswith("nothing hidden by blocking")
    else:
        assert summary["hidden"] < 1
        assert summary["samples"] > 0
    told = re.search(r"M (\S+) s, W (\S+) s, R (\S+) s, hidden (\S+) %, (\d+) bytes moved", said)
    assert told, said
    assert [float(told[k]) for k in (1, 2, 3)] == pytest.approx([summary[k] for k in "MWR"], rel=1e-3)
    assert float(told[4]) == pytest.approx(100 * summary["hidden"], abs=0.06)
    assert int(told[5]) == summary["bytes_moved"]


@pytest.mark.mpi
def test_what_was_not_measured_and_what_did_not_move_is_called_so(program):
    scipy_io.mmwrite(program.folder / "A.mtx", sparse.coo_array(np.array([[2.0, 1.0], [1.0, 2.0]])))
    said, summary = solved(program, "-n", "2")  # two products: the third would have been the sample
    assert summary["iterations"] == 1
    assert summary["bytes_moved"] > 0
    assert summary["M"] is None
    assert summary["hidden"] is None
    assert "M not measured, W " in said
    assert "hidden not measured" in said
    said, summary = solved(program, "-n", "1")
    assert (summary["M"], summary["W"], summary["bytes_moved"]) == (0, 0, 0)
    assert "M 0 s, W 0 s" in said
    assert "hidden nothing moves, 0 bytes moved" in said


@pytest.mark.mpi
def test_the_benchmark_says_it_of_its_timed_iterations(program):
    done = program.ok("cg", "--class", "S", "-n", "2", "--out", "r", "--no-figures")
    summary = json.loads((program.folder / "r" / "summary.json").read_text())
    assert summary["bytes_moved"] == summary["bytes_sent"] > 0
    assert summary["M"] > 0
    for name in ("M, messages", "W, waiting", "R, reductions"):
        assert float(re.search(rf" {name} += +(\S+) s\n", done.stdout)[1]) == pytest.approx(
            summary[name[0]], rel=1e-3
        )
    assert re.search(r" Hidden += +\S+ %\n", done.stdout)


@pytest.mark.mpi
def test_each_report_of_python_is_of_its_own_solve(program):
    n = 30
    sparse.save_npz(program.folder / "A.npz", laplacian(n, 2))
    script = (
        "import numpy as np, scipy.sparse as sparse, subcurrent\n"
        "A = sparse.load_npz('A.npz')\n"
        "for strategy in ('blocking', 'interior_first', 'blocking'):\n"
        f"    _, report = subcurrent.cg(A, np.ones({n * n}), strategy=strategy)\n"
        "    t = report.terms\n"
        f"    assert t['bytes_moved'] == (report.iterations + 1) * 2 * 8 * {n}, t\n"
        "    assert t['M'] > 0 and (t['hidden'] == 0) == (strategy == 'blocking'), t\n"
        "print('all good', flush=True)\n"
    )
    ran = program.script(script, ranks=2)
    assert ran.stdout.count("all good") == 2, ran.stderr


# -- memory ----------------------------------------------------------------------------------------


def test_what_a_matrix_is_said_to_take_is_what_it_takes(program):
    """The launcher that reads it, and ranks that solve with it."""
    n = 400
    scipy_io.mmwrite(program.folder / "A.mtx", laplacian(n, 2), symmetry="symmetric")
    entries = 5 * n * n
    script = (
        "import scipy.io\n"
        "from pathlib import Path\n"
        "from subcurrent.solvers.cg import files, job\n"
        "files.read_system(Path('A.mtx'), None)\n"
        "status = dict(x.split(':', 1) for x in Path('/proc/self/status').read_text().splitlines())\n"
        "print(1024 * int(status['VmHWM'].split()[0]))\n"
    )
    read = program.script(script)
    said = memory.of_reading(n * n, entries)
    assert int(read.stdout) == pytest.approx(said, rel=0.15)
    for ranks, partition, preconditioner in (
        (1, "row", "none"),
        (2, "column", "none"),
        (1, "row", "block-jacobi"),
        (1, "row", "ic"),
        (1, "row", "chebyshev"),
    ):
        options = {"partition": partition, "pipelined": False, "preconditioner": preconditioner, "block": 32}
        _, summary = solved(
            program, "-n", str(ranks), "--partition", partition, "--preconditioner", preconditioner,
            "--tol", "0.99",
        )  # fmt: skip
        said = memory.of_solving(n * n, entries, options, ranks)
        assert ranks * summary["peak_memory_bytes"] == pytest.approx(said, rel=0.15), partition
    program.ok("cg", "--class", "A", "--out", "a", "--no-figures")
    found = json.loads((program.folder / "a" / "summary.json").read_text())["peak_memory_bytes"]
    assert found == pytest.approx(memory.of_class(*job.CLASSES["A"], 1), rel=0.15)


HEAD = "%%MatrixMarket matrix coordinate real symmetric\n"


def test_a_system_that_cannot_fit_is_refused_before_it_is_read(program, monkeypatch):
    """A head may promise what a packed file can hold; the limit is one that the machine is said to have."""
    entries = 10**7
    path = program.folder / "A.mtx.gz"
    path.write_bytes(gzip.compress((HEAD + f"{entries} {entries} {entries}\n").encode()) + bytes(100_000))
    monkeypatch.setattr(memory, "free_bytes", lambda: 1024 * MIB)
    monkeypatch.chdir(program.folder)
    monkeypatch.setattr(files, "_read", lambda path: pytest.fail(f"{path} was read"))
    for request, sentence in (
        (
            job.CgRequest(matrix=path),
            f"the matrix of {entries} rows and {2 * entries} entries needs about 1.8 GiB of memory on this "
            "machine, which has 1.0 GiB free.",
        ),
        (
            job.CgRequest(name="D"),
            "--class D needs about 21.8 GiB of memory on this machine, which has 1.0 GiB free: class B would "
            "fit.",
        ),
        (
            job.CgRequest(matrix=path, preconditioner="block-jacobi", block=1000),
            f"the matrix of {entries} rows and {2 * entries} entries needs about 299.8 GiB of memory on this "
            "machine, which has 1.0 GiB free.",
        ),
    ):
        with pytest.raises(BadInput) as refused:
            job.run(request, None)
        assert str(refused.value) == sentence
    assert [p.name for p in program.folder.iterdir()] == ["A.mtx.gz"]


@pytest.mark.mpi
def test_a_matrix_in_python_is_refused_where_its_solve_does_not_fit(program):
    """On all ranks alike, before any of them takes more; a smaller one is solved."""
    script = (
        "import numpy as np, scipy.sparse as sparse, subcurrent\n"
        "from subcurrent.launch import memory\n"
        "memory.free_bytes = lambda: 256 * 2**20\n"
        "for n in (2_000_000, 100):\n"
        "    A = sparse.diags_array([np.full(n, 2.0)], offsets=[0])\n"
        "    try:\n"
        "        x, _ = subcurrent.cg(A, np.ones(n))\n"
        "        print(f'solved {x[0]} {x[-1]}', flush=True)\n"
        "    except subcurrent.BadInput as error:\n"
        "        print(error, flush=True)\n"
    )
    ran = program.script(script, ranks=2)
    options = {"partition": "row", "pipelined": False, "preconditioner": "none"}
    need = memory.gibibytes(memory.of_solving(2_000_000, 2_000_000, options, 2))
    sentence = f"entries needs about {need} of memory on this machine, which has 256 MiB free."
    assert ran.stdout.count(sentence) == 2, ran.stdout + ran.stderr
    assert ran.stdout.count("solved 0.5 0.5") == 2, ran.stdout + ran.stderr


def test_a_dense_file_needs_what_its_entries_need(tmp_path):
    """A dense one is mapped, and only what is not zero is kept; in text all of it is read."""
    np.save(tmp_path / "A.npy", np.eye(50))
    scipy_io.mmwrite(tmp_path / "A.mtx", 4 * np.eye(50), symmetry="general")
    for name, expected in (("A.npy", [(50, 50)]), ("A.mtx", [(50, 2500 // 9), (50, 50)])):
        asked = []
        files.read_system(tmp_path / name, None, lambda *known, asked=asked: asked.append(known))
        assert asked == expected


def test_the_program_says_so_with_its_exit_code(program):
    """As much as no machine has, in a file that is small because it is packed."""
    entries = 2 * 10**9
    text = (HEAD + f"{entries} {entries} {entries}\n").encode()
    with (program.folder / "A.mtx.gz").open("wb") as file:
        file.write(gzip.compress(text))
        file.truncate(12 * entries // 1032)  # with holes: what a file of that size could hold
    said = program.refused("cg", "--matrix", "A.mtx.gz")
    assert f"the matrix of {entries} rows and {2 * entries} entries needs about 337.2 GiB" in said
    assert not (program.folder / "runs").exists()
