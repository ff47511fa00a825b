# SPDX-License-Identifier: Apache-2.0
"""Predicted time of a step and speed-up against the number of ranks, one line a strategy or a length of
passes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes

from . import style

COLOURS = (style.MUTED, style.BLUE, style.ORANGE, style.GREEN, style.INK)
MOST_LINES = len(COLOURS)

Lines = dict[str, list[tuple[int, float]]]  # by label the ranks and the seconds of a step


def draw_prediction(path: Path, rows: list[dict[str, Any]], machine: str, weak: bool = False) -> None:
    """`rows` as in prediction.json: ranks, and by strategy T in seconds."""
    names = [name for name in rows[0]["strategies"] if name != "ordered"]
    lines = {name: [(row["ranks"], row["strategies"][name]["T"]) for row in rows] for name in names}
    draw_lines(path, lines, f"A step on {machine}, predicted", weak)


def draw_lines(path: Path, lines: Lines, title: str, weak: bool = False) -> None:
    """Milliseconds of a step and, of several numbers of ranks, the speed-up beside them."""
    counts = sorted({count for line in lines.values() for count, _ in line})
    several = len(counts) > 1
    with style.figure(path, style.WIDEST if several else 7.5, 5.0, title) as drawing:
        times, *beside = drawing.subplots(1, 2 if several else 1, squeeze=False)[0]
        _draw(times, {name: [(n, 1e3 * t) for n, t in line] for name, line in lines.items()}, counts)
        times.set_ylabel("ms a step")
        for axes in beside:
            axes.loglog(counts, [n / counts[0] for n in counts], label="ideal", **style.REFERENCE)
            _draw(axes, speed_ups(lines, weak), counts)
            what = "cells a second, relative to" if weak else "speed-up over"
            axes.set_ylabel(f"{what} {counts[0]} rank{'s' if counts[0] > 1 else ''}")
        (beside or [times])[0].legend()


def speed_ups(lines: Lines, weak: bool = False) -> Lines:
    """Of every line, how many times as fast as the fastest line on the fewest ranks. With as many cells on
    every rank, how many times as many cells a second."""
    fewest, base = min((count, time) for line in lines.values() for count, time in line)
    return {
        name: [(count, (count / fewest if weak else 1) * base / time) for count, time in line]
        for name, line in lines.items()
    }


def _draw(axes: Axes, lines: Lines, counts: list[int]) -> None:
    for (name, line), colour in zip(lines.items(), COLOURS, strict=False):
        axes.loglog(*zip(*line, strict=True), "o-", color=colour, label=name, markersize=4)
    axes.set_xticks(counts, [str(count) for count in counts])
    axes.minorticks_off()
    axes.set_xlabel("ranks")
