# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documents: what a run of a case has drawn."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from . import ROOT
from .commands import script
from .runs import run


def drawn(case: str, figure: str, *sets: str, ranks: int = 2) -> Callable[[Path], Path]:
    """Runs a case with these settings; the picture of that name in its run folder."""

    def make(scratch: Path) -> Path:
        folder = run(scratch / "run", case, *sets, ranks=ranks, quiet=("output.timeline=false",))
        return folder / "figures" / figure

    return make


def by_script(name: str, *arguments) -> Callable[[Path], Path]:
    """A script of bench/ draws it where --figure says."""

    def make(scratch: Path) -> Path:
        script(name, *arguments, "--figure", scratch / "figure.png")
        return scratch / "figure.png"

    return make


def by_tutorial(name: str, picture: str) -> Callable[[Path], Path]:
    """A tutorial of examples/python draws it, as it stands."""

    def make(scratch: Path) -> Path:
        subprocess.run([sys.executable, ROOT / "examples" / "python" / f"{name}.py"], check=True, cwd=scratch)
        return scratch / picture

    return make
