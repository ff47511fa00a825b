# SPDX-License-Identifier: Apache-2.0
"""Turbulence that goes on from a checkpoint, or starts from a checkpoint or snapshot of another run."""

import shutil
from pathlib import Path

import h5py
import numpy as np
import pytest

import subcurrent as sc
from conftest import QUIET, history, sentence_of, summary
from snapshots import fields_in, last_snapshot, same_end
from subcurrent.errors import BAD_INPUT, OK, STORAGE, StorageError
from subcurrent.report.snapshot import checksum, read_plane
from turbulence_runs import CASE, FIELDS


@pytest.mark.mpi
def test_a_resumed_run_goes_on_with_the_same_bits(program, made_once):
    program.write_case(CASE)
    parts = ("run", "case.toml", "--out", "parts", *QUIET)
    program.ok(*parts, "-n", "1", "--set", "run.steps=5")
    program.ok(*parts, "-n", "3", "--resume")
    assert same_end(made_once(CASE, "-n", "1", *QUIET), program.folder / "parts", *FIELDS)


@pytest.mark.mpi
def test_single_precision_resumes_with_the_same_bits_and_refuses_the_other(program, refusal):
    program.write_case(CASE)
    single = (*QUIET, "--set", "scheme.precision=single")
    done = program.ok("run", "case.toml", "-n", "1", "--out", "whole", *single)
    assert "single precision" in done.stdout
    parts = ("run", "case.toml", "--out", "parts")
    program.ok(*parts, "-n", "1", *single, "--set", "run.steps=5")
    said = refusal(*parts, "-n", "2", *QUIET, "--resume")
    assert "the same scheme.precision as the run it continues: single there, double here" in said
    program.ok(*parts, "-n", "3", *single, "--resume")
    assert same_end(program.folder / "whole", program.folder / "parts", *FIELDS)
    assert fields_in(last_snapshot(program.folder / "whole"), "velocity")[0].dtype == np.float32
    assert summary(program.folder / "whole")["precision"] == "single"
    # A first field from a checkpoint is taken bit by bit, so of the same precision; from a snapshot of any.
    first = program.folder / "whole"
    for start, code in (
        (sorted((first / "checkpoints").glob("*.h5"))[-1], STORAGE),
        (last_snapshot(first), OK),
    ):
        done = program(
            "run", "case.toml", "--out", f"from{code}", *QUIET, "--set", f'flow.initial="{start}"',
            "--set", "run.steps=1",
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        if code == STORAGE:
            assert "complex numbers of single precision" in sentence_of(done)


@pytest.mark.mpi
def test_a_run_starts_from_a_snapshot_or_a_checkpoint(program, made_once):
    program.write_case(CASE)
    first = made_once(CASE, "-n", "1", *QUIET)
    checkpoint = sorted((first / "checkpoints").glob("*.h5"))[-1]
    energy = {}
    for name, start, ranks in (
        ("snap", last_snapshot(first), 1),
        ("folder", first, 1),  # stands for its last snapshot
        ("check", checkpoint, 2),
        ("again", checkpoint, 1),
    ):
        first_field = ("--set", f'flow.initial="{start}"', "--set", "run.steps=2")
        program.ok("run", "case.toml", "-n", ranks, "--out", name, *QUIET, *first_field)
        energy[name] = history(program.folder / name)[0]
    assert energy["check"] == energy["again"]
    assert energy["snap"] == energy["folder"]
    assert float(energy["check"]["time"]) == pytest.approx(0.04)
    for column in ("energy", "dissipation", "skewness"):
        assert float(energy["snap"][column]) == pytest.approx(float(energy["check"][column]), rel=1e-9)


@pytest.mark.mpi
def test_a_snapshot_of_other_points_gives_the_modes_that_both_grids_have(program):
    """24 x 20 x 16 points keep the modes up to 7, 6 and 5; all of them are there on more points."""
    program.write_case(CASE)
    program.ok("run", "case.toml", "--out", "first", *QUIET, "--set", "run.steps=3")
    start = last_snapshot(program.folder / "first")
    sets = ("--set", f'flow.initial="{start}"', "--set", "run.steps=1", "--set", "output.history_every=1")
    found = {}
    for name, points in (("same", "24,20,16"), ("more", "32,24,40"), ("fewer", "16,12,10")):
        more = ("--set", f"grid.points=[{points}]", "-n", 1 if name == "same" else 2)
        program.ok("run", "case.toml", "--out", name, *QUIET, *sets, *more)
        found[name] = history(program.folder / name)[0]
    for column in ("energy", "dissipation"):
        same, more, fewer = (float(found[name][column]) for name in ("same", "more", "fewer"))
        assert more == pytest.approx(same, rel=1e-3)  # a step on more modes
        assert 0.5 * same < fewer < 0.999 * same


@pytest.mark.mpi
def test_a_snapshot_of_another_box_is_refused(program, made_once):
    program.write_case(CASE)
    start = shutil.copy(last_snapshot(made_once(CASE, "-n", "1", *QUIET)), program.folder)
    with h5py.File(start, "r+") as file:
        file["grid"].attrs["Spacing"] = np.array([2.0, 1.0, 1.0]) * file["grid"].attrs["Spacing"]
    said = program.refused("run", "case.toml", "-n", 2, "--set", f'flow.initial="{start}"')
    assert "shows a box of side 12.566371 along x, not this run's 2 pi" in said
    with h5py.File(start, "r+") as file:
        del file["grid"].attrs["Spacing"]
    said = program.refused("run", "case.toml", "-n", 2, "--set", f'flow.initial="{start}"')
    assert "have no uniform spacing" in said


def test_a_checkpoint_of_other_points_with_the_same_modes_is_refused(tmp_path):
    """10 and 12 points keep the modes up to 3; modes are sums over the points, so of other sizes."""
    refusal = pytest.importorskip("subcurrent._core").Error
    few = sc.Turbulence((10, 10, 10), reynolds=20, dt=0.05)
    many = sc.Turbulence((12, 12, 12), reynolds=20, dt=0.05)
    assert few.modes.shape == many.modes.shape
    few.save(tmp_path / "few.h5")
    with pytest.raises(refusal, match=r"has cells \[10, 10, 10\]; this run has \[12, 12, 12\]"):
        many.load(tmp_path / "few.h5")
    with pytest.raises(refusal, match=r"\[10, 10, 10\]"):
        sc.Turbulence((12, 12, 12), reynolds=20, dt=0.05, initial=str(tmp_path / "few.h5"))


def test_only_a_whole_snapshot_is_a_start(program, made_once):
    """A bit of the velocity, its checksum's own, and one of another program's, without checksums."""
    program.write_case(CASE.replace("steps = 12", "steps = 1"))
    whole = Path(shutil.copy(last_snapshot(made_once(CASE, "-n", "1", *QUIET)), program.folder))
    with h5py.File(whole) as file:
        stored = file["VTKHDF/PointData/velocity"]
        first, sum_ = stored.id.get_offset(), int(stored.attrs["checksum"])
        assert checksum(stored) == sum_
    content = whole.read_bytes()
    assert content.count(sum_.to_bytes(8, "little")) == 1
    for name, at in (("velocity", first + 1001), ("checksum", content.index(sum_.to_bytes(8, "little")))):
        damaged = program.folder / f"{name}.vtkhdf"
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        sets = ("--set", "flow.initial=" + damaged.name, "--set", "spectrum.peak=4.0")
        done = program("run", "case.toml", "--out", name, *sets, *QUIET)
        assert done.returncode in (BAD_INPUT, STORAGE), done.stdout
        assert damaged.name in sentence_of(done)
    with pytest.raises(StorageError, match="the checksum of fields/velocity does not match"):
        read_plane(program.folder / "velocity.vtkhdf", "velocity")
    with h5py.File(whole, "r+") as file:
        del file["VTKHDF/PointData/velocity"].attrs["checksum"]
    sets = ("--set", f"flow.initial={whole}", "--set", "spectrum.peak=4.0")
    assert "carries no checksum" in program.refused("run", "case.toml", "--out", "without", *sets, *QUIET)
