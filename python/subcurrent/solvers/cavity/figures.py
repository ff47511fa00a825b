# SPDX-License-Identifier: Apache-2.0
"""The figures of a cavity run."""

from __future__ import annotations

from pathlib import Path

from ...case.reference import read_profiles
from ...launch.rundir import RunFolder
from ...report.flowfield import FlowField
from ...report.plots.history import draw_history, read_history
from ...report.records import read_record
from ...report.snapshot import read_fields, read_snapshot
from ..drawing import Drawing, OfState
from ..kinds import kind_of, title_of
from .average_figure import draw_averages
from .case import CavityCase
from .flow import draw_flow, draw_flow_3d, draw_plane
from .force_figure import draw_forces
from .profiles import draw_profiles


def _cube(case: CavityCase) -> bool:
    """Whether the flow is that in a closed box with sides 1, of which profiles and paths are drawn."""
    return list(case.grid.size) == [1, 1, 1] and not case.boundaries.open()


def _profiles(folder: RunFolder, case: CavityCase, path: Path) -> None:
    summary = read_record(folder.summary)
    reference = read_profiles(folder.reference) if folder.reference.is_file() else None
    label = f"this run, time {summary['time']:.4g}" if "time" in summary else "this run"
    draw_profiles(path, {label: read_profiles(folder.centreline)}, reference, title_of(case))


def _read(folder: RunFolder, _case: CavityCase) -> FlowField:
    return read_snapshot(folder.last_snapshot())


def _flow(path: Path, flow: FlowField, case: CavityCase) -> None:
    title = f"{title_of(case)}, time {flow.time:.4g}"
    if _cube(case):
        draw_flow(path, flow, title)
    else:
        draw_plane(path, flow, _across(case), title)


def _history(folder: RunFolder, case: CavityCase, path: Path) -> None:
    steady = case.run.steady if case.run.until else None
    draw_history(path, read_history(folder.history), steady, title_of(case))


def _averages(folder: RunFolder, case: CavityCase, path: Path) -> str | None:
    begin = case.output.average_from
    names = ("grid/points", "fields/mean_velocity", "fields/reynolds_stress")
    time, fields = read_fields(folder.last_snapshot(), names)
    if time <= begin:
        return f"averages.png: averages begin at time {begin:g}, after the last snapshot."
    points, velocity, stress = (fields[name] for name in names)
    title = f"{title_of(case)}, averages from time {begin:g} to {time:.4g}"
    draw_averages(path, FlowField(points, velocity, time), stress, _across(case), title)
    return None


def _across(case: CavityCase) -> int:
    """The axis across which a plane is drawn: a periodic one, or y."""
    periodic = case.boundaries.periodic()
    return periodic.index(True) if any(periodic) else 1


def _forces(folder: RunFolder, case: CavityCase, path: Path) -> None:
    unit = kind_of(case).columns(case)["time"][1]
    draw_forces(path, read_history(folder.forces), title_of(case), unit)


DRAWINGS = (
    Drawing(
        "profiles.png",
        "Velocity on the two centrelines, against the reference where there is one.",
        _profiles,
        ("centreline.csv",),
        _cube,
    ),
    Drawing(
        "flow.png",
        "Speed and streamlines in the middle planes, last snapshot.",
        OfState(_flow, _read, FlowField.of),
        ("snapshots",),
    ),
    Drawing(
        "flow_3d.png",
        "Particle paths through the last snapshot, the lid on top moving along x.",
        OfState(
            lambda path, flow, case: draw_flow_3d(path, flow, f"{title_of(case)}, time {flow.time:.4g}"),
            _read,
            FlowField.of,
        ),
        ("snapshots",),
        lambda case: _cube(case) and not any(case.boundaries.periodic()),
    ),
    Drawing(
        "history.png",
        "The run over time: change of the flow, pressure residual and iterations, divergence.",
        _history,
        ("history.csv",),
    ),
    Drawing(
        "averages.png",
        "Mean speed and turbulent kinetic energy in the middle plane, last snapshot.",
        _averages,
        ("snapshots",),
        lambda case: case.output.average_from is not None,
    ),
    Drawing(
        "forces.png",
        "The forces of the fluid on the walls over time, and their moments.",
        _forces,
        ("forces.csv",),
    ),
)
