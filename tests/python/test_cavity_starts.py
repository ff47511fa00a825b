# SPDX-License-Identifier: Apache-2.0
"""Cavity runs that start from a snapshot of a run on another grid: finer ones reach their steady state
sooner, whatever the number of ranks."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import QUIET, SMALL, history, sentence_of, set_options
from snapshots import last_snapshot
from subcurrent.case.reference import read_profiles
from subcurrent.errors import BAD_INPUT, STORAGE
from subcurrent.report.snapshot import read_snapshot

pytestmark = pytest.mark.mpi

CASES = Path(__file__).resolve().parents[2] / "cases"


FIRST = ("--strategy", "blocking", *QUIET)  # twelve steps on one rank, as `finished`


def run(program, name: str, ranks: int, *settings: str) -> Path:
    program.ok("run", "case.toml", "-n", ranks, "--out", name, *QUIET, *set_options(*settings))
    return program.folder / name


def test_on_the_same_points_a_run_goes_on(program, made_once):
    program.write_case(SMALL)
    whole = run(program, "whole", 2, "run.steps=13")
    start = last_snapshot(made_once(SMALL, *FIRST))
    again = run(program, "again", 2, f'flow.initial="{start}"', "run.steps=1")
    expected, got = history(whole)[12], history(again)[0]
    assert got["step"] == "1"
    assert float(got["time"]) == pytest.approx(float(got["dt"]))
    for column in ("dt", "max_change", "divergence_rms"):
        assert float(got[column]) == pytest.approx(float(expected[column]), rel=1e-3)


def test_a_folder_of_a_run_stands_for_its_last_snapshot(program):
    program.write_case(SMALL)
    first = run(program, "first", 1, "run.steps=12", "output.every=0.02")
    assert len(list((first / "snapshots").glob("*.vtkhdf"))) > 1
    start = last_snapshot(first)
    (first / "snapshots" / "snapshot_best (copy).vtkhdf").write_bytes(b"of the reader's")
    named = run(program, "named", 1, f'flow.initial="{start}"', "run.steps=1")
    found = run(program, "found", 1, "flow.initial=first", "run.steps=1")
    assert history(named)[0] == history(found)[0]
    assert str(start) in (found / "case.toml").read_text()
    # The first run goes on; what began from it is still said to have begun where it did.
    later = start.with_name("snapshot_00000099.vtkhdf")
    later.write_bytes(start.read_bytes())
    later_run = ("--out", "found", "--resume", *QUIET, *set_options("flow.initial=first", "run.steps=2"))
    program.ok("run", "case.toml", "-n", 1, *later_run)
    assert str(start) in (found / "case.toml").read_text()


def test_the_grid_may_be_another_and_so_may_the_ranks(program):
    program.write_case(SMALL)
    first = run(program, "first", 1, "run.time=2")
    flow = read_profiles(first / "centreline.csv")
    for number, grid in enumerate((("30,26,28", "tanh"), ("12,14,13", "uniform"), ("20,20,20", "skewed"))):
        points, clustering = grid
        settings = [f"grid.points=[{points}]", f"grid.clustering={clustering}", "run.steps=3"]
        settings += [f'flow.initial="{last_snapshot(first)}"']
        if clustering == "tanh":
            settings.append("grid.smallest=0.03")
        one, three = (run(program, f"{number}.{ranks}", ranks, *settings) for ranks in (1, 3))
        mine, theirs = (read_snapshot(last_snapshot(folder)).velocity for folder in (one, three))
        assert np.array_equal(mine, theirs)
        # After few steps it is still the flow of the first run.
        off = flow.difference(read_profiles(one / "centreline.csv"))
        assert max(off.values()) < 0.03, off


def test_what_cannot_be_a_start_is_refused(program, made_once, refusal):
    program.write_case(SMALL)
    first = made_once(SMALL, *FIRST)
    checkpoint = sorted((first / "checkpoints").glob("*.h5"))[-1]
    snapshot = last_snapshot(first)
    content, damaged = snapshot.read_bytes(), {}
    with h5py.File(snapshot) as file:
        for name in ("PointData/velocity", "PointData/pressure", "Points"):
            at = file["VTKHDF"][name].id.get_offset() + 1001
            damaged[name] = program.folder / f"{name[-5:]}.vtkhdf"
            damaged[name].write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
    periodic = ("boundaries.y-=periodic", "boundaries.y+=periodic")
    for start, words in (
        ("nowhere.vtkhdf", '"nowhere.vtkhdf" does not exist: /'),
        ("nowhere", 'flow.initial = "nowhere" is not allowed: it must be "rest"'),
        (".", "holds no snapshot of a run"),
        (checkpoint, "the path of a run or of a snapshot (.vtkhdf)"),
    ):
        assert words in refusal("run", "case.toml", "-n", 2, *QUIET, "--set", f'flow.initial="{start}"')
    refused = (
        *((path, STORAGE, f'checksum of "VTKHDF/{name}"', ()) for name, path in damaged.items()),
        (snapshot, BAD_INPUT, "has walls along y, where this run is periodic", periodic),
    )
    for number, (start, code, words, more) in enumerate(refused):
        sets = set_options(f'flow.initial="{start}"', *more)
        done = program("run", "case.toml", "-n", 2, "--out", f"r{number}", *QUIET, *sets)
        assert done.returncode == code, done.stdout
        assert words in sentence_of(done)


def test_re1000_on_few_points_after_fewer(program):
    """The published profiles within 1.5 % of the lid speed on 42³ points, by way of 22³ and 34³."""
    program.write_case((CASES / "cavity_re1000" / "case.toml").read_text())
    start = "rest"
    for n, smallest, time in ((22, 0.03, 24), (34, 0.02, 6), (42, 0.016, 4)):
        folder = run(
            program, str(n), 1, f"grid.points=[{n},{n},{n}]", f"grid.smallest={smallest}", f"run.time={time}",
            f'flow.initial="{start}"', "output.every=0"
        )  # fmt: skip
        start = last_snapshot(folder)
    found = read_profiles(folder / "centreline.csv")
    off = found.difference(read_profiles(CASES / "cavity_re1000" / "reference.csv"))
    assert max(off.values()) < 0.015, off
    extrema = found.lines["u"][1].min(), found.lines["w"][1].min(), found.lines["w"][1].max()
    assert extrema == pytest.approx((-0.28038, -0.43502, 0.24665), rel=0.04)
