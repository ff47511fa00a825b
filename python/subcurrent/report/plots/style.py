# SPDX-License-Identifier: Apache-2.0
"""The look of all figures: fonts, lines and colours, without touching anyone else's matplotlib settings."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import matplotlib as mpl
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from ...launch.rundir import writing

INK = "#1f2933"
MUTED = "#6b7785"
GRID = "#dfe4ea"
BLUE, ORANGE, GREEN, RED, VIOLET = "#1f6fb4", "#e07b1a", "#2f9e6e", "#c8423b", "#7a5bb0"
# The terms of a step's time, the same colour in every figure.
TOTAL = "#46525e"
TERMS = {"C_shell": "#7fb2dc", "C_core": BLUE, "M": ORANGE, "W": RED, "R": VIOLET, "other": "#c3cad3"}
SPEED = "viridis"
REFERENCE = {"color": "black", "linestyle": "--", "linewidth": 1.0, "zorder": 3}  # over a run's own line
# Inches: at the 690 pixels of the site's column the smallest text, of 9 points, is then 8 pixels high.
WIDEST = 10.5

SETTINGS = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.edgecolor": MUTED,
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.titlepad": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.formatter.limits": (-4, 4),  # 1.4 × 10⁵ rather than ticks that touch
    "axes.formatter.use_mathtext": True,
    "axes.formatter.useoffset": False,  # no "+ 10⁻⁵" above an axis, from which to read its numbers
    "axes.axisbelow": True,
    "grid.color": GRID,
    "grid.linewidth": 0.8,
    "xtick.color": MUTED,
    "ytick.color": MUTED,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "lines.linewidth": 2.0,
    "savefig.dpi": 160,
    "figure.facecolor": "white",
}


@contextlib.contextmanager
def drawn(width: float, height: float, title: str) -> Iterator[tuple[Figure, FigureCanvasAgg]]:
    """A figure in our look and what it is drawn on; sizes in inches."""
    with mpl.rc_context(SETTINGS):
        drawing = Figure(figsize=(width, height), layout="constrained")
        canvas = FigureCanvasAgg(drawing)
        drawing.suptitle(title, x=0.012, ha="left", fontsize=13, fontweight="bold", wrap=True)
        yield drawing, canvas


@contextlib.contextmanager
def figure(path: Path, width: float, height: float, title: str, note: str = "") -> Iterator[Figure]:
    """A figure in our look that is saved to `path` at the end of the block; sizes in inches."""
    with drawn(width, height, title) as (drawing, _):
        yield drawing
        if note:
            drawing.supxlabel(note, x=0.012, ha="left", fontsize=9, color=MUTED)
        with writing(path):
            drawing.savefig(path)
