# SPDX-License-Identifier: Apache-2.0
"""cases/earth_south/shock.py: its scheme is that of the solver, and tends to the jump conditions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from conftest import ROOT, script_at

shock = script_at(ROOT / "cases" / "earth_south" / "shock.py")
BRIO_WU = """
import sys

import numpy as np
import subcurrent as sc

diffusion = {"density": 1e-4, "pressure": 2e-4, "viscosity": 3e-4, "resistivity": 2e-4, "heating": True}
n, h = 200, 0.01
sim = sc.Magnetosphere((n, 1, 1), spacing=h, low=(-h * (n - 1) / 2, 0, 0), initial="brio_wu", dt=2e-3,
                       plasma={"gamma": 2.0}, boundaries={"x-": "free", "x+": "free"}, diffusion=diffusion)
sim.run(steps=24)
v, b = sim.velocity, sim.magnetic
np.save(sys.argv[1], np.stack([q[0, 0] for q in (sim.density, v[0], v[1], sim.pressure, b[1])]))
"""


def test_its_scheme_is_that_of_the_solver(program):
    """A shock tube over three cycles, in which its waves do not come to the ends."""
    program.script(BRIO_WU, "state.npy")
    left, right = np.array([1, 0, 0, 1, 1.0]), np.array([0.125, 0, 0, 0.1, -1])
    nodes = np.repeat(np.stack([left, right], axis=1), 100, axis=1)
    centres = nodes.copy()
    scheme = shock.Scheme(0.01, 2.0, 1e-4, 2e-4, 3e-4, 2e-4, heating=True, along=0.75)
    for number in range(24):
        scheme.step(number, 2e-3, nodes, centres)
    np.testing.assert_allclose(np.load(program.folder / "state.npy"), nodes, rtol=1e-11, atol=1e-12)
    assert abs(nodes[shock.U]).max() > 0.1


def test_the_states_at_both_sides_carry_the_same_fluxes():
    _, wind, _ = shock.of_case("earth_south", 0.5)
    speed = 0.1 * wind.speed
    before = np.array([wind.density, wind.speed, 0, wind.pressure, wind.field])

    def fluxes(q):
        rho, u, _, p, b = q
        u, heat = u - speed, wind.gamma / (wind.gamma - 1)
        return [rho * u, rho * u**2 + p + b**2 / 2, u * (rho * u**2 / 2 + heat * p + b**2), u * b]

    np.testing.assert_allclose(fluxes(wind.behind(speed)), fluxes(before), rtol=1e-12)
    assert wind.moves(wind.behind(speed)[shock.U]) == pytest.approx(speed, abs=1e-8 * wind.speed)


def test_a_resolved_shock_with_heat_obeys_the_jump_conditions():
    """Without diffusion of mass and pressure, which conserve neither momentum nor energy."""
    scheme, wind, courant = shock.of_case("earth_south", 0.05)
    pure = replace(scheme, density=0.0, pressure=0.0, viscosity=2e-6, resistivity=2e-3, heating=True)
    for part in (0.9, 1.0):
        speed, dense = shock.found(pure, wind, part, courant, 1000)
        expected = wind.moves(part * wind.behind()[shock.U])
        assert speed == pytest.approx(expected, abs=1e-3 * wind.speed)
        assert dense == pytest.approx(wind.behind(expected)[shock.RHO] / wind.density, rel=2e-3)


def test_the_shock_of_the_case_stands_where_it_should_move():
    scheme, wind, courant = shock.of_case("earth_south", 0.5)
    speed, _ = shock.found(replace(scheme, heating=True), wind, 0.9, courant, 300)
    assert abs(speed) < 1e-3 * wind.speed
    assert wind.moves(0.9 * wind.behind()[shock.U]) < -0.03 * wind.speed
