# SPDX-License-Identifier: Apache-2.0
"""`probe CASE` as it runs, and `scale` and `predict` with the machine file that it writes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subcurrent.foresight import scale
from subcurrent.foresight.machines import load_machine
from subcurrent.rank import machine_probe


def test_efficiency_is_that_of_the_first_count() -> None:
    rows = [{"ranks": 1, "T": 8.0, "predicted": 8.0}, {"ranks": 2, "T": 5.0, "predicted": 4.0}]
    scale.finish(rows, weak=False)
    assert [row["efficiency"] for row in rows] == [1.0, 0.8]
    assert [row["predicted_efficiency"] for row in rows] == [1.0, 1.0]
    scale.finish(rows, weak=True)
    assert rows[1]["efficiency"] == pytest.approx(1.6)


def test_probe_and_scale_run(tmp_path: Path, program: Any, refusal: Any) -> None:
    small = ["--set", "grid.cells=[32,32,32]"]
    file = tmp_path / "here.toml"
    program.ok("probe", "nickel_small", "-n", "2", "--machine-file", str(file), "--steps", "2", *small)
    there = load_machine(file)
    sizes = {(rate.busy, rate.cells) for rate in there.rates["dendrite"]["advance"]}
    assert sizes == {(busy, n**3 // busy) for busy in (1, 2) for n in (32, 16, 8)}
    sizes = {(one.busy, one.bytes) for one in there.node.copies}
    assert sizes == {(busy, size) for busy in (1, 2) for size in machine_probe.NEAR}
    assert "exists already" in refusal("probe", "nickel_small", "--machine-file", file, *small)
    nowhere = refusal("probe", "nickel_small", "--machine-file", "no/here.toml", *small)
    assert nowhere.startswith("the folder no does not exist: give another --machine-file")
    out = tmp_path / "scaled"
    done = program(
        "scale", "nickel_small", "-n", "1,2", "--steps", "2", "--repeats", "2", "--machine", str(file),
        "--out", str(out), *small,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    rows = json.loads((out / "scale.json").read_text())
    assert [row["ranks"] for row in rows] == [1, 2]
    assert all(row["T"] > 0 and row["predicted"] > 0 for row in rows)


def test_a_case_in_files_is_predicted_from_its_probe(tmp_path: Path, program: Any) -> None:
    file = tmp_path / "here.toml"
    small = ("--set", "grid.cells=[32,32,128]", "--set", "storage.pieces=8")
    probe = ("probe", "nickel_out_of_core", "-n", "1", "--steps", "4", "--repeats", "1")
    program.ok(*probe, "--machine-file", str(file), *small)
    assert load_machine(file).disk.read > 1e6
    assert "computing = " in file.read_text()
    assert not (program.folder / "scratch").exists()
    done = program.ok("predict", "nickel_out_of_core", "--machine", str(file), "--ranks", "1", *small)
    assert "boundary_first" in done.stdout


def test_what_cannot_be_scaled_is_a_sentence(refusal: Any) -> None:
    for words, said in (
        (["-n", "1", "--steps", "0"], "--steps 0 is not allowed"),
        (["--machine", "fx10", "--strategy", "automatic"], "cannot predict the strategy automatic"),
        (["-n", "100000"], "ranks x threads must be at most"),
    ):
        assert said in refusal("scale", "nickel_small", *words)
