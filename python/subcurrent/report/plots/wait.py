# SPDX-License-Identifier: Apache-2.0
"""Waiting against message size when work covers the messages (Kurokawa et al. 2001, section 6.4)."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from . import style

LINES = (
    ("alone", "M  nothing else to do", style.MUTED),
    ("silent", "W  under work without progress calls", style.ORANGE),
    ("poked", "W  under work with progress calls", style.BLUE),
)


def draw_wait(path: Path, rows: list[dict[str, float]]) -> None:
    """`rows` as in wait.csv: bytes, and seconds alone, poked, silent."""
    sizes = np.array([row["bytes"] for row in rows])
    with style.figure(path, 7.5, 5.0, "What waiting is left of a covered message") as drawing:
        axes = drawing.subplots()
        for name, label, colour in LINES:
            times = np.array([row[name] for row in rows]) * 1e6
            axes.loglog(sizes, times, "o-", color=colour, label=label, markersize=4)
        axes.set_xlabel("message (bytes)")
        axes.set_ylabel("time (µs)")
        axes.legend()
