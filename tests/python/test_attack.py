# SPDX-License-Identifier: Apache-2.0
"""A small part of `make attack`: a few kills, limits and starts side by side. The whole of a part is long."""

import importlib
import sys

import pytest

from conftest import ROOT

pytestmark = pytest.mark.mpi
sys.path.insert(0, str(ROOT))
FAULTS = importlib.import_module("tests.attack").FAULTS
SHARE = {"kills": 0.015, "limits": 0.03}


def attack(part: str, budget: float) -> dict[str, int]:
    counts = importlib.import_module(f"tests.attack.{part}").run(budget)
    assert {name: counts[name] for name in FAULTS if counts.get(name)} == {}, counts
    return counts


def test_a_few_kills(program):
    counts = attack("kills", SHARE["kills"])
    assert counts["kills"] == counts["same bits"] == 3


def test_a_few_limits(program):
    counts = attack("limits", SHARE["limits"])
    assert counts["limits"] >= 1
    assert counts["right results"] + counts["sentences"] >= counts["limits"] + counts["starts"]


@pytest.mark.long
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("part", ["kills", "limits"])
def test_the_whole(program, part):
    counts = attack(part, 1.0)
    assert part != "kills" or counts["kills"] >= 200
