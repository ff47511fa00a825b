# SPDX-License-Identifier: Apache-2.0
"""A flow that starts from what an earlier run wrote."""

from __future__ import annotations

import re
from pathlib import Path

from ..errors import BadInput
from .keys import shown


def start_file(folder: Path, given: str, suffixes: tuple[str, ...], allowed: str) -> str:
    """The absolute path of the file that `flow.initial` names; relative paths count from `folder`. The folder
    of a run stands for its last snapshot. BadInput with what is `allowed` if there is no such file."""
    path = (folder / given).absolute()
    if path.is_dir():
        named = [(re.fullmatch(r"snapshot_(\d+)\.vtkhdf", one.name), one) for one in path.glob("snapshots/*")]
        snapshots = [(int(match[1]), one) for match, one in named if match]
        if not snapshots:
            raise BadInput(
                f"flow.initial = {shown(given)} is not allowed: {path} holds no snapshot of a run."
            )
        return str(max(snapshots)[1])
    if path.suffix not in suffixes:
        raise BadInput(f"flow.initial = {shown(given)} is not allowed: it must be {allowed}.")
    if not path.is_file():
        raise BadInput(f"flow.initial = {shown(given)} does not exist: {path} must be {allowed}.")
    return str(path)
