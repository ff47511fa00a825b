# SPDX-License-Identifier: Apache-2.0
"""Checks of the faces of a cavity case that are neither walls nor periodic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...case.keys import shown
from ...errors import BadInput
from .faces import GivenPressure, Inflow

if TYPE_CHECKING:
    from .case import CavityCase


def check_openings(case: CavityCase) -> None:
    grid, boundaries = case.grid, case.boundaries
    opened = boundaries.open()
    if opened and grid.clustering not in ("uniform", "tanh"):
        raise BadInput(
            f'boundaries."{opened[0]}" is neither a wall nor periodic, which is not allowed with '
            f"grid.clustering = {shown(grid.clustering)}: it needs grid lines parallel to the axes, "
            '"uniform" or "tanh".'
        )
    for name, face in boundaries.of(Inflow).items():
        _check_inflow(name, face, grid.size)
    _check_balance(case)


def _check_inflow(name: str, face: Inflow, size: list[float]) -> None:
    normal = "xyz".index(name[0])
    sign = 1 if name[1] == "-" else -1
    if not sign * face.inflow[normal] > 0:
        raise BadInput(
            f'boundaries."{name}".inflow = {face.inflow} does not enter: component {"uvw"[normal]} must be '
            f"{'greater' if sign > 0 else 'less'} than 0 there."
        )
    across = [axis for axis in range(3) if axis != normal]
    low, high = face.from_ or [0.0, 0.0], face.to or [size[axis] for axis in across]
    for first, last, axis in zip(low, high, across, strict=True):
        if not 0 <= first < last <= size[axis]:
            raise BadInput(
                f'boundaries."{name}" lets fluid enter from {first:g} to {last:g} along {"xyz"[axis]}, which '
                f"is not allowed: from must be below to, and both within 0 and {size[axis]:g}."
            )


def _check_balance(case: CavityCase) -> None:
    """What enters must be able to leave, and one condition decides how much does."""
    faces = case.boundaries.faces()
    enters, given = case.boundaries.of(Inflow), case.boundaries.of(GivenPressure)
    leaves = [name for name, face in faces.items() if face == "outflow"]
    if enters and not leaves and not given:
        raise BadInput(
            f'boundaries."{next(iter(enters))}" lets fluid enter that cannot leave: another face must be '
            '"outflow" or { pressure = p }.'
        )
    if leaves and not enters:
        raise BadInput(
            f'boundaries."{leaves[0]}" = "outflow" needs a face with {{ inflow = [u, v, w] }}: nothing would '
            "leave."
        )
    if leaves and given:
        raise BadInput(
            f'boundaries."{leaves[0]}" = "outflow" and boundaries."{next(iter(given))}".pressure cannot be '
            "combined: only one of them can decide what leaves."
        )
    if len({name[0] for name in leaves}) > 1:
        raise BadInput(
            f"boundaries have outflow on {' and '.join(leaves)}: it is allowed on the faces of one axis only."
        )
