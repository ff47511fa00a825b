# SPDX-License-Identifier: Apache-2.0
"""The files that `subcurrent new --stencil NAME` writes: those of this folder, with the name of the project
replaced."""

from __future__ import annotations

from pathlib import Path

from ..launch.rundir import make_new_folder, writing

FILES = ("README.md", "model.py", "test_model.py")


def write(name: str) -> Path:
    """Copies the files into the new folder `name`; returns it. Raises BadInput if it exists."""
    folder = Path(name)
    make_new_folder(folder)
    with writing(folder):
        for file in FILES:
            text = (Path(__file__).parent / file).read_text(encoding="utf-8")
            text = text.replace("# SPDX-License-Identifier: Apache-2.0\n", "").replace("PROJECT", folder.name)
            (folder / file).write_text(text, encoding="utf-8")
    return folder
