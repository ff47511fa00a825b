# SPDX-License-Identifier: Apache-2.0
"""The folder of one run: what lies where, and the rules that keep an earlier run from being written over."""

from __future__ import annotations

import contextlib
import fcntl
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from .errors import BadInput, StorageError, storage_error

# Everything a run writes; --overwrite removes these and nothing else.
FILES = (
    "case.toml",
    "plan.json",
    "reference.csv",
    "history.csv",
    "centreline.csv",
    "summary.json",
    "timeline.json",
    "report.html",
    "log.txt",
    "wait.csv",
    "strategies.csv",
    "strategies.json",
    "axis.csv",
    "wave.json",
    "spectrum.csv",
    "solution.npy",
)
FOLDERS = ("snapshots", "checkpoints", "figures", "spectra", "matrix")


class RunFolder:
    """Paths inside a run folder. Nothing is touched before `create`."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.case = self.path / "case.toml"
        self.plan = self.path / "plan.json"
        self.reference = self.path / "reference.csv"
        self.history = self.path / "history.csv"
        self.centreline = self.path / "centreline.csv"
        self.axis = self.path / "axis.csv"
        self.summary = self.path / "summary.json"
        self.timeline = self.path / "timeline.json"
        self.report = self.path / "report.html"
        self.log = self.path / "log.txt"
        self.snapshots = self.path / "snapshots"
        self.checkpoints = self.path / "checkpoints"
        self.figures = self.path / "figures"
        self.spectra = self.path / "spectra"
        self.spectrum = self.path / "spectrum.csv"

    def snapshot(self, step: int) -> Path:
        return self.snapshots / f"snapshot_{step:08d}.vtkhdf"

    def checkpoint(self, step: int) -> Path:
        return self.checkpoints / f"checkpoint_{step:08d}.h5"

    def last_snapshot(self) -> Path | None:
        found = sorted(self.snapshots.glob("snapshot_*.vtkhdf"))
        return found[-1] if found else None

    def checkpoints_newest_first(self) -> list[Path]:
        # Half-written ones carry other names, so that this pattern never picks them.
        return sorted(self.checkpoints.glob("checkpoint_????????.h5"), reverse=True)

    def lock(self) -> TextIO:
        """Takes the folder for this process until it ends; a second run into the same folder is refused."""
        with writing(self.plan):
            file = self.plan.open("r+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.close()
            raise BadInput(
                f"--out {self.path} is being written by another run: wait for it or stop it."
            ) from None
        except OSError:
            pass  # a file system without locks
        return file

    def _check_unused(self) -> None:
        if self.plan.is_file():
            self.lock().close()

    def check_new(self, overwrite: bool) -> None:
        """Refuses a folder that holds anything, unless --overwrite and what it holds is a run of ours."""
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"--out {self.path} is a file: give the name of a new folder.")
        try:
            held = [item.name for item in self.path.iterdir()] if self.path.exists() else []
        except OSError as error:
            raise storage_error(error, self.path, "read") from None
        if not held:
            return
        if not overwrite:
            raise BadInput(
                f"--out {self.path} is not empty: --resume continues that run, --overwrite replaces it, or "
                f"give another "
                "folder."
            )
        self._check_unused()
        foreign = sorted(set(held) - set(FILES) - set(FOLDERS))
        if foreign:
            raise BadInput(
                f"--overwrite refuses {self.path}: it also holds {foreign[0]!r}, which no run wrote."
            )

    def check_resume(self) -> list[Path]:
        """The checkpoints to continue from, newest first."""
        if not self.path.is_dir() or not self.case.is_file():
            raise BadInput(f"--resume finds no run in {self.path}: there is no case.toml.")
        self._check_unused()
        found = self.checkpoints_newest_first()
        if not found:
            raise BadInput(
                f"--resume finds no checkpoint in {self.checkpoints}: start the run again with --overwrite."
            )
        return found

    def create(self, overwrite: bool = False) -> None:
        """Makes the folders; with overwrite what an earlier run left is removed first."""
        with writing(self.path):
            if overwrite:
                self._clear()
            for folder in (self.path, self.snapshots, self.checkpoints, self.figures):
                folder.mkdir(parents=True, exist_ok=True)

    def _clear(self) -> None:
        for name in FILES:
            (self.path / name).unlink(missing_ok=True)
        for name in FOLDERS:
            if (self.path / name).exists():
                shutil.rmtree(self.path / name)

    def keep_checkpoints(self, step: int, count: int = 2) -> None:
        """Keeps the newest up to `step`, the one just written; removes older ones and what a killed writer
        or a refused checkpoint left behind."""
        whole = [path for path in self.checkpoints_newest_first() if path <= self.checkpoint(step)]
        with writing(self.checkpoints):
            for path in self.checkpoints.iterdir():
                if path not in whole[:count]:
                    path.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Writes a small file whole or not at all: to a temporary name first, then renamed."""
    temporary = path.with_name(path.name + ".part")
    with writing(path):
        try:
            temporary.write_text(text)
            temporary.replace(path)
        finally:
            temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an OSError of the block into one sentence with exit code 3."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        raise storage_error(error, path) from None
