# SPDX-License-Identifier: Apache-2.0
"""Checks of a cavity case beyond the type of each key; each message states what is allowed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...case.common import check_pairs
from ...case.starts import Starts
from ...errors import BadInput
from .faces import GivenPressure, Inflow, MovingWall
from .openings import check_openings

if TYPE_CHECKING:
    from .case import CavityCase

STARTS = Starts(
    ("rest", "taylor_green"),
    (".vtkhdf",),
    '"rest", "taylor_green", or the path of a run or of a snapshot (.vtkhdf)',
)


def check_case(case: CavityCase) -> None:
    _check_grid(case)
    _check_boundaries(case)
    check_openings(case)
    _check_initial(case)
    _check_pressure(case)


FEWEST = 6  # points between walls: beside each the velocity is continued by a cubic


def _check_grid(case: CavityCase) -> None:
    grid = case.grid
    for axis, (points, periodic) in enumerate(zip(grid.points, case.boundaries.periodic(), strict=True)):
        if not periodic and points < FEWEST:
            raise BadInput(
                f"grid.points[{axis}] = {points} is not allowed: between walls it must be at least {FEWEST}."
            )
        if periodic and points % 2 and case.pressure.method == "sor":
            raise BadInput(
                f'grid.points[{axis}] = {points} is not allowed: pressure.method = "sor" updates '
                "points by colour and needs an even number along a periodic axis."
            )
    if grid.clustering == "file" and grid.file is None:
        raise BadInput('grid.file is missing: grid.clustering = "file" needs the path of an HDF5 grid file.')
    if grid.clustering == "file" and grid.size != [1, 1, 1]:
        raise BadInput(
            f'grid.size = {grid.size} has no effect with grid.clustering = "file": the file has the points.'
        )
    if grid.clustering != "tanh":
        return
    if grid.smallest is None:
        raise BadInput('grid.smallest is missing: grid.clustering = "tanh" needs the spacing at the walls.')
    axes = zip("xyz", grid.points, grid.size, case.boundaries.periodic(), strict=True)
    for axis, points, side, periodic in axes:
        uniform = side / (points - 1)
        if periodic:
            continue
        if grid.smallest >= uniform:
            raise BadInput(
                f"grid.smallest = {grid.smallest:g} is too large for {points} points along {axis}: it must "
                f"be below "
                f"the uniform spacing {uniform:.4g}."
            )
        if grid.smallest < uniform / 100:
            raise BadInput(
                f"grid.smallest = {grid.smallest:g} is too small for {points} points along {axis}: it must "
                f"be at "
                f"least a hundredth of the uniform spacing, {uniform / 100:.3g}."
            )


def _check_boundaries(case: CavityCase) -> None:
    check_pairs(case.boundaries.faces())
    curved = case.grid.clustering == "file"  # the solver looks at the wall itself
    for name, wall in case.boundaries.of(MovingWall).items():
        index = "xyz".index(name[0])
        if wall.moving[index] != 0 and not curved:
            raise BadInput(
                f'boundaries."{name}" moves with {wall.moving}: component {"uvw"[index]} must be 0, '
                "a wall can only move along itself."
            )
        if any(wall.about) and not wall.turns():
            raise BadInput(
                f'boundaries."{name}".about = {wall.about} has no effect without turning: '
                "leave it out, or give an angular velocity."
            )


def _check_initial(case: CavityCase) -> None:
    boundaries, size = case.boundaries, case.grid.size
    periodic = boundaries.periodic()
    if case.flow.initial == "taylor_green" and not (periodic[0] and periodic[1]):
        raise BadInput('flow.initial = "taylor_green" needs periodic faces along x and y.')
    if case.flow.initial == "taylor_green" and size[:2] != [1, 1]:
        raise BadInput(
            f'flow.initial = "taylor_green" is not allowed with grid.size = {size}: its vortices fill a box '
            "with sides 1 along x and y."
        )
    pressures = {face.pressure for face in boundaries.of(GivenPressure).values()}
    moves = any(wall.moves() for wall in boundaries.of(MovingWall).values())
    if case.flow.initial == "rest" and not (moves or boundaries.of(Inflow) or len(pressures) > 1):
        raise BadInput(
            'flow.initial = "rest" without a moving wall, inflow or a difference of given pressures stays at '
            'rest: let a face move, e.g. "z+".'
        )


def _check_pressure(case: CavityCase) -> None:
    pressure = case.pressure
    if case.flow.precision == "single" and pressure.tolerance is not None and pressure.tolerance < 1e-6:
        raise BadInput(
            f'pressure.tolerance = {pressure.tolerance:g} cannot be reached with flow.precision = "single": '
            "at least 1e-06 is needed."
        )
    if pressure.method == "jacobi" and pressure.relaxation != "auto" and pressure.relaxation > 1:
        raise BadInput(
            f'pressure.relaxation = {pressure.relaxation:g} is not allowed with pressure.method = "jacobi": '
            "the iteration diverges above 1."
        )
    _check_sweeps(case)


def _check_sweeps(case: CavityCase) -> None:
    """Keys that would have no effect."""
    pressure = case.pressure
    length = pressure.sweeps_per_pass
    tested = pressure.method != "multigrid" and pressure.iterations is None
    if tested and length > pressure.check_every + 1:
        raise BadInput(
            f"pressure.sweeps_per_pass = {length} is not allowed with pressure.check_every = "
            f"{pressure.check_every}: a test of convergence ends a pass, so it must be at most "
            f"{pressure.check_every + 1}."
        )
