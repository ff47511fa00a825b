# SPDX-License-Identifier: Apache-2.0
"""The Python API around a FAKE compiled module: endings, figures, and errors that are one sentence."""

import importlib
import sys

import numpy as np
import pytest


@pytest.fixture
def sc(monkeypatch):
    """The package with the FAKE compiled module inside this process."""
    fake = importlib.import_module("fake_core")
    monkeypatch.setitem(sys.modules, "subcurrent._core", fake)
    package = importlib.import_module("subcurrent")
    monkeypatch.setattr(importlib.import_module("subcurrent.rank.parallel"), "_made", {})
    return package


@pytest.fixture
def sim(sc):
    grid = sc.CavityGrid(points=(10, 10, 10), clustering="tanh", smallest=0.08)
    return sc.Cavity(grid, reynolds=100)


def test_five_lines(sim, tmp_path):
    last = sim.run(until="steady", tolerance=1e-2)
    assert last["max_change"] < 1e-2
    assert sim.velocity[0].shape == (8, 8, 8)
    sim.plot(tmp_path / "profiles.png")
    sim.plot(tmp_path / "flow.png", kind="flow")
    sim.plot(tmp_path / "flow_3d.png", kind="flow_3d")
    assert len(list(tmp_path.glob("*.png"))) == 3
    assert repr(sim).startswith("<Cavity 10 x 10 x 10, Re 100, step ")


def test_ends(sc, sim):
    sim.run(steps=3)
    sim.run(steps=2)
    assert sim.steps == 5
    seen = []
    sim.run(time=0.1, each=lambda result: seen.append(result["step"]))
    assert seen == [6, 7, 8, 9, 10]
    for wrong in ({}, {"steps": 1, "time": 1.0}, {"until": "tea"}):
        with pytest.raises(ValueError, match="exactly one of"):
            sim.run(**wrong)
    assert issubclass(sc.BadInput, ValueError)


def test_fields_are_views(sim):
    sim.velocity[0, 1, 2, 3] = 7.0
    assert sim.velocity[0, 1, 2, 3] == 7.0
    assert np.shares_memory(sim.velocity, sim.velocity)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"reynolds": -1}, "flow.reynolds = -1"),
        ({"reynolds": 100, "upwnd": "utopia"}, "did you mean flow.upwind"),
        ({"reynolds": 100, "engine": {"strategy": "fast"}}, 'engine.strategy = "fast"'),
        ({"reynolds": 100, "engine": {"split": [1, 1, 2]}}, "makes 2 blocks for 1 ranks"),
        ({"reynolds": 100, "dt": 0.1, "courant": 0.1}, "cannot be combined"),
    ],
)
def test_wrong_arguments_are_one_sentence(sc, arguments, words):
    with pytest.raises(sc.BadInput) as caught:
        sc.Cavity(sc.CavityGrid(points=(10, 10, 10)), **arguments)
    assert words in str(caught.value)


def test_a_second_simulation_shares_the_context(sc, sim):
    sc.Cavity(sc.CavityGrid(points=(10, 10, 10)), reynolds=10)
    with pytest.raises(sc.BadInput, match="differ from this script's first"):
        sc.Cavity(sc.CavityGrid(points=(10, 10, 10)), reynolds=10, engine={"threads": 2})


def test_an_unknown_figure(sim, sc):
    with pytest.raises(sc.BadInput, match='"profiles", "flow" or "flow_3d"'):
        sim.plot("x.png", kind="pie")
