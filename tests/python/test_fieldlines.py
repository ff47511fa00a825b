# SPDX-License-Identifier: Apache-2.0
"""Field lines of a magnetosphere, against a dipole and against a dipole in a uniform field (Dungey 1961)."""

import numpy as np
import pytest

import dungey
from subcurrent.report.flowfield import PlasmaField
from subcurrent.solvers.magnetosphere.fieldlines import CLOSED, LOST, OPEN, ends, feet, space_of
from subcurrent.solvers.magnetosphere.neutral_line import beyond_neutral_line, into_hemisphere

LOW, COUNTS, B = (-16.0, -16.0, -16.0), (33, 33, 33), 1e-3  # the ring is at 10
AZIMUTHS = np.radians(np.arange(7.0, 360, 30))


def on_sphere(r, sine, side=1, tilt=0.0):
    """Points around the dipole's axis."""
    across, y, up = r * sine * np.cos(AZIMUTHS), r * sine * np.sin(AZIMUTHS), r * side * np.sqrt(1 - sine**2)
    return np.stack(
        [np.cos(tilt) * across + np.sin(tilt) * up, y, np.cos(tilt) * up - np.sin(tilt) * across], axis=1
    )


def ends_at(space, r, sine, side=1, tilt=0.0):
    """The planet's lines go into it in the north: outwards is against B."""
    return ends(space, on_sphere(r, sine, side, tilt), np.full(len(AZIMUTHS), -side), r)


def test_the_field_between_nodes():
    """The dipole is exact, whatever the spacing, and so is what is linear."""
    plasma = dungey.state(LOW, COUNTS, 1.0, B, tilt=0.4)
    moment = np.array([np.sin(0.4), 0.0, np.cos(0.4)])
    linear = plasma.magnetic + 1e-3 * plasma.points[[2, 0, 1]]
    state = PlasmaField(plasma.points, plasma.density, plasma.points, plasma.pressure, linear)
    space = space_of(state, 0.4, 1.0)
    points = np.random.default_rng(3).uniform(-16, 16, (200, 3))
    points = points[(points**2).sum(-1) > 9]  # the cells beside the centre lack the rest
    exact = dungey.magnetic(points.T, B, moment).T + 1e-3 * points[:, [2, 0, 1]]
    np.testing.assert_allclose(space.magnetic(points), exact, rtol=1e-10, atol=1e-15)
    np.testing.assert_allclose(space.velocity(points), points, atol=1e-13)
    beyond = space.velocity(np.array([[20.0, 3.25, -17.0]]))
    np.testing.assert_allclose(beyond, [[16, 3.25, -16]], atol=1e-13)
    held = space_of(state, 0.4, 5.0)
    within = np.array([[1.5, -2.0, 1.0]])
    np.testing.assert_array_equal(held.magnetic(within), held.dipole(within))


@pytest.mark.parametrize("side", [1, -1])
@pytest.mark.parametrize("tilt", [0.0, 0.5])
def test_lines_beside_the_separatrix(side, tilt):
    space = space_of(dungey.state(LOW, COUNTS, 1.0, B, tilt=tilt), tilt, 1.0)
    for r in (3.0, 5.0):
        sine = dungey.sine_of_boundary(B, r)
        assert (ends_at(space, r, 0.999 * sine, side, tilt) == OPEN).all()
        assert (ends_at(space, r, 1.001 * sine, side, tilt) == CLOSED).all()


def test_all_lines_are_closed_in_a_northward_field():
    """Inside the sphere r = (2 / b)^(1/3), through which no line goes; its poles are neutral points."""
    space = space_of(dungey.state(LOW, COUNTS, 1.0, -B), 0.0, 1.0)
    for sine in (0.01, 0.1, 0.5, 0.9):
        assert (ends_at(space, 5.0, sine) == CLOSED).all()


def test_lines_that_come_to_an_end_nowhere_are_lost():
    """B around the axis of y: circles."""
    plasma = dungey.state(LOW, COUNTS, 1.0, B)
    x, _, z = plasma.points
    circles = np.stack([z, 0 * x, -x])
    bare = space_of(plasma, 0.0, 1.0)
    nodes, around = (np.moveaxis(values, 0, -1).reshape(-1, 3) for values in (plasma.points, circles))
    assert LOST not in ends_at(bare, 5.0, 0.3)
    space = type(bare)(
        bare.low, bare.spacing, bare.counts, bare.moment, around - bare.dipole(nodes), bare.flow
    )
    start = np.array([[0.0, 0.0, 9.0]])
    assert ends(space, start, np.array([1]), 5.0) == [LOST]


def test_feet_of_a_dipole():
    """sin^2 / r is the same all along a line."""
    plasma = dungey.state(LOW, COUNTS, 1.0, 1e-30)
    space = space_of(plasma, 0.0, 1.0)
    for side in (1, -1):
        found, reached = feet(space, on_sphere(6.0, 0.6, side), np.full(len(AZIMUTHS), side), 2.0)
        assert reached.all()
        np.testing.assert_allclose((found**2).sum(-1), 4, rtol=1e-3)
        sine = np.hypot(found[:, 0], found[:, 1]) / np.sqrt((found**2).sum(-1))
        np.testing.assert_allclose(sine, 0.6 * np.sqrt(2 / 6), rtol=1e-3)
        turns = np.arctan2(found[:, 1], found[:, 0]) - AZIMUTHS
        np.testing.assert_allclose(np.cos(turns), 1, atol=1e-12)
    within = on_sphere(1.5, 0.2)
    found, reached = feet(space, within, np.ones(len(AZIMUTHS)), 2.0)
    assert reached.all()
    np.testing.assert_array_equal(found, within)


def test_lines_of_the_wind_have_no_feet():
    """Those beyond the ring of neutral points."""
    space = space_of(dungey.state(LOW, COUNTS, 1.0, 0.05), 0.0, 1.0)  # the ring is at 2.7
    sine = dungey.sine_of_boundary(0.05, 5.0)
    for factor, expected in ((0.99, True), (1.01, False)):
        _, reached = feet(space, on_sphere(5.0, factor * sine), np.ones(len(AZIMUTHS)), 1.5)
        assert (reached == expected).all()


def test_the_flux_beyond_the_neutral_line():
    space = space_of(dungey.state(LOW, COUNTS, 1.0, B), 0.0, 1.0)
    assert into_hemisphere(space, 4.0) == pytest.approx(np.pi * (2 / 4 + B * 16), rel=1e-10)
    for r in (3.0, 5.0):
        assert beyond_neutral_line(space, r) == pytest.approx(dungey.open_flux(B), rel=1e-4)
    northward = space_of(dungey.state(LOW, COUNTS, 1.0, -B), 0.0, 1.0)
    assert beyond_neutral_line(northward, 3.0) is None
    strong = space_of(dungey.state(LOW, COUNTS, 1.0, 0.05), 0.0, 1.0)  # the ring is at 2.7
    assert beyond_neutral_line(strong, 3.0) is None


def test_the_neutral_line_of_a_field_that_is_not_uniform():
    """B_z = 1 / r^3 - c r is zero at r = c^(-1/4)."""
    plasma, c = dungey.state((-16, -16, 0), (65, 65, 33), 0.5, 1e-30), 1e-4
    r = np.sqrt((plasma.points**2).sum(0))
    magnetic = plasma.magnetic + np.stack([0 * r, 0 * r, -c * r])
    state = PlasmaField(plasma.points, plasma.density, plasma.velocity, plasma.pressure, magnetic)
    space, radius, line = space_of(state, 0.0, 1.0), 3.0, 10.0
    closed = 2 * np.pi * (1 / radius - 1 / line - c * (line**3 - radius**3) / 3)
    enters = 2 * np.pi / radius + np.pi * c * radius**3
    assert into_hemisphere(space, radius) == pytest.approx(enters, rel=1e-3)
    assert beyond_neutral_line(space, radius) == pytest.approx(enters - closed, rel=2e-3)
