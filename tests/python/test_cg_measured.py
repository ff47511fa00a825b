# SPDX-License-Identifier: Apache-2.0
"""`strategies` and `probe` of conjugate gradients, which have no case file."""

from __future__ import annotations

import json

import pytest

from conftest import set_options

pytestmark = pytest.mark.mpi
SHORT = ("--steps", "2", "--repeats", "2")
BOX = set_options("laplacian=[12,12,16]", "iterations=10")


def rows_of(program, name):
    table = json.loads((program.folder / name / "strategies.json").read_text())
    return {row["strategy"]: row for row in table["rows"]}


def test_a_class_is_measured_under_the_strategies_of_its_partition(program):
    sets = set_options("class=S", "partition=row")
    done = program.ok("strategies", "cg", "-n", "2", *sets, *SHORT, "--out", "s")
    assert "CG, class S, by row" in done.stdout
    rows = rows_of(program, "s")
    assert list(rows) == ["blocking", "ordered", "interior_first"]
    program.ok("strategies", "cg", "-n", "2", *sets, *SHORT, "--strategies", "automatic", "--out", "a")
    assert list(rows_of(program, "a")) == ["blocking", "ordered", "automatic"]
    assert all(row["T"] > 0 and row["C_core"] > 0 and row["split"] == [2, 1, 1] for row in rows.values())
    assert (program.folder / "s" / "figures" / "strategies.png").is_file()


def test_what_solves_move_is_counted_for_each(program):
    """For each product, of ten iterations and of b - A x at the end, a rank sends the entries of a face and
    receives as many."""
    moved = []
    for steps in ("1", "3"):
        words = ("--strategies", "halo_thread", "--steps", steps, "--repeats", "2", "--out", steps)
        program.ok("strategies", "cg", "-n", "2", *BOX, *words)
        moved.append(rows_of(program, steps)["halo_thread"]["bytes_moved"])
    assert moved == [11 * 2 * 12 * 12 * 8] * 2


def test_its_probe_is_a_machine_for_its_prediction(program):
    program.ok("probe", "cg", "-n", "2", *BOX, *SHORT, "--machine-file", "here.toml")
    assert '[[rates.cg."y = A x"]]' in (program.folder / "here.toml").read_text()
    done = program.ok("predict", "cg", "-n", "1,2", "--machine", "here.toml", *BOX)
    assert "without a rate" not in done.stdout


def test_what_is_not_possible_is_said(program, refusal):
    asked = ("strategies", "cg", "-n", "2")
    useless = (*BOX, "--strategies", "boundary_first")
    assert "boundary_first would hide nothing" in program.refused(*asked, *useless)
    assert "cg needs either class or laplacian" in refusal(*asked)
    assert "'cg' does not exist" in refusal("tune", "cg")
    large = set_options("laplacian=[1200,1200,1200]")
    assert "laplacian = [1200, 1200, 1200] needs about" in refusal(*asked, *large)


def test_a_damaged_case_of_strategies_is_one_sentence(program):
    program.ok("strategies", "cg", "-n", "2", *BOX, *SHORT, "--strategies", "halo_thread", "--out", "s")
    case = program.folder / "s" / "case.toml"
    case.write_text(case.read_text().replace("poke_ms = 0.5", "poke_ms = -1"))
    assert "poke_ms = -1" in program.refused("report", "s")
