# SPDX-License-Identifier: Apache-2.0
"""A plane of a field with axes, units, time and a scale bar; a film of one plane at many times."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.colors import LogNorm, Normalize
from matplotlib.figure import Figure

from ...errors import BadInput
from ...launch.rundir import writing
from ..slices import Slice
from . import style

PICTURES = (".png", ".pdf", ".svg")
FILMS = (".gif", ".mp4")


@dataclass(frozen=True)
class Look:
    """How planes are coloured: a colour map of matplotlib, over decades if `decades`."""

    colours: str = style.SPEED
    decades: bool = False

    def __post_init__(self) -> None:
        if self.colours not in mpl.colormaps:
            raise BadInput(
                f"the colour map {self.colours!r} is not known: allowed are those of matplotlib, e.g. "
                "viridis."
            )

    def norm(self, planes: list[Slice]) -> Normalize:
        """What the colours span: all but the outermost thousandths of what is finite."""
        values = np.concatenate([plane.values[np.isfinite(plane.values)] for plane in planes])
        if self.decades:
            values = values[values > 0]
        if not values.size:
            what = "positive" if self.decades else "finite"
            raise BadInput(f"there is nothing to draw: the plane has no {what} value.")
        low, high = (float(value) for value in np.percentile(values, (0.1, 99.9)))
        if self.decades:
            return LogNorm(low, high if high > low else 10 * low, clip=True)
        return Normalize(low, high) if high > low else Normalize(low - 1, high + 1)


RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def with_unit(name: str, unit: str) -> str:
    """km s-1, as a snapshot has it, as km s⁻¹."""
    shown = re.sub(r"(?<=[a-zA-Z])(?<!\de)-?\d+", lambda power: power[0].translate(RAISED), unit)
    return f"{name} ({shown})" if unit not in ("", "1") else name


def draw_plane(path: Path, plane: Slice, title: str, look: Look) -> None:
    """By the ending of the path a PNG, PDF or SVG."""
    width, height = _size(plane)
    with style.figure(path, width, height, title) as drawing:
        _paint(drawing, plane, look.colours, look.norm([plane]))


def draw_film(path: Path, planes: list[Slice], title: str, look: Look, rate: float) -> None:
    """A GIF, or an MP4 where ffmpeg is; `rate`: pictures a second."""
    if path.suffix == ".mp4" and shutil.which("ffmpeg") is None:
        raise BadInput(f"{path} needs ffmpeg, which is not installed: give a file that ends in .gif.")
    norm = look.norm(planes)
    frames = [_frame(plane, title, look.colours, norm) for plane in planes]
    with writing(path):
        _save_gif(path, frames, rate) if path.suffix == ".gif" else _save_mp4(path, frames, rate)


def _size(plane: Slice) -> tuple[float, float]:
    """In inches: the plane's own shape, within limits."""
    ratio = float(np.ptp(plane.up)) / max(float(np.ptp(plane.across)), 1e-300)
    height = min(max(6.4 * ratio, 2.4), 8.0)
    return min(max(height / max(ratio, 1e-3), 3.0) + 2.2, style.WIDEST), height + 1.4


def _paint(drawing: Figure, plane: Slice, colours: str, norm: Normalize) -> None:
    axes = drawing.subplots()
    shading = "nearest" if plane.across.ndim == 1 else "gouraud"
    places = closed(plane.across, plane.up, plane.values)
    mesh = axes.pcolormesh(*places, cmap=colours, norm=norm, shading=shading, rasterized=True)
    length, when = plane.units["length"], plane.units["time"]
    right, up = plane.names
    axes.set(xlabel=with_unit(right, length), ylabel=with_unit(up, length), aspect="equal")
    axes.set_title(
        f"{plane.axis} = {plane.at:.4g}{_after(length)},  t = {plane.time:.4g}{_after(when)}",
        fontweight="normal",
    )
    axes.grid(visible=False)
    bar = drawing.colorbar(mesh, ax=axes, label=with_unit(plane.field, plane.units["field"]), shrink=0.9)
    bar.ax.yaxis.get_offset_text().set_horizontalalignment("left")
    scale_bar(axes, plane.across, plane.up, length)


def paint_cells(
    axes: Any,
    edges: list[np.ndarray],
    values: np.ndarray,
    label: str,
    colours: str,
    *,
    top: float,
    low: float | None = None,
    unit: str = "",
    shrink: float = 0.85,
) -> None:
    """Cells between these edges along x and y, shape (ny, nx), in colours from `low`, or -top, to `top`."""
    limits = {"vmin": -top if low is None else low, "vmax": top}
    bar = {"shrink": shrink, "label": label}
    paint(axes, *edges, values, bar=bar, unit=unit, cmap=colours, **limits)
    axes.set(xlabel=with_unit("x", unit), ylabel=with_unit("y", unit))


def closed(across: np.ndarray, up: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, ...]:
    """With the first points behind the last ones again where a curved grid closes on itself like a ring."""
    if across.ndim == 1:
        return across, up, values
    for axis in (0, 1):
        points = np.moveaxis(np.stack([across, up]), 1 + axis, 1)
        apart = np.linalg.norm(points - np.roll(points, 1, axis=1), axis=0)  # first row: of first and last
        if len(apart) > 3 and np.all(apart[0] < 1.5 * apart[1:].max(axis=0)):
            across, up, values = (
                np.concatenate([a, np.take(a, [0], axis=axis)], axis) for a in (across, up, values)
            )
    return across, up, values


def _after(unit: str) -> str:
    """A unit behind a number."""
    return "" if unit in ("", "1") else f" {unit}"


def scale_bar(axes: Any, across: np.ndarray, up: np.ndarray, unit: str = "") -> None:
    """Of a round length, a quarter of the width or less, in the lower left corner of a plane with points at
    these places; below the plane if its grid is curved, where a bar could lie across the rim."""
    left, right = float(across.min()), float(across.max())
    low, high = float(up.min()), float(up.max())
    most = 0.25 * (right - left)
    if most <= 0:
        return
    power = 10.0 ** np.floor(np.log10(most))
    length = max((step * power for step in (1, 2, 5) if step * power <= most), default=0.5 * power)
    x = left + 0.05 * (right - left)
    y = low + 0.05 * (high - low)
    if across.ndim > 1 and not (np.allclose(across, across[:1]) and np.allclose(up, up[:, :1])):
        y = low - 0.11 * (high - low)
        axes.set_ylim(y - 0.03 * (high - low), high)
    for width, colour in ((5, "black"), (3, "white")):
        axes.plot([x, x + length], [y, y], color=colour, linewidth=width, solid_capstyle="butt", zorder=5)
    axes.annotate(
        f"{length:g}{_after(unit)}",
        (x + length / 2, y),
        (0, 5),  # the box ends 1 point above the bar
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=9,
        zorder=5,
        bbox={"facecolor": "white", "alpha": 0.75, "edgecolor": "none", "pad": 1.5},
    )


def paint(axes: Any, *plane: np.ndarray, bar: dict | None = None, unit: str = "", **look: Any) -> Any:
    """Points or edges of cells to the right and upwards, and values: colours to scale with a scale bar, and
    with a `bar` of colours of their own if that is given. Returns what was drawn."""
    mesh = axes.pcolormesh(*plane, rasterized=True, **look)
    axes.set(aspect="equal")
    axes.grid(visible=False)
    if bar is not None:
        axes.figure.colorbar(mesh, ax=axes, **bar)
    scale_bar(axes, *plane[:2], unit)
    return mesh


def _frame(plane: Slice, title: str, colours: str, norm: Normalize) -> np.ndarray:
    width, height = _size(plane)
    with style.drawn(width, height, title) as (drawing, canvas):
        drawing.set_dpi(100)
        _paint(drawing, plane, colours, norm)
        canvas.draw()
        rgb = np.asarray(canvas.buffer_rgba())[..., :3].copy()
    return rgb[: rgb.shape[0] // 2 * 2, : rgb.shape[1] // 2 * 2]  # even sides, as films want them


def _save_gif(path: Path, frames: list[np.ndarray], rate: float) -> None:
    from PIL import Image  # noqa: PLC0415 - comes with matplotlib

    first, *others = (Image.fromarray(frame) for frame in frames)
    # In hundredths of a second, as GIFs count; browsers slow down those with less than two.
    delay = max(2, round(100 / rate))
    first.save(path, save_all=True, append_images=others, duration=10 * delay, loop=0)


def _save_mp4(path: Path, frames: list[np.ndarray], rate: float) -> None:
    height, width = frames[0].shape[:2]
    command = ["ffmpeg", "-y", "-loglevel", "error", "-f", "rawvideo", "-pix_fmt", "rgb24"]
    command += ["-s", f"{width}x{height}", "-r", str(rate), "-i", "-", "-pix_fmt", "yuv420p", str(path)]
    done = subprocess.run(
        command, input=b"".join(f.tobytes() for f in frames), check=False, capture_output=True
    )
    if done.returncode:
        raise BadInput(
            f"ffmpeg could not write {path}: {done.stderr.decode(errors='replace').strip()[:300]}."
        )
