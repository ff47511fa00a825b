# SPDX-License-Identifier: Apache-2.0
"""The dendrite's own step, predicted on the paper's machine, against what the paper prints."""

import shutil
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from regenerate import ROOT, blocks, cavity_paper
from regenerate.catalogue import CATALOGUE
from regenerate.paper_machines import ALONE, knee, on_gpus, simulated_on_gpus, tflops


# Figures 5 and 6: ideal up to 8, 16 and 32 GPUs; at 960^3 messages take longer than computation from 24 on.
@pytest.mark.parametrize(
    ("n", "ideal", "beyond"),
    [
        (512, 8, 16),
        pytest.param(960, 16, 24, marks=pytest.mark.long),
        pytest.param(1920, 32, 48, marks=pytest.mark.long),
    ],
)
def test_the_knee_is_where_the_paper_has_it(n: int, ideal: int, beyond: int) -> None:
    assert tflops(n, on_gpus(n, ideal)["boundary_first"]) == pytest.approx(ideal * ALONE, rel=0.01)
    assert tflops(n, on_gpus(n, beyond)["boundary_first"]) < 0.95 * beyond * ALONE
    assert ideal < knee(n) <= beyond


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")
@pytest.mark.parametrize(
    ("n", "ideal", "beyond"),
    [(512, 8, 16), *(pytest.param(*one, marks=pytest.mark.long) for one in ((960, 16, 24), (1920, 32, 48)))],
)
def test_a_simulation_of_all_gpus_has_the_same_knee(n: int, ideal: int, beyond: int) -> None:
    for gpus in (ideal, beyond):
        for strategy, seconds in simulated_on_gpus(n, gpus).items():
            assert seconds == pytest.approx(on_gpus(n, gpus)[strategy], rel=0.01), (gpus, strategy)
    assert tflops(n, simulated_on_gpus(n, ideal)["boundary_first"]) == pytest.approx(ideal * ALONE, rel=0.01)
    assert tflops(n, simulated_on_gpus(n, beyond)["boundary_first"]) < 0.95 * beyond * ALONE


def test_the_table_of_the_solvers_page_is_as_it_stands(tmp_path: Path) -> None:
    """In this process, which keeps what the other tests ask for."""
    figure = CATALOGUE["dendrite_paper"]
    stored = blocks.get(ROOT / figure.place, figure.name)
    assert blocks.differences(stored, figure.make(tmp_path), figure.tolerance) == []


def test_forty_gpus_reach_five_teraflops() -> None:
    assert tflops(960, on_gpus(960, 16)["boundary_first"]) == pytest.approx(2, rel=0.02)
    assert tflops(1920, on_gpus(1920, 40)["boundary_first"]) == pytest.approx(5, rel=0.02)


# By hand, figure 7: 373 operations a cell, and two planes of two fields go and come through the link, between
# pinned buffers and by MPI, each as long as the link takes for them.
@pytest.mark.parametrize(
    ("n", "gpus"),
    [(512, 8), *(pytest.param(n, gpus, marks=pytest.mark.long) for n, gpus in ((960, 24), (1920, 48)))],
)
def test_without_overlap_times_add(n: int, gpus: int) -> None:
    step = on_gpus(n, gpus)
    cells = n**2 * -(-n // gpus)  # of the largest slab
    computing = 373 * cells / 125e9
    moving = 3 * 2 * (2 * 2 * n**2 * 2 * 4) / 1.5e9
    assert step["M"] == pytest.approx(moving, rel=0.02)
    assert step["blocking"] == pytest.approx(computing + moving, rel=0.02)


@pytest.mark.parametrize(("machine", "kind", "ranks"), [("rs6000_sp", "b", 8), ("pentium_cluster", "a", 4)])
def test_the_cavitys_machines_have_the_gain_they_are_calibrated_on(
    machine: str, kind: str, ranks: int
) -> None:
    (series,) = (one for one in cavity_paper.SERIES if (one.machine, one.kind) == (machine, kind))
    assert series.calibrated
    plain = cavity_paper.predicted(series, series.normal[ranks], ["blocking"])["blocking"]["T"]
    hidden = cavity_paper.predicted(series, series.overlap[ranks], ["boundary_first"])["boundary_first"]["T"]
    assert 100 * (plain / hidden - 1) == pytest.approx(series.gained, abs=0.5)


# Section 6: without the second host copy communication takes two thirds; cubes move fewer cells than slabs.
@pytest.mark.long
def test_what_the_paper_would_change_moves_the_knee() -> None:
    def no_copy(machine):
        return machine.model_copy(update={"gpu": machine.gpu.model_copy(update={"host_copies": 0.0})})

    assert on_gpus(960, 24, change=no_copy)["M"] == pytest.approx(on_gpus(960, 24)["M"] * 2 / 3, rel=0.02)
    assert knee(960, change=no_copy) > 24
    assert on_gpus(960, 64, cubes=True)["M"] < 0.5 * on_gpus(960, 64)["M"]
