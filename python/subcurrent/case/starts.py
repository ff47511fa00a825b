# SPDX-License-Identifier: Apache-2.0
"""Files that a case names, among them the flow of an earlier run from which it starts."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from ..errors import BadInput
from .keys import shown


def named_file(folder: Path, name: str, given: str, wanted: str) -> str:
    """The absolute path of the file that a key names; relative paths count from `folder`. BadInput with what
    is `wanted` if there is none."""
    path = (folder / given).absolute()
    if not path.is_file():
        raise BadInput(f"{name} = {shown(given)} does not exist: {path} must be {wanted}.")
    return str(path)


@dataclass(frozen=True)
class Starts:
    """What `flow.initial` may be: one of `names`, or what an earlier run wrote. `allowed` says so."""

    names: tuple[str, ...]
    suffixes: tuple[str, ...]
    allowed: str

    def file(self, folder: Path, given: str) -> str:
        """The absolute path of the file that is named; the folder of a run stands for its last snapshot.
        BadInput if there is no such file."""
        path = (folder / given).absolute()
        if path.is_dir():
            named = [
                (re.fullmatch(r"snapshot_(\d+)\.vtkhdf", one.name), one) for one in path.glob("snapshots/*")
            ]
            snapshots = [(int(match[1]), one) for match, one in named if match]
            if not snapshots:
                raise BadInput(
                    f"flow.initial = {shown(given)} is not allowed: {path} holds no snapshot of a run."
                )
            return str(max(snapshots)[1])
        if path.suffix not in self.suffixes:
            raise BadInput(f"flow.initial = {shown(given)} is not allowed: it must be {self.allowed}.")
        return named_file(folder, "flow.initial", given, self.allowed)
