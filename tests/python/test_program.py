# SPDX-License-Identifier: Apache-2.0
"""The program with the real compiled module, as a user runs it: what comes out, and how each failure ends."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from conftest import CASE, QUIET, history, sentence_of
from subcurrent.errors import BAD_INPUT, DIVERGED, OK, STOPPED, STORAGE
from subcurrent.reference import read_profiles
from subcurrent.snapshot import read_snapshot

pytestmark = pytest.mark.mpi

SMALL = CASE.replace("[10, 10, 10]", "[18, 18, 18]").replace("0.08", "0.04")


def test_a_run_on_two_ranks_leaves_everything(program):
    program.write_case(SMALL + "[output]\nevery = 0.02\n")
    done = program("run", "case.toml", "-n", "2", "--out", "r")
    assert done.returncode == OK, done.stderr
    folder = program.folder / "r"
    summary = json.loads((folder / "summary.json").read_text())
    assert (summary["state"], summary["steps"], summary["ranks"], summary["cells"]) == (
        "finished",
        12,
        2,
        4096,
    )
    assert np.prod(summary["split"]) == 2
    for name in ("C_shell", "C_core", "M", "W", "R", "hidden", "bytes_moved", "gb_per_s", "pressure_share"):
        assert isinstance(summary[name], (int, float)), name
    assert summary["capped_steps"] == 0
    assert [row["step"] for row in history(folder)] == [str(step) for step in range(1, 13)]
    events = json.loads((folder / "timeline.json").read_text())["traceEvents"]
    assert {event["args"]["name"] for event in events if event["ph"] == "M"} == {"rank 0", "rank 1"}
    ends = [
        max(event["ts"] + event["dur"] for event in events if event["ph"] == "X" and event["pid"] == rank)
        for rank in (0, 1)
    ]
    assert ends[0] == pytest.approx(ends[1], abs=5e5), "the clocks of the ranks are aligned"
    for name in ("profiles.png", "flow.png", "flow_3d.png", "history.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    assert (folder / "report.html").exists()


def test_the_snapshot_is_the_flow_of_a_lid(program):
    program.write_case(SMALL)
    assert program("run", "case.toml", "--out", "r", *QUIET).returncode == OK
    (path,) = (program.folder / "r" / "snapshots").iterdir()
    flow = read_snapshot(path)
    assert flow.points.shape == flow.velocity.shape == (3, 18, 18, 18)
    assert flow.points.min() == pytest.approx(0)
    assert flow.points.max() == pytest.approx(1)
    assert flow.velocity[0, -1, 5:-5, 5:-5] == pytest.approx(np.ones((8, 8)))
    assert np.abs(flow.velocity[:, 0]).max() == 0
    assert flow.velocity[0, -2, 8, 8] > 0
    profiles = read_profiles(program.folder / "r" / "centreline.csv")
    z, u = profiles.lines["u"]
    assert np.all(np.diff(z) > 0)
    assert (u[0], u[-1]) == (pytest.approx(0), pytest.approx(1))


@pytest.mark.parametrize("other", [("-n", "2"), ("--strategy", "halo_thread", "--threads", "2")])
def test_ranks_and_strategies_give_the_same_history(program, other):
    program.write_case(SMALL)
    assert program("run", "case.toml", "--out", "a", "--strategy", "blocking", *QUIET).returncode == OK
    done = program("run", "case.toml", "--out", "b", *other, *QUIET)
    assert done.returncode == OK, done.stderr
    assert history(program.folder / "a") == history(program.folder / "b")


def test_resume_on_other_ranks_goes_on_with_the_same_bits(program):
    program.write_case(SMALL)
    assert program("run", "case.toml", "--out", "whole", *QUIET).returncode == OK
    assert program("run", "case.toml", "--out", "r", "--set", "run.steps=5", *QUIET).returncode == OK
    done = program("run", "case.toml", "--out", "r", "-n", "2", "--resume", *QUIET)
    assert done.returncode == OK, done.stderr
    assert "resumed from checkpoint_00000005.h5 at step 5" in done.stdout
    assert history(program.folder / "r") == history(program.folder / "whole")


def wait_for_steps(folder: Path, count: int) -> None:
    end = time.monotonic() + 60
    while not (folder / "history.csv").exists() or len(history(folder)) < count:
        assert time.monotonic() < end
        time.sleep(0.05)


def test_ctrl_c_stops_with_a_checkpoint_and_resume_is_bit_identical(program):
    program.write_case(SMALL.replace("steps = 12", "steps = 100000"))
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", "r")
    wait_for_steps(folder, 3)
    running.send_signal(signal.SIGINT)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == STOPPED, said
    steps = len(history(folder)) + 5
    done = program("run", "case.toml", "--out", "r", "--resume", "--set", f"run.steps={steps}", *QUIET)
    assert done.returncode == OK, done.stderr
    whole = program("run", "case.toml", "--out", "whole", "--set", f"run.steps={steps}", *QUIET)
    assert whole.returncode == OK, whole.stderr
    assert history(folder) == history(program.folder / "whole")


def ranks_of(folder: Path) -> list[int]:
    """Process ids of the ranks that work on a run folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if (
            b"subcurrent.worker" in words
            and str(folder / "plan.json").encode() in words
            and b"-n" not in words
        ):
            found.append(int(path.parent.name))
    return found


def test_kill_9_during_a_run_and_resume(program):
    program.write_case(SMALL.replace("steps = 12", "steps = 100000") + "[output]\ncheckpoint_every = 3\n")
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", folder)
    wait_for_steps(folder, 8)
    victims = ranks_of(folder)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 1, said
    steps = len(history(folder)) + 5
    options = ("--set", f"run.steps={steps}", *QUIET)
    assert program("run", "case.toml", "--out", folder, "--resume", *options).returncode == OK
    assert program("run", "case.toml", "--out", "whole", *options).returncode == OK
    assert history(folder) == history(program.folder / "whole")


def test_kill_9_while_a_checkpoint_is_written_and_resume_on_other_ranks(program):
    """All ranks die with a half-written checkpoint on disk; 1, 2 and 3 ranks go on from the one before."""
    text = SMALL.replace("[18, 18, 18]", "[34, 34, 34]").replace("0.04", "0.02")
    program.write_case(text.replace("steps = 12", "steps = 100000") + "[output]\ncheckpoint_every = 1\n")
    killed = next(filter(None, (killed_in_checkpoint(program, f"r{n}") for n in range(10))), None)
    assert killed is not None, "no attempt caught a checkpoint being written"
    newest = max((killed / "checkpoints").glob("checkpoint_*.h5"))
    steps = int(newest.stem.rpartition("_")[2]) + 4
    options = ("--set", f"run.steps={steps}", *QUIET)
    assert program("run", "case.toml", "--out", "whole", *options).returncode == OK
    for ranks in ("1", "2", "3"):
        folder = program.folder / f"again_{ranks}"
        shutil.copytree(killed, folder)
        done = program("run", "case.toml", "-n", ranks, "--out", folder, "--resume", *options)
        assert done.returncode == OK, done.stderr
        assert f"resumed from {newest.name}" in done.stdout
        assert history(folder) == history(program.folder / "whole")
        assert not list((folder / "checkpoints").glob("*.subcurrent-part"))


def killed_in_checkpoint(program, name: str) -> Path | None:
    """A run folder whose ranks were killed while they wrote a checkpoint; None when it was whole already."""
    folder = program.folder / name
    running = program.start("run", "case.toml", "-n", "2", "--out", folder, *QUIET)
    wait_for_steps(folder, 3)
    victims = ranks_of(folder)
    assert len(victims) == 2
    end = time.monotonic() + 60
    while not list((folder / "checkpoints").glob("*.subcurrent-part")):
        assert time.monotonic() < end
    for victim in victims:
        os.kill(victim, signal.SIGKILL)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == 1, said
    return folder if list((folder / "checkpoints").glob("*.subcurrent-part")) else None


def test_a_snapshot_is_a_grid_file(program):
    """The same points from a file, on other ranks, give the same bits as from the formula."""
    program.write_case(SMALL)
    assert program("run", "case.toml", "--out", "a", *QUIET).returncode == OK
    (snapshot,) = (program.folder / "a" / "snapshots").iterdir()
    from_file = ("--set", "grid.clustering=file", "--set", f"grid.file={snapshot}")
    for ranks in ("1", "3"):
        done = program("run", "case.toml", "-n", ranks, "--out", f"b{ranks}", *from_file, *QUIET)
        assert done.returncode == OK, done.stderr
        assert history(program.folder / f"b{ranks}") == history(program.folder / "a")
    wraps = ("--set", "boundaries.y-=periodic", "--set", "boundaries.y+=periodic")
    for wrong in (wraps, ("--set", "grid.points=[18,18,20]")):
        done = program("run", "case.toml", "--out", "c", *from_file, *wrong)
        assert done.returncode == BAD_INPUT
        sentence_of(done)


def test_a_run_that_diverges(program):
    program.write_case(SMALL)
    done = program(
        "run", "case.toml", "-n", "2", "--out", "r", "--set", "run.dt=0.5", "--set", "run.steps=200"
    )
    assert done.returncode == DIVERGED
    sentence = sentence_of(done)
    assert "step" in sentence
    assert not (program.folder / "r" / "summary.json").exists()


@pytest.mark.parametrize("damage", ["rubbish", "cut", "flipped", "foreign"])
def test_a_damaged_checkpoint_is_refused(program, damage):
    program.write_case(SMALL)
    assert program("run", "case.toml", "--out", "r", *QUIET).returncode == OK
    (checkpoint,) = (program.folder / "r" / "checkpoints").iterdir()
    data = bytearray(checkpoint.read_bytes())
    if damage == "rubbish":
        data = bytearray(b"this is no checkpoint")
    elif damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[-len(data) // 3] ^= 0x40
    else:
        options = ("--set", "grid.points=[20,20,20]", "--out", "other", *QUIET)
        assert program("run", "case.toml", *options).returncode == OK
        (other,) = (program.folder / "other" / "checkpoints").iterdir()
        data = other.read_bytes()
    checkpoint.write_bytes(bytes(data))
    done = program("run", "case.toml", "--out", "r", "--resume", "--set", "run.steps=20")
    assert done.returncode in (BAD_INPUT, STORAGE)
    assert checkpoint.name in sentence_of(done)
    assert checkpoint.read_bytes() == bytes(data)


def test_a_damaged_grid_file(program):
    program.write_case(SMALL)
    (program.folder / "grid.h5").write_bytes(b"no grid")
    options = ("--set", "grid.clustering=file", "--set", "grid.file=grid.h5")
    done = program("run", "case.toml", "--out", "r", *options)
    assert done.returncode in (BAD_INPUT, STORAGE)
    assert "grid.h5" in sentence_of(done)


@pytest.mark.parametrize("kilobytes", [40, 400, 1500])
def test_a_full_disk(program, kilobytes):
    """Wherever the disk becomes full - history, checkpoint, snapshot, figures - it is one sentence and exit
    code 3."""
    small = program.folder / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(small)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a small file system takes root")
    try:
        program.write_case(SMALL.replace("[18, 18, 18]", "[34, 34, 34]").replace("0.04", "0.02"))
        done = program("run", "case.toml", "-n", "2", "--out", "small/r")
        assert done.returncode == STORAGE, done.stderr
        sentence_of(done)
    finally:
        subprocess.run(["umount", "-l", str(small)], check=True)


def test_a_read_only_folder(program):
    fixed = program.folder / "fixed"
    fixed.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(fixed)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a read-only file system takes root")
    try:
        program.write_case(SMALL)
        done = program("run", "case.toml", "--out", "fixed/r")
        assert done.returncode == STORAGE
        assert "read-only" in sentence_of(done)
    finally:
        subprocess.run(["umount", "-l", str(fixed)], check=True)


def test_bad_input_writes_nothing(program):
    program.write_case(SMALL)
    for arguments in (
        ("--set", "flow.reynolds=abc"),
        ("--set", "grid.smallest=0.2"),
        ("-n", "2", "--set", "engine.split=[1,1,3]"),
        ("-n", "9", "--set", "engine.split=[1,1,9]"),
        ("--strategy", "automatic"),
        ("--device", "cuda"),
        ("--resume",),
    ):
        done = program("run", "case.toml", "--out", "r", *arguments)
        assert done.returncode == BAD_INPUT, arguments
        sentence_of(done)
    assert [path.name for path in program.folder.iterdir()] == ["case.toml"]


def test_under_an_outer_mpirun(program):
    program.write_case(SMALL)
    outer = ["mpirun", "--oversubscribe", "-n", "2", *program.command("run", "case.toml", "--out", "r")]
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        outer,
        check=False,
        cwd=program.folder,
        env={**program.environment, **root},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == OK, done.stderr
    assert json.loads((program.folder / "r" / "summary.json").read_text())["ranks"] == 2
    assert (program.folder / "r" / "figures" / "flow.png").exists()


def test_strategies(program):
    program.write_case(SMALL)
    options = ("--steps", "2", "--repeats", "2", "--sweeps", "20", "--out", "s")
    done = program("strategies", "case.toml", "-n", "2", *options)
    assert done.returncode == OK, done.stderr
    rows = json.loads((program.folder / "s" / "strategies.json").read_text())["rows"]
    by_name = {row["strategy"]: row for row in rows}
    assert by_name["ordered"]["M"] > 0
    for row in rows:
        # The terms are those of one step: they cannot add up to much more than the step took.
        assert 0 < row["C_shell"] + row["C_core"] + row["W"] + row["R"] < 1.5 * max(row["T_all"]), row


FIVE_LINES = """
import numpy as np
import subcurrent as sc

grid = sc.Grid(points=(18, 18, 18), clustering="tanh", smallest=0.04)
sim = sc.Cavity(grid, reynolds=100)
sim.run(steps=6)
u = sim.velocity[0]
sim.plot("profiles.png")

low, high = sim.local_box
assert u.shape == tuple(high[axis] - low[axis] for axis in (2, 1, 0))
assert np.shares_memory(sim.velocity, sim.velocity) and not sim.velocity.flags.owndata
before = u.flat[0]
u.flat[0] = 0.25
assert sim.velocity[0].flat[0] == 0.25, "a view writes into the solver's memory"
u.flat[0] = before
sim.save("six.h5")
sim.run(steps=3)
expected = sim.gather("velocity")
sim.load("six.h5")
assert sim.steps == 6
sim.run(steps=3)
again = sim.gather("velocity")
if again is not None:
    assert again.shape == (3, 18, 18, 18)
    assert np.array_equal(again, expected)
    print("all good", sim)

# h5py brings an HDF5 of its own; a script may use both.
import h5py

sim.snapshot("nine.vtkhdf")
if again is not None:
    with h5py.File("nine.vtkhdf") as file:
        assert np.array_equal(np.moveaxis(file["fields/velocity"][...], -1, 0), expected)
sim.load("six.h5")

# One rank looks, and might have written: all refresh together, and the flow goes on unchanged.
if again is not None:
    assert abs(sim.velocity).max() > 0
sim.run(steps=3)
again = sim.gather("velocity")
assert again is None or np.array_equal(again, expected)
"""


@pytest.mark.parametrize("ranks", [1, 2])
def test_the_python_api(program, ranks):
    script = program.folder / "five.py"
    script.write_text(FIVE_LINES)
    start = ["mpirun", "--oversubscribe", "-n", str(ranks)] if ranks > 1 else []
    root = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    done = subprocess.run(
        [*start, sys.executable, str(script)],
        check=False,
        cwd=program.folder,
        env={**program.environment, **root},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("all good <Cavity 18 x 18 x 18, Re 100, step 9") == 1
    assert (program.folder / "profiles.png").stat().st_size > 10_000
