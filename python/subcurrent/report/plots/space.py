# SPDX-License-Identifier: Apache-2.0
"""Where pictures in space are drawn: off screen, by PyVista (optional), the colour bar beside the views."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pyvista as pv
from matplotlib.ticker import MaxNLocator
from vtkmodules.vtkCommonCore import vtkLogger

BAR_WIDTH = 180  # pixels


@dataclass(frozen=True)
class Scale:
    """The range of a colour bar, and how many equally spaced numbers stand at it, all of them round."""

    low: float
    high: float
    numbers: int

    @property
    def limits(self) -> tuple[float, float]:
        return self.low, self.high


def linear_scale(low: float, high: float) -> Scale:
    """At least [low, high]; ends are multiples of the distance between two numbers."""
    ticks = MaxNLocator(nbins=5, steps=[1, 2, 2.5, 5, 10]).tick_values(low, high)
    return Scale(float(ticks[0]), float(ticks[-1]), len(ticks))


def log_scale(low: float, high: float) -> Scale:
    """At least [low, high], both above 0; ends are powers of ten."""
    first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))
    last = max(last, first + 1)
    return Scale(10.0**first, 10.0**last, last - first + 1)


class Views:
    """Views of `width` x `height` pixels in rows, without a window, and a column for the colour bar at their
    right: nothing in a view can come under it."""

    def __init__(self, rows: int, columns: int, width: int, height: int, background: str):
        vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)  # it would warn that it falls back to EGL
        self.columns = columns
        self.plotter = pv.Plotter(
            off_screen=True,
            shape=(rows, columns + 1),
            groups=[(slice(None), columns)],
            col_weights=[width] * columns + [BAR_WIDTH],
            row_weights=[1] * rows,
            window_size=(width * columns + BAR_WIDTH, height * rows),
            border=False,
        )
        for view in range(rows * columns):
            self.open(view)
            self.plotter.set_background(background)
        self._open_bar()
        self.plotter.set_background(background)

    def open(self, view: int) -> pv.Plotter:
        """Makes this view, counted along the rows, the one that is drawn into."""
        self.plotter.subplot(view // self.columns, view % self.columns)
        return self.plotter

    def bar(self, drawn: pv.Actor, title: str, scale: Scale, colour: str, fmt: str) -> None:
        """The colour bar of what was `drawn` with the limits of `scale`."""
        self._open_bar()
        self.plotter.add_scalar_bar(
            title=f"{title}\n",  # the line below keeps the title off the highest number
            mapper=drawn.mapper,
            n_labels=scale.numbers,
            fmt=fmt,
            color=colour,
            vertical=True,
            position_x=0.25,  # a title of 14 letters, wider than bar and numbers, ends within the column
            position_y=0.25,
            width=0.4,
            height=0.5,
            title_font_size=20,
            label_font_size=18,
        )

    def save(self, path: Any) -> None:
        self.plotter.screenshot(str(path))
        self.plotter.close()

    def _open_bar(self) -> None:
        self.plotter.subplot(0, self.columns)
