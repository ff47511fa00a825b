# SPDX-License-Identifier: Apache-2.0
"""The table of strategies, from what solvers report."""

from types import SimpleNamespace

from subcurrent import measure


def test_estimates_are_of_all_rounds():
    """A slow sample in the first round made the messages of the others shorter than nothing."""
    plan = SimpleNamespace(steps=2, repeats=3)
    solver = SimpleNamespace(split=(1, 1, 2))
    before = {"C_core": 1.0, "M": 0.9, "C_core_ordered": 0.5, "W": 0.1, "share": 0.5}
    after = {"C_core": 7.0, "M": 0.8, "C_core_ordered": 4.0, "W": 0.4, "share": 0.25}
    row = measure._row(plan, "ordered", solver, seconds=[3.0, 1.0, 2.0], before=before, after=after)
    assert row["T"] == 2.0
    assert row["C_core"] == 1.0
    assert row["M"] == 0.1
    assert row["C_core_ordered"] == 0.5
    assert abs(row["W"] - 0.05) < 1e-15
    assert row["share"] == 0.25
    assert abs(row["hidden"] - 0.5) < 1e-15
