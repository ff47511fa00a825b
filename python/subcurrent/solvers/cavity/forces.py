# SPDX-License-Identifier: Apache-2.0
"""Forces on the walls of the box: the columns of forces.csv."""

from __future__ import annotations

from typing import Any

NAME = "forces.csv"
PARTS = ("pressure", "viscous", "moment")
SIGNS = {"-": "minus", "+": "plus"}


def column(face: str, part: str, axis: str) -> str:
    """The face z+ has the columns z_plus_pressure_x, …"""
    return f"{face[0]}_{SIGNS[face[1]]}_{part}_{axis}"


def series(solver: Any, about: list[float]) -> dict[str, Any]:
    """The table, a row for the present state. Collective."""
    names = tuple(
        column(face, part, axis) for face in solver.forces(about) for part in PARTS for axis in "xyz"
    )

    def rows() -> list[list[float]]:
        forces = solver.forces(about).values()
        return [[number for force in forces for part in PARTS for number in force[part]]]

    return {NAME: (names, rows)}
