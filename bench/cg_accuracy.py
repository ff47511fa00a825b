#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How near plain and pipelined conjugate gradients come to A x = b: the table of solvers/cg/README.md."""

from collections.abc import Iterator

import numpy as np
import script
from scipy import sparse

from subcurrent.rank import parallel
from subcurrent.solvers.cg import matrix as cg_matrix
from subcurrent.solvers.cg import solve as cg_solve


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


def systems() -> Iterator[tuple[str, sparse.csr_array, str]]:
    yield "Laplacian, 64²", laplacian(64), "none"
    yield "Poisson, jumps of 10⁴, 64²", jumps(64), "none"
    yield "the same", jumps(64), "jacobi"
    yield "biharmonic, 40²", laplacian(40) @ laplacian(40), "none"
    yield "biharmonic, 100", second(100) @ second(100), "none"
    yield "biharmonic, 200", second(200) @ second(200), "none"


def solve(matrix: sparse.csr_array, preconditioner: str, pipelined: bool, tol: float) -> dict:
    """How a solve with b = 1 went, whether it arrived or not."""
    options = cg_solve.checked_options(tol=tol, preconditioner=preconditioner, pipelined=pipelined)
    a = cg_matrix.checked_matrix(matrix)
    context = parallel.context(1, "auto")
    parts = (a.indptr, a.indices, a.data)
    return cg_solve.solve_on(parallel.module(), context, parts, np.ones(a.shape[0]), options)[1]


def main() -> None:
    trial = script.parse(script.parser(__doc__), {}).trial
    print("| A | preconditioner | to 10⁻⁸: plain | pipelined | least residual: plain | pipelined |")
    print("|---|---|---:|---:|---:|---:|")
    for name, matrix, preconditioner in [next(systems())] if trial else systems():
        cells = []
        for tol in (1e-8, 1e-15):
            for pipelined in (False, True):
                how = solve(matrix, preconditioner, pipelined, tol)
                arrived = str(how["iterations"]) if how["converged"] else "never"
                mark = " *" if how["note"] else ""
                cells.append((arrived if tol == 1e-8 else f"{how['residual']:.1e}") + mark)
        print(f"| {name} | {preconditioner} | {' | '.join(cells)} |")


if __name__ == "__main__":
    main()
