# SPDX-License-Identifier: Apache-2.0
"""`predict`: the case and the strategies that are asked for, devices, what is refused, and the command."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from slow_wire import MACHINE, dendrite, machine
from subcurrent.errors import BadInput
from subcurrent.foresight import predict
from subcurrent.foresight.machines import load_machine

ALPS = "alps_gh200"


def test_a_halo_thread_that_does_not_join_leaves_the_core_to_the_others(tmp_path: Path) -> None:
    """Messages and copies take no time. Three of four threads compute the core, at a wall 15 of 16 planes."""
    free = [("copy_bandwidth = 10e9", "copy_bandwidth = 1e13"), ("bandwidth = 12.5e6", "bandwidth = 1e13")]
    free += [("latency = 50e-6", "latency = 1e-8")]
    there = machine(tmp_path, ("cores = 1", "cores = 4"), ("overhead = 5e-6", "overhead = 0"), *free)
    sets = ["engine.split=[1,1,4]", "engine.threads=4"]
    request = predict.PredictRequest("nickel_small", "", "4", sets=["grid.cells=[64,64,64]", *sets])
    alone = ["engine.strategy=halo_thread", "engine.halo_thread_joins=false"]
    times = []
    for more in ([], alone):
        request.sets = ["grid.cells=[64,64,64]", *sets, *more]
        case, names, left_out = predict.asked(request, there)
        assert left_out == [] and "boundary_first" in names and "halo_thread" in names
        times.append(predict.predicted(case, there, 4, names)["strategies"]["halo_thread"]["T"])
    core = 64 * 15 * (64 * 20e-9 + 50e-9)
    assert core / 3 <= times[1] <= 1.1 * core / 3
    assert 16 / 15 * core / 4 <= times[0] <= 1.1 * 16 / 15 * core / 4


def test_stages_without_a_rate_are_named(tmp_path: Path) -> None:
    case, names = dendrite(), ["blocking"]
    there = machine(tmp_path)
    rows = [predict.predicted(case, there, 1, names)]
    (said,) = predict.estimated(case, there, rows)
    assert "no rate of heat (boundary), phase (boundary), whose" in said
    rate = '[[rates.dendrite."{} (boundary)"]]\ncell = 1e-9\nrow = 0.0\n'
    whole = tmp_path / "whole.toml"
    whole.write_text(MACHINE + rate.format("heat") + rate.format("phase"))
    assert predict.estimated(case, load_machine(whole), rows) == []
    misspelt = machine(tmp_path, ("[[rates.dendrite.advance]]", "[[rates.dendrite.advanc]]"))
    (said,) = predict.estimated(case, misspelt, rows)
    assert said.startswith("the file of a wire has no rate of advance, heat (boundary), phase (boundary), ")
    assert said.endswith("its rates of advanc are not used")


def on_alps(case: str, *sets: str, **more: Any) -> Any:
    request = predict.PredictRequest(case, ALPS, "1,2", sets=list(sets), **more)
    return predict.asked(request, load_machine(ALPS))


def test_devices_have_no_threads_of_the_host_to_divide() -> None:
    case, names, left_out = on_alps("wave_pulse", "engine.threads=2")
    assert case.engine.device == "cpu"  # as it is rehearsed
    assert names == ["blocking", "ordered", "boundary_first", "interior_first", "pipelined"]
    assert left_out == [said for said in left_out if said.startswith("halo_thread is left out")] != []
    with pytest.raises(BadInput, match='strategy = "halo_thread" divides the CPU threads of a rank'):
        on_alps("wave_pulse", strategies=["halo_thread"])


@pytest.mark.parametrize("case", ["decaying_random", "decaying_mach05", "cg"])
def test_solvers_without_devices_are_not_predicted_on_them(case: str) -> None:
    with pytest.raises(BadInput, match="computes on devices, which is not supported by this solver"):
        there, names, _ = on_alps(case, *(["laplacian=[16,16,16]"] if case == "cg" else []))
        predict.predicted(there, load_machine(ALPS), 1, names)


def test_what_is_asked_wrongly_is_a_sentence(refusal: Any) -> None:
    for words, said in (
        (["--ranks", "two"], "--ranks 'two' is not allowed: it must be whole numbers >= 1"),
        (["--ranks", "0"], "--ranks '0' is not allowed"),
        (["--steps", "0"], "--steps 0 is not allowed"),
        (
            ["--ranks", "1,99999999999999999999"],
            "--ranks 99999999999999999999 is not allowed: it must be at most",
        ),
        (["--steps", "100000000"], "--steps 100000000 is not allowed: it must be at most"),
        (["--seconds", "nan"], "--seconds nan is not allowed: it must be a number > 0"),
        (["--seconds", "-1"], "--seconds -1 is not allowed"),
        (["--machine", "fx11"], "machine 'fx11' does not exist, did you mean fx10"),
    ):
        assert said in refusal("predict", "nickel_small", "--machine", "fx10", *words)


def test_the_command_writes_its_table(tmp_path: Path, program: Any) -> None:
    out = tmp_path / "out"
    done = program(
        "predict", "nickel_small", "--machine", "fx10", "--ranks", "2,4", "--stages", "--out", str(out),
        "--set", "grid.cells=[32,32,32]", "--strategies", "boundary_first",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "boundary" in done.stdout and "C_shell" in done.stdout
    assert "…" not in done.stdout  # no number is cut off
    rows = json.loads((out / "prediction.json").read_text())
    assert [row["ranks"] for row in rows] == [2, 4]
    assert (out / "prediction.png").stat().st_size > 1000
