# SPDX-License-Identifier: Apache-2.0
"""The program with the real compiled module, as a user runs it: what comes out. How each failure
ends is in test_program_ends."""

import json
import shutil

import numpy as np
import pytest

from conftest import QUIET, SMALL, history, summary
from subcurrent import core
from subcurrent.case.library import find_case
from subcurrent.case.reference import read_profiles
from subcurrent.case.strategies import STRATEGIES
from subcurrent.errors import BAD_INPUT, OK
from subcurrent.foresight.strategies import chosen
from subcurrent.foresight.subject import CaseFile
from subcurrent.report.snapshot import read_snapshot

pytestmark = pytest.mark.mpi


def test_a_run_on_two_ranks_leaves_everything(program):
    program.write_case(SMALL + "[output]\nevery = 0.02\n")
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r")
    folder = program.folder / "r"
    said = summary(folder)
    assert (said["state"], said["steps"], said["ranks"], said["cells"]) == ("finished", 12, 2, 4096)
    assert np.prod(said["split"]) == 2
    for name in ("C_shell", "C_core", "M", "W", "R", "hidden", "bytes_moved", "gb_per_s", "pressure_share"):
        assert isinstance(said[name], (int, float)), name
    assert said["capped_steps"] == 0
    rows = history(folder)
    assert [row["step"] for row in rows] == [str(step) for step in range(1, 13)]
    assert said["iterations_per_step"] == pytest.approx(np.mean([int(row["iterations"]) for row in rows]))
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == {"rank 0", "rank 1"}
    ends = [
        max(event["ts"] + event["dur"] for event in events if event["ph"] == "X" and event["pid"] == rank)
        for rank in (0, 1)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=5e5), "the clocks of the ranks are aligned"
    for name in ("profiles.png", "flow.png", "flow_3d.png", "history.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    page = (folder / "report.html").read_text()
    assert page.count("data:image/png;base64,") == 4
    assert page.index("data:image/png") < page.index("<h2>The run") < page.index("<h2>Where the time went")
    assert "http" not in page
    assert "step 12" in done.stdout


def test_version_and_summary_say_what_a_build_was_made_with(program, finished):
    done = program.ok("--version")
    first, *parts = done.stdout.splitlines()
    assert first.startswith("subcurrent ")
    said = {part: made_with.strip() for part, _, made_with in (line.strip().partition(" ") for line in parts)}
    build = summary(finished)["build"]
    assert said == {part: made_with or "none" for part, made_with in build.items()}
    assert {"mpi", "compiler", "cuda"} <= set(said)


def test_the_snapshot_is_the_flow_of_a_lid(finished):
    (path,) = (finished / "snapshots").iterdir()
    flow = read_snapshot(path)
    assert flow.points.shape == flow.velocity.shape == (3, 18, 18, 18)
    assert flow.points.min() == pytest.approx(0)
    assert flow.points.max() == pytest.approx(1)
    assert flow.velocity[0, -1, 5:-5, 5:-5] == pytest.approx(np.ones((8, 8)))
    assert np.abs(flow.velocity[:, 0]).max() == 0
    assert flow.velocity[0, -2, 8, 8] > 0
    profiles = read_profiles(finished / "centreline.csv")
    z, u = profiles.lines["u"]
    assert np.all(np.diff(z) > 0)
    assert (u[0], u[-1]) == (pytest.approx(0), pytest.approx(1))


@pytest.mark.parametrize("other", [("-n", "2"), ("--strategy", "halo_thread", "--threads", "2")])
def test_ranks_and_strategies_give_the_same_history(program, finished, other):
    program.ok("run", "case.toml", "--out", "b", *other, *QUIET)
    assert history(finished) == history(program.folder / "b")


def test_resume_on_other_ranks_goes_on_with_the_same_bits(program, finished):
    program.ok("run", "case.toml", "--out", "parts", "--set", "run.steps=5", *QUIET)
    done = program.ok("run", "case.toml", "--out", "parts", "-n", "2", "--resume", *QUIET)
    assert "resumed from checkpoint_00000005.h5 at step 5" in done.stdout
    assert history(program.folder / "parts") == history(finished)


def test_a_snapshot_is_a_grid_file(program, finished):
    """The same points from a file, on other ranks, give the same bits as from the formula."""
    (snapshot,) = (finished / "snapshots").iterdir()
    from_file = ("--set", "grid.clustering=file", "--set", f"grid.file={snapshot}")
    for ranks in ("1", "3"):
        program.ok("run", "case.toml", "-n", ranks, "--out", f"b{ranks}", *from_file, *QUIET)
        assert history(program.folder / f"b{ranks}") == history(finished)
    wraps = ("--set", "boundaries.y-=periodic", "--set", "boundaries.y+=periodic")
    for wrong in (wraps, ("--set", "grid.points=[18,18,20]")):
        program.refused("run", "case.toml", "--out", "c", *from_file, *wrong)


def test_under_an_outer_mpirun(program):
    program.write_case(SMALL)
    done = program.as_ranks(2, "run", "case.toml", "--out", "r")
    assert done.returncode == OK, done.stderr
    assert summary(program.folder / "r")["ranks"] == 2
    assert (program.folder / "r" / "figures" / "flow.png").exists()


@pytest.mark.parametrize("verb", ["run", "strategies"])
def test_what_only_ranks_refuse_leaves_a_folder_as_it_was_under_an_outer_mpirun(program, made_once, verb):
    """More pieces than a rank has planes: only the solver counts those of each rank."""
    refused = ("--set", "grid.points=[8,8,8]", "--set", "storage.place=files", "--set", "storage.pieces=7")
    refused += ("--set", "run.steps=1", "--out", "r")
    done = program.as_ranks(2, verb, "taylor_green_1600", *refused)
    assert done.returncode == BAD_INPUT, done.stderr
    assert done.stderr.count("storage.pieces is 7; it must be from 1 to 4") == 1, done.stderr
    assert not (program.folder / "r").exists()
    small = ("--set", "grid.points=[8,8,8]", "--set", "run.steps=1")
    shutil.copytree(
        made_once(find_case("taylor_green_1600").read_text(), *small, *QUIET), program.folder / "r"
    )
    before = {p: p.read_bytes() for p in (program.folder / "r").rglob("*") if p.is_file()}
    done = program.as_ranks(2, verb, "taylor_green_1600", *refused, "--overwrite")
    assert done.returncode == BAD_INPUT, done.stderr
    assert {p: p.read_bytes() for p in (program.folder / "r").rglob("*") if p.is_file()} == before


def test_strategies(program, refusal):
    """All that hide are measured unless some are named; what the case refuses is said."""
    program.write_case(SMALL)
    options = ("--steps", "2", "--repeats", "2", "--sweeps", "20", "--out", "s")
    done = program.ok("strategies", "case.toml", "-n", "2", *options)
    assert "times blocking" in done.stdout
    rows = json.loads((program.folder / "s" / "strategies.json").read_text())["rows"]
    by_name = {row["strategy"]: row for row in rows}
    hiding = ["boundary_first", "interior_first", "pipelined", "halo_thread", "automatic"]
    assert list(by_name) == ["blocking", "ordered", *hiding]
    assert by_name["ordered"]["M"] > 0
    assert by_name["blocking"]["C_shell"] is None
    computing = by_name["ordered"]["C_shell"] + by_name["ordered"]["C_core"]
    plans = {name: row["plan"] for name, row in by_name.items() if "plan" in row}
    assert list(plans) == hiding[:4] and all(computing <= 1.001 * plan for plan in plans.values())
    for row in rows:
        times = [row[name] or 0.0 for name in ("C_shell", "C_core", "W", "R")]
        assert min(times) >= 0, row
        # The terms are those of one step: they cannot add up to much more than the step took.
        assert 0 < sum(times) < 1.5 * max(row["T_all"]), row
    assert "'fastest' is not known" in refusal("strategies", "case.toml", "--strategies", "fastest")


def test_strategies_that_a_case_refuses_are_named():
    names, left_out = chosen([], CaseFile(find_case("taylor_green_1600")), [])
    assert "halo_thread" not in names
    assert any(sentence.startswith("halo_thread is left out: ") for sentence in left_out)


def test_the_strategies_are_those_of_the_engine():
    assert list(STRATEGIES) == [name for name, _ in core.load().strategies]


def test_strategies_under_an_outer_mpirun(program):
    program.write_case(SMALL)
    options = ("--steps", "1", "--repeats", "1", "--sweeps", "5", "--strategies", "pipelined", "--out", "s")
    done = program.as_ranks(2, "strategies", "case.toml", *options)
    assert done.returncode == OK, done.stderr
    assert done.stdout.count("over blocking") == 1
    table = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert (table["ranks"], len(table["rows"])) == (2, 3)
    assert (program.folder / "s" / "strategies.csv").exists()
    assert (program.folder / "s" / "figures" / "strategies.png").exists()


def test_a_run_that_hides_nothing_says_so(program):
    program.write_case(SMALL)
    program.ok("run", "case.toml", "-n", "2", "--strategy", "blocking", "--out", "r", *QUIET)
    said = summary(program.folder / "r")
    assert said["overlap_case"].startswith("nothing hidden by blocking; ")
    assert (said["hidden"], said["C_shell"]) == (0, None)
