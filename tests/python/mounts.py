# SPDX-License-Identifier: Apache-2.0
"""File systems of their own, for tests of full and read-only disks."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest


@contextlib.contextmanager
def mounted(folder: Path, options: str) -> Iterator[None]:
    """A file system in memory with such options, at a folder that is made for it."""
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("mounting a file system takes root")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)
