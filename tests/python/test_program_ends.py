# SPDX-License-Identifier: Apache-2.0
"""The program with the real compiled module stopped, killed, or given what it cannot do: how each failure
ends, and that the run goes on from there."""

import contextlib
import os
import re
import shutil
import signal
import time
from pathlib import Path

import pytest

import subcurrent as sc
from conftest import QUIET, SMALL, history, sentence_of, set_options, stopped, wait_for
from mounts import mounted
from snapshots import same_end
from subcurrent import core
from subcurrent.errors import BAD_INPUT, DIVERGED, OTHER, STORAGE
from subcurrent.launch import guard
from test_dendrite import FIELDS

pytestmark = pytest.mark.mpi

CRYSTAL = """
solver = "dendrite"
grid.cells = [48, 40, 44]
run.dt = 1e-12
output.figures = false
seeds = [{ radius = 0.1 }]
"""


def wait_for_steps(folder: Path, count: int) -> None:
    wait_for(lambda: len(history(folder)) >= count)


def test_ctrl_c_stops_with_a_checkpoint_and_resume_is_bit_identical(program):
    program.write_case(SMALL.replace("steps = 12", "steps = 100000"))
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", "r", *QUIET)
    wait_for_steps(folder, 3)
    stopped(running, signal.SIGINT)
    steps = len(history(folder)) + 5
    program.ok("run", "case.toml", "--out", "r", "--resume", "--set", f"run.steps={steps}", *QUIET)
    program.ok("run", "case.toml", "--out", "whole", "--set", f"run.steps={steps}", *QUIET)
    assert history(folder) == history(program.folder / "whole")


def test_a_run_in_passes_stops_with_a_checkpoint_and_goes_on_in_others(program):
    """Rows of history end passes, after 4 and 2 steps in turn."""
    program.write_case(CRYSTAL)
    folder = program.folder / "r"
    sets = set_options("engine.steps_per_pass=4", "output.history_every=6", "run.steps=100000")
    running = program.start("run", "case.toml", "-n", "2", "--out", "r", *sets)
    wait_for_steps(folder, 2)
    stopped(running, signal.SIGINT)
    steps = 6 * (len(history(folder)) + 3)
    again = set_options(f"run.steps={steps}", "output.history_every=6", "engine.steps_per_pass=3")
    program.ok("run", "case.toml", "-n", "1", "--out", "r", "--resume", *again)
    program.ok("run", "case.toml", "-n", "1", "--out", "whole", *again[:4])
    assert same_end(folder, program.folder / "whole", *FIELDS)


def test_a_snapshot_written_right_after_a_resume_is_the_same_bits(program, finished):
    (snapshot,) = (finished / "snapshots").iterdir()
    before = snapshot.read_bytes()
    snapshot.unlink()
    program.ok("run", "case.toml", "--out", "r", "--resume", "-n", "2", *QUIET)
    assert snapshot.read_bytes() == before


def ranks_of(folder: Path) -> list[int]:
    """Process ids of the ranks that work on a run folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = path.read_bytes().split(b"\0")
        except OSError:
            continue
        if (
            b"subcurrent.rank.worker" in words
            and str(folder / "plan.json").encode() in words
            and b"-n" not in words
        ):
            found.append(int(path.parent.name))
    return found


def test_kill_9_during_a_run_and_resume(program):
    program.write_case(SMALL.replace("steps = 12", "steps = 100000") + "[output]\ncheckpoint_every = 3\n")
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", folder, *QUIET)
    wait_for_steps(folder, 8)
    victims = ranks_of(folder)
    assert len(victims) == 2
    os.kill(victims[0], signal.SIGKILL)
    said, _ = running.communicate(timeout=60)
    assert running.returncode == OTHER, said
    ended = r"^subcurrent: rank [01] ended unexpectedly, by signal 9 \(SIGKILL\); .*log\.txt\.$"
    assert len(re.findall(ended, said, re.MULTILINE)) == said.count("subcurrent: ") == 1, said
    steps = len(history(folder)) + 5
    options = ("--set", f"run.steps={steps}", *QUIET)
    done = program.ok("run", "case.toml", "--out", folder, "--resume", *options)
    assert "resumed from checkpoint_" in done.stdout
    program.ok("run", "case.toml", "--out", "whole", *options)
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
    program.ok("run", "case.toml", "--out", "whole", *options)
    for ranks in ("1", "2", "3"):
        folder = program.folder / f"again_{ranks}"
        shutil.copytree(killed, folder)
        done = program.ok("run", "case.toml", "-n", ranks, "--out", folder, "--resume", *options)
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


def test_a_run_that_diverges(program):
    program.write_case(SMALL)
    done = program(
        "run", "case.toml", "-n", "2", "--out", "r", "--set", "run.dt=0.5", "--set", "run.steps=200"
    )
    assert done.returncode == DIVERGED
    said = r"not finite after step \d+ \(time [\d.]+\) at interior point \[\d+, \d+, \d+\]; "
    assert re.search(said, sentence_of(done))
    assert not (program.folder / "r" / "summary.json").exists()


def cavity(points: int) -> sc.Cavity:
    """The flow of SMALL."""
    grid = sc.CavityGrid((points,) * 3, clustering="tanh", smallest=0.04)
    return sc.Cavity(grid, reynolds=100)


@pytest.mark.parametrize("damage", ["rubbish", "cut", "flipped", "foreign"])
def test_a_damaged_checkpoint_is_refused(program, finished, damage):
    """One by the program, as all would be: a run and a simulation read a checkpoint by the same function."""
    (checkpoint,) = (finished / "checkpoints").iterdir()
    data = bytearray(checkpoint.read_bytes())
    if damage == "rubbish":
        data = bytearray(b"this is no checkpoint")
    elif damage == "cut":
        data = data[: len(data) // 2]
    elif damage == "flipped":
        data[-len(data) // 3] ^= 0x40
    else:
        cavity(20).save(program.folder / "other.h5")
        data = (program.folder / "other.h5").read_bytes()
    sim = cavity(18)
    sim.load(checkpoint)
    checkpoint.write_bytes(bytes(data))
    if damage == "flipped":
        done = program("run", "case.toml", "--out", "r", "--resume", "--set", "run.steps=20")
        assert done.returncode in (BAD_INPUT, STORAGE)
        assert checkpoint.name in sentence_of(done)
    else:
        with pytest.raises(core.load().Error, match=re.escape(checkpoint.name)) as refused:
            sim.load(checkpoint)
        assert "\n" not in str(refused.value)
    assert checkpoint.read_bytes() == bytes(data)


def test_a_damaged_grid_file(program, finished):
    (program.folder / "grid.h5").write_bytes(b"no grid")
    options = ("--set", "grid.clustering=file", "--set", "grid.file=grid.h5")
    assert "grid.h5" in program.refused("run", "case.toml", "--out", "new", *options)
    assert not (program.folder / "new").exists(), "refused, and something was written"
    before = {path: path.read_bytes() for path in finished.rglob("*") if path.is_file()}
    for again in ("--overwrite", "--resume"):
        done = program("run", "case.toml", "--out", "r", again, *options)
        assert done.returncode == BAD_INPUT
        assert {path: path.read_bytes() for path in before if path.exists()} == before


def test_what_is_no_checkpoint_stays_and_stops_nothing(program):
    """A user's own files, folders and links among the checkpoints; a pipe that bears a checkpoint's name."""
    program.write_case(SMALL + "[output]\ncheckpoint_every = 4\n")
    program.ok("run", "case.toml", "--out", "r", *QUIET)
    folder = program.folder / "r" / "checkpoints"
    (folder / "notes.txt").write_text("mine")
    (folder / "kept.subcurrent-part").mkdir()
    (folder / "checkpoint_00000001.h5").symlink_to(folder / "notes.txt")
    os.mkfifo(folder / "checkpoint_00000099.h5")
    done = program.ok("run", "case.toml", "--out", "r", "--resume", "--set", "run.steps=20", *QUIET)
    assert "checkpoint_00000099.h5: it is a pipe, not a regular file" in done.stdout
    assert "resumed from checkpoint_00000012.h5" in done.stdout
    assert sorted(path.name for path in folder.iterdir()) == [
        "checkpoint_00000001.h5",
        "checkpoint_00000016.h5",
        "checkpoint_00000020.h5",
        "checkpoint_00000099.h5",
        "kept.subcurrent-part",
        "notes.txt",
    ]
    assert (folder / "notes.txt").read_text() == "mine"


def listening(leader: int) -> list[str]:
    """Where the processes of a session listen, as /proc/net says it: address and port in hexadecimal."""
    sockets = set()
    for pid in guard.session(leader):
        for link in Path(f"/proc/{pid}/fd").iterdir():
            with contextlib.suppress(OSError):
                sockets.add(os.readlink(link))  # noqa: PTH115 - a socket's name is no path
    found = []
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for row in Path(table).read_text().splitlines()[1:]:
            words = row.split()
            if words[3] == "0A" and f"socket:[{words[9]}]" in sockets:
                found.append(words[1])
    return found


LOOPBACK = ("0100007F:", "00000000000000000000000001000000:")


def test_a_run_on_one_host_listens_to_that_host_only(program):
    program.write_case(SMALL.replace("steps = 12", "steps = 100000"))
    folder = program.folder / "r"
    running = program.start("run", "case.toml", "-n", "2", "--out", folder, *QUIET)
    wait_for_steps(folder, 1)
    (mpirun,) = {os.getsid(pid) for pid in ranks_of(folder)}
    ports = listening(mpirun)
    stopped(running, signal.SIGTERM)
    assert ports, "mpirun listens nowhere at all"
    assert [port for port in ports if not port.startswith(LOOPBACK)] == []


@pytest.mark.parametrize("kilobytes", [40, 400, 1500])
def test_a_full_disk(program, kilobytes):
    """Wherever the disk becomes full - history, checkpoint, snapshot, figures - it is one sentence and exit
    code 3."""
    program.write_case(SMALL.replace("[18, 18, 18]", "[34, 34, 34]").replace("0.04", "0.02"))
    with mounted(program.folder / "small", f"size={kilobytes}k"):
        done = program("run", "case.toml", "-n", "2", "--out", "small/r")
    assert done.returncode == STORAGE, done.stderr
    assert "no space left on device" in sentence_of(done)


def test_a_read_only_folder(program):
    program.write_case(SMALL)
    with mounted(program.folder / "fixed", "ro"):
        done = program("run", "case.toml", "--out", "fixed/r")
    assert done.returncode == STORAGE
    assert "read-only" in sentence_of(done)
