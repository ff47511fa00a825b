# SPDX-License-Identifier: Apache-2.0
"""How each table and picture of the documents is made; `tools/figures.py` is the command."""

import os
import subprocess
import sys
from pathlib import Path

from subcurrent.launch.mpi import ROOT_MAY

ROOT = Path(__file__).resolve().parents[2]
RELEASE = ROOT / "build" / "release"


def printed(command: list, folder: Path = ROOT) -> str:
    words = [str(word) for word in command]
    if words[0].startswith(str(RELEASE)) and not Path(words[0]).exists():
        raise RuntimeError(f"{words[0]} is not built: make bootstrap")
    done = subprocess.run(
        words, check=True, cwd=folder, env={**os.environ, **ROOT_MAY}, capture_output=True, text=True
    )
    return done.stdout


def python(*words: object, folder: Path = ROOT) -> str:
    """What a Python script prints, or a module after "-m"."""
    return printed([sys.executable, *words], folder)
