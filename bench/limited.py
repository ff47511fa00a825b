#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A program in a control group of the kernel, with so much memory and so slow a disk.

    bench/limited.py [--memory MB] [--disk MB/s] COMMAND…

Memory counts with the page cache and without swap; the disk, each way, is that of the folder in which the
program runs. Root, and cgroups of version 1; with systemd, `systemd-run --scope -p MemoryMax=400M COMMAND…`
does the same. Ends as the command does, or with 77 where no group can be made.
"""

from __future__ import annotations

import argparse
import contextlib
import errno
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import script

BLOCK_IO = Path("/sys/fs/cgroup/blkio")
MEMORY = Path("/sys/fs/cgroup/memory")
Enter = Callable[[], None]


def whole_disk(folder: Path) -> str:
    """major:minor of the disk that holds a folder."""
    device = folder.stat().st_dev
    block = Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}").resolve()
    return ((block.parent if (block / "partition").exists() else block) / "dev").read_text().strip()


def _remove(group: Path) -> None:
    """The kernel may still be taking leave of the last process."""
    until = time.monotonic() + 30
    while True:
        try:
            return group.rmdir()
        except OSError as error:
            if error.errno != errno.EBUSY or time.monotonic() > until:
                raise
        time.sleep(0.05)


@contextlib.contextmanager
def _group(controller: Path) -> Iterator[Path]:
    group = controller / f"subcurrent-{os.getpid()}"
    group.mkdir()
    try:
        yield group
    finally:
        _remove(group)


@contextlib.contextmanager
def slow_disk(folder: Path, rate: float | None) -> Iterator[Enter | None]:
    """What a process calls that shall read and write at most `rate` MB a second; None leaves it alone."""
    if rate is None:
        yield None
        return
    with _group(BLOCK_IO) as group:
        for way in ("read", "write"):
            (group / f"blkio.throttle.{way}_bps_device").write_text(f"{whole_disk(folder)} {int(rate * 1e6)}")
        yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def little_memory(size: float | None) -> Iterator[tuple[Enter | None, Callable[[], float]]]:
    """The same of one that may take `size` MB, and what says how many MB have been taken at most."""
    if size is None:
        yield None, lambda: 0.0
        return
    with _group(MEMORY) as group:
        for limit in ("memory", "memory.memsw"):
            if (group / f"{limit}.limit_in_bytes").exists():
                (group / f"{limit}.limit_in_bytes").write_text(str(int(size * 1e6)))
        yield (
            lambda: (group / "cgroup.procs").write_text(str(os.getpid())),
            lambda: 1e-6 * int((group / "memory.max_usage_in_bytes").read_text()),
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--memory", type=float, metavar="MB")
    parser.add_argument("--disk", type=float, metavar="MB/s")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with contextlib.ExitStack() as groups:
        try:
            slow = groups.enter_context(slow_disk(Path.cwd(), options.disk))
            small, peak = groups.enter_context(little_memory(options.memory))
        except OSError as error:
            return script.left_out(" ".join(options.command), f"no control group can be made: {error}")

        def enter() -> None:
            for group in (slow, small):
                if group:
                    group()

        try:
            ended = subprocess.run(options.command, check=False, preexec_fn=enter).returncode
        except FileNotFoundError as error:
            sys.exit(str(error))
        if options.memory:
            print(f"at most {peak():.0f} of {options.memory:g} MB of memory were taken", file=sys.stderr)
    return ended if ended >= 0 else 128 - ended


if __name__ == "__main__":
    sys.exit(main())
