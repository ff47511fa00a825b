# SPDX-License-Identifier: Apache-2.0
"""The program around a FAKE compiled module: signals, killed ranks, damaged files, full disks, and going on
from there."""

import signal
import subprocess
import time
from pathlib import Path

import pytest

from conftest import CASE, QUIET, STARTS_RANKS, sentence_of, steps_in, stopped, summary, wait_for
from mounts import mounted
from subcurrent.errors import BAD_INPUT, OK, STORAGE

pytestmark = STARTS_RANKS


def running_for(fake_program, seconds: str, steps: int) -> tuple[subprocess.Popen, Path]:
    """A long run with steps of so many seconds, and its folder, once there are more than so many steps."""
    fake_program.write_case(CASE.replace("steps = 12", "steps = 4000"))
    folder = fake_program.folder / "r"
    running = fake_program.start("run", "case.toml", "--out", "r", *QUIET, FAKE_STEP_SECONDS=seconds)
    wait_for(lambda: len(steps_in(folder)) > steps)
    return running, folder


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1])
def test_a_signal_stops_cleanly_and_resume_continues(fake_program, number):
    running, folder = running_for(fake_program, "0.02", 5)
    assert "--resume" in stopped(running, number)
    assert summary(folder)["state"] == "stopped"
    stopped_at = steps_in(folder)[-1]
    assert 5 < stopped_at < 4000
    more = ("--resume", "--set", f"run.steps={stopped_at + 5}", *QUIET)
    done = fake_program.ok("run", "case.toml", "--out", "r", *more)
    assert f"resumed from checkpoint_{stopped_at:08d}.h5" in done.stdout
    assert steps_in(folder) == list(range(1, stopped_at + 6))


def test_a_killed_launcher_leaves_a_checkpoint_and_no_ranks(fake_program):
    running, folder = running_for(fake_program, "0.02", 5)
    running.kill()
    running.communicate(timeout=30)
    wait_for((folder / "summary.json").exists)
    assert summary(folder)["state"] == "stopped"
    more = steps_in(folder)[-1] + 3
    options = ("--resume", "--set", f"run.steps={more}", *QUIET)
    wait_for(lambda: fake_program("run", "case.toml", "--out", "r", *options).returncode == OK)
    assert steps_in(folder) == list(range(1, more + 1))


def test_a_signal_that_comes_twice_over_is_one_request(fake_program):
    """`timeout` sends its signal to the command and to the whole process group."""
    running, _ = running_for(fake_program, "2", 0)
    running.send_signal(signal.SIGTERM)
    said = stopped(running, signal.SIGINT)  # another number, or the kernel might make one of them
    assert "--resume" in said
    assert "at once, without" not in said


def test_a_second_signal_stops_at_once(fake_program):
    fake_program.write_case(CASE.replace("steps = 12", "steps = 400"))
    folder = fake_program.folder / "r"
    running = fake_program.start("run", "case.toml", "--out", "r", *QUIET, FAKE_STEP_SECONDS="60")
    wait_for((folder / "history.csv").exists)
    time.sleep(0.5)
    running.send_signal(signal.SIGINT)
    time.sleep(0.5)
    assert "stopped at once" in stopped(running, signal.SIGINT)


def test_a_damaged_checkpoint_gives_way_to_the_one_before(fake_program):
    fake_program.write_case(CASE + "[output]\ncheckpoint_every = 4\nfigures = false\n")
    fake_program.ok("run", "case.toml", "--out", "r")
    folder = fake_program.folder / "r" / "checkpoints"
    newest, older = folder / "checkpoint_00000012.h5", folder / "checkpoint_00000008.h5"
    newest.write_text("rubbish")
    done = fake_program.ok("run", "case.toml", "--out", "r", "--resume")
    assert "refused: " in done.stdout
    assert "resumed from checkpoint_00000008.h5" in done.stdout
    for path in folder.iterdir():
        path.write_text("rubbish")
    assert older.exists()
    done = fake_program("run", "case.toml", "--out", "r", "--resume")
    assert done.returncode == STORAGE
    assert "is damaged" in sentence_of(done)


def test_a_full_disk_during_the_run(fake_program):
    """The history fills it, which Python writes."""
    fake_program.write_case(CASE.replace("steps = 12", "steps = 3000"))
    with mounted(fake_program.folder / "small", "size=120k"):
        done = fake_program("run", "case.toml", "--out", "small/r", "--set", "output.snapshots=false")
    assert done.returncode == STORAGE
    assert "the disk is full" in sentence_of(done)


def test_a_folder_that_cannot_be_made(fake_program):
    fake_program.write_case()
    (fake_program.folder / "file").write_text("")
    done = fake_program("run", "case.toml", "--out", "file/r")
    assert done.returncode in (BAD_INPUT, STORAGE)
    sentence_of(done)
