# SPDX-License-Identifier: Apache-2.0
"""The table of strategies, from what solvers report."""

import json
from types import SimpleNamespace

import pytest

from subcurrent.rank import measure


def test_terms_are_of_one_step():
    """Of the rounds that count; an estimate is of all runs, the first round's too. None stays None."""
    plan = SimpleNamespace(steps=2, repeats=3)
    seconds = {"seconds": {"curl": {"all": 3.0}}}
    solver = SimpleNamespace(split=(1, 1, 2), timeline_summary=lambda: seconds)
    terms = {"C_core": 6.0, "M": 0.8, "C_core_ordered": None, "W": 0.3, "share": 0.25, "hidden": None}
    row = measure._row(plan, "ordered", solver, [3.0, 1.0, 2.0], terms)
    assert row["T"] == 2.0
    assert row["C_core"] == 1.0
    assert row["M"] == pytest.approx(0.8 / 6)
    assert row["C_core_ordered"] is None
    assert row["W"] == pytest.approx(0.05)
    assert row["share"] == 0.25
    assert row["stages"] == {"curl": {"all": 0.5}}
    assert row["hidden"] is None


def test_every_round_begins_with_another():
    names = ["blocking", "ordered", "automatic"]
    rounds = [measure._turns(names, turn) for turn in range(4)]
    assert rounds[0] == rounds[3] == names
    assert [order[0] for order in rounds[:3]] == names
    assert all(sorted(order) == sorted(names) for order in rounds)


class Trying:
    """A solver whose automatic strategy has tried after so many steps."""

    def __init__(self, until, stages=({},)):
        self.steps, self._until, self._stages = 0, until, list(stages)

    def step(self, diagnostics):
        assert not diagnostics
        self.steps += 1

    def terms(self):
        trying = 2 <= self.steps < self._until
        return {"automatic": {"stages": self._stages, "trials": int(self.steps >= 2), "trying": trying}}


def test_automatic_has_tried_before_it_is_measured():
    for solver, steps in ((Trying(30), 30), (Trying(2, ()), 0), (Trying(10**6), measure.MOST_TRIED)):
        assert measure.settle(solver) == steps
        assert solver.steps == steps


class Alternating:
    """A solver on two ranks that take turns in being the slower one, as terms() reports it."""

    split, cells = (1, 1, 2), 8

    def __init__(self):
        self._ranks = [{"W": 0.0, "R": 0.0}, {"W": 0.0, "R": 0.0}]
        self._steps = 0

    def step(self, diagnostics):
        slow, fast = self._ranks if self._steps < 2 else self._ranks[::-1]
        slow["R"] += 5.0 if self._steps < 2 else 0.1
        slow["W"] += 1.0 if self._steps < 2 else 8.0
        fast["R"] += 0.1
        fast["W"] += 0.1
        self._steps += 1

    def restart_terms(self):
        self._ranks = [{"W": 0.0, "R": 0.0}, {"W": 0.0, "R": 0.0}]

    def timeline_summary(self):
        return {"seconds": {}}

    def terms(self):
        return {**max(self._ranks, key=lambda rank: rank["W"] + rank["R"]), "C_core": 1.0, "M": 1.0}


def test_terms_of_two_ranks_are_never_subtracted(tmp_path, monkeypatch):
    """The slowest rank of the first round need not be that of all: R came out below 0."""
    kind = SimpleNamespace(make=lambda *_: Alternating())
    monkeypatch.setattr(measure, "kind_of", lambda _: kind)
    monkeypatch.setattr(measure, "_options", lambda *_: {})
    plan = SimpleNamespace(
        case={},
        steps=2,
        repeats=1,
        strategies=["ordered"],
        events=False,
        folder=str(tmp_path),
        typed_case=lambda: SimpleNamespace(pass_length=lambda: 1, options=dict),
    )
    context = SimpleNamespace(
        rank=0,
        size=2,
        threads=1,
        barrier=lambda: None,
        transports=lambda: "none",
        sample=lambda *_: None,
        any=bool,
    )
    assert measure.measure_strategies(None, context, plan, SimpleNamespace(asked=False), lambda: None) == 0
    (row,) = json.loads((tmp_path / "strategies.json").read_text())["rows"]
    assert row["W"] == 8.0
    assert row["R"] == pytest.approx(0.1)
