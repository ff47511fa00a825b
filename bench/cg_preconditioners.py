#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What preconditioners leave of the iterations, on matrices like those of public collections.

    python bench/cg_preconditioners.py [--rows 10000] [--ranks 1] [--only MATRIX] [--seconds] [--save FOLDER]
    python bench/cg_preconditioners.py --accuracy

Anisotropic and jumping coefficients, a Laplacian in space, the graph of a triangulation of random points: the
table of solvers/cg/README.md, iterations to |b - A x| <= 1e-8 |b| with b = 1; with --seconds, in brackets,
how long they took. With 1443000 rows the last two have 10^7 non-zeros. --save writes the matrices as Matrix
Market files instead, --accuracy prints how near plain and pipelined conjugate gradients come to A x = b.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter

import numpy as np
import script
from scipy import io, sparse, spatial

WAYS = ("none", "jacobi", "block-jacobi", "ic", "chebyshev")


def second(n: int) -> sparse.csr_array:
    """(-1, 2, -1), the second difference with zero ends."""
    return sparse.csr_array(
        sparse.diags_array([-np.ones(n - 1), 2 * np.ones(n), -np.ones(n - 1)], offsets=[-1, 0, 1])
    )


def laplacian(n: int) -> sparse.csr_array:
    one = sparse.eye_array(n)
    return sparse.csr_array(sparse.kron(second(n), one) + sparse.kron(one, second(n)))


def jumps(n: int, ratio: float = 1e4) -> sparse.csr_array:
    """Poisson's equation with a coefficient of 1 and `ratio` in the fields of a chess board of 4 x 4."""
    field = 4 * np.arange(n) // n
    k = np.where((field[:, None] + field) % 2, ratio, 1.0)
    at = np.arange(n * n).reshape(n, n)
    diagonal = np.zeros((n, n))
    rows, columns, values = [], [], []
    for axis in (0, 1):
        lines = np.moveaxis(at, axis, 0)
        low, high = lines[:-1], lines[1:]
        face = 2 * k.ravel()[low] * k.ravel()[high] / (k.ravel()[low] + k.ravel()[high])
        for here, there in ((low, high), (high, low)):
            rows.append(here.ravel())
            columns.append(there.ravel())
            values.append(-face.ravel())
            np.add.at(diagonal.ravel(), here.ravel(), face.ravel())
        for edge in (lines[0], lines[-1]):
            np.add.at(diagonal.ravel(), edge, 2 * k.ravel()[edge])
    off = sparse.coo_array((np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))))
    return sparse.csr_array(off + sparse.diags_array(diagonal.ravel()))


def anisotropic(n: int, weak: float = 0.01) -> sparse.csr_array:
    """-u_xx - weak u_yy on n x n points."""
    one = sparse.eye_array(n)
    return sparse.csr_array(sparse.kron(one, second(n)) + weak * sparse.kron(second(n), one))


def in_space(n: int) -> sparse.csr_array:
    """Seven points on n x n x n."""
    return sparse.csr_array(
        sparse.kron(laplacian(n), sparse.eye_array(n)) + sparse.kron(sparse.eye_array(n * n), second(n))
    )


def mesh(n: int) -> sparse.csr_array:
    """The graph of a Delaunay triangulation of n random points in a square; short edges are stiff;
    points of its hull are held. Numbered as they lie along a curve through the square, as meshes are."""
    points = np.random.default_rng(1).random((n, 2))
    strip = (points[:, 0] * np.sqrt(n) / 4).astype(int)
    points = points[np.lexsort((np.where(strip % 2, -points[:, 1], points[:, 1]), strip))]
    triangles = spatial.Delaunay(points)
    edges = np.sort(triangles.simplices[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    edges = np.unique(edges, axis=0)
    stiff = 1 / np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    half = sparse.coo_array((stiff, (edges[:, 0], edges[:, 1])), shape=(n, n))
    graph = sparse.csr_array(half + half.T)
    held = np.zeros(n)
    held[triangles.convex_hull.ravel()] = stiff.mean()
    return sparse.csr_array(sparse.diags_array(np.asarray(graph.sum(axis=1)).ravel() + held) - graph)


SYSTEMS: dict[str, Callable[[int], sparse.csr_array]] = {  # of about so many rows
    "anisotropic, 1 : 100": lambda rows: anisotropic(round(rows**0.5)),
    "jumps of 10⁴": lambda rows: jumps(round(rows**0.5)),
    "in space": lambda rows: in_space(round(rows ** (1 / 3))),
    "mesh": mesh,
}


def solve(path: Path, preconditioner: str, out: Path) -> None:
    """Run by mpirun on every rank: rank 0 writes iterations and seconds."""
    import subcurrent  # noqa: PLC0415 - in a rank only

    matrix = sparse.csr_array(sparse.load_npz(path))
    b = np.ones(matrix.shape[0])
    begin = perf_counter()
    _, report = subcurrent.cg(matrix, b, preconditioner=preconditioner)
    seconds = perf_counter() - begin
    from subcurrent.rank import parallel  # noqa: PLC0415

    if parallel.context(1, "auto").rank == 0:
        out.write_text(f"{report.iterations} {seconds}")


def measured(path: Path, preconditioner: str, ranks: int, with_seconds: bool) -> str:
    out = path.with_suffix(".txt")
    own = [sys.executable, __file__, "--solve", str(path), preconditioner, str(out)]
    started = ["mpirun", "--oversubscribe", "--bind-to", "none", "-n", str(ranks)] if ranks > 1 else []
    script.printed([*started, *own], seconds=None)
    iterations, seconds = out.read_text().split()
    return f"{iterations} ({float(seconds):.2f})" if with_seconds else iterations


def systems() -> Iterator[tuple[str, sparse.csr_array, str]]:
    yield "Laplacian, 64²", laplacian(64), "none"
    yield "Poisson, jumps of 10⁴, 64²", jumps(64), "none"
    yield "the same", jumps(64), "jacobi"
    yield "biharmonic, 40²", laplacian(40) @ laplacian(40), "none"
    yield "biharmonic, 100", second(100) @ second(100), "none"
    yield "biharmonic, 200", second(200) @ second(200), "none"


def least_residual(matrix: sparse.csr_array, preconditioner: str, pipelined: bool, tol: float) -> dict:
    """How a solve with b = 1 went, whether it arrived or not."""
    from subcurrent.rank import parallel  # noqa: PLC0415
    from subcurrent.solvers.cg import matrix as cg_matrix  # noqa: PLC0415
    from subcurrent.solvers.cg import solve as cg_solve  # noqa: PLC0415

    options = cg_solve.checked_options(tol=tol, preconditioner=preconditioner, pipelined=pipelined)
    a = cg_matrix.checked_matrix(matrix)
    parts, b = (a.indptr, a.indices, a.data), np.ones(a.shape[0])
    return cg_solve.solve_on(parallel.module(), parallel.context(1, "auto"), parts, b, options)[1]


def accuracy(trial: bool) -> None:
    print("| A | preconditioner | to 10⁻⁸: plain | pipelined | least residual: plain | pipelined |")
    print("|---|---|---:|---:|---:|---:|")
    for name, matrix, preconditioner in [next(systems())] if trial else systems():
        cells = []
        for tol in (1e-8, 1e-15):
            for pipelined in (False, True):
                how = least_residual(matrix, preconditioner, pipelined, tol)
                arrived = str(how["iterations"]) if how["converged"] else "never"
                mark = " *" if how["note"] else ""
                cells.append((arrived if tol == 1e-8 else f"{how['residual']:.1e}") + mark)
        print(f"| {name} | {preconditioner} | {' | '.join(cells)} |")


def main() -> None:
    if sys.argv[1:2] == ["--solve"]:
        solve(Path(sys.argv[2]), sys.argv[3], Path(sys.argv[4]))
        return
    parser = script.parser(__doc__)
    parser.add_argument("--rows", type=int, default=10000, help="about so many of each matrix")
    parser.add_argument("--ranks", type=int, default=1)
    parser.add_argument("--only", nargs="+", choices=SYSTEMS, default=list(SYSTEMS), metavar="MATRIX")
    parser.add_argument("--seconds", action="store_true", help="say those, too")
    parser.add_argument("--accuracy", action="store_true", help="of plain and pipelined iterations instead")
    parser.add_argument("--save", type=Path, metavar="FOLDER")
    options = script.parse(parser, {"rows": 400})
    if options.accuracy:
        accuracy(options.trial)
        return
    if options.save:
        options.save.mkdir(parents=True, exist_ok=True)
        for name in options.only:
            matrix = SYSTEMS[name](options.rows)
            io.mmwrite(options.save / f"{name.split(',')[0].split()[0]}.mtx", matrix, symmetry="symmetric")
        return
    print("| A | rows | non-zeros | " + " | ".join(WAYS) + " |")
    print("|---|---:|---:|" + "---:|" * len(WAYS))
    with TemporaryDirectory() as folder:
        for number, name in enumerate(options.only):
            matrix, path = SYSTEMS[name](options.rows), Path(folder) / f"{number}.npz"
            sparse.save_npz(path, matrix, compressed=False)
            cells = [measured(path, way, options.ranks, options.seconds) for way in WAYS]
            print(f"| {name} | {matrix.shape[0]} | {matrix.nnz} | {' | '.join(cells)} |", flush=True)
    if options.trial:
        accuracy(True)


if __name__ == "__main__":
    main()
