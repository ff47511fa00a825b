# SPDX-License-Identifier: Apache-2.0
"""What `predict` concludes from its times, and how many cells weak counts have."""

from __future__ import annotations

import io
from typing import Any

import pytest
from rich.console import Console

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict
from subcurrent.foresight.prediction import binding, conclusions, efficiencies, stages_of
from subcurrent.report.plots.prediction import speed_ups


def row_of(ranks: int, **times: float) -> dict[str, Any]:
    saved = {"computing": 0.7, "bandwidth": 0.2, "latency": 0.1}
    return {
        "ranks": ranks,
        "nodes": -(-ranks // 4),
        "fits": None,
        "strategies": {
            n: {"T": t, "range": [t, t], "R": 0.0, "stages": [], "saved": saved} for n, t in times.items()
        },
    }


def test_weak_counts_keep_the_cells_of_a_rank() -> None:
    case = load_case(find_case("nickel_small"), ["grid.cells=[64,64,64]"])
    grown = predict.sized(case, 1, 8, weak=True)
    assert sorted(grown.size()[1]) == [128, 128, 128]
    assert predict.sized(case, 1, 8, weak=False).size() == case.size()


def test_what_follows_from_the_times() -> None:
    rows = [
        row_of(1, blocking=8.0, ordered=8.0, boundary_first=8.4),
        row_of(2, blocking=4.4, ordered=4.4, boundary_first=4.0),
        row_of(4, blocking=3.0, ordered=3.0, boundary_first=2.9),
        row_of(8, blocking=3.5, ordered=3.5, boundary_first=3.2),
    ]
    assert efficiencies(rows, weak=False) == pytest.approx([1, 1, 8 / (4 * 2.9), 8 / (8 * 3.2)])
    assert binding(rows[0], "blocking") == "computing 70 %"
    assert conclusions(rows, weak=False, wanted=4.0) == [
        "1 ranks: hiding does not pay, blocking is fastest and the best strategy with overlap takes 5.0 % "
        "longer.",
        "2 ranks: boundary_first is 1.100 times as fast as blocking.",
        "4 ranks: boundary_first is 1.034 times as fast as blocking.",
        "8 ranks: boundary_first is 1.094 times as fast as blocking.",
        "efficiency falls below 80 % at 4 ranks.",
        "efficiency falls below 50 % at 8 ranks.",
        "a step is fastest on 4 ranks: with more it takes longer.",
        "2 ranks are the fewest of these counts that make a step in 4 s.",
        "4 ranks on 1 node are the cheapest of them: 2.9 node-seconds a step.",
    ]
    assert (
        conclusions(rows[:2], weak=True, wanted=1.0)[-1] == "none of these rank counts makes a step in 1 s."
    )


def test_counts_that_do_not_fit_into_memory_are_not_advised() -> None:
    rows = [row_of(1, blocking=8.0), row_of(2, blocking=2.0), row_of(4, blocking=3.0)]
    rows[1]["fits"] = False
    said = conclusions(rows, weak=False, wanted=4.0)
    assert said[-3:] == [
        "the case does not fit into the memory of 2 ranks.",
        "4 ranks are the fewest of these counts that make a step in 4 s.",
        "4 ranks on 1 node are the cheapest of them: 3 node-seconds a step.",
    ]


def test_what_can_hide_the_other_is_said() -> None:
    row = row_of(2, blocking=4.4, ordered=4.4, boundary_first=4.0)
    row["strategies"]["ordered"]["stages"] = [{"core": 4.0, "start": 0.5, "wait": 0.5}]
    assert conclusions([row], weak=False)[0].endswith("; M / C_core = 0.25: communication can hide.")
    row["strategies"]["ordered"]["stages"][0]["wait"] = 7.5
    assert conclusions([row], weak=False)[0].endswith(
        "; M / C_core = 2.00: only a part of the communication can hide."
    )


def stage(name: str, **more: float) -> dict[str, Any]:
    keys = ("runs", "shell", "core", "boundary", "start", "poke", "wait", "files", "reduction", "total")
    return dict.fromkeys((*keys, "messages", "bytes"), 0.0) | {"stage": name, "runs": 1.0} | more


def table(row: dict[str, Any]) -> list[list[str]]:
    """The cells of the table of stages, without its title."""
    shown = Console(record=True, width=160, quiet=False, file=io.StringIO())
    shown.print(stages_of(row))
    return [line.split() for line in shown.export_text().splitlines()[1:]]


def test_stages_are_told_of_every_strategy_with_m_and_r() -> None:
    row = row_of(2, blocking=12e-3, ordered=12.5e-3, interior_first=10e-3)
    sent = {"messages": 2.0, "bytes": 4000.0}
    row["strategies"]["blocking"]["stages"] = [
        stage("first", core=4e-3, start=1e-3, wait=2e-3, total=7e-3, reduction=1e-3, **sent),
        stage("second", core=4e-3, total=4e-3),
    ]
    row["strategies"]["ordered"]["stages"] = [
        stage("first", shell=1e-3, core=3.5e-3, start=1e-3, wait=2e-3, total=7.5e-3, reduction=1e-3, **sent),
        stage("second", core=4e-3, total=4e-3),
    ]
    row["strategies"]["interior_first"]["stages"] = [
        stage("first", core=4e-3, total=4e-3, reduction=1e-3),
        stage("second", shell=1e-3, core=3e-3, start=1e-3, total=5e-3, **sent),
    ]
    head, *lines = table(row)[-10:]
    assert [line[:-2] for line in lines] == [
        ["blocking", "first", "1", "0", "4", "1", "3", "2", "1", "8"],
        ["second", "1", "0", "4", "0", "0", "0", "0", "4"],
        ["all", "2", "0", "8", "1", "3", "2", "1", "12"],
        ["ordered", "first", "1", "1", "3.5", "1", "3", "2", "1", "8.5"],
        ["second", "1", "0", "4", "0", "0", "0", "0", "4"],
        ["all", "2", "1", "7.5", "1", "3", "2", "1", "12.5"],
        ["*interior", "first", "first", "1", "0", "4", "0", "-", "0", "1", "5"],
        ["second", "1", "1", "3", "1", "-", "0", "0", "5"],
        ["all", "2", "1", "7", "1", "3", "0", "1", "10"],
    ]
    assert "boundary" not in head and "files" not in head, "nothing to tell"


def test_speed_ups_are_over_the_fastest_of_the_fewest_ranks() -> None:
    lines = {"blocking": [(2, 8.0), (4, 5.0)], "boundary_first": [(2, 10.0), (4, 4.0)]}
    assert speed_ups(lines) == {
        "blocking": [(2, 1.0), (4, 1.6)],
        "boundary_first": [(2, 0.8), (4, 2.0)],
    }
    assert speed_ups(lines, weak=True)["blocking"] == [(2, 1.0), (4, 3.2)]
