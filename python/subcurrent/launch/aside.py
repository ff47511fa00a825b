# SPDX-License-Identifier: Apache-2.0
"""What a run folder held before a start, set aside until the ranks have accepted their input: a start that is
refused, or killed, leaves the folder as it was.

run.moving    an earlier run on its way out of the folder or back; nothing of the new one is there
run.replaced  an earlier run; the folder holds what the new one has written so far
run.changed   the files that a resume writes anew, as they were
run.dropped   no longer needed
"""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable, Iterator

from ..errors import BAD_INPUT
from .rundir import FILES, FOLDERS, LOCK, RunFolder, writing

RESUMED = ("case.toml", "plan.json", "reference.csv")


@contextlib.contextmanager
def starting(folder: RunFolder, overwrite: bool, resume: bool = False) -> Iterator[Callable[[], None]]:
    """A start in a folder that this process has locked. Yields a function to call when the ranks compute. If
    the block fails before that, the folder is restored."""
    aside = _Aside(folder)
    if overwrite:
        aside.replace()
    elif resume:
        aside.keep()
    try:
        yield aside.drop
    except BaseException as error:
        if not aside.dropped:
            aside.undo(refused=getattr(error, "exit_code", None) == BAD_INPUT)
        raise
    aside.drop()


def recover(folder: RunFolder) -> None:
    """Restores what a start that was killed before it computed had set aside."""
    _Aside(folder)


class _Aside:
    def __init__(self, folder: RunFolder):
        self._folder, self.dropped = folder, False
        names = ("moving", "replaced", "changed", "dropped")
        self._moving, self._replaced, self._changed, self._dropped = (
            folder.path / f"run.{name}" for name in names
        )
        with writing(folder.path):
            self._recover()

    def replace(self) -> None:
        with writing(self._folder.path):
            self._moving.mkdir()
            for name in (*FILES, *FOLDERS):
                path = self._folder.path / name
                if name != LOCK and path.exists():
                    path.rename(self._moving / name)
            self._moving.rename(self._replaced)

    def keep(self) -> None:
        with writing(self._folder.path):
            self._dropped.mkdir()
            for name in RESUMED:
                if (self._folder.path / name).is_file():
                    shutil.copyfile(self._folder.path / name, self._dropped / name)
            self._dropped.rename(self._changed)

    def drop(self) -> None:
        """Keeps the new run and deletes what was set aside."""
        if self.dropped:
            return
        self.dropped = True
        with writing(self._folder.path):
            for path in (self._replaced, self._changed):
                if path.exists():
                    path.rename(self._dropped)
            shutil.rmtree(self._dropped, ignore_errors=True)

    def undo(self, refused: bool) -> None:
        """Restores the earlier content; the log of a start that failed for another reason than its input is
        kept."""
        fresh = not self._replaced.exists() and not self._changed.exists()
        if fresh and not refused:
            return
        log = None if refused or not self._folder.log.is_file() else self._folder.log.read_bytes()
        with writing(self._folder.path):
            if fresh:
                self._folder.clear()
            self._recover()
            if log is not None:
                self._folder.log.write_bytes(log)

    def _recover(self) -> None:
        if self._replaced.exists():
            self._folder.clear()
            self._replaced.rename(self._moving)
        for there in (self._moving, self._changed):
            if there.exists():
                for path in there.iterdir():
                    path.rename(self._folder.path / path.name)
                there.rmdir()
        shutil.rmtree(self._dropped, ignore_errors=True)
