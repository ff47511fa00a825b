# SPDX-License-Identifier: Apache-2.0
"""Predicted time of a step against the number of ranks, one line a strategy or a length of passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import style

COLOURS = (style.MUTED, style.BLUE, style.ORANGE, style.GREEN, style.INK)
MOST_LINES = len(COLOURS)


def draw_prediction(path: Path, rows: list[dict[str, Any]], machine: str) -> None:
    """`rows` as in prediction.json: ranks, and by strategy T in seconds."""
    names = [name for name in rows[0]["strategies"] if name != "ordered"]
    lines = {name: [(row["ranks"], row["strategies"][name]["T"]) for row in rows] for name in names}
    draw_lines(path, lines, f"A step on {machine}, predicted")


def draw_lines(path: Path, lines: dict[str, list[tuple[int, float]]], title: str) -> None:
    """Of every line by its label the ranks and the seconds of a step."""
    with style.figure(path, 7.5, 5.0, title) as drawing:
        axes = drawing.subplots()
        ranks = sorted({count for line in lines.values() for count, _ in line})
        for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
            counts, times = zip(*line, strict=True)
            milliseconds = [1e3 * time for time in times]
            axes.loglog(counts, milliseconds, "o-", color=colour, label=name, markersize=4)
        axes.set_xticks(ranks, [str(count) for count in ranks])
        axes.minorticks_off()
        axes.set_xlabel("ranks")
        axes.set_ylabel("ms a step")
        axes.legend()
