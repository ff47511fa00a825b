# SPDX-License-Identifier: Apache-2.0
"""`predict` of a solver with transforms: its lines, its transposes, and what of them is hidden."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slow_wire import machine
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from subcurrent.foresight import predict


def turbulence(*sets: str) -> Any:
    sets = ("grid.points=[64,64,64]", "scheme.dealiasing=two_thirds", "engine.strategy=blocking", *sets)
    return load_case(find_case("taylor_green_1600"), list(sets))


LIMITED = 'storage.memory="4 GiB"'  # arrays are transformed one after the other
ONE_BY_ONE = {"fft backward across planes": 4 * 3, "fft forward across planes": 4 * 6}


@pytest.mark.parametrize(
    ("sets", "runs"),
    [
        ((), {"fft pipeline": 4}),
        (("scheme.form=divergence",), {"fft pipeline": 4}),
        (("scheme.form=divergence", LIMITED), ONE_BY_ONE),
    ],
)
def test_transforms_are_lines_and_transposes(
    tmp_path: Path, sets: tuple[str, ...], runs: dict[str, int]
) -> None:
    """Four evaluations a step, each with nine transforms, in one plan with the points or one after the other.
    Each moves three quarters of the kept modes of a rank's planes or lines."""
    case, strategies = turbulence(*sets), ["blocking", "ordered", "boundary_first"]
    row = predict.predicted(case, machine(tmp_path), 4, strategies)
    assert row["split"] == [1, 1, 4]
    plain = row["strategies"]["blocking"]
    moved = [stage for stage in plain["stages"] if stage["bytes"] > 0]
    assert {stage["stage"]: stage["runs"] for stage in moved} == runs
    modes = 22 * 43 * 64 / 4  # kept along x and y, planes
    sent = sum(stage["bytes"] for stage in moved)
    assert sent == pytest.approx(36 * modes * 16 * 3 / 4, rel=0.05)
    computing = sum(stage["core"] for stage in plain["stages"])
    assert plain["T"] - computing == pytest.approx(sent / 12.5e6, rel=0.1)
    assert row["strategies"]["boundary_first"]["T"] <= plain["T"]


@pytest.mark.parametrize(
    ("sets", "slow", "names"),
    [(("scheme.form=divergence", LIMITED), "fft z", tuple(ONE_BY_ONE)), ((), "points", ("fft pipeline",))],
)
@pytest.mark.parametrize(("ranks", "points"), [(2, 64), (4, 96)])
def test_transposes_of_small_blocks_travel_during_computation(
    tmp_path: Path, ranks: int, points: int, sets: tuple[str, ...], slow: str, names: tuple[str, ...]
) -> None:
    """Blocks below 2 MiB. On a wire that takes about as long as the lines, or as the points, at least half of
    the shorter of the two is hidden."""
    lines = f'row = 50e-9\n[[rates.turbulence."{slow}"]]\ncell = 0.5e-6\nrow = 0.0'
    there = machine(tmp_path, ("row = 50e-9", lines))
    case = turbulence(*sets, f"grid.points=[{points},{points},{points}]")
    row = predict.predicted(case, there, ranks, ["blocking", "boundary_first"])
    plain, first = (
        {stage["stage"]: stage for stage in row["strategies"][name]["stages"]}
        for name in ("blocking", "boundary_first")
    )
    for name in names:
        moving = plain[name]["total"] - plain[name]["core"]
        hidden = plain[name]["total"] - first[name]["total"]
        assert hidden > 0.5 * min(moving, plain[name]["core"]), name


@pytest.mark.parametrize("case", ["decaying_random", "forced_hit_128"])
def test_other_starts_and_forcings_rehearse_too(tmp_path: Path, case: str) -> None:
    there = load_case(find_case(case), ["engine.strategy=blocking", "grid.points=[32,32,32]"])
    row = predict.predicted(there, machine(tmp_path), 2, ["blocking", "ordered"])
    assert row["strategies"]["blocking"]["T"] > 0


def test_transforms_grow_along_all_axes() -> None:
    assert predict.sized(turbulence(), 1, 8, weak=True).grid.points == [128, 128, 128]
    assert sorted(predict.sized(turbulence(), 2, 12, weak=True).grid.points) == [64, 128, 192]
    with pytest.raises(BadInput, match="3 ranks are not possible after 2"):
        predict.sized(turbulence(), 2, 3, weak=True)
