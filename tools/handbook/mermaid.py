# SPDX-License-Identifier: Apache-2.0
"""Mermaid, fetched once and kept: diagrams are drawn by the reader's browser without a network."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

from . import PageError

WHEEL = Path(__file__).parent / "mermaid.txt"


def fetch(folder: Path, wanted_by: list[str]) -> Path:
    """mermaid.min.js in `folder`, out of the wheel that mermaid.txt names by its hash."""
    script = folder / "mermaid.min.js"
    if script.is_file() and script.stat().st_mtime > WHEEL.stat().st_mtime:
        return script
    folder.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    done = subprocess.run(
        [*command, "--require-hashes", "--dest", str(folder), "--requirement", str(WHEEL)],
        check=False,
        capture_output=True,
        text=True,
    )
    if done.returncode != 0:
        raise PageError(
            f"the diagrams of {', '.join(wanted_by)} need Mermaid, which pip could not fetch: "
            f"{(done.stderr.strip().splitlines() or ['it says nothing'])[-1]}"
        )
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("/mermaid.min.js"))
        script.write_bytes(archive.read(name))
    wheel.unlink()
    return script
