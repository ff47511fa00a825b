# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a run folder from the files in it, so that they can be drawn again at any time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from . import plots
from .case import Case
from .errors import BadInput, SubcurrentError
from .reference import read_profiles
from .rundir import RunFolder
from .schema import SOLVERS
from .snapshot import read_snapshot

CAPTIONS = {
    "profiles.png": "Velocity on the two centrelines, against the reference where there is one.",
    "flow.png": "Speed and streamlines in the middle planes, last snapshot.",
    "flow_3d.png": "Particle paths through the last snapshot, the lid on top moving along x.",
    "history.png": "The run over time: change of the flow, pressure residual and iterations, divergence.",
    "strategies.png": "Time of a step under each strategy: measured, and the terms that make it up.",
}


def draw_figures(folder: RunFolder) -> tuple[list[Path], list[str]]:
    """Draws what the folder has data for; returns the files, and a sentence for each that failed."""
    drawn, skipped = [], []
    for name, draw in (
        ("profiles.png", _profiles),
        ("flow.png", _flow),
        ("flow_3d.png", _flow_3d),
        ("history.png", _history),
        ("strategies.png", _strategies),
    ):
        path = folder.figures / name
        try:
            if draw(folder, path):
                drawn.append(path)
        except SubcurrentError as error:
            if error.exit_code == 3 and "cannot write" in error.sentence:
                raise
            skipped.append(error.sentence)
    return drawn, skipped


def stored_case(folder: RunFolder) -> Case:
    """The resolved case that a run folder keeps."""
    try:
        tables = tomllib.loads(folder.case.read_text())
        return SOLVERS[tables["solver"]].model_validate(tables)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(
            f"{folder.path} is no run folder: {folder.case} is missing or damaged ({error})."
        ) from None


def name_of(case: Case) -> str:
    points = " × ".join(str(count) for count in case.grid.points)
    return f"{case.solver.capitalize()}, Re = {case.flow.reynolds:g}, {points} points"


def _profiles(folder: RunFolder, path: Path) -> bool:
    if not folder.centreline.is_file():
        return False
    summary = _summary(folder)
    case = stored_case(folder)
    reference = read_profiles(folder.reference) if folder.reference.is_file() else None
    label = f"this run, time {summary['time']:.4g}" if "time" in summary else "this run"
    plots.draw_profiles(path, {label: read_profiles(folder.centreline)}, reference, name_of(case))
    return True


def _flow(folder: RunFolder, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None:
        return False
    flow = read_snapshot(snapshot)
    plots.draw_flow(path, flow, f"{name_of(stored_case(folder))}, time {flow.time:.4g}")
    return True


def _flow_3d(folder: RunFolder, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None or any(stored_case(folder).boundaries.periodic()):
        return False
    flow = read_snapshot(snapshot)
    plots.draw_flow_3d(path, flow, f"{name_of(stored_case(folder))}, time {flow.time:.4g}")
    return True


def _history(folder: RunFolder, path: Path) -> bool:
    if not folder.history.is_file():
        return False
    case = stored_case(folder)
    steady = case.run.steady if case.run.until else None
    plots.draw_history(path, plots.read_history(folder.history), steady, name_of(case))
    return True


def _strategies(folder: RunFolder, path: Path) -> bool:
    file = folder.path / "strategies.json"
    if not file.is_file():
        return False
    table = json.loads(file.read_text())
    case = stored_case(folder)
    title = f"Time of a step: {name_of(case)}, {table['ranks']} ranks × {table['threads']} threads"
    note = (
        f"medians of {table['repeats']} rounds of {table['steps']} steps; whiskers: fastest and slowest round"
    )
    plots.draw_strategies(path, table["rows"], title, note)
    return True


def _summary(folder: RunFolder) -> dict:
    return json.loads(folder.summary.read_text()) if folder.summary.is_file() else {}
