# SPDX-License-Identifier: Apache-2.0
"""The tables of a magnetosphere case file and their keys."""

from __future__ import annotations

from typing import Literal

from ...case.common import Triple
from ...case.keys import Table, key, setting
from ...case.tables import Cells, faces_of

KINDS = ("periodic", "wind", "free", "oblique", "mirror", "equator")
FACE = "one of " + ", ".join(f'"{kind}"' for kind in KINDS)


class Plasma(Table):
    initial: Literal["planet", "orszag_tang", "brio_wu", "blast", "field_loop", "linear_wave"] = setting(
        "initial state"
    )
    gamma: float = setting("ratio of specific heats", 5.0 / 3.0, gt=1)
    wave: Literal["fast", "alfven", "slow", "entropy"] = setting("type of the linear wave", "fast")
    amplitude: float = setting("amplitude of the linear wave", 1e-6, gt=0)


class GridTable(Table):
    points: Cells = key("nodes along x, y, z", "three whole numbers from 1 to 100000")
    low: Triple = key(
        "coordinates of the first node, in the unit of length", "three numbers [x, y, z]", [0.0, 0.0, 0.0]
    )
    spacing: float = setting(
        "distance between neighbouring nodes, in the unit of length (the radius of the planet)", gt=0
    )


Boundaries = faces_of(KINDS, FACE, "periodic")


class Planet(Table):
    name: str = setting("name that figures show", "Earth", max_length=80)
    radius: float = setting("radius in km: the unit of length", 6370.0, gt=0)
    field: float = setting(
        "magnetic field at the equator in nT: the unit of the magnetic field", 31200.0, gt=0
    )
    density: float = setting("protons per cm^3: the unit of density", 1e4, gt=0)
    tilt: float = setting("tilt of the dipole towards +x in degrees", 0.0, ge=-90, le=90)
    rotation: float = setting("rotation period in hours; 0: no rotation", 0.0, ge=0)
    inner: float = setting(
        "radius within which the plasma is held at the static state, in radii of the planet", 3.5, gt=0
    )
    outer: float = setting("radius beyond which the plasma is free, in radii of the planet", 7.0, gt=0)
    strength: float = setting("coefficient a_0 of the transition between the two radii", 100.0, gt=0)
    gravity: float = setting("gravity at the surface, in the solver's units", 1.35e-6, ge=0)
    pressure: float = setting(
        "pressure of the atmosphere at the surface, in the solver's units", 5.4e-7, gt=0
    )
    mirror: float = setting(
        "x of the plane where the initial image dipole cancels B_x, in radii of the planet", -30.0, lt=0
    )


class WindTable(Table):
    density: float = setting("protons per cm^3", gt=0)
    velocity: Triple = key("velocity in km/s", "three numbers [vx, vy, vz]")
    temperature: float = setting("temperature in K of ions and electrons each", gt=0)
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
    density: float = setting("diffusivity D of the density, in the solver's units", 0.0, ge=0)
    pressure: float = setting("diffusivity D_p of the pressure, in the solver's units", 0.0, ge=0)
    viscosity: float = setting("viscosity mu, in the solver's units", 0.0, ge=0)
    resistivity: float = setting("resistivity eta, in the solver's units", 0.0, ge=0)
    smoothing: float = setting(
        "diffusivity of mass, momentum, energy and magnetic field, in units of spacing x fastest signal",
        0.0,
        ge=0,
        le=1,
    )
    heating: bool = setting("energy that viscosity, resistivity and smoothing dissipate becomes heat", False)


class Limits(Table):
    density: float = setting("lower limit of the density, in the solver's units", 1e-10, gt=0)
    pressure: float = setting("lower limit of the pressure, in the solver's units", 1e-14, gt=0)


class Run(Table):
    steps: int | None = setting("run to this step", None, ge=1)
    time: float | None = setting("run to this time, in the solver's units", None, gt=0)
    courant: float | None = setting(
        "Courant number: fastest signal x time step / spacing; 0.4, for shocks, if run.dt is left out too; "
        "0.8 for smooth flows",
        None,
        gt=0,
        le=1,
    )
    dt: float | None = setting(
        "fixed time step, in the solver's units, instead of a Courant number", None, gt=0
    )
    cycle: int = setting(
        "steps of a cycle: the first is a two-step Lax-Wendroff step, the others are leap-frog steps; 8 for "
        "shocks, 64 or more for smooth flows",
        8,
        ge=1,
        le=1000,
    )
