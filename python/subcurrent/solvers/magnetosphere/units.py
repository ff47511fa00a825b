# SPDX-License-Identifier: Apache-2.0
"""The units of the magnetosphere solver, and the solar wind in units of the case file and of the solver."""

from __future__ import annotations

import math
from dataclasses import dataclass

MU_0 = 4e-7 * math.pi  # V s / (A m)
PROTON = 1.67262192e-27  # kg
BOLTZMANN = 1.380649e-23  # J / K


@dataclass(frozen=True)
class Units:
    """Length: radius of the planet; field: its field at the equator; density: chosen; speed: Alfven speed."""

    radius: float  # m
    field: float  # T
    density: float  # protons / m^3

    @property
    def speed(self) -> float:
        return self.field / math.sqrt(MU_0 * PROTON * self.density)

    @property
    def time(self) -> float:
        return self.radius / self.speed

    def clock(self, longest: float) -> tuple[float, str]:
        """What times up to `longest` are multiplied by, and the unit in which people then read them."""
        return (self.time / 60, "min") if self.time * longest < 36_000 else (self.time / 3600, "h")

    def said(self, time: float) -> str:
        """A time as text: 101 min, 32.5 h."""
        factor, unit = self.clock(time)
        return f"{factor * time:.3g} {unit}"

    @property
    def pressure(self) -> float:
        return self.field**2 / MU_0

    @property
    def current(self) -> float:
        """A / m^2, of which the curl of B in fields over radii is a multiple."""
        return self.field / (MU_0 * self.radius)

    @property
    def flux(self) -> float:
        """Wb, of magnetic flux."""
        return self.field * self.radius**2

    @property
    def potential(self) -> float:
        """V, of the electric potential: that of -v x B over a length."""
        return self.speed * self.field * self.radius


@dataclass(frozen=True)
class Wind:
    """n [cm^-3], v [km/s], T [K] of electrons and ions each, B [nT]."""

    density: float
    velocity: tuple[float, float, float]
    temperature: float
    field: tuple[float, float, float]

    @property
    def dynamic_pressure(self) -> float:
        """n m v^2 in Pa."""
        return self.density * 1e6 * PROTON * sum((1e3 * v) ** 2 for v in self.velocity)

    def scaled(self, units: Units) -> dict[str, object]:
        """The state in the solver's units; electrons and ions contribute equally to the pressure: p = 2 n k
        T."""
        pressure = 2 * self.density * 1e6 * BOLTZMANN * self.temperature
        return {
            "density": self.density * 1e6 / units.density,
            "velocity": [1e3 * v / units.speed for v in self.velocity],
            "pressure": pressure / units.pressure,
            "field": [1e-9 * b / units.field for b in self.field],
        }


def pressure_balance(units: Units, wind: Wind) -> float:
    """Distance of the subsolar magnetopause in radii: (2 B)^2 / (2 mu_0) = n m v^2 for a dipole B."""
    return ((2 * units.field) ** 2 / (2 * MU_0 * wind.dynamic_pressure)) ** (1 / 6)


def describe_units(units: Units) -> str:
    return (
        f"units: length {units.radius / 1e3:g} km, speed {units.speed / 1e3:.4g} km/s, "
        f"time {units.time:.4g} s, field {units.field * 1e9:.4g} nT, density {units.density / 1e6:g} cm^-3, "
        f"pressure {units.pressure * 1e9:.4g} nPa"
    )


def describe(units: Units, wind: Wind) -> list[str]:
    """The wind in both units, and the expected position of the magnetopause, one line each."""
    q = wind.scaled(units)

    def three(values: object, form: str) -> str:
        return "(" + ", ".join(format(value, form) for value in values) + ")"

    return [
        f"solar wind: n {wind.density:g} cm^-3 = {q['density']:.4g}, "
        f"v {three(wind.velocity, 'g')} km/s = {three(q['velocity'], '.4g')}, "
        f"T {wind.temperature:g} K (p = {q['pressure']:.4g}), "
        f"B {three(wind.field, 'g')} nT = {three(q['field'], '.4g')}",
        f"dynamic pressure {wind.dynamic_pressure * 1e9:.4g} nPa: "
        f"the magnetopause balances at {pressure_balance(units, wind):.2f} radii",
    ]
