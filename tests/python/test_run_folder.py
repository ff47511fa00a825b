# SPDX-License-Identifier: Apache-2.0
"""The run folder: an earlier run is never written over by accident, and storage errors are one sentence."""

import errno
import os
import stat

import pytest

from mounts import mounted
from subcurrent.errors import STORAGE, BadInput, StorageError
from subcurrent.launch.lock import among_the_ranks, wait_for_ranks
from subcurrent.launch.rundir import FIGURES, RunFolder, write_text, writing
from subcurrent.report.figures import OF_SOLVERS, PROBES, STRATEGIES
from subcurrent.report.records import read_history


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


@pytest.mark.parametrize("name", ["checkpoints/notes.txt", "figures/mine.png", "snapshots/old/", "link.h5"])
def test_overwrite_refuses_what_no_run_wrote_in_our_folders(tmp_path, name):
    folder = a_run(tmp_path / "run")
    mine = folder.path / name
    if name == "link.h5":
        mine = folder.checkpoint(7)
        mine.symlink_to(tmp_path / "elsewhere")
    elif name.endswith("/"):
        mine.mkdir()
    else:
        mine.write_text("years of work")
    with pytest.raises(BadInput, match=rf"'{mine.parent.name}/{mine.name}', which no run wrote"):
        folder.check_new(overwrite=True)


def test_what_a_run_wrote_is_known_whole_and_half_written(tmp_path):
    folder = a_run(tmp_path / "run")
    folder.checkpoint(123456789).write_text("more than eight digits")
    for path in (folder.checkpoint(5), folder.snapshot(5), folder.summary):
        path.with_name(path.name + ".subcurrent-part").write_text("half-written")
    folder.check_new(overwrite=True)
    assert folder.checkpoints_newest_first() == [folder.checkpoint(123456789)]
    folder.clear()
    assert list(folder.path.iterdir()) == []


def test_every_figure_is_one_of_ours(tmp_path):
    names = {drawing.name for drawings in OF_SOLVERS.values() for drawing in (*drawings, PROBES, STRATEGIES)}
    assert names | {"wait.png", "residual.png"} == {f"{name}.png" for name in FIGURES}


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
    (folder.checkpoints / "checkpoint_00000030.h5.subcurrent-part").write_text("half-written")
    assert [path.stem[-2:] for path in folder.check_resume()] == ["20", "10", "05"]


def test_two_checkpoints_are_kept_and_leftovers_removed(tmp_path):
    folder = a_run(tmp_path / "run")
    for step in (1, 2, 3, 4):
        folder.checkpoint(step).write_text("")
    (folder.checkpoints / "checkpoint_00000005.h5.subcurrent-part").write_text("")
    folder.checkpoint(9).write_text("refused on resume")
    folder.keep_checkpoints(4)
    assert sorted(path.name for path in folder.checkpoints.iterdir()) == [
        "checkpoint_00000003.h5",
        "checkpoint_00000004.h5",
    ]


def test_what_is_not_ours_stays_among_the_checkpoints(tmp_path):
    folder = a_run(tmp_path / "run")
    mine = [
        folder.checkpoints / name for name in ("notes.txt", "checkpoint_1.h5", "checkpoint_00000001.h5.bak")
    ]
    for path in mine:
        path.write_text("mine")
    (folder.checkpoints / "checkpoint_00000002.h5").mkdir()
    folder.checkpoint(3).symlink_to(mine[0])
    for step in (4, 5, 6):
        folder.checkpoint(step).write_text("")
    folder.keep_checkpoints(6)
    assert all(path.read_text() == "mine" for path in (*mine, folder.checkpoint(3)))
    assert (folder.checkpoints / "checkpoint_00000002.h5").is_dir()
    assert not folder.checkpoint(4).exists()


def test_a_folder_in_use_is_refused(tmp_path):
    folder = a_run(tmp_path / "run")
    with folder.taken():
        with pytest.raises(BadInput, match="written by another run"), folder.taken():
            pass
        assert (folder.path / "run.lock").exists(), "who was refused has removed another's lock"
    with folder.taken():
        pass
    assert not (folder.path / "run.lock").exists()


def test_a_folder_that_ranks_still_work_in_is_refused(tmp_path):
    folder = a_run(tmp_path / "run")
    refused = pytest.raises(BadInput, match="written by ranks of another run")
    with among_the_ranks(folder.plan), among_the_ranks(folder.plan), refused:
        wait_for_ranks(folder.plan, folder.path, timeout_seconds=0.2)
    wait_for_ranks(folder.plan, folder.path, timeout_seconds=0.0)


def test_a_folder_that_stays_empty_is_removed(tmp_path):
    with pytest.raises(BadInput), RunFolder(tmp_path / "a" / "b").taken():
        raise BadInput("no")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["link", "pipe", "device"])
def test_only_regular_files_are_written(tmp_path, kind):
    path, target = tmp_path / "summary.json", tmp_path / "target"
    target.write_text("mine")
    if kind == "link":
        path.symlink_to(target)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
        except OSError:
            pytest.skip("making a device takes root")
    before = path.lstat()
    with pytest.raises(StorageError, match=r"cannot write .*summary\.json: it is a .*, not a regular file\."):
        write_text(path, "new")
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)
    assert target.read_text() == "mine"


def test_a_pipe_is_no_history_and_no_snapshot(tmp_path):
    folder = a_run(tmp_path / "run")
    os.mkfifo(folder.history)
    os.mkfifo(folder.snapshot(5))
    with pytest.raises(BadInput, match=r"history\.csv is damaged: it is no regular file"):
        read_history(folder.history)
    assert folder.last_snapshot() is None


def test_folders_of_a_run_are_no_links(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    folder = RunFolder(tmp_path / "run")
    folder.path.mkdir()
    folder.checkpoints.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StorageError, match="checkpoints: it is a symbolic link"):
        folder.create()


def test_a_small_file_is_written_whole_or_not_at_all(tmp_path):
    path = tmp_path / "summary.json"
    write_text(path, "first")
    with pytest.raises(UnicodeEncodeError):
        write_text(path, "second \ud800")
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
    with mounted(tmp_path / "small", "size=200k"):
        yield tmp_path / "small"


def test_a_full_disk_leaves_what_was_there(small_disk):
    path = small_disk / "summary.json"
    write_text(path, "first")
    with pytest.raises(StorageError, match=r"cannot write .*: the disk is full\."):
        write_text(path, "x" * 400_000)
    assert path.read_text() == "first"
    assert [item.name for item in small_disk.iterdir()] == ["summary.json"]
