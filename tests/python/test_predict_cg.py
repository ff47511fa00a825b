# SPDX-License-Identifier: Apache-2.0
"""`predict cg`: products, reductions and vectors of conjugate gradients on machines in files, by hand and
under SimGrid; the thesis's equations."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse

from subcurrent.errors import BadInput, SubcurrentError
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import load_machine
from subcurrent.solvers.cg.case import cg_case
from subcurrent.solvers.cg.kind import laplacian

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from regenerate import cg_paper

MACHINE = """
name = "a wire"
[node]
cores = 1
copy_bandwidth = 1e13
core_flops = 1e13
[network]
latency = 50e-6
bandwidth = 12.5e6
overhead = 20e-6
[engine]
run = 0.0
look = 0.0
[[rates.cg."y = A x"]]
cell = 20e-9
row = 0.0
"""
LATENCY, OVERHEAD, WIRE = 50e-6, 20e-6, 1 / 12.5e6
SUM = 808  # bytes of one that does not depend on the order: 50 bins of two words, and a key
ITERATIONS = 6
needs_simgrid = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")


def machine(folder: Path) -> Any:
    (folder / "machine.toml").write_text(MACHINE)
    return load_machine(folder / "machine.toml")


def cube(side: int, *sets: str) -> Any:
    return cg_case([f"laplacian=[{side},{side},{side}]", f"iterations={ITERATIONS}", *sets])


def by_hand(side: int, split: tuple[int, int, int]) -> float:
    """A solve without overlap on the rank in the middle: of every product the non-zeros of its block and a
    face over each cut; reductions of |b|, of three sums at the start, of r^T r at the end, and of two an
    iteration, of one sum each. Messages of a product share the link, so they end together, and all of
    them are taken then."""
    ranks = int(np.prod(split))
    block = [side // parts for parts in split]
    cut = [axis for axis in range(3) if split[axis] > 1]
    rows = int(np.prod(block))
    faces = [rows // block[axis] for axis in range(3)]
    walls = sum(face * (1 if axis in cut else 2) for axis, face in enumerate(faces))
    message = sum(8 * faces[axis] for axis in cut) * WIRE
    product = (7 * rows - walls) * 20e-9 + message + LATENCY + (1 + len(cut)) * OVERHEAD
    reductions, sums = 2 * ITERATIONS + 3, 2 * ITERATIONS + 5
    tree = reductions * (LATENCY + 2 * OVERHEAD) + sums * SUM * WIRE
    return (ITERATIONS + 1) * product + 2 * np.log2(ranks) * tree


@pytest.mark.parametrize(("ranks", "split"), [(2, (1, 1, 2)), (4, (1, 2, 2)), (8, (2, 2, 2))])
def test_a_solve_is_its_products_and_reductions(tmp_path: Path, ranks: int, split: Any) -> None:
    case = cube(32)
    assert case.split_over(ranks) == split
    row = predict.predicted(case, machine(tmp_path), ranks, ["blocking", "interior_first"])
    plain, hidden = (row["strategies"][name] for name in ("blocking", "interior_first"))
    assert plain["T"] == pytest.approx(by_hand(32, split), rel=0.01)
    (product,) = (stage for stage in plain["stages"] if stage["stage"] == "y = A x")
    assert product["runs"] == ITERATIONS + 1
    assert product["messages"] == (ITERATIONS + 1) * (3 if ranks == 8 else ranks // 2)
    assert hidden["T"] < plain["T"]


@needs_simgrid
@pytest.mark.parametrize(("ranks", "split"), [(2, (1, 1, 2)), (8, (2, 2, 2))])
def test_simulated_it_is_arithmetic(tmp_path: Path, ranks: int, split: Any) -> None:
    names = ["blocking", "interior_first"]
    here = simulate.simulated(cube(32), machine(tmp_path), ranks, names, steps=1)
    foretold = predict.predicted(cube(32), machine(tmp_path), ranks, names)["strategies"]
    assert here["blocking"] == pytest.approx(by_hand(32, split), rel=0.01)
    for name in names:
        assert here[name] == pytest.approx(foretold[name]["T"], rel=0.01)


def test_pipelined_iterations_hide_their_reduction(tmp_path: Path) -> None:
    name = "interior_first"
    times = [
        predict.predicted(cube(64, *more), machine(tmp_path), 8, [name])["strategies"][name]
        for more in ((), ("pipelined=true",))
    ]
    assert times[1]["R"] < times[0]["R"] / 2


@needs_simgrid
def test_a_simulated_reduction_is_hidden_too(tmp_path: Path) -> None:
    """Plain iterations wait for theirs, pipelined ones compute the product meanwhile."""
    wire, name = machine(tmp_path), "interior_first"
    for more in ((), ("pipelined=true",)):
        case = cube(64, *more)
        here = simulate.simulated(case, wire, 8, [name], steps=1)[name]
        foretold = predict.predicted(case, wire, 8, [name])["strategies"][name]["T"]
        assert here == pytest.approx(foretold, rel=0.01)


@pytest.mark.parametrize("partition", ["row", "column", "grid"])
def test_a_class_moves_what_its_partition_says(tmp_path: Path, partition: str) -> None:
    case = cg_case(["class=S", f"partition={partition}"])
    row = predict.predicted(case, machine(tmp_path), 4, case.chosen([]))
    plain = row["strategies"]["blocking"]
    (product,) = (stage for stage in plain["stages"] if stage["stage"] == "y = A x")
    assert product["runs"] == 26
    volume = 8 * 1400 * (2 if partition == "grid" else 3) / 4  # of a rank; rows that name no column are less
    assert 26 * 0.9 * volume < product["bytes"] < 26 * 1.1 * volume
    computed = sum(stage["shell"] + stage["core"] for stage in plain["stages"])
    assert computed == pytest.approx(26 * 78148 / 4 * 20e-9, rel=0.1)


@needs_simgrid
def test_a_class_is_simulated(tmp_path: Path) -> None:
    case, names = cg_case(["class=S"]), ["blocking", "pipelined"]
    here = simulate.simulated(case, machine(tmp_path), 4, names, steps=1)
    foretold = predict.predicted(case, machine(tmp_path), 4, names)["strategies"]
    for name in names:
        assert here[name] == pytest.approx(foretold[name]["T"], rel=0.1)


def test_rows_of_all_ranks_are_the_laplacian() -> None:
    cells, split = [5, 4, 7], (2, 1, 3)
    parts = [laplacian(cells, split, rank) for rank in range(6)]
    cuts = parts[0][0]
    rows = [
        scipy.sparse.csr_array((values, columns, begins), shape=(len(begins) - 1, cuts[-1]))
        for _, begins, columns, values in parts
    ]
    assert [part.shape[0] for part in rows] == np.diff(cuts).tolist()
    whole = scipy.sparse.vstack(rows)
    assert abs(whole - whole.T).max() == 0

    def second(n: int) -> Any:
        return scipy.sparse.diags_array([-1.0, 2.0, -1.0], offsets=[-1, 0, 1], shape=(n, n))

    axes = [scipy.sparse.eye_array(n) for n in cells]
    known = sum(
        scipy.sparse.kron(
            scipy.sparse.kron(
                second(cells[2]) if axis == 2 else axes[2], second(cells[1]) if axis == 1 else axes[1]
            ),
            second(cells[0]) if axis == 0 else axes[0],
        )
        for axis in range(3)
    )
    own, other = (np.linalg.eigvalsh(matrix.toarray()) for matrix in (whole, known))
    assert own == pytest.approx(other)


def test_ranks_keep_their_cells() -> None:
    assert predict.sized(cube(32), 1, 64, weak=True).laplacian == [128, 128, 128]
    with pytest.raises(BadInput, match="a class has a fixed one"):
        predict.sized(cg_case(["class=A"]), 1, 4, weak=True)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        ([], "cg needs either class or laplacian"),
        (["class=A", "laplacian=[8,8,8]"], "cg needs either class or laplacian"),
        (["class=E"], "class = \"E\" is not allowed: it must be one of \"S\""),
        (["class=A", "iterations=3"], "iterations cannot be combined with class, which fixes the iterations"),
        (["laplacian=[8,8,8]", "partition=grid"], "partition cannot be combined with laplacian"),
        (["laplacian=[8,8,8]", "iterations=0"], "iterations = 0 is not allowed"),
        (["laplacian=[8,8,8]", "dept=2"], "did you mean depth"),
        (["laplacian=[2000,2000,2000]"], "more than 2147483647 cells"),
    ],
)  # fmt: skip
def test_what_is_asked_wrongly_is_a_sentence(sets: list[str], said: str) -> None:
    with pytest.raises(BadInput) as refused:
        cg_case(sets)
    assert said in refused.value.sentence


def test_the_command(program: Any, refusal: Any) -> None:
    (program.folder / "machine.toml").write_text(MACHINE)
    line = ("--machine", "machine.toml", "-n", "1,2,4", "--set", "class=S", "--stages", "--out", "out")
    done = program.ok("predict", "cg", *line)
    assert "CG, class S, by grid, an outer iteration a step" in done.stdout
    assert [row["ranks"] for row in json.loads((program.folder / "out" / "prediction.json").read_text())] == [
        1,
        2,
        4,
    ]
    wrong = refusal(
        "predict", "cg", "--machine", "machine.toml", "--set", "class=S", "--strategies", "direct"
    )
    assert "allowed is blocking, ordered, boundary_first, interior_first, pipelined" in wrong


def test_a_strategy_that_would_hide_nothing_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SubcurrentError, match="so that strategy pipelined would hide nothing; use interior_first"
    ):
        predict.predicted(cube(8), machine(tmp_path), 2, ["pipelined"])


def test_the_equations_of_the_thesis() -> None:
    """What they make of its own machines: nearly as fast as measured on four, half as fast on 64."""
    et001, lab12 = cg_paper.ET001, cg_paper.LAB12
    assert et001.seconds / cg_paper.by_equations(et001, 4) == pytest.approx(3.11, abs=0.005)
    gains = [lab12.seconds / cg_paper.by_equations(lab12, machines) for machines in (4, 16, 64)]
    assert gains == pytest.approx([1.20, 0.44, 0.19], abs=0.005)
    # printed: 6.77 MB/s and 123 kB/s
    assert cg_paper.speed_needed(lab12, 16, 0.5) == pytest.approx(6.77e6, rel=0.015)
    assert cg_paper.speed_needed(et001, 4, 0.5) == pytest.approx(123e3, rel=0.015)
    # below the share where the bus is never idle, and right above it, the two forms meet
    edge = (16 - 4 - 1) / (16 - 4) / 2
    low, high = (cg_paper.speed_needed(lab12, 16, share) for share in (edge, edge * (1 + 1e-9)))
    assert low == pytest.approx(high)
