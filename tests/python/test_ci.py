# SPDX-License-Identifier: Apache-2.0
"""`.ci/run` with stubs in place of what it runs: which steps a slow machine leaves out."""

import os
import shutil
import subprocess

import pytest

from conftest import ROOT

STUB = '#!/bin/sh\necho "$(basename "$0") $*" >>"$CALLS"\necho "100% tests passed, 7 passed, all is well"\n'


def ci_run(folder, passed, tools=()):
    """What it printed and what it called when `passed` seconds have gone at the start."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    bin_ = folder / "bin"
    for name in (
        "bin/make",
        "bin/cmake",
        "bin/ctest",
        "tools/bootstrap",
        "tools/lint",
        "tools/make-wheel",
        "tools/try-wheel",
        *(f"bin/{t}" for t in tools),
    ):
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(STUB)
        path.chmod(0o755)
    for name in ("bash", "env", "basename", "dirname", "mktemp", "rm", "nproc", "tee", "grep", "tail", "sh"):
        (bin_ / name).symlink_to(shutil.which(name))
    calls = folder / "calls"
    environment = {
        "PATH": str(bin_),
        "CALLS": str(calls),
        "SECONDS": str(passed),
        "HOME": os.environ.get("HOME", "/"),
    }
    done = subprocess.run(
        [folder / ".ci" / "run"], check=False, env=environment, capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout, calls.read_text()


@pytest.mark.parametrize("passed", [0, 44 * 60])
def test_the_sanitizers_are_never_left_out(tmp_path, passed):
    said, called = ci_run(tmp_path, passed, ("nvcc", "valgrind"))
    assert "ctest --preset sanitize" in called
    assert "sanitize-test: 100% tests passed" in said
    assert "sanitize: left out" not in said


@pytest.mark.parametrize("passed", [0, 44 * 60])
@pytest.mark.parametrize("name", ["cuda", "valgrind", "checked"])
def test_what_a_slow_machine_leaves_out_is_said(tmp_path, passed, name):
    said, called = ci_run(tmp_path, passed, ("nvcc", "valgrind"))
    assert (f"ctest --preset {name}" in called) == (passed == 0)
    assert (f"{name}: left out, 44 minutes had passed" in said) == (passed > 0)


def test_what_is_not_installed_is_said(tmp_path):
    said, called = ci_run(tmp_path, 0)
    assert "cuda: left out, there is no nvcc" in said
    assert "valgrind: left out, it is not installed" in said
    assert "cuda" not in called


@pytest.mark.parametrize("minutes", [40, 42])
def test_a_wheel_is_tried_unless_it_is_very_late(tmp_path, minutes):
    said, called = ci_run(tmp_path, minutes * 60)
    in_time = minutes == 40
    assert ("make-wheel --built" in called) == in_time
    assert ("try-wheel: 100% tests passed, 7 passed, all is well" in said) == in_time
    assert (f"wheel: left out, {minutes} minutes had passed; make test-long runs it" in said) != in_time
