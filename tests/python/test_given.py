# SPDX-License-Identifier: Apache-2.0
"""What a Python caller gives: fractions for counts, times that never come, paths that are none, attributes
that nothing reads. The whole list is in tests/attack/bad_calls.py."""

import importlib
import math
import sys

import numpy as np
import pytest

from subcurrent.errors import BadInput
from subcurrent.given import plain, whole


@pytest.fixture
def sc(monkeypatch):
    """The package with the FAKE compiled module inside this process."""
    monkeypatch.setitem(sys.modules, "subcurrent._core", importlib.import_module("fake_core"))
    monkeypatch.setattr(importlib.import_module("subcurrent.rank.parallel"), "_made", {})
    return importlib.import_module("subcurrent")


@pytest.fixture
def sim(sc):
    return sc.Cavity(sc.CavityGrid((10, 10, 10)), reynolds=100)


def test_counts_are_whole_numbers(sc):
    for points in ((10.7, 10, 10), (10, 10), "abc", 10, None):
        with pytest.raises(BadInput, match=r"grid\.points"):
            sc.Cavity(sc.CavityGrid(points), reynolds=100)
    assert (
        sc.Cavity(sc.CavityGrid(np.array([10, 10, 10])), reynolds=np.float32(100)).case.grid.points
        == [10] * 3
    )
    for wrong in (1.5, "2", None, True, -1, 10**30):
        with pytest.raises(BadInput, match=r"n = .* is not allowed"):
            whole("n", wrong, 0, 100)
    assert whole("n", np.int32(3), 0) == 3
    assert plain({"a": (np.float64(1), np.arange(2))}) == {"a": [1.0, [0, 1]]}


@pytest.mark.parametrize("steps", [-3, 0, 1.5, "2", math.nan])
def test_steps_that_cannot_be_taken(sim, steps):
    with pytest.raises(BadInput, match=r"steps = .* is not allowed"):
        sim.run(steps=steps)
    assert sim.steps == 0


@pytest.mark.parametrize("time", [-1, 0, math.nan, math.inf, "1"])
def test_times_that_never_come(sim, time):
    with pytest.raises(BadInput, match=r"time = .* is not allowed"):
        sim.run(time=time)
    with pytest.raises(BadInput, match="tolerance"):
        sim.run("steady", tolerance=time)


def test_attributes_that_nothing_reads_cannot_be_set(sc, sim):
    for name in ("reynolds", "case", "steps", "time", "velocity", "anything"):
        with pytest.raises(AttributeError, match=name) as caught:
            setattr(sim, name, 400)
        assert isinstance(caught.value, BadInput)
    with pytest.raises(BadInput, match="reynolds cannot be set"):
        sim.case.flow.reynolds = 400

    class Mine(sc.Cavity):
        def __init__(self):
            super().__init__(sc.CavityGrid((10, 10, 10)), reynolds=100)
            self.extra = 3

    assert Mine().extra == 3
    with pytest.raises(BadInput, match="time"):
        Mine().time = 3


def test_paths_and_devices_that_are_not_taken(sc, sim):
    for call in (sim.save, sim.load, sim.snapshot):
        for path in ("a\0b", "", 3, None, b"x"):
            with pytest.raises(BadInput, match="path"):
                call(path)
    with pytest.raises(BadInput, match=r"engine\.device"):
        sc.Cavity(sc.CavityGrid((10, 10, 10)), reynolds=100, engine={"device": "emulated"})


def test_damaged_records_of_a_run_are_one_sentence(fake_program, refusal):
    fake_program.write_case()
    assert fake_program("run", "case.toml", "--out", "r", "--set", "output.figures=false").returncode == 0
    resume = ("run", "case.toml", "--resume", "--out", "r", "--set", "output.figures=false")
    for name, content, arguments in (
        ("summary.json", b"[1, 2", ("report", "r")),
        ("summary.json", b"[" * 100_000, ("report", "r")),
        ("history.csv", b"1,2\n\x003,4\n", ("report", "r")),
        ("history.csv", b"\xff\xfe", resume),
        ("history.csv", b"[1, 2", resume),
        ("case.toml", b"solver = [1]", resume),
    ):
        path = fake_program.folder / "r" / name
        whole = path.read_bytes()
        path.write_bytes(content)
        assert name in refusal(*arguments)
        path.write_bytes(whole)
