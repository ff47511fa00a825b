# SPDX-License-Identifier: Apache-2.0
"""The cases that come with Subcurrent: where they lie, what each is for, and copies of them to start from."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

from ..errors import BadInput
from ..launch.rundir import make_new_folder, writing
from .reading import read_tables
from .sentences import nearest


def files_of(folder: str, pattern: str) -> list[Path]:
    """The files in a folder of the source tree, or of the installed package."""
    package = Path(__file__).resolve().parents[1]
    trees = (sorted((tree / folder).glob(pattern)) for tree in (package.parents[1], package))
    return next((files for files in trees if files), [])


def shipped() -> dict[str, Path]:
    """Name and case file of every shipped case."""
    return {path.parent.name: path for path in files_of("cases", "*/case.toml")}


def summary_of(path: Path) -> str:
    """What a case is for: the comment that its file opens with (the licence line aside)."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("#") and "SPDX" not in line:
            return line.lstrip("# ").strip()
        if line and not line.startswith("#"):
            break
    return ""


def find_case(name: str) -> Path:
    """The case file behind a path, a folder with a case.toml, or the name of a shipped case."""
    path = Path(name)
    if path.is_file():
        return path
    if (path / "case.toml").is_file():
        return path / "case.toml"
    known = shipped()
    if name in known:
        return known[name]
    hint = nearest(name, list(known))
    meant = f", did you mean the shipped case {hint}" if hint else ""
    raise BadInput(
        f"case {name!r} does not exist{meant}: give a case file or a name that `subcurrent cases` lists."
    )


def new_case(name: str, start: Path) -> Path:
    """Copies a case file, its comments included, into the new folder `name`; returns the new file."""
    folder = Path(name)
    read_tables(start)  # refuses what is no case file
    make_new_folder(folder)
    text = start.read_text(encoding="utf-8")
    with writing(folder):
        target = folder / "case.toml"
        target.write_text(re.sub(r"\A# SPDX[^\n]*\n", "", text), encoding="utf-8")
        for pattern in ("reference*.csv", "*.h5"):  # what the case names lies beside it
            for file in start.parent.glob(pattern):
                shutil.copy(file, folder / file.name)
    return target
