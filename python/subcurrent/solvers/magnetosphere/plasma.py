# SPDX-License-Identifier: Apache-2.0
"""Pictures of a plasma: planes through a magnetosphere, the line to the sun, vortex, shock tube, history."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import LogNorm
from matplotlib.patches import Circle

from ...report.flowfield import PlasmaField
from ...report.plots import style
from ...report.plots.plane import paint, with_unit
from .units import Units

if TYPE_CHECKING:
    from .case import MagnetosphereCase

PRESSURE, DENSITY = "magma", "viridis"


def draw_magnetosphere(
    path: Path, plasma: PlasmaField, title: str, *, units: Units, inner: float, mirrored: tuple[bool, bool]
) -> None:
    """Noon-midnight plane (y = 0) above, equatorial plane (z = 0) below; `mirrored`: y and z start at a
    plane of symmetry, beyond which the picture is completed."""
    noon, equator = plasma.plane(1), plasma.plane(2)
    with style.figure(path, 10.5, 6.8, f"{title}, {units.said(plasma.time)}") as drawing:
        panels = drawing.subplots(2, 2, sharex=True)
        rows = ((noon, 2, mirrored[1]), (equator, 1, mirrored[0]))
        columns = (
            ("pressure", 1e9 * units.pressure, "pressure (nPa)", PRESSURE),
            ("density", 1e-6 * units.density, "density (cm⁻³)", DENSITY),
        )
        for column, (name, factor, label, colours) in enumerate(columns):
            shown = [factor * np.maximum(getattr(plane, name), 1e-300) for plane, _, _ in rows]
            # One scale for both planes, so that a colour is the same value in both.
            far = [
                values[np.hypot(plane.points[0], plane.points[up]) > inner]
                for values, (plane, up, _) in zip(shown, rows, strict=True)
            ]
            scale = LogNorm(*np.percentile(np.concatenate(far), (0.5, 99.7)))
            for axes, values, (plane, up, folded) in zip(panels[:, column], shown, rows, strict=True):
                _panel(axes, plane, up, values, label, colours, scale, inner, folded)
        for axes in panels[0]:
            axes.set_xlabel("")  # the numbers stand below the lower row


def _panel(  # noqa: PLR0917
    axes: Axes,
    plane: PlasmaField,
    up: int,
    values: np.ndarray,
    label: str,
    colours: str,
    scale: LogNorm,
    inner: float,
    mirrored: bool,
) -> None:
    """One plane: field lines in the noon-midnight plane (up is z), the flow's in the equatorial one."""
    x, y = plane.points[0][0], plane.points[up][:, 0]
    lines = plane.magnetic if up == 2 else plane.velocity
    along, across = lines[0], lines[up]
    if mirrored:
        y = np.concatenate([-y[:0:-1], y])
        values = np.concatenate([values[:0:-1], values])
        # Across the equator B is symmetric along z, the flow along x: the other component turns.
        turn_along = -1.0 if up == 2 else 1.0
        along = np.concatenate([turn_along * along[:0:-1], along])
        across = np.concatenate([-turn_along * across[:0:-1], across])
    far = np.hypot(*np.meshgrid(x, y)) > inner
    bar = {"label": label, "shrink": 0.7}
    paint(axes, x, y, values, bar=bar, unit="radii", cmap=colours, norm=scale, shading="gouraud")
    speed = np.hypot(along, across)
    if speed.max() > 0:
        axes.streamplot(
            x,
            y,
            np.where(far, along, np.nan),
            np.where(far, across, np.nan),
            color="white",
            linewidth=0.6,
            density=1.5,
            arrowsize=0.6,
            broken_streamlines=True,
        )
    axes.add_patch(Circle((0, 0), inner, facecolor="#46525e", edgecolor="white", linewidth=0.8))
    axes.add_patch(Circle((0, 0), 1.0, facecolor="white", edgecolor="none"))
    what = "noon-midnight plane, field lines" if up == 2 else "equatorial plane, stream lines"
    axes.set(title=what, xlabel="x (radii), sun on the left", ylabel=f"{'xyz'[up]} (radii)")
    axes.set(xlim=(x.min(), x.max()), ylim=(y.min(), y.max()))


def without_day(case: MagnetosphereCase) -> str | None:
    """Why the line to the sun of a case cannot be drawn, or None."""
    low, outer = case.grid.low[0], case.planet.outer
    if low < -outer:
        return None
    return (
        f"the grid begins at x = {low:g}, so that the line to the sun has no point beyond "
        f"planet.outer = {outer:g}."
    )


def without_planes(case: MagnetosphereCase) -> str | None:
    """Why planes through a planet cannot be drawn, or None."""
    if min(case.grid.points) > 1:
        return None
    return (
        f"grid.points = {list(case.grid.points)} is flat: planes through the planet need two points along "
        "each axis."
    )


def draw_axis(  # noqa: PLR0917
    path: Path,
    columns: dict[str, np.ndarray],
    title: str,
    found: dict[str, float | None],
    units: Units,
    outer: float,
) -> None:
    """Pressures and current along the line to the sun, with what was found on it; the scale is that of the
    current beyond `outer`, where no plasma is held."""
    x = -columns["x"]
    day = x > min(3.0, 0.5 * outer)
    magnetic = 0.5 * (columns["Bx"] ** 2 + columns["By"] ** 2 + columns["Bz"] ** 2)
    ram = columns["density"] * columns["vx"] ** 2
    nano = 1e9 * units.pressure
    current = 1e9 * units.current * columns["current"]
    with style.figure(path, 10.5, 6.4, title) as drawing:
        upper, lower = drawing.subplots(2, 1, sharex=True)
        for values, label, colour in (
            (columns["pressure"], "thermal", style.RED),
            (magnetic, "magnetic", style.BLUE),
            (ram, "dynamic ρv²", style.GREEN),
        ):
            upper.plot(x[day], nano * np.maximum(values[day], 1e-300), color=colour, label=label)
        upper.set(yscale="log", ylabel="pressure (nPa)", title="Pressures on the line to the sun")
        # Where the plasma is held it rests: neither end follows from the zeros of the dynamic pressure.
        most = max(values[day].max() for values in (columns["pressure"], magnetic, ram))
        upper.set_ylim(0.3 * nano * columns["pressure"][day].min(), 2 * nano * most)
        lower.plot(x[day], current[day], color=style.VIOLET, label="|J|")
        lower.set(xlabel="distance towards the sun (radii)", title="Current, |∇ × (B − dipole)| / μ₀")
        outside = x > outer
        lower.set(ylabel="current density (nA/m²)", ylim=(0, 1.3 * current[outside].max()))
        for axes in (upper, lower):
            for (name, place), dash in zip(found.items(), ("-", "--", ":"), strict=False):
                if place is not None and np.isfinite(place):
                    axes.axvline(
                        place, color=style.INK, linestyle=dash, linewidth=1, label=f"{name} {place:.2f}"
                    )
            axes.legend(fontsize=9, loc="upper left", bbox_to_anchor=(1.0, 1.0))  # beside the lines


def paint_with_lines(
    axes: Axes, plane: PlasmaField, values: np.ndarray, lines: np.ndarray, *, density: float, **look: Any
) -> None:
    """Values in the plane z = 0, and lines of a vector on them."""
    x, y = plane.points[0][0], plane.points[1][:, 0]
    paint(axes, x, y, values, shading="gouraud", **look)
    axes.streamplot(x, y, *lines[:2], color="white", linewidth=0.5, density=density, arrowsize=0.6)
    axes.set(xlabel="x", ylabel="y", xlim=(x.min(), x.max()), ylim=(y.min(), y.max()))


def draw_vortex(path: Path, plasma: PlasmaField, title: str) -> None:
    """Pressure and density in the plane z = 0, field lines on the one, stream lines on the other."""
    plane = plasma.plane(2)
    panels = (
        (plane.pressure, ("pressure", "field lines"), PRESSURE, plane.magnetic),
        (plane.density, ("density", "stream lines"), DENSITY, plane.velocity),
    )
    with style.figure(path, 10.5, 4.9, f"{title}, time {plasma.time:.4g}") as drawing:
        for axes, (values, names, colours, lines) in zip(drawing.subplots(1, 2), panels, strict=True):
            bar = {"fraction": 0.046, "pad": 0.03, "label": names[0]}
            paint_with_lines(axes, plane, values, lines, density=1.3, bar=bar, cmap=colours)
            axes.set(title=", ".join(names))


def draw_cuts(
    path: Path,
    cuts: dict[str, tuple[np.ndarray, np.ndarray]],
    reference: dict[str, tuple[np.ndarray, np.ndarray]],
    title: str,
    note: str,
) -> None:
    """Pressure along lines y = const, against a reference."""
    with style.figure(path, 10.5, 3.0 + 2.2 * len(cuts), title, note) as drawing:
        for axes, (name, (x, p)) in zip(
            np.atleast_1d(drawing.subplots(len(cuts), 1)), cuts.items(), strict=True
        ):
            if name in reference:
                axes.plot(*reference[name], **style.REFERENCE, label="reference")
            axes.plot(x, p, color=style.BLUE, linewidth=1.2, label="this run")
            axes.set(title=f"Pressure on {name}", xlabel="x", ylabel="p", xlim=(x.min(), x.max()))
            axes.legend()


def draw_tube(
    path: Path, columns: dict[str, np.ndarray], reference: dict[str, np.ndarray] | None, title: str, note: str
) -> None:
    """The five profiles of a shock tube, against a reference."""
    names = {"density": "ρ", "pressure": "p", "vx": "u", "vy": "v", "By": "By"}
    with style.figure(path, 10.5, 6.4, title, note) as drawing:
        panels = drawing.subplots(2, 3).ravel()
        for axes, (name, label) in zip(panels, names.items(), strict=False):
            if reference:
                axes.plot(reference["x"], reference[name], **style.REFERENCE, label="reference")
            axes.plot(columns["x"], columns[name], color=style.BLUE, linewidth=1.1, label="this run")
            axes.set(title=label, xlabel="x")
        panels[0].legend()
        panels[-1].set_visible(False)


def draw_plasma_history(
    path: Path,
    history: dict[str, np.ndarray],
    title: str,
    units: Units | None = None,
    expected: float | None = None,
) -> None:
    """Change of mass and energy, the divergence of B, floors, and the standoff where there is one; in the
    units of a planet, if there is one."""
    factor, unit = units.clock(history["time"][-1]) if units else (1.0, "")
    second, tesla = (units.time, 1e9 * units.field) if units else (1.0, 1.0)
    of_field, of_step = (" (nT / radius)", " (s)") if units else ("", "")
    time, when = factor * history["time"], with_unit("time", unit)
    with style.figure(path, 10.5, 6.4, title) as drawing:
        (sums, divergence), (floors, place) = drawing.subplots(2, 2, sharex=True)
        for name, colour in (("mass", style.BLUE), ("energy", style.RED)):
            first = history[name][0]
            sums.plot(time, 100 * (history[name] / first - 1), color=colour, label=name)
        sums.set(title="Mass and energy", ylabel="change since the first row (%)")
        sums.legend()
        divergence.plot(time, tesla * history["divergence"], color=style.VIOLET, linewidth=1.2)
        divergence.set(title="Divergence of B", ylabel=f"max |∇·B|{of_field}")
        floors.plot(time, history["floors"], color=style.ORANGE, linewidth=1.2)
        floors.set(title="Points held at a floor in the step", ylabel="points", xlabel=when)
        if np.isfinite(history["magnetopause"]).any():
            place.plot(time, history["shock"], color=style.GREEN, label="bow shock")
            place.plot(time, history["magnetopause"], color=style.BLUE, label="magnetopause")
            if expected:
                place.axhline(
                    expected, color=style.INK, linestyle="--", linewidth=1, label="pressure balance"
                )
            place.set(title="On the line to the sun", ylabel="radii", ylim=(0, None))
            place.legend()
        else:
            place.plot(time, second * history["dt"], color=style.GREEN)
            place.set(title="Time step", ylabel=f"Δt{of_step}")
        place.set_xlabel(when)
