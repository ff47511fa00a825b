# SPDX-License-Identifier: Apache-2.0
"""The folder of one run: its files, and the rules that prevent an earlier run from being overwritten."""

from __future__ import annotations

import contextlib
import re
import stat
from collections.abc import Callable, Iterator
from pathlib import Path

from ..errors import BadInput, StorageError, storage_error
from .lock import only_one, wait_for_ranks

LOCK = "run.lock"
ASIDE = ("run.moving", "run.replaced", "run.changed", "run.dropped")  # of a start that was killed: see aside
PART = ".subcurrent-part"  # ends the names of files that are being written, here and in the compiled half
# Everything a run writes; it removes these and nothing else.
FILES = (
    "case.toml", "plan.json", "reference.csv", "history.csv", "probes.csv", "forces.csv", "centreline.csv",
    "summary.json", "timeline.json", "report.html", "log.txt", "wait.csv", "strategies.csv",
    "strategies.json", "axis.csv", "convection.json", "wave.json", "spectrum.csv", "solution.npy", LOCK,
)  # fmt: skip
FIGURES = (
    "profiles", "flow", "flow_3d", "history", "crystal", "temperature", "growth", "spectrum", "dissipation",
    "vorticity", "scales", "planes", "axis", "vortex", "cuts", "tube", "view", "strategies", "wait",
    "residual", "blast", "loop", "schlieren", "wave", "structure", "probes", "forces", "averages",
    "polar_cap", "scalar", "scalar_spectrum", "scalar_budget",
)  # fmt: skip
FOLDERS = {
    "snapshots": r"snapshot_\d{8,}\.vtkhdf",
    "checkpoints": r"checkpoint_\d{8,}\.h5",
    "figures": rf"({'|'.join(FIGURES)})\.(png|pdf|svg)",
    "spectra": r"spectrum_\d{8,}\.csv",
    "matrix": r"(begins|columns|values|right_side)\.npy",
}


class RunFolder:
    """Paths inside a run folder. Nothing is changed before `create`."""

    def __init__(self, path: str | Path):
        self.path = Path(path)
        self.case = self.path / "case.toml"
        self.plan = self.path / "plan.json"
        self.reference = self.path / "reference.csv"
        self.history = self.path / "history.csv"
        self.probes = self.path / "probes.csv"
        self.forces = self.path / "forces.csv"
        self.centreline = self.path / "centreline.csv"
        self.axis = self.path / "axis.csv"
        self.convection = self.path / "convection.json"
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

    def all_snapshots(self) -> list[Path]:
        """Sorted by step."""
        return [path for path in self._numbered(self.snapshots) if path.is_file()]

    def last_snapshot(self) -> Path | None:
        found = self.all_snapshots()
        return found[-1] if found else None

    def checkpoints_newest_first(self) -> list[Path]:
        # Half-written ones carry other names, so that this pattern never picks them.
        return self._numbered(self.checkpoints)[::-1]

    def _numbered(self, folder: Path) -> list[Path]:
        """The files of a folder with our prefix and a step in the name, sorted by step."""
        if not folder.is_dir():
            return []
        found = [path for path in folder.iterdir() if re.fullmatch(FOLDERS[folder.name], path.name)]
        return sorted(found, key=_step_of)

    @contextlib.contextmanager
    def taken(self) -> Iterator[bool]:
        """Locks the folder for one run, from its check to its end; a second run is an error. False if the
        file system has no locks. A folder that was created for the lock and stays empty is removed."""
        self._check_kind()
        made = [folder for folder in (self.path, *self.path.parents) if not folder.exists()]
        try:
            with writing(self.path):
                self.path.mkdir(parents=True, exist_ok=True)
            with contextlib.ExitStack() as held:
                with writing(self.path):
                    locked = held.enter_context(only_one(self.path / LOCK, self.path))
                    wait_for_ranks(self.plan, self.path)
                yield locked
        finally:
            with contextlib.suppress(OSError):
                for folder in made:
                    folder.rmdir()

    def check_new(self, overwrite: bool) -> None:
        """Raises BadInput if the folder is not empty, except with --overwrite if it contains one of our
        runs."""
        self._check_kind()
        try:
            held = (
                [item for item in self.path.iterdir() if item.name not in (LOCK, *ASIDE)]
                if self.path.exists()
                else []
            )
        except OSError as error:
            raise storage_error(error, self.path, "read") from None
        if not held:
            return
        if not overwrite:
            raise BadInput(
                f"--out {self.path} is not empty: --resume continues that run, --overwrite replaces it, or "
                f"give another folder."
            )
        foreign = next((name for item in sorted(held) for name in _foreign(item)), None)
        if foreign:
            raise BadInput(f"--overwrite refuses {self.path}: it also holds {foreign!r}, which no run wrote.")

    def _check_kind(self) -> None:
        if self.path.exists() and not self.path.is_dir():
            raise BadInput(f"--out {self.path} is a file: give the name of a new folder.")

    def check_resume(self) -> list[Path]:
        """The checkpoints to continue from, newest first."""
        if not self.path.is_dir() or not self.case.is_file():
            raise BadInput(f"--resume finds no run in {self.path}: there is no case.toml.")
        found = self.checkpoints_newest_first()
        if not found:
            raise BadInput(
                f"--resume finds no checkpoint in {self.checkpoints}: start the run again with --overwrite."
            )
        return found

    def create(self) -> None:
        """Creates the folders."""
        with writing(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        for folder in (self.snapshots, self.checkpoints, self.figures):
            make_folder(folder)

    def clear(self) -> None:
        """Removes what a run has written, and folders that are then empty; everything else is kept."""
        for name, names in FOLDERS.items():
            folder = self.path / name
            if folder.is_symlink() or not folder.is_dir():
                continue
            for item in folder.iterdir():
                if is_ours(item, names):
                    item.unlink()
            with contextlib.suppress(OSError):
                folder.rmdir()
        for item in self.path.iterdir():
            if item.name != LOCK and is_ours(item, TOP):
                item.unlink()

    def keep_checkpoints(self, step: int, count: int = 2) -> None:
        """Keeps the newest checkpoints up to `step`, the one just written. Removes older ones, and files that
        a killed writer or a rejected checkpoint left; other names are not touched."""
        whole = [path for path in self.checkpoints_newest_first() if _step_of(path) <= step]
        with writing(self.checkpoints):
            for path in self.checkpoints.iterdir():
                if path not in whole[:count] and is_ours(path, FOLDERS["checkpoints"]):
                    path.unlink(missing_ok=True)

    def drop_after(self, step: int) -> None:
        """Removes snapshots and spectra beyond the step from which a run is resumed: the steps that follow
        are computed again, and perhaps otherwise."""
        for folder in (self.snapshots, self.spectra):
            with writing(folder):
                for path in () if folder.is_symlink() else self._numbered(folder):
                    if _step_of(path) > step and is_ours(path, FOLDERS[folder.name]):
                        path.unlink()


TOP = "|".join(re.escape(name) for name in FILES)


def is_ours(path: Path, names: str) -> bool:
    """Whether a run has written this: a regular file with one of our names, complete or partial."""
    name = path.name.removesuffix(PART)
    return re.fullmatch(names, name) is not None and is_regular(path)


def is_regular(path: Path) -> bool:
    """Whether this is a file, and not a link, a folder or something else."""
    try:
        return stat.S_ISREG(path.lstat().st_mode)
    except FileNotFoundError:
        return False


def _foreign(item: Path) -> Iterator[str]:
    """The part of an entry of a run folder that no run has written."""
    if item.name in FOLDERS and item.is_dir() and not item.is_symlink():
        for inner in sorted(item.iterdir()):
            if not is_ours(inner, FOLDERS[item.name]):
                yield f"{item.name}/{inner.name}"
    elif not is_ours(item, TOP):
        yield item.name


def _step_of(path: Path) -> int:
    return int(re.search(r"_(\d+)\.", path.name)[1])


def make_folder(path: Path) -> None:
    """Creates a folder of a run if it does not exist; a symbolic link is an error."""
    with writing(path):
        if path.is_symlink():
            raise StorageError(f"cannot write {path}: it is a symbolic link, not a folder of the run.")
        path.mkdir(exist_ok=True)


def make_new_folder(path: Path) -> None:
    """Creates a folder of a user. Raises BadInput if it exists and is not empty."""
    if path.exists() and (not path.is_dir() or any(path.iterdir())):
        raise BadInput(f"{path} exists already: give a new name.")
    with writing(path):
        path.mkdir(parents=True, exist_ok=True)


def refuse_special(path: Path) -> None:
    """Raises StorageError for symbolic links, pipes and devices."""
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if stat.S_ISREG(mode) or path.is_dir():
        return
    kind = "symbolic link" if stat.S_ISLNK(mode) else "pipe" if stat.S_ISFIFO(mode) else "device or socket"
    raise StorageError(f"cannot write {path}: it is a {kind}, not a regular file.")


def write_text(path: Path, text: str) -> None:
    """Writes a small file completely or not at all: under a temporary name first, then renamed."""
    write_whole(path, lambda temporary: temporary.write_text(text, "utf-8", "surrogateescape"))


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Calls `write` for a file with a temporary name, which then replaces `path`."""
    temporary = path.with_name(path.name + PART)
    with writing(path), writing(temporary):
        try:
            write(temporary)
            temporary.replace(path)
        finally:
            if is_regular(temporary):
                temporary.unlink()


@contextlib.contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns an OSError of the block into one sentence with exit code 3; does not write to what is neither a
    regular file nor a folder."""
    try:
        refuse_special(path)
        yield
    except StorageError:
        raise
    except OSError as error:
        raise storage_error(error, path) from None
