# SPDX-License-Identifier: Apache-2.0
"""A quarter of a planet's surroundings, with a mirror and an equator, against the whole domain."""

import numpy as np
import pytest

import subcurrent as sc

HALF = 8  # nodes from the planet to the outer faces along y and z
FIELDS = ("density", "velocity", "pressure", "magnetic")


def surroundings(mirrored: str, outer: str) -> dict[str, np.ndarray]:
    """After 12 steps; of the whole domain, or of y >= 0, z >= 0, or both."""
    y, z = "y" in mirrored, "z" in mirrored
    faces = {"x-": "wind", "x+": "free", **dict.fromkeys(("y-", "y+", "z-", "z+"), outer)}
    faces |= {"y-": "mirror"} if y else {}
    faces |= {"z-": "equator"} if z else {}
    points = [20, HALF if y else 2 * HALF - 1, HALF if z else 2 * HALF - 1]
    sim = sc.Magnetosphere(
        points,
        spacing=1.0,
        initial="planet",
        low=[-12.0, 0.0 if y else 1.0 - HALF, 0.0 if z else 1.0 - HALF],
        boundaries=faces,
        planet={"inner": 1.5, "outer": 3, "mirror": -6},
        wind={"density": 5, "velocity": [300, 0, 0], "temperature": 2e5, "field": [0, 0, 5]},
        diffusion={"density": 4e-3, "pressure": 4e-3, "viscosity": 2e-6, "resistivity": 2e-3},
    )
    for _ in range(12):
        sim.step()
    return {name: sim.gather(name) for name in FIELDS}


@pytest.mark.parametrize("outer", ["free", "wind", "oblique"])
def test_parts_of_a_mirrored_domain_are_the_whole(outer):
    """Compared on the side of the high faces, which are the same. Those at the low side differ: centres lie
    half a cell beyond nodes, so the last centre beyond a high face is computed, and that beyond a low face
    is a condition."""
    whole = surroundings("", outer)
    for mirrored in ("y", "z", "yz"):
        part = surroundings(mirrored, outer)
        for name in FIELDS:
            along_y, along_z = (HALF - 1 if axis in mirrored else 0 for axis in "yz")
            same = whole[name][..., along_z:, along_y:, :]
            assert np.abs(same - part[name]).max() <= 1e-12 * np.abs(same).max(), (mirrored, name)
    # Something happens: the wind has met the planet's field.
    start = whole["velocity"][0]
    assert np.ptp(start) > 1e-2
