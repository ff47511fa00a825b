# SPDX-License-Identifier: Apache-2.0
"""Predicted time of a step against the number of ranks, one line a strategy."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from . import style

COLOURS = (style.MUTED, style.BLUE, style.ORANGE, style.GREEN, style.INK)


def draw_prediction(path: Path, rows: list[dict[str, Any]], machine: str) -> None:
    """`rows` as in prediction.json: ranks, and by strategy T in seconds."""
    with style.figure(path, 7.5, 5.0, f"A step on {machine}, predicted") as drawing:
        axes = drawing.subplots()
        ranks = [row["ranks"] for row in rows]
        names = [name for name in rows[0]["strategies"] if name != "ordered"]
        for name, colour in zip(names, COLOURS, strict=False):
            times = [1e3 * row["strategies"][name]["T"] for row in rows]
            axes.loglog(ranks, times, "o-", color=colour, label=name, markersize=4)
        axes.set_xticks(ranks, [str(count) for count in ranks])
        axes.minorticks_off()
        axes.set_xlabel("ranks")
        axes.set_ylabel("ms a step")
        axes.legend()
