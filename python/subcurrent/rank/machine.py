# SPDX-License-Identifier: Apache-2.0
"""The machine of a run, for summary.json: enough to distinguish two measurements."""

from __future__ import annotations

import os
import platform
from pathlib import Path
from typing import Any

from ..launch import mpi


def describe() -> dict[str, Any]:
    cpus = mpi.cpus(range(os.cpu_count() or 1))  # the machine's: a rank is bound to some of them
    return {
        "host": platform.node(),
        "cpu": cpu_name(),
        "cores": cpus.cores,
        "cpus": cpus.threads,
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30, 1),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
    }


def cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, "unknown")
