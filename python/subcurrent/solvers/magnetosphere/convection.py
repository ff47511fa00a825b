# SPDX-License-Identifier: Apache-2.0
"""The convection of a magnetosphere: the open flux of both hemispheres, and the potential across their polar
caps."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ...report.flowfield import PlasmaField
from .fieldlines import space_of
from .neutral_line import beyond_neutral_line
from .polar_cap import Sphere, open_flux, open_region, potential
from .units import Units

if TYPE_CHECKING:
    from .case import MagnetosphereCase

NODES, FEWEST_NODES = 41, 5  # along a side of the grid on a hemisphere


@dataclass(frozen=True)
class Chart:
    """Points on open lines, and what is known there; those from `inside` on lie on the boundary of the open
    lines."""

    colatitudes: np.ndarray  # at the planet's surface, degrees from the dipole's axis
    azimuths: np.ndarray  # from the direction away from the sun towards y
    potentials: np.ndarray  # kV, of mean 0; NaN where lines are apart from most of the others
    flat: np.ndarray  # on the sphere, across the dipole's axis, in radii of the sphere
    spacing: float  # of the grid in `flat`
    inside: int


@dataclass(frozen=True)
class PolarCap:
    """One hemisphere. Without open lines the flux is 0 and the rest None."""

    open_flux: float  # MWb
    potential: float | None = None  # kV, largest less smallest
    along_line: float | None = None  # kV, between the same places: E integrated along a straight line
    curl: float | None = None  # the part of E, root mean square, that is no gradient
    lost: int = 0  # points on lines that neither leave the grid nor come back
    chart: Chart | None = None


@dataclass(frozen=True)
class Convection:
    """Both polar caps. With an equator as boundary condition both are the same, and the open flux is also
    known without field lines: it is that beyond the neutral line."""

    time: float  # in the solver's unit
    radius: float  # of the sphere on which lines begin and E is taken, in radii of the planet
    north: PolarCap
    south: PolarCap
    neutral_line: float | None  # MWb

    def sentence(self) -> str | None:
        """Why there is no potential, or None."""
        if self.north.potential is not None or self.south.potential is not None:
            return None
        return "no field line of the planet leaves the grid, so that there is no polar cap."

    def record(self) -> dict[str, Any]:
        """For convection.json."""
        caps = {
            name: {
                "open_flux_MWb": cap.open_flux,
                "potential_kV": cap.potential,
                "along_line_kV": cap.along_line,
                "curl": cap.curl,
                "lost": cap.lost,
            }
            for name, cap in (("north", self.north), ("south", self.south))
        }
        return {
            "time": self.time,
            "radius": self.radius,
            **caps,
            "neutral_line_MWb": self.neutral_line,
            "note": self.sentence(),
        }


def sphere_of(case: MagnetosphereCase) -> float:
    """The radius of the smallest sphere on which no plasma is held, not even in the corners of its cells."""
    return case.planet.outer + math.sqrt(3) * case.grid.spacing


def without_convection(case: MagnetosphereCase) -> str | None:
    """Why there is no convection of a case, or None."""
    if not case.has_planet():
        return f'plasma.initial = "{case.plasma.initial}" has no planet, and so no polar cap.'
    radius, low = sphere_of(case), np.array(case.grid.low)
    high = low + case.grid.spacing * (np.array(case.grid.points) - 1)
    low = np.where((False, *case.mirrored()), -high, low)
    if radius < min(-low.max(), high.min()):
        return None
    return (
        f"the grid, from {low.tolist()} to {high.tolist()}, does not enclose a sphere of {radius:.4g} radii "
        "around the planet, which the polar cap is seen on."
    )


def find_convection(plasma: PlasmaField, case: MagnetosphereCase, nodes: int = NODES) -> Convection:
    """Of a state as it is stored. More nodes resolve the polar cap better, and take longer in proportion to
    their square."""
    units, planet = case.units(), case.planet_options()
    space = space_of(plasma.completed(case.mirrored()), planet["tilt"], planet["inner"])
    radius, equator = sphere_of(case), case.mirrored()[1]

    def cap(side: int) -> PolarCap:
        return _cap(Sphere(space, radius, planet["inner"], side, planet["rotation"]), units, nodes)

    north = cap(1)
    beyond = beyond_neutral_line(space, radius) if equator else None
    return Convection(
        time=plasma.time,
        radius=radius,
        north=north,
        south=north if equator else cap(-1),
        neutral_line=None if beyond is None else 1e-6 * units.flux * beyond,
    )


def _cap(sphere: Sphere, units: Units, nodes: int) -> PolarCap:
    network = open_region(sphere, nodes)
    if network is None:
        return PolarCap(0.0)
    found, kilovolts = potential(sphere, network), 1e-3 * units.potential
    return PolarCap(
        open_flux=1e-6 * units.flux * open_flux(sphere, network),
        potential=kilovolts * found.drop,
        along_line=kilovolts * found.along_line,
        curl=found.curl,
        lost=network.lost,
        chart=Chart(
            *sphere.latitudes(network.flat),
            potentials=kilovolts * found.values,
            flat=network.flat,
            spacing=network.spacing,
            inside=network.inside,
        ),
    )
