# SPDX-License-Identifier: Apache-2.0
"""Where the time of a step goes under each strategy (figures 9 and 10 of Kurokawa et al. 2001)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from ...case.strategies import WITHOUT_OVERLAP
from . import style

# Which terms of the bookkeeping make up a step's time: messages are waited for (W) when hidden, else they
# count whole (M).
LABELS = {
    "C_shell": "C_shell  compute the shell",
    "C_core": "C_core  compute the core",
    "M": "M  messages, not hidden",
    "W": "W  wait for hidden messages",
    "R": "R  reductions",
    "other": "everything else in the step",
}


def parts_of(row: dict[str, Any]) -> dict[str, float]:
    """A row's measured step time taken apart, in seconds: what the terms do not explain is `other`."""
    messages = "M" if row["strategy"] in WITHOUT_OVERLAP else "W"
    parts = {name: float(row.get(name) or 0.0) for name in ("C_shell", "C_core", messages, "R")}
    parts["other"] = max(row["T"] - sum(parts.values()), 0.0)
    return parts


def draw_strategies(path: Path, rows: list[dict[str, Any]], title: str, note: str = "") -> None:
    """Two bars a strategy, as in the paper: left a step's measured time, right the terms in it."""
    unit, scale = _unit(max(row["T"] for row in rows))
    places = np.arange(len(rows))
    with style.figure(path, min(max(7.5, 1.45 * len(rows) + 4.2), style.WIDEST), 5.4, title, note) as drawing:
        axes = drawing.subplots()
        totals = np.array([row["T"] for row in rows]) * scale
        axes.bar(places - 0.2, totals, 0.34, color=style.TOTAL, label="T  measured")
        spread = (
            np.array([[row["T"] - min(row["T_all"]), max(row["T_all"]) - row["T"]] for row in rows]).T * scale
        )
        axes.errorbar(
            places - 0.2, totals, yerr=spread, fmt="none", ecolor=style.MUTED, capsize=3, linewidth=1.2
        )
        _stacks(axes, places + 0.2, [parts_of(row) for row in rows], scale)
        base = next((row["T"] for row in rows if row["strategy"] == "blocking"), None)
        top = totals + spread[1]
        for place, height, row in zip(places, top, rows, strict=True):
            if base and row["strategy"] != "blocking":
                text = f"×{base / row['T']:.2f}"
                axes.annotate(
                    text, (place - 0.2, height), (0, 4), textcoords="offset points", ha="center", fontsize=10
                )
        axes.set_xticks(places, [row["strategy"].replace("_", "\n", 1).replace("_", " ") for row in rows])
        axes.set_ylabel(f"time of a step ({unit})")
        axes.set_ylim(0, 1.12 * max(top.max(), 1e-30))
        axes.grid(visible=False, axis="x")
        axes.legend(
            loc="center left", bbox_to_anchor=(1.01, 0.5), title="×: speed-up over blocking", alignment="left"
        )


def _stacks(axes: Any, places: np.ndarray, parts: list[dict[str, float]], scale: float) -> None:
    bottom = np.zeros(len(parts))
    for name, label in LABELS.items():
        heights = np.array([part.get(name, 0.0) for part in parts]) * scale
        if heights.any():
            axes.bar(places, heights, 0.34, bottom=bottom, color=style.TERMS[name], label=label)
            bottom += heights


def _unit(longest: float) -> tuple[str, float]:
    return ("s", 1.0) if longest >= 1 else ("ms", 1e3) if longest >= 1e-3 else ("µs", 1e6)
