# SPDX-License-Identifier: Apache-2.0
"""The turbulence solver in files, as its process is seen from outside: peak memory against the plan, also
under a limit of the kernel's; the scratch of a process that was killed."""

import functools
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import ROOT, ROOT_MAY, completed, wait_for

POINTS = 128
LIMITED = ROOT / "bench" / "limited.py"
LEFT_OUT = 77  # where no control group can be made


@pytest.fixture(scope="module")
def measuring() -> Path:
    """bench/turbulence_disk of SUBCURRENT_BUILD, or of build/release."""
    found = Path(os.environ.get("SUBCURRENT_BUILD", ROOT / "build/release")) / "bench/turbulence_disk"
    if not found.exists():
        pytest.skip("turbulence_disk is not built (cmake with SUBCURRENT_BENCH=ON)")
    return found


@pytest.fixture
def scratch(tmp_path_factory) -> Path:
    """Where the build tree is: a disk. /tmp is often memory."""
    folder = ROOT / "build" / f"scratch-{os.getpid()}"
    folder.mkdir(parents=True)
    yield folder
    for left in sorted(folder.rglob("*"), reverse=True):
        left.rmdir() if left.is_dir() else left.unlink()
    folder.rmdir()


def measured(measuring: Path, way: str, scratch: Path, *more: str, limit: float | None = None) -> dict:
    """What it prints, in a control group that grants `limit` bytes of memory; it leaves no scratch files."""
    group = [] if limit is None else [sys.executable, str(LIMITED), "--memory", str(1e-6 * limit)]
    command = [*group, str(measuring), str(POINTS), way, "8", "1", str(scratch), "1", *more]
    done = completed(command, timeout=300, env=os.environ | ROOT_MAY)
    if done.returncode == LEFT_OUT:
        pytest.skip(done.stderr.strip())
    assert done.returncode == 0, done.stderr
    assert not list(scratch.iterdir()), "scratch files were left"
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def unlimited(measuring) -> Callable[[str, Path], dict]:
    """`measured` without options, once for each way."""
    return functools.cache(functools.partial(measured, measuring))


@pytest.mark.parametrize(
    "way, more",
    [("memory", ()), ("sync", ()), ("async", ()), ("memory", ("0", "single")), ("async", ("0", "single"))],
)
def test_peak_memory_is_what_was_planned(measuring, unlimited, scratch, way, more):
    run = measured(measuring, way, scratch, *more) if more else unlimited(way, scratch)
    assert 0.9 < run["peak"] / run["planned"] < 1.1, run


def test_a_budget_is_kept_and_leaves_the_bits(measuring, unlimited, scratch):
    memory = unlimited("memory", scratch)
    budget = int(0.75 * memory["planned"])
    run = measured(measuring, "memory", scratch, str(budget))
    assert run["on_disk"] > 0
    assert run["planned"] <= budget
    assert run["peak"] < 1.1 * budget
    assert run["energy"] == memory["energy"]


def test_a_budget_that_is_too_small_is_refused_with_the_smallest(measuring, scratch):
    command = [str(measuring), str(POINTS), "memory", "8", "1", str(scratch), "1", "1000000"]
    done = completed(command, timeout=120, env=os.environ | ROOT_MAY)
    assert done.returncode == 2
    found = re.search(r"at least ([\d.]+) MiB", done.stderr)
    assert found, done.stderr
    enough = int((float(found[1]) + 2) * 2**20)
    assert measured(measuring, "memory", scratch, str(enough))["on_disk"] > 0


def test_the_kernel_agrees_with_the_plan(measuring, unlimited, scratch):
    """A memory limit of the plan and a tenth: the page cache cannot be what the files are."""
    planned = unlimited("async", scratch)["planned"]
    run = measured(measuring, "async", scratch, limit=1.1 * planned)
    assert run["read"] > planned, "more is read a step than memory could keep"


def test_what_a_killed_process_left_is_removed_at_the_next_start(measuring, scratch):
    command = [str(measuring), "64", "async", "8", "100000", str(scratch), "1"]
    env = os.environ | ROOT_MAY
    running = subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL, env=env)
    arrays = 3 + 6  # of planes, and of two fields of modes
    try:
        wait_for(lambda: running.poll() is not None or len(list(scratch.glob("*/*"))) >= arrays, seconds=120)
        assert running.poll() is None, running.stderr.read()
    finally:
        running.send_signal(signal.SIGKILL)
        running.wait(30)
    assert list(scratch.glob("*.lock")), "the killed process left no lock"
    measured(measuring, "async", scratch)  # and leaves none
