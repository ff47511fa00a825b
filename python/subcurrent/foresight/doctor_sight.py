# SPDX-License-Identifier: Apache-2.0
"""What the checks of `subcurrent doctor` examine and find. A test can pass the sight of a bad machine."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..launch import mpi
from ..launch.mpi import Cpus

SMALL_SHM = 1 << 30  # bytes of /dev/shm; with less the fields of ranks are not in it


@dataclass(frozen=True)
class DeviceTest:
    """What MPI states of device memory, and which test messages arrived: from a rank to itself, and to the
    next one."""

    declared: bool | None = None  # None: it could not be asked
    to_itself: bool = False
    around: bool = False
    ended: str = ""  # the reason why the ranks ended before they had answered


@dataclass
class Sight:
    """What the checks examine; `root` is the folder that contains /proc and /sys."""

    ranks: int = 2
    threads: int = 1
    root: Path = Path("/")
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    library: str = mpi.OPEN_MPI  # the MPI that the engine was built with, as it names itself
    cuda: bool = False  # whether the engine was built for devices
    says_cuda: bool | None = None  # whether that MPI claims to read devices' memory; None: it is not known
    device: DeviceTest | None = None  # None: not tested
    cpus: Cpus = field(default_factory=mpi.cpus)
    scratch: Path = Path("/tmp")
    shm_bytes: int | None = None  # of /dev/shm
    # Seconds of a message alone, and of the wait for it with ("poked") and without progress calls ("silent").
    waits: dict[str, float] | None = None  # None: not measured
    # Bytes of the largest message that leaves before its receiver calls MPI, on this node; None: not measured
    eager_limit: float | None = None

    def text(self, path: str) -> str:
        try:
            return (self.root / path).read_text(encoding="utf-8").strip()
        except OSError:
            return ""


@dataclass(frozen=True)
class Finding:
    """Result of a check: good, bad with a fix, or unknown (None)."""

    good: bool | None
    says: str
    mend: str = ""


def good(says: str) -> Finding:
    return Finding(True, says)


def bad(says: str, mend: str) -> Finding:
    return Finding(False, says, mend)


def unknown(says: str, mend: str = "") -> Finding:
    return Finding(None, says, mend)


Check = Callable[[Sight], Finding]
