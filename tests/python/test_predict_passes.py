# SPDX-License-Identifier: Apache-2.0
"""`predict --steps-per-pass 1,2,4,8`: which number of steps a pass pays, with how many ranks."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from subcurrent.errors import BadInput
from subcurrent.foresight.passes import predict_passes
from subcurrent.foresight.predict import PredictRequest

MACHINE = """
name = "a slow memory"
[node]
cores = 1
copy_bandwidth = 1e9
core_flops = 1e13
[network]
latency = 50e-6
bandwidth = 10e9
overhead = 5e-6
"""


@pytest.fixture
def predict(tmp_path: Path, program: Any) -> Any:
    (tmp_path / "machine.toml").write_text(MACHINE)

    def run(cells: int, *words: str) -> Any:
        size = f"grid.cells=[{cells},{cells},{cells}]"
        where = ("--machine", str(tmp_path / "machine.toml"), "--out", str(tmp_path / "out"))
        return program("predict", "nickel_small", "--set", size, *where, *words)

    return run


def times(folder: Path) -> dict[tuple[int, int], float]:
    rows = json.loads((folder / "out" / "prediction.json").read_text())
    return {(r["ranks"], r["steps_per_pass"]): r["strategies"]["blocking"]["T"] for r in rows}


@pytest.mark.mpi
def test_a_list_becomes_a_table_and_a_curve(tmp_path: Path, predict: Any) -> None:
    """On one rank memory is all there is: two fields in single, one level read and written, the other
    written, once a pass, and their conditions at six walls, whose halos have one layer. On 64
    messages of 50 µs are halved with every doubling, until the cells that are computed twice take as
    long."""
    done = predict(64, "-n", "1,64", "--steps-per-pass", "1,2,4,8", "--strategies", "blocking")
    assert done.returncode == 0, done.stderr
    found = times(tmp_path)
    assert list(found) == [(n, k) for n in (1, 64) for k in (1, 2, 4, 8)]
    for length in (2, 4, 8):
        walls = 64**2 * 16 + 64 * 66 + 66**2  # of a row beyond x a cache line
        moved = 64**3 * 4 * 2 * 3 + 2 * 2 * walls * 4 * 2
        assert found[1, length] == pytest.approx(moved / 1e9 / length, rel=0.01)
    assert found[64, 1] > found[64, 2] > found[64, 4] < found[64, 8]
    stars = re.findall(r"^ *(\d+) +\S+×\S+ .*?\*([\d.]+)", done.stdout, re.MULTILINE)
    least = {"1": found[1, 8], "64": found[64, 4]}
    assert {count: float(star) for count, star in stars} == pytest.approx(
        {count: 1e3 * seconds for count, seconds in least.items()}, rel=1e-3
    )
    gain = found[64, 1] / found[64, 4]
    assert f"64 ranks: 4 steps a pass are {gain:.3f} times as fast as one." in done.stdout
    assert (tmp_path / "out" / "prediction.png").stat().st_size > 1000


@pytest.mark.mpi
def test_blocks_too_thin_for_a_pass_are_left_out_aloud(tmp_path: Path, predict: Any) -> None:
    done = predict(16, "-n", "1,64", "--steps-per-pass", "8,1", "--strategies", "blocking")
    assert done.returncode == 0, done.stderr
    assert list(times(tmp_path)) == [(1, 1), (1, 8), (64, 1)]
    said = " ".join(done.stdout.split())
    assert "64 ranks with 8 steps a pass are left out: -n 64 is more ranks than this grid allows" in said
    assert "64 ranks: passes of several steps do not pay." in said


def test_what_cannot_be_is_a_sentence(predict: Any, program: Any) -> None:
    for words, said in (
        (("--steps-per-pass", "0,2"), "--steps-per-pass '0,2' is not allowed: it must be whole numbers >= 1"),
        (("--steps-per-pass", "many"), "--steps-per-pass 'many' is not allowed"),
        (("--steps-per-pass", "1,2,3,4,5,6"), "it must be at most 5 numbers"),
        (("--steps-per-pass", "1,2", "--simulate"), "--simulate needs one number of steps a pass"),
        (("--steps-per-pass", "1,2", "--stages"), "--stages needs one number of steps a pass"),
    ):
        done = predict(16, *words)
        assert done.returncode == 2
        assert said in done.stderr
        assert len(done.stderr.splitlines()) == 1
    done = program("predict", "cavity_demo", "--machine", "fx10", "--steps-per-pass", "1,2")
    assert done.returncode == 2
    assert "each step iterates the pressure to a residual" in done.stderr


@pytest.mark.parametrize(
    ("machine", "options", "said"),
    [
        ("fx10", {"steps": 0}, "--steps 0 is not allowed: it must be a whole number >= 1."),
        ("fx10", {"seconds": 1.0}, "--seconds needs one number of steps a pass"),
        ("alps_gh200", {}, "engine.steps_per_pass = 2 is not allowed with"),
    ],
)
def test_what_has_no_effect_is_refused(machine: str, options: dict[str, Any], said: str) -> None:
    request = PredictRequest("nickel_small", machine, "1", sets=["grid.cells=[16,16,16]"], **options)
    with pytest.raises(BadInput, match=re.escape(said)):
        predict_passes(request, "2", Console(quiet=True))
