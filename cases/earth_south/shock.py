#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A bow shock in one dimension, by the scheme of the solver: how far out of balance it still stands.

    python cases/earth_south/shock.py [--case earth_south] [--spacings 0.5 0.05]

The wind of the case flows into a plasma that leaves at a given speed, with the coefficients of the case. At
the speed that the jump conditions give behind the wind, the shock should stand; where the plasma leaves more
slowly, it should move upstream. Prints a markdown table: the speed of the shock, by the scheme and by the
jump conditions, in units of the wind's, and the density behind it. Takes half a minute.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from subcurrent.case.reading import load_case
from subcurrent.report.markdown import print_table

LEAVING = (0.8, 0.9, 1.0, 1.1)  # speeds behind the shock, in units of that of a shock at rest
RHO, U, V, P, BY = range(5)  # density, velocity along x and y, pressure, field along y


@dataclass(frozen=True)
class Scheme:
    """One step of solvers/magnetosphere along x alone: there the mean over 8 corners is one over 2 points."""

    spacing: float
    gamma: float
    density: float  # diffusivities, as in [diffusion] of a case
    pressure: float
    viscosity: float
    resistivity: float
    heating: bool
    floor: float = 0.0  # of the pressure
    along: float = 0.0  # field along x
    cycle: int = 8

    def between(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Mean and time derivative between neighbouring points, without diffusion."""
        mean = 0.5 * (q[:, 1:] + q[:, :-1])
        slope = np.diff(q) / self.spacing
        rho, u = mean[RHO], mean[U]
        rate = np.empty_like(mean)
        rate[RHO] = -np.diff(q[RHO] * q[U]) / self.spacing
        rate[U] = -u * slope[U] - (slope[P] + mean[BY] * slope[BY]) / rho
        rate[V] = -u * slope[V] + self.along * slope[BY] / rho
        rate[P] = -u * slope[P] - self.gamma * mean[P] * slope[U]
        if self.heating:
            shear = slope[U] ** 2 + slope[V] ** 2
            rate[P] += (self.gamma - 1) * (self.viscosity * shear + self.resistivity * slope[BY] ** 2)
        rate[BY] = -np.diff(q[U] * q[BY] - self.along * q[V]) / self.spacing
        return mean, rate

    def diffusion(self, q: np.ndarray) -> np.ndarray:
        """At all points but the first and the last."""
        of = self.viscosity / q[RHO, 1:-1]
        coefficients = np.stack(np.broadcast_arrays(self.density, of, of, self.pressure, self.resistivity))
        return coefficients * np.diff(q, 2) / self.spacing**2

    def signal(self, q: np.ndarray) -> float:
        """The largest |v| + sqrt((gamma p + B^2) / rho)."""
        square = (self.gamma * q[P] + q[BY] ** 2 + self.along**2) / q[RHO]
        return float((np.hypot(q[U], q[V]) + np.sqrt(square)).max())

    def step(self, number: int, dt: float, nodes: np.ndarray, centres: np.ndarray) -> None:
        """Nodes and the centres half a spacing beyond them, in place, but for the first and last of each."""
        mean, rate = self.between(nodes)
        if number % self.cycle == 0:
            centres[:, 1:-1] = (mean + 0.5 * dt * rate)[:, 1:]
        else:
            centres[:, 1:-1] += dt * (rate[:, 1:] + self.diffusion(centres))
        self.limit(centres)
        nodes[:, 1:-1] += dt * (self.between(centres)[1][:, :-1] + self.diffusion(nodes))
        self.limit(nodes)

    def limit(self, q: np.ndarray) -> None:
        np.maximum(q[P], self.floor, out=q[P])


def compression(mach: float, beta: float, gamma: float) -> float:
    """Density behind a perpendicular shock over that before it, by the jump conditions of ideal MHD; mach: of
    the sound, beta: pressure over that of the field."""
    square = gamma * beta * mach**2
    roots = np.roots([2 * (2 - gamma), 2 * gamma * (beta + 1) + (gamma - 1) * square, -(gamma + 1) * square])
    return float(roots.max())


@dataclass(frozen=True)
class Wind:
    density: float
    speed: float
    pressure: float
    field: float  # across the flow
    gamma: float

    @property
    def beta(self) -> float:
        return 2 * self.pressure / self.field**2

    def mach(self, speed: float) -> float:
        return speed / np.sqrt(self.gamma * self.pressure / self.density)

    def behind(self, shock: float = 0.0) -> np.ndarray:
        """The state behind a shock that moves at this speed along x."""
        mach = self.mach(self.speed - shock)
        times = compression(mach, self.beta, self.gamma)
        jump = self.gamma * mach**2 * (1 - 1 / times) - (times**2 - 1) / self.beta
        speed = shock + (self.speed - shock) / times
        return np.array([times * self.density, speed, 0.0, self.pressure * (1 + jump), times * self.field])

    def moves(self, leaving: float) -> float:
        """The speed of a shock behind which the plasma leaves at this speed."""
        low, high = -0.5 * self.speed, 0.5 * self.speed
        while high - low > 1e-9 * self.speed:
            middle = 0.5 * (low + high)
            low, high = (low, middle) if self.behind(middle)[U] > leaving else (middle, high)
        return low


def found(scheme: Scheme, wind: Wind, part: float, courant: float, points: int) -> tuple[float, float]:
    """The speed of the shock behind which the plasma leaves at `part` of the speed behind one at rest, from
    the state that the jump conditions give; and the density behind it in units of the wind's. Meanwhile the
    wind goes 0.4 of the box."""
    before = np.array([wind.density, wind.speed, 0.0, wind.pressure, wind.field])[:, None]
    leaving = part * wind.behind()[U]
    behind = wind.behind(wind.moves(leaving))[:, None]
    x = scheme.spacing * (np.arange(points) - points // 2)
    state = [before + 0.5 * (1 + np.tanh(x / scheme.spacing + d)) * (behind - before) for d in (0, 0.5)]
    coefficients = (scheme.density, scheme.pressure, scheme.resistivity, scheme.viscosity / wind.density)
    limit = 0.15 * scheme.spacing**2 / max(coefficients)
    half, until = 0.5 * (before + behind)[RHO, 0], 0.4 * points * scheme.spacing / wind.speed
    time, number, places = 0.0, 0, []
    while time < until:
        if number % scheme.cycle == 0:
            dt = min(courant * scheme.spacing / scheme.signal(state[0]), limit)
        scheme.step(number, dt, *state)
        for q in state:
            q[:, 0], q[:, -1] = before[:, 0], q[:, -2]
            q[U, -1] = leaving
        time, number = time + dt, number + 1
        rho = state[0][RHO]
        at = int(np.argmax(rho > half))
        places.append((time, x[at] - scheme.spacing * (rho[at] - half) / (rho[at] - rho[at - 1])))
    late = np.array(places[len(places) // 2 :])
    return float(np.polyfit(*late.T, 1)[0]), float(rho[at + 5 : at + points // 10].mean() / wind.density)


def of_case(name: str, spacing: float) -> tuple[Scheme, Wind, float]:
    """The scheme with the coefficients of a case, its wind, of whose field only the part across the flow
    counts, and its Courant number."""
    case = load_case(Path(__file__).parents[1] / name / "case.toml")
    arriving = case.solar_wind().scaled(case.units())
    across = float(np.hypot(*arriving["field"][1:]))
    gamma, d = case.plasma.gamma, case.diffusion
    scheme = Scheme(
        spacing, gamma, d.density, d.pressure, d.viscosity, d.resistivity, False, case.limits.pressure
    )
    speed = arriving["velocity"][0]
    return scheme, Wind(arriving["density"], speed, arriving["pressure"], across, gamma), case.run.courant


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--case", default="earth_south")
    parser.add_argument("--spacings", type=float, nargs="+", default=[0.5, 0.05])
    arguments = parser.parse_args()
    rows = []
    for spacing in arguments.spacings:
        scheme, wind, courant = of_case(arguments.case, spacing)
        rest = wind.behind()[U]
        points = 600 if spacing > 0.2 else 1600
        for heating in (False, True):
            for part in LEAVING:
                one = replace(scheme, heating=heating)
                speed, dense = found(one, wind, part, courant, points)
                speeds = (
                    f"{round(100 * s / wind.speed, 1) + 0.0:+.1f} %" for s in (speed, wind.moves(part * rest))
                )
                rows.append(
                    (f"{spacing:g}", "yes" if heating else "no", f"{part:g}", *speeds, f"{dense:.2f}")
                )
    columns = ("speed behind", "the shock moves at", "by the jump conditions", "density behind")
    print_table(("spacing", "heating", *columns), rows)


if __name__ == "__main__":
    main()
