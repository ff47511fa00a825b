# SPDX-License-Identifier: Apache-2.0
"""The tables of a magnetosphere case file and their keys."""

from __future__ import annotations

from typing import Literal

from ...case.common import Triple
from ...case.keys import Table, key
from ...case.tables import POSITIVE, Cells, faces_of

KINDS = ("periodic", "wind", "free", "oblique", "mirror", "equator")
FACE = "one of " + ", ".join(f'"{kind}"' for kind in KINDS)
NOT_NEGATIVE = "a number >= 0"


class Plasma(Table):
    initial: Literal["planet", "orszag_tang", "brio_wu", "blast", "field_loop", "linear_wave"] = key(
        "initial state", '"planet", "orszag_tang", "brio_wu", "blast", "field_loop" or "linear_wave"'
    )
    gamma: float = key("ratio of specific heats", "a number greater than 1", 5.0 / 3.0, gt=1)
    wave: Literal["fast", "alfven", "slow", "entropy"] = key(
        "type of the linear wave", '"fast", "alfven", "slow" or "entropy"', "fast"
    )
    amplitude: float = key("amplitude of the linear wave", POSITIVE, 1e-6, gt=0)


class GridTable(Table):
    points: Cells = key("nodes along x, y, z", "three whole numbers from 1 to 100000")
    low: Triple = key(
        "coordinates of the first node, in the unit of length", "three numbers [x, y, z]", [0.0, 0.0, 0.0]
    )
    spacing: float = key(
        "distance between neighbouring nodes, in the unit of length (the radius of the planet)",
        POSITIVE,
        gt=0,
    )


Boundaries = faces_of(KINDS, FACE, "periodic")


class Planet(Table):
    name: str = key("name that figures show", "text of up to 80 characters", "Earth", max_length=80)
    radius: float = key("radius in km: the unit of length", POSITIVE, 6370.0, gt=0)
    field: float = key(
        "magnetic field at the equator in nT: the unit of the magnetic field", POSITIVE, 31200.0, gt=0
    )
    density: float = key("protons per cm^3: the unit of density", POSITIVE, 1e4, gt=0)
    tilt: float = key(
        "tilt of the dipole towards +x in degrees", "a number from -90 to 90", 0.0, ge=-90, le=90
    )
    rotation: float = key("rotation period in hours; 0: no rotation", NOT_NEGATIVE, 0.0, ge=0)
    inner: float = key(
        "radius within which the plasma is held at the static state, in radii of the planet",
        POSITIVE,
        3.5,
        gt=0,
    )
    outer: float = key("radius beyond which the plasma is free, in radii of the planet", POSITIVE, 7.0, gt=0)
    strength: float = key("coefficient a_0 of the transition between the two radii", POSITIVE, 100.0, gt=0)
    gravity: float = key("gravity at the surface, in the solver's units", NOT_NEGATIVE, 1.35e-6, ge=0)
    pressure: float = key(
        "pressure of the atmosphere at the surface, in the solver's units", POSITIVE, 5.4e-7, gt=0
    )
    mirror: float = key(
        "x of the plane where the initial image dipole cancels B_x, in radii of the planet",
        "a number below 0",
        -30.0,
        lt=0,
    )


class WindTable(Table):
    density: float = key("protons per cm^3", POSITIVE, gt=0)
    velocity: Triple = key("velocity in km/s", "three numbers [vx, vy, vz]")
    temperature: float = key("temperature in K of ions and electrons each", POSITIVE, gt=0)
    field: Triple = key("interplanetary field in nT", "three numbers [Bx, By, Bz]", [0.0, 0.0, 0.0])
    file: str | None = key(
        "CSV file with the wind over time at x-: the column time, in the unit of run.time, and those of "
        "density, velocity_x, velocity_y, velocity_z, temperature, field_x, field_y, field_z that change, "
        "in the units of the keys; density, velocity, pressure and field are linear between rows, and "
        "constant before the first and after the last",
        "the path of a CSV file",
        None,
    )


class Diffusion(Table):
    density: float = key("diffusivity D of the density, in the solver's units", NOT_NEGATIVE, 0.0, ge=0)
    pressure: float = key("diffusivity D_p of the pressure, in the solver's units", NOT_NEGATIVE, 0.0, ge=0)
    viscosity: float = key("viscosity mu, in the solver's units", NOT_NEGATIVE, 0.0, ge=0)
    resistivity: float = key("resistivity eta, in the solver's units", NOT_NEGATIVE, 0.0, ge=0)
    smoothing: float = key(
        "diffusivity of mass, momentum, energy and magnetic field, in units of spacing x fastest signal",
        "a number from 0 to 1",
        0.0,
        ge=0,
        le=1,
    )
    heating: bool = key(
        "energy that viscosity, resistivity and smoothing dissipate becomes heat", "true or false", False
    )


class Limits(Table):
    density: float = key("lower limit of the density, in the solver's units", POSITIVE, 1e-10, gt=0)
    pressure: float = key("lower limit of the pressure, in the solver's units", POSITIVE, 1e-14, gt=0)


class Run(Table):
    steps: int | None = key("run to this step", "a whole number >= 1", None, ge=1)
    time: float | None = key("run to this time, in the solver's units", POSITIVE, None, gt=0)
    courant: float | None = key(
        "Courant number: fastest signal x time step / spacing; 0.4 if run.dt is left out too",
        "a number greater than 0 and at most 1",
        None,
        gt=0,
        le=1,
    )
    dt: float | None = key(
        "fixed time step, in the solver's units, instead of a Courant number", POSITIVE, None, gt=0
    )
    cycle: int = key(
        "steps of a cycle: the first is a two-step Lax-Wendroff step, the others are leap-frog steps",
        "a whole number from 1 to 1000",
        8,
        ge=1,
        le=1000,
    )
