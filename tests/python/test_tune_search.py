# SPDX-License-Identifier: Apache-2.0
"""`tune`: the search against all combinations of a made-up machine."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import Any

import pytest

from subcurrent.case.library import find_case
from subcurrent.case.reading import as_tables, load_case
from subcurrent.launch.plan import Plan
from subcurrent.rank import tuning

CELLS = "grid.cells=[24,24,24]"


class Clock:
    """Time that passes by the steps of solvers, so many seconds each."""

    def __init__(self, seconds: Any):
        self.now, self._seconds, self.alive, self.most = 0.0, seconds, 0, 0

    def perf_counter(self) -> float:
        return self.now

    def make(self, _module: Any, _context: Any, options: dict[str, Any]) -> Any:
        clock = self
        self.alive += 1
        self.most = max(self.most, self.alive)

        class Solver:
            split = (1, 1, 2)

            def step(self, diagnostics: bool, count: int = 1) -> None:
                clock.now += count * clock._seconds(options["engine"])

            def terms(self) -> dict[str, Any]:
                return {}

            def __del__(self) -> None:
                clock.alive -= 1

        return Solver()


@pytest.fixture
def searched(monkeypatch):
    """Searches with made-up seconds a step; returns the winner, all rows, and the clock."""

    def search(seconds: Any, first: list[Any], vary: dict[str, list[Any]], at_once: int = 16) -> tuple:
        clock = Clock(seconds)
        monkeypatch.setattr(tuning, "time", clock)
        monkeypatch.setattr(tuning, "kind_of", lambda _: clock)
        case = load_case(find_case("nickel_small"), [CELLS])
        plan = Plan("tune", as_tables(case), "", 2, steps=1, repeats=3, events=False)
        plan.tune = {"first": first, "vary": vary, "at_once": at_once}
        context = SimpleNamespace(
            rank=0, size=2, barrier=lambda: None, sum=lambda values: values[0], any=bool
        )
        search = tuning.Search(None, context, plan, SimpleNamespace(asked=False))
        return search.run(lambda: None), search.rows, clock

    return search


FIRST = [{"engine.strategy": name} for name in ("blocking", "boundary_first", "interior_first")]
VARY = {"engine.corners": ["staged"], "engine.poke_ms": [0.1, 2.0], "engine.steps_per_pass": [2, 4]}


def independent(engine: dict[str, Any]) -> float:
    """Every key has its own factor."""
    factor = {"automatic": 1.0, "blocking": 1.2, "boundary_first": 0.9, "interior_first": 0.95}[
        engine["strategy"]
    ]
    factor *= 0.9 if engine["halo_corners"] == "staged" else 1.0
    factor *= {0.1: 1.1, 0.5: 1.0, 2.0: 0.85}[engine["poke_ms"]]
    return 1e-3 * factor * {1: 1.0, 2: 0.97, 4: 1.3}[engine["steps_per_pass"]]


def test_the_fastest_of_all_combinations_is_found(searched):
    winner, rows, _ = searched(independent, FIRST, VARY)
    every = itertools.product(
        ("automatic", "blocking", "boundary_first", "interior_first"),
        ("direct", "staged"), (0.1, 0.5, 2.0), (1, 2, 4),
    )  # fmt: skip
    keys = ("strategy", "halo_corners", "poke_ms", "steps_per_pass")
    best = min((dict(zip(keys, one, strict=True)) for one in every), key=independent)
    names = {f"engine.{key.removeprefix('halo_')}": value for key, value in best.items()}
    assert winner["settings"] == names
    assert winner["T"] == pytest.approx(independent(best))
    assert winner["ratio"] == pytest.approx(1e-3 / independent(best))
    assert {row["phase"] for row in rows} == {"first", *VARY, "together", "winner"}


TILES = {"engine.steps_per_pass": [2, 4], "engine.pass_tile": [[8, 4], [16, 8]]}


def test_tiles_are_tried_in_passes_of_the_length_that_was_found(searched):
    def seconds(engine: dict[str, Any]) -> float:
        tile = {(0, 0, 0): 1.0, (0, 8, 4): 1.2, (0, 16, 8): 0.8}[tuple(engine["pass_tile"])]
        return 1e-3 * tile * {1: 1.0, 2: 0.9, 4: 0.7}[engine["steps_per_pass"]]

    winner, rows, _ = searched(seconds, [], TILES)
    assert winner["settings"] == {"engine.steps_per_pass": 4, "engine.pass_tile": [16, 8]}
    assert winner["ratio"] == pytest.approx(1 / 0.56)
    tried = [row["settings"] for row in rows if row["phase"] == "engine.pass_tile"]
    assert {"engine.steps_per_pass": 4, "engine.pass_tile": [8, 4]} in tried


def test_without_several_steps_a_pass_no_tile_is_tried(searched):
    longer_is_slower = {1: 1e-3, 2: 2e-3, 4: 2e-3}
    winner, rows, _ = searched(lambda engine: longer_is_slower[engine["steps_per_pass"]], [], TILES)
    assert winner["settings"] == {}
    assert not any("engine.pass_tile" in row["settings"] for row in rows)


def test_keys_that_help_alone_and_not_together_are_not_put_together(searched):
    def seconds(engine: dict[str, Any]) -> float:
        staged, late = engine["halo_corners"] == "staged", engine["poke_ms"] == 2.0
        return 1e-3 * (1.5 if staged and late else 0.8 if staged else 0.9 if late else 1.0)

    winner, _, _ = searched(seconds, [], VARY)
    assert winner["settings"] == {"engine.corners": "staged"}


def test_what_gains_less_than_noise_is_not_taken(searched):
    winner, rows, _ = searched(lambda e: 1e-3 * (0.99 if e["strategy"] == "blocking" else 1.0), FIRST, {})
    assert winner["settings"] == {} and winner["ratio"] == 1.0
    assert any(row["ratio"] > 1.005 for row in rows)


def test_who_has_lost_leaves_and_is_kept_to_look_at(searched):
    _, rows, _ = searched(independent, FIRST, {})
    lost = {row["settings"].get("engine.strategy"): row for row in rows if row["phase"] == "first"}
    assert lost["blocking"]["left_after"] == tuning.LEAST_ROUNDS
    assert lost["interior_first"]["left_after"] is None
    assert lost[None]["left_after"] is None  # as it is: the ratios are to it


def test_no_more_simulations_stand_than_fit(searched):
    alone, _, clock = searched(independent, FIRST, VARY, at_once=3)
    assert clock.most == 3
    assert alone["settings"] == searched(independent, FIRST, VARY)[0]["settings"]


def test_a_candidate_that_cannot_be_is_none(searched):
    """A halo of 64 cells is wider than blocks of 12."""
    _, rows, _ = searched(lambda _: 1e-3, [], {"engine.steps_per_pass": [64]})
    assert all(not row["settings"] for row in rows)
