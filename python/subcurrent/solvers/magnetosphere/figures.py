# SPDX-License-Identifier: Apache-2.0
"""The figures of a magnetosphere run, and of the tests of its scheme."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np

from ...case.reference import read_columns
from ...launch.rundir import RunFolder, write_text
from ...report.plots.history import read_history
from ...report.snapshot import read_plasma
from ..drawing import Drawing, summary_of
from ..kinds import kind_of
from .case import MagnetosphereCase
from .convection import find_convection, without_convection
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


def _name(case: MagnetosphereCase) -> str:
    return kind_of(case).title(case)


def _planes(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool | str:
    snapshot = folder.last_snapshot()
    if snapshot is None or not case.has_planet():
        return False
    if (why := without_planes(case)) is not None:
        return why
    draw_magnetosphere(
        path,
        read_plasma(snapshot),
        _name(case),
        units=case.units(),
        inner=case.planet.inner,
        mirrored=case.mirrored(),
    )
    return True


def _axis(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool | str:
    if not folder.axis.is_file() or not case.has_planet():
        return False
    if (why := without_day(case)) is not None:
        return why
    last = summary_of(folder).get("last_step") or {}
    found = {
        "magnetopause": last.get("magnetopause"),
        "bow shock": last.get("shock"),
        "pressure balance": case.expected_standoff(),
    }
    draw_axis(path, read_columns(folder.axis), _name(case), found, case.units(), case.planet.outer)
    return True


def _polar_cap(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool | str:
    """Also writes convection.json."""
    snapshot = folder.last_snapshot()
    if snapshot is None or not case.has_planet():
        return False
    if (why := without_convection(case)) is not None:
        return why
    convection = find_convection(read_plasma(snapshot), case)
    write_text(folder.convection, json.dumps(convection.record(), indent=1) + "\n")
    if (why := convection.sentence()) is not None:
        return why
    draw_polar_caps(path, convection, _name(case), case.units())
    return True


def _blast(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None or case.plasma.initial != "blast":
        return False
    reference = read_columns(folder.reference) if folder.reference.is_file() else None
    draw_blast(path, read_plasma(snapshot), reference, _name(case))
    return True


def _loop(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None or case.plasma.initial != "field_loop" or not folder.history.is_file():
        return False
    reference = read_columns(folder.reference) if folder.reference.is_file() else None
    history = read_history(folder.history)
    energies = {name: history[name] for name in ("time", "magnetic_energy")}
    draw_loop(path, read_plasma(snapshot), energies, reference, _name(case))
    return True


def _vortex(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None or case.plasma.initial != "orszag_tang":
        return False
    draw_vortex(path, read_plasma(snapshot), _name(case))
    return True


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


def _cuts(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    if (
        folder.last_snapshot() is None
        or case.plasma.initial != "orszag_tang"
        or not folder.reference.is_file()
    ):
        return False
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
    draw_cuts(path, cuts, reference, _name(case), note)
    return True


def _tube(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    if not folder.axis.is_file() or case.plasma.initial != "brio_wu":
        return False
    mine = read_columns(folder.axis)
    reference = read_columns(folder.reference) if folder.reference.is_file() else None
    note = ""
    if reference:
        error = np.mean(np.abs(np.interp(reference["x"], mine["x"], mine["density"]) - reference["density"]))
        note = f"mean |difference| of the density: {error:.4f}"
    time = summary_of(folder).get("time")
    when = "" if time is None else f", time {time:.4g}"
    draw_tube(path, mine, reference, _name(case) + when, note)
    return True


def _history(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool:
    if not folder.history.is_file():
        return False
    history = read_history(folder.history)
    units = case.units() if case.has_planet() else None
    draw_plasma_history(path, history, _name(case), units, case.expected_standoff())
    return True


def _view(folder: RunFolder, case: MagnetosphereCase, path: Path) -> bool | str:
    snapshot = folder.last_snapshot()
    if snapshot is None or not case.has_planet():
        return False
    if (why := without_planes(case)) is not None:
        return why
    if importlib.util.find_spec("pyvista") is None:
        return "the 3-D view needs pyvista, which is not installed: pip install pyvista."
    from .view import draw_view  # noqa: PLC0415 - only where pyvista is

    draw_view(path, read_plasma(snapshot), case.units(), case.planet.inner, case.mirrored())
    return True


DRAWINGS = (
    Drawing(
        "planes.png",
        "Noon-midnight and equatorial plane, last snapshot: pressure and density, field and stream lines.",
        _planes,
    ),
    Drawing(
        "axis.png",
        "The line from the planet to the sun: pressures, and the current that shows the magnetopause.",
        _axis,
    ),
    Drawing(
        "polar_cap.png",
        "Polar cap, last snapshot: potential of the convection and boundary of the open field lines.",
        _polar_cap,
    ),
    Drawing("vortex.png", "Pressure with field lines and density with stream lines, last snapshot.", _vortex),
    Drawing(
        "blast.png", "Density, pressure and field, last snapshot, and cuts against the reference.", _blast
    ),
    Drawing("loop.png", "Field energy and current of the loop, and its energy over time.", _loop),
    Drawing("cuts.png", "Pressure along two lines, against the reference.", _cuts),
    Drawing("tube.png", "Profiles along the tube, against the reference.", _tube),
    Drawing(
        "history.png", "The run over time: mass and energy, divergence of B, floors, standoff.", _history
    ),
    Drawing("view.png", "Field lines in space, seen from the sun's side.", _view, in_space=True),
)
