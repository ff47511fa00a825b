# SPDX-License-Identifier: Apache-2.0
"""A disk that reads, and writes, so many MB a second at most, by a control group of the kernel."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

BLOCK_IO = Path("/sys/fs/cgroup/blkio")


def whole_disk(folder: Path) -> str:
    """major:minor of the disk that holds a folder."""
    device = folder.stat().st_dev
    block = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
    return ((block.parent if (block / "partition").exists() else block) / "dev").read_text().strip()


@contextlib.contextmanager
def slow_disk(folder: Path, rate: float | None) -> Iterator[Callable[[], None] | None]:
    """What a process calls that shall read and write at most `rate` MB a second; None leaves it alone."""
    if rate is None:
        yield None
        return
    group = BLOCK_IO / f"subcurrent-{os.getpid()}"
    try:
        group.mkdir()
        for way in ("read", "write"):
            (group / f"blkio.throttle.{way}_bps_device").write_text(f"{whole_disk(folder)} {int(rate * 1e6)}")
    except OSError as error:
        sys.exit(f"no slow disk can be made of the one under {folder}: {error}")
    try:
        yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))
    finally:
        while (group / "cgroup.procs").read_text():  # the kernel may still be taking leave of the last one
            time.sleep(0.05)
        group.rmdir()
