# SPDX-License-Identifier: Apache-2.0
"""The figures of a magnetosphere run, and of the tests of its scheme."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from ...case.reference import read_columns
from ...launch.rundir import RunFolder, write_text
from ...report.flowfield import PlasmaField
from ...report.plots.history import read_history
from ...report.records import read_record
from ...report.snapshot import read_plasma
from ..drawing import Drawing, OfState, reference_of
from ..kinds import title_of
from .case import MagnetosphereCase
from .convection import Convection, find_convection, without_convection
from .plasma import (
    draw_axis,
    draw_cuts,
    draw_magnetosphere,
    draw_plasma_history,
    draw_tube,
    draw_vortex,
    without_day,
    without_planes,
)
from .plasma_plane import draw_blast, draw_loop
from .polar_cap_plot import draw_polar_caps


def _read(folder: RunFolder, _case: MagnetosphereCase) -> PlasmaField:
    return read_plasma(folder.last_snapshot())


def _planes(path: Path, plasma: PlasmaField, case: MagnetosphereCase) -> None:
    inner, mirrored = case.planet.inner, case.mirrored()
    draw_magnetosphere(path, plasma, title_of(case), units=case.units(), inner=inner, mirrored=mirrored)


Axis = tuple[dict[str, np.ndarray], float | None, float | None]  # columns, the magnetopause and the shock


def _read_axis(folder: RunFolder, _case: MagnetosphereCase) -> Axis:
    last = read_record(folder.summary).get("last_step") or {}
    return read_columns(folder.axis), last.get("magnetopause"), last.get("shock")


def _gather_axis(simulation: Any) -> Axis | None:
    found, columns = simulation.standoff(), simulation.axis()
    return None if columns is None else (columns, found.magnetopause, found.shock)


def _axis(path: Path, axis: Axis, case: MagnetosphereCase) -> None:
    columns, *found = axis
    names = ("magnetopause", "bow shock", "pressure balance")
    places = dict(zip(names, (*found, case.expected_standoff()), strict=True))
    draw_axis(path, columns, title_of(case), places, case.units(), case.planet.outer)


def _read_convection(folder: RunFolder, case: MagnetosphereCase) -> Convection:
    """Also writes convection.json."""
    convection = find_convection(_read(folder, case), case)
    write_text(folder.convection, json.dumps(convection.record(), indent=1) + "\n")
    return convection


def _polar_cap(path: Path, convection: Convection, case: MagnetosphereCase) -> str | None:
    if (why := convection.sentence()) is None:
        draw_polar_caps(path, convection, title_of(case), case.units())
    return why


def _blast(folder: RunFolder, case: MagnetosphereCase, path: Path) -> None:
    draw_blast(path, read_plasma(folder.last_snapshot()), reference_of(folder), title_of(case))


def _loop(folder: RunFolder, case: MagnetosphereCase, path: Path) -> None:
    history = read_history(folder.history)
    energies = {name: history[name] for name in ("time", "magnetic_energy")}
    draw_loop(path, read_plasma(folder.last_snapshot()), energies, reference_of(folder), title_of(case))


def pressure_cuts(folder: RunFolder, heights: tuple[float, ...]) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Pressure of the last snapshot on y = const in the plane z = 0, between rows of nodes linearly."""
    plane = read_plasma(folder.last_snapshot()).plane(2)
    x, y = plane.points[0][0], plane.points[1][:, 0]
    rows = {}
    for height in heights:
        n = min(int(np.searchsorted(y, height, side="right")) - 1, len(y) - 2)
        weight = (height - y[n]) / (y[n + 1] - y[n])
        rows[f"y = {height:g}"] = (x, (1 - weight) * plane.pressure[n] + weight * plane.pressure[n + 1])
    return rows


CUTS = (0.3125, 0.4277)  # where Londrillo & Del Zanna (2000) and many since have shown it


def _cuts(folder: RunFolder, case: MagnetosphereCase, path: Path) -> None:
    columns = read_columns(folder.reference)
    reference = {f"y = {h:g}": (columns["x"], columns[f"p({h:g})"]) for h in CUTS}
    cuts = pressure_cuts(folder, CUTS)
    errors = [
        float(
            np.mean(np.abs(np.interp(*reference[name][:1], *cut) - reference[name][1]))
            / reference[name][1].mean()
        )
        for name, cut in cuts.items()
    ]
    note = "mean |difference| / mean: " + ", ".join(f"{100 * error:.2f} %" for error in errors)
    draw_cuts(path, cuts, reference, title_of(case), note)


def _tube(folder: RunFolder, case: MagnetosphereCase, path: Path) -> None:
    mine = read_columns(folder.axis)
    reference = reference_of(folder)
    note = ""
    if reference:
        error = np.mean(np.abs(np.interp(reference["x"], mine["x"], mine["density"]) - reference["density"]))
        note = f"mean |difference| of the density: {error:.4f}"
    time = read_record(folder.summary).get("time")
    when = "" if time is None else f", time {time:.4g}"
    draw_tube(path, mine, reference, title_of(case) + when, note)


def _history(folder: RunFolder, case: MagnetosphereCase, path: Path) -> None:
    history = read_history(folder.history)
    units = case.units() if case.has_planet() else None
    draw_plasma_history(path, history, title_of(case), units, case.expected_standoff())


def _view(folder: RunFolder, case: MagnetosphereCase, path: Path) -> str | None:
    if (why := without_planes(case)) is not None:
        return why
    if importlib.util.find_spec("pyvista") is None:
        return "the 3-D view needs pyvista, which is not installed: pip install pyvista."
    from .view import draw_view  # noqa: PLC0415 - only where pyvista is

    plasma = read_plasma(folder.last_snapshot())
    draw_view(path, plasma, case.units(), case.planet.inner, case.mirrored())
    return None


def _started(initial: str) -> Callable[[MagnetosphereCase], bool]:
    return lambda case: case.plasma.initial == initial


DRAWINGS = (
    Drawing(
        "planes.png",
        "Noon-midnight and equatorial plane, last snapshot: pressure and density, field and stream lines.",
        OfState(_planes, _read, PlasmaField.of, without_planes),
        ("snapshots",),
        MagnetosphereCase.has_planet,
    ),
    Drawing(
        "axis.png",
        "The line from the planet to the sun: pressures, and the current that shows the magnetopause.",
        OfState(_axis, _read_axis, _gather_axis, without_day),
        ("axis.csv",),
        MagnetosphereCase.has_planet,
    ),
    Drawing(
        "polar_cap.png",
        "Polar cap, last snapshot: potential of the convection and boundary of the open field lines.",
        OfState(_polar_cap, _read_convection, lambda sim: sim.convection(), without_convection),
        ("snapshots",),
        MagnetosphereCase.has_planet,
    ),
    Drawing(
        "vortex.png",
        "Pressure with field lines and density with stream lines, last snapshot.",
        OfState(lambda path, plasma, case: draw_vortex(path, plasma, title_of(case)), _read, PlasmaField.of),
        ("snapshots",),
        _started("orszag_tang"),
    ),
    Drawing(
        "blast.png",
        "Density, pressure and field, last snapshot, and cuts against the reference.",
        _blast,
        ("snapshots",),
        _started("blast"),
    ),
    Drawing(
        "loop.png",
        "Field energy and current of the loop, and its energy over time.",
        _loop,
        ("snapshots", "history.csv"),
        _started("field_loop"),
    ),
    Drawing(
        "cuts.png",
        "Pressure along two lines, against the reference.",
        _cuts,
        ("snapshots", "reference.csv"),
        _started("orszag_tang"),
    ),
    Drawing(
        "tube.png",
        "Profiles along the tube, against the reference.",
        _tube,
        ("axis.csv",),
        _started("brio_wu"),
    ),
    Drawing(
        "history.png",
        "The run over time: mass and energy, divergence of B, floors, standoff.",
        _history,
        ("history.csv",),
    ),
    Drawing(
        "view.png",
        "Field lines in space, seen from the sun's side.",
        _view,
        ("snapshots",),
        MagnetosphereCase.has_planet,
        in_space=True,
    ),
)
