# SPDX-License-Identifier: Apache-2.0
"""What the program knows of each solver: totals of a run stand beside the facts of a step in one event."""

import pytest

from subcurrent.solvers.kinds import KINDS


@pytest.mark.parametrize("name", KINDS)
def test_totals_have_names_of_their_own(name):
    record = {**dict.fromkeys(KINDS[name].history, 1), "capped": False, "floors": 2}
    totals = {}
    KINDS[name].count(record, totals)
    KINDS[name].count(record, totals)
    assert not set(totals) & set(record), "the total would be shown as the step's own"


def test_the_cavity_counts_iterations_over_steps():
    totals = {}
    for iterations in (3, 5):
        KINDS["cavity"].count({"iterations": iterations, "capped": False}, totals)
    assert KINDS["cavity"].summary(None, 2, totals, {})["iterations_per_step"] == 4
