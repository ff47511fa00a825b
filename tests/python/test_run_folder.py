# SPDX-License-Identifier: Apache-2.0
"""The run folder: an earlier run is never written over by accident, and storage errors are one sentence."""

import errno
import os
import subprocess

import pytest

from subcurrent.errors import STORAGE, BadInput, StorageError
from subcurrent.rundir import RunFolder, write_text, writing


def a_run(path):
    folder = RunFolder(path)
    folder.create()
    folder.case.write_text("solver = 'cavity'\n")
    folder.plan.write_text("{}")
    return folder


def test_a_new_or_empty_folder_is_fine(tmp_path):
    RunFolder(tmp_path / "new").check_new(overwrite=False)
    RunFolder(tmp_path).check_new(overwrite=False)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_a_run_is_refused(tmp_path):
    folder = a_run(tmp_path / "run")
    with pytest.raises(BadInput, match=r"--resume continues that run, --overwrite replaces it"):
        folder.check_new(overwrite=False)
    folder.check_new(overwrite=True)


def test_overwrite_refuses_what_no_run_wrote(tmp_path):
    folder = a_run(tmp_path / "run")
    (folder.path / "thesis.tex").write_text("years of work")
    with pytest.raises(BadInput, match=r"'thesis.tex', which no run wrote"):
        folder.check_new(overwrite=True)


def test_overwrite_removes_the_earlier_run(tmp_path):
    folder = a_run(tmp_path / "run")
    folder.checkpoint(5).write_text("old")
    folder.create(overwrite=True)
    assert not folder.case.exists()
    assert folder.checkpoints_newest_first() == []


def test_a_file_is_no_run_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInput, match="is a file"):
        RunFolder(tmp_path / "file").check_new(overwrite=True)


def test_resume_needs_a_run_with_a_checkpoint(tmp_path):
    with pytest.raises(BadInput, match="finds no run"):
        RunFolder(tmp_path / "none").check_resume()
    folder = a_run(tmp_path / "run")
    with pytest.raises(BadInput, match="finds no checkpoint"):
        folder.check_resume()
    for step in (5, 20, 10):
        folder.checkpoint(step).write_text("")
    (folder.checkpoints / "checkpoint_00000030.h5.part").write_text("half-written")
    assert [path.stem[-2:] for path in folder.check_resume()] == ["20", "10", "05"]


def test_two_checkpoints_are_kept_and_leftovers_removed(tmp_path):
    folder = a_run(tmp_path / "run")
    for step in (1, 2, 3, 4):
        folder.checkpoint(step).write_text("")
    (folder.checkpoints / "checkpoint_00000005.h5.part").write_text("")
    folder.checkpoint(9).write_text("refused on resume")
    folder.keep_checkpoints(4)
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == [
        "checkpoint_00000003.h5",
        "checkpoint_00000004.h5",
    ]


def test_a_folder_in_use_is_refused(tmp_path):
    folder = a_run(tmp_path / "run")
    folder.checkpoint(1).write_text("")
    with folder.lock():
        with pytest.raises(BadInput, match="written by another run"):
            folder.check_resume()
        with pytest.raises(BadInput, match="written by another run"):
            folder.check_new(overwrite=True)
    folder.check_resume()


def test_a_small_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "summary.json"
    write_text(path, "first")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "second \udc80")
    assert path.read_text() == "first"
    assert [item.name for item in tmp_path.iterdir()] == ["summary.json"]


def test_storage_errors_are_one_sentence(tmp_path):
    full = pytest.raises(StorageError, match=r"cannot write .*: the disk is full\.")
    with full as caught, writing(tmp_path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.exit_code == STORAGE
    with pytest.raises(StorageError, match="not a directory"), writing(tmp_path):
        (tmp_path / "file").write_text("")
        RunFolder(tmp_path / "file" / "run").path.mkdir(parents=True)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(StorageError, match="permission denied"):
        RunFolder(tmp_path / "run").create()


@pytest.fixture
def small_disk(tmp_path):
    """A file system of a few hundred kilobytes."""
    path = tmp_path / "small"
    path.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(path)], check=False, capture_output=True
    )
    if mounted.returncode != 0:
        pytest.skip("mounting a small file system takes root")
    yield path
    subprocess.run(["umount", "-l", str(path)], check=True)


def test_a_full_disk_leaves_what_was_there(small_disk):
    path = small_disk / "summary.json"
    write_text(path, "first")
    with pytest.raises(StorageError, match=r"cannot write .*: the disk is full\."):
        write_text(path, "x" * 400_000)
    assert path.read_text() == "first"
    assert [item.name for item in small_disk.iterdir()] == ["summary.json"]
