# SPDX-License-Identifier: Apache-2.0
"""Rates at which field lines are opened and closed, against a dipole in a uniform field that changes with
time, with a known convection."""

import dataclasses

import numpy as np
import pytest

import dungey
from dungey import case_of
from subcurrent.solvers.magnetosphere.reconnection import (
    _boundary,
    find_cap,
    find_rates,
    largest_stretch,
)

B, E = 1e-3, -4e-5  # the ring of neutral points is at 10
LASTS = 40.0


def rates(b, after, e, side=1, **planet):
    """In units of the solver; b grows linearly from one state to the other."""
    case = case_of(**planet)
    growth = (after - b) / LASTS
    tilt = np.radians(planet.get("tilt", 0.0))
    states = [
        dataclasses.replace(
            dungey.state(case.grid.low, case.grid.points, 1.0, value, e, tilt, growth), time=t
        )
        for value, t in ((b, 3.0), (after, 3.0 + LASTS))
    ]
    found = find_rates(*(find_cap(state, case, side, 21) for state in states), case)
    return found, 1e-3 * case.units().potential


def expected(b, after, e):
    """Day and night. Per radian of the boundary -D/2 cos(azimuth) + F' / (2 pi) enters, azimuth 0 being
    midnight, with D the potential across the cap."""
    growth = (dungey.open_flux(after) - dungey.open_flux(b)) / LASTS
    across = 0.5 * (dungey.drop(b, e) + dungey.drop(after, e))
    from_midnight = np.arccos(growth / (np.pi * across))
    day = across * np.sin(from_midnight) + growth * (1 - from_midnight / np.pi)
    return day, day - growth


@pytest.mark.parametrize("side", [1, -1])
def test_a_steady_convection_opens_as_much_as_it_closes(side):
    found, unit = rates(B, B, E, side)
    assert found.day == pytest.approx(unit * dungey.drop(B, E), rel=0.01)
    assert found.night == pytest.approx(found.day, rel=1e-3)
    assert found.growth == 0
    assert found.hours == pytest.approx((6, 18), abs=0.3)
    assert found.folded == 0


@pytest.mark.parametrize(("b", "after"), [(B, 1.1 * B), (1.1 * B, B)])
def test_a_cap_that_grows_or_shrinks(b, after):
    found, unit = rates(b, after, E)
    day, night = expected(b, after, E)
    assert abs(day / night - 1) > 0.3
    assert found.day == pytest.approx(unit * day, rel=0.015)
    assert found.night == pytest.approx(unit * night, rel=0.015)
    assert found.growth == pytest.approx(unit * (day - night), rel=0.02)
    assert (found.begin, found.end) == (3.0, 3.0 + LASTS)


def test_a_plasma_that_does_not_convect_only_opens_or_closes():
    """Everywhere alike: the boundary moves through the plasma, which itself only makes room for the field."""
    grows = (dungey.open_flux(1.1 * B) - dungey.open_flux(B)) / LASTS
    found, unit = rates(B, 1.1 * B, 0.0)
    assert found.day == pytest.approx(unit * grows, rel=0.02)
    assert found.night == pytest.approx(0, abs=0.02 * unit * grows)
    found, unit = rates(1.1 * B, B, 0.0)
    assert found.day == pytest.approx(0, abs=0.02 * unit * grows)
    assert found.night == pytest.approx(unit * grows, rel=0.02)


def test_the_rates_do_not_turn_with_the_planet():
    """In the frame of the planet plasma and boundary turn alike: the same flux passes between them. The cap
    lies around the dipole's axis, not around that of the rotation."""
    still, unit = rates(B, B, E, tilt=25.0)
    assert still.day == pytest.approx(unit * dungey.drop(B, E), rel=0.01)
    turning, _ = rates(B, B, E, tilt=25.0, rotation=0.1)
    assert turning.day == pytest.approx(still.day)


def test_a_resistive_plasma_at_rest_loses_open_flux():
    """B has the part s rho^2 / 2 along z more, whose current s (y, -x, 0) flows around the axis: with the
    resistivity eta 2 pi eta s rho^2 passes outwards through a circle."""
    s, eta = 4e-6, 1e-2
    case = case_of(resistivity=eta)
    state = dungey.state(case.grid.low, case.grid.points, 1.0, B)
    field = state.magnetic.copy()
    field[2] += s * (state.points[0] ** 2 + state.points[1] ** 2) / 2
    first = find_cap(dataclasses.replace(state, magnetic=field), case, nodes=21)
    found = find_rates(first, dataclasses.replace(first, time=1.0), case)
    lengths, _ = _boundary(first, np.zeros(2))
    lost = 2 * np.pi * eta * s * (first.sphere.radius * lengths.mean()) ** 2
    assert found.day == 0
    assert found.night == pytest.approx(1e-3 * case.units().potential * lost, rel=0.01)


def test_without_open_lines_there_is_no_rate():
    found, _ = rates(-B, -B, 0.0)
    assert found is None


def test_the_largest_stretch_may_pass_the_end():
    assert largest_stretch(np.array([2.0, -1.0, -5.0, 3.0, 1.0])) == (6.0, (3, 1))
    assert largest_stretch(np.array([-1.0, 4.0, -1.0, 2.0, -9.0])) == (5.0, (1, 4))
    assert largest_stretch(np.array([1.0, 1.0])) == (2.0, (0, 2))
    assert largest_stretch(np.array([-1.0, -2.0])) == (0.0, None)
