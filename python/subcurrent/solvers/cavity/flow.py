# SPDX-License-Identifier: Apache-2.0
"""The flow in the cube: middle planes with streamlines, and particle paths (Kurokawa et al., figure 7)."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from matplotlib.tri import LinearTriInterpolator, Triangulation
from mpl_toolkits.mplot3d.art3d import Line3DCollection

from ...report.flowfield import FlowField
from ...report.plots import style
from ...report.plots.plane import scale_bar
from .trace import trace


def draw_flow(path: Path, flow: FlowField, title: str = "Flow in the middle planes") -> None:
    """Draws speed and streamlines in the planes y = ½ (along the motion of the lid) and x = ½ (across it)."""
    with style.figure(path, 10.5, 5.0, title) as drawing:
        left, right = drawing.subplots(1, 2)
        along = _plane(
            left, flow.plane(1), (0, 2), "Middle plane across y: u and w", ("x / side", "z / side")
        )
        across = _plane(
            right, flow.plane(0), (1, 2), "Middle plane across x: v and w", ("y / side", "z / side")
        )
        drawing.colorbar(along, ax=left, label="speed in the plane / lid speed", fraction=0.046, pad=0.03)
        drawing.colorbar(across, ax=right, label="speed in the plane / lid speed", fraction=0.046, pad=0.03)


LONGEST = 5  # length over height of a plane that is drawn to scale


def draw_plane(path: Path, flow: FlowField, across: int, title: str) -> None:
    """Draws speed and streamlines in the middle plane across an axis of a box of any sides; the height of a
    long one is stretched."""
    first, second = (axis for axis in range(3) if axis != across)
    with style.figure(path, style.WIDEST, 3.6, title) as drawing:
        axes = drawing.subplots()
        of_plane = f"Middle plane across {'xyz'[across]}: {'uvw'[first]} and {'uvw'[second]}"
        labels = "xyz"[first], "xyz"[second]
        colours = _plane(axes, flow.plane(across), (first, second), of_plane, labels, bar=False)
        sides = np.ptp(axes.get_xlim()) / np.ptp(axes.get_ylim())
        if not 1 / LONGEST <= sides <= LONGEST:
            axes.set_aspect("auto")
        drawing.colorbar(colours, ax=axes, label="speed in the plane", fraction=0.046, pad=0.03)


def _plane(
    axes: Axes,
    plane: FlowField,
    axis: tuple[int, int],
    title: str,
    labels: tuple[str, str],
    *,
    bar: bool = True,
):
    """One plane: speed of the two components that lie in it as colours, their streamlines on top."""
    a, b = plane.points[axis[0]], plane.points[axis[1]]
    va, vb = plane.velocity[axis[0]], plane.velocity[axis[1]]
    colours = axes.pcolormesh(
        a, b, np.hypot(va, vb), cmap=style.SPEED, shading="gouraud", vmin=0, rasterized=True
    )
    even_a, even_b, (even_va, even_vb) = _evenly(a, b, (va, vb))
    if np.hypot(even_va, even_vb).max() > 0:
        axes.streamplot(
            even_a, even_b, even_va, even_vb, color="white", linewidth=0.8, density=1.3, arrowsize=0.8
        )
    axes.set(title=title, xlabel=labels[0], ylabel=labels[1], aspect="equal")
    axes.set(xlim=(a.min(), a.max()), ylim=(b.min(), b.max()))
    axes.grid(visible=False)
    if bar:
        scale_bar(axes, a[0], b[:, 0], "side")
    return colours


def _evenly(a: np.ndarray, b: np.ndarray, fields: tuple, count: int = 121) -> tuple:
    """Fields on evenly spaced points, as streamplot needs them; skewed grids go through a triangulation."""
    even_a, even_b = np.linspace(a.min(), a.max(), count), np.linspace(b.min(), b.max(), count)
    if np.ptp(a, axis=0).max() < 1e-9 and np.ptp(b, axis=1).max() < 1e-9:
        rows = [np.array([np.interp(even_a, a[0], line) for line in field]) for field in fields]
        return (
            even_a,
            even_b,
            [np.array([np.interp(even_b, b[:, 0], column) for column in row.T]).T for row in rows],
        )
    mesh = Triangulation(a.ravel(), b.ravel())
    grid = np.meshgrid(even_a, even_b)
    return even_a, even_b, [LinearTriInterpolator(mesh, field.ravel())(*grid).filled(0.0) for field in fields]


def draw_flow_3d(path: Path, flow: FlowField, title: str = "Particle paths") -> None:
    """Draws particle paths, seen from upstream and above, coloured by the way to the side walls."""
    with style.figure(path, 8.2, 6.2, title) as drawing:
        axes = drawing.add_subplot(projection="3d", computed_zorder=False)
        low, high = flow.points.min(axis=(1, 2, 3)), flow.points.max(axis=(1, 2, 3))
        _box(axes, low, high)
        colours = mpl.colormaps["plasma"]
        for line in trace(flow, _seeds(flow.velocity.shape[:0:-1])):
            steps = np.stack([line[:-1], line[1:]], axis=1)
            offset = np.abs(line[:-1, 1] - 0.5 * (low[1] + high[1])) / (0.5 * (high[1] - low[1]))
            axes.add_collection3d(
                Line3DCollection(steps, colors=colours(0.9 * offset), linewidths=0.9, alpha=0.9)
            )
        axes.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
        axes.set(xlabel="x / side", ylabel="y / side", zlabel="z / side")
        axes.locator_params(nbins=3)
        # Without its lowest number, which would lie on that of x.
        axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10], prune="lower"))
        axes.set_box_aspect(high - low, zoom=0.95)
        axes.view_init(elev=24, azim=-125)
        scale = mpl.cm.ScalarMappable(
            mpl.colors.Normalize(0, 1), mpl.colors.ListedColormap(colours(np.linspace(0, 0.9, 99)))
        )
        drawing.colorbar(
            scale,
            ax=axes,
            shrink=0.55,
            pad=0.08,
            label="distance from the middle plane (0) to a side wall (1)",
        )


def _seeds(counts: tuple[int, ...]) -> np.ndarray:
    """Seeds as indices (i, j, k): rows across the cube at three heights, mirrored in its halves."""
    top = np.array(counts, dtype=float) - 1
    across = np.linspace(0.06, 0.47, 6)
    fractions = [(0.75, y, z) for z in (0.55, 0.75, 0.9) for y in (*across, *(1 - across))]
    return np.array(fractions) * top


def _box(axes, low: np.ndarray, high: np.ndarray) -> None:
    """The edges of the cube, with an arrow for the motion of the lid."""
    x, y, z = zip(low, high, strict=True)
    edges = [[(x[i], y[j], z[0]), (x[i], y[j], z[1])] for i in (0, 1) for j in (0, 1)]
    edges += [[(x[i], y[0], z[k]), (x[i], y[1], z[k])] for i in (0, 1) for k in (0, 1)]
    edges += [[(x[0], y[j], z[k]), (x[1], y[j], z[k])] for j in (0, 1) for k in (0, 1)]
    axes.add_collection3d(Line3DCollection(edges, colors=style.MUTED, linewidths=1.0))
    middle = 0.5 * (low[1] + high[1])
    axes.quiver(
        *(low[0] + 0.2 * (x[1] - x[0]), middle, high[2]),
        0.6 * (x[1] - x[0]),
        0,
        0,
        color=style.RED,
        lw=2.5,
        zorder=5,
        arrow_length_ratio=0.12,
    )
    axes.text(
        *(low[0] + 0.5 * (x[1] - x[0]), middle, high[2] * 1.05),
        "lid",
        color=style.RED,
        ha="center",
        zorder=5,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.8, "pad": 1.0},
    )
