# SPDX-License-Identifier: Apache-2.0
"""Turbulence with its fields in files, as a user runs it: stopped, killed, its files cut by others. The last
checkpoint is whole, the run goes on from it on any storage with the same bits, and no scratch file stays."""

import os
import signal
import time
from pathlib import Path

import pytest

from conftest import QUIET, history, wait_for
from subcurrent.errors import OK, STOPPED, STORAGE
from turbulence_runs import TURBULENCE

CASE = (
    TURBULENCE
    + """[storage]
place = "files"
pieces = 4
scratch = "scratch"
[run]
steps = 100000
[output]
snapshots = false
checkpoint_every = 3
history_every = 1
"""
)


def running_at(program, step: int, *more: str):
    """A run on two ranks that has come to `step`."""
    program.write_case(CASE)
    process = program.start("run", "case.toml", "-n", "2", "--out", "r", *QUIET, *more)
    wait_for(lambda: process.poll() is not None or len(history(program.folder / "r")) > step, seconds=120)
    assert process.poll() is None, process.communicate()[0]
    return process


def scratch_files(program) -> list[Path]:
    return [path for path in (program.folder / "scratch").rglob("*") if path.is_file()]


def goes_on_in_memory(program) -> None:
    """The run goes on from its checkpoint in memory, and is a run that nothing happened to."""
    taken = len(history(program.folder / "r")) + 3
    program.write_case(CASE.replace('place = "files"\npieces = 4\nscratch = "scratch"\n', ""), "memory.toml")
    steps = ("--set", f"run.steps={taken}", *QUIET)
    done = program.ok("run", "memory.toml", "--out", "r", "--resume", *steps)
    assert "resumed" in done.stdout
    program.ok("run", "memory.toml", "--out", "whole", *steps)
    ours, whole = history(program.folder / "r"), history(program.folder / "whole")
    assert ours[-1] == whole[-1]


def runs(pid: int) -> bool:
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


def has_ended(pids: list[int]) -> None:
    """Waits until the kernel has ended these: a killed process may still be closing its files."""
    wait_for(lambda: not any(map(runs, pids)))


@pytest.mark.mpi
def test_a_stopped_run_leaves_a_checkpoint_and_no_scratch(program):
    process = running_at(program, 4)
    assert len(scratch_files(program)) == 2 * (9 + 1)  # arrays, and a lock, of each rank
    process.send_signal(signal.SIGTERM)
    said, _ = process.communicate(timeout=120)
    assert process.returncode == STOPPED, said
    assert not scratch_files(program)
    goes_on_in_memory(program)


@pytest.mark.mpi
def test_a_killed_run_leaves_a_checkpoint_and_the_next_one_removes_its_scratch(program):
    process = running_at(program, 8)
    locks = [path for path in scratch_files(program) if path.suffix == ".lock"]
    assert len(locks) == 2
    ranks = [int(lock.read_text().split("pid ")[1].split()[0]) for lock in locks]
    for pid in ranks:
        os.kill(pid, signal.SIGKILL)
    process.communicate(timeout=120)
    has_ended(ranks)
    assert process.returncode not in (OK, STOPPED)
    assert scratch_files(program), "killed processes cannot have removed their files"
    program.ok("run", "case.toml", "--out", "next", "--set", "run.steps=1", *QUIET)
    assert not scratch_files(program)
    goes_on_in_memory(program)


@pytest.mark.mpi
def test_files_cut_by_another_program_end_the_run_with_one_sentence(program):
    process = running_at(program, 8)
    until = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < until:
        for path in scratch_files(program):
            if path.suffix != ".lock" and path.exists():
                os.truncate(path, 0)
    said, _ = process.communicate(timeout=60)
    assert process.returncode == STORAGE, said
    assert "another program has cut it" in said
    assert "Traceback" not in said
    # A rank that fails ends all at once; whoever starts next removes what they left.
    program.ok("run", "case.toml", "--out", "next", "--set", "run.steps=1", *QUIET)
    assert not scratch_files(program)
    goes_on_in_memory(program)
