# SPDX-License-Identifier: Apache-2.0
"""Structure functions, against an exact flow and against sums over pairs of points, one by one."""

import itertools

import numpy as np
import pytest

from subcurrent.report.structure import of_snapshot, separations, structure_functions


def test_of_the_taylor_green_vortex():
    axis = 2 * np.pi / 32 * np.arange(32)
    z, y, x = np.meshgrid(axis, axis, axis, indexing="ij")
    velocity = np.array([np.sin(x) * np.cos(y) * np.cos(z), -np.cos(x) * np.sin(y) * np.cos(z), 0 * x])
    found = structure_functions(velocity)
    np.testing.assert_allclose(found.second, (1 - np.cos(found.r)) / 4, rtol=1e-13)
    np.testing.assert_allclose(found.across, (1 - np.cos(found.r)) / 8, rtol=1e-13)
    np.testing.assert_allclose(found.third, 0, atol=1e-14)
    assert found.r[0] == pytest.approx(2 * np.pi / 32)
    assert found.r[-1] == pytest.approx(np.pi)


@pytest.mark.parametrize("ny", [8, 16, 12])
def test_are_means_over_pairs_of_points(ny):
    """Along x and y; of 8 by 12 points along x alone."""
    nx, nz = 8, 3
    u = np.random.default_rng(5).normal(size=(3, nz, ny, nx)) ** 3  # skewed
    u[0] += np.arange(nx) ** 2
    found = structure_functions(u)
    along_y = ny != 12
    for n, step in enumerate(separations(nx)):
        sums, count = np.zeros(3), 0
        for z, y, x in itertools.product(range(nz), range(ny), range(nx)):
            d = u[:, z, y, (x + step) % nx] - u[:, z, y, x]
            sums += d[0] ** 2, (d[1] ** 2 + d[2] ** 2) / 2, d[0] ** 3
            count += 1
            if along_y:
                d = u[:, z, (y + step * ny // nx) % ny, x] - u[:, z, y, x]
                sums += d[1] ** 2, (d[0] ** 2 + d[2] ** 2) / 2, d[1] ** 3
                count += 1
        mine = (found.second[n], found.across[n], found.third[n])
        np.testing.assert_allclose(
            mine, sums / count, rtol=1e-12, atol=1e-10
        )  # at half a period the third is 0


def test_distances_are_steps_of_the_grid():
    assert separations(2).tolist() == [1]
    steps = separations(512)
    assert steps[0] == 1
    assert steps[-1] == 256
    assert np.all(np.diff(steps) > 0)


def test_of_a_snapshot_in_planes(tmp_path, monkeypatch):
    h5py = pytest.importorskip("h5py")
    velocity = np.random.default_rng(7).normal(size=(8, 6, 6, 3))
    with h5py.File(tmp_path / "s.vtkhdf", "w") as file:
        file.attrs["time"] = 1.5
        file["fields/velocity"] = velocity
    whole = np.moveaxis(velocity, -1, 0)
    time, found = of_snapshot(tmp_path / "s.vtkhdf")
    assert time == 1.5
    np.testing.assert_array_equal(found.second, structure_functions(whole).second)
    monkeypatch.setattr("subcurrent.report.structure.SAMPLES", 4 * 36)
    _, found = of_snapshot(tmp_path / "s.vtkhdf")
    np.testing.assert_array_equal(found.third, structure_functions(whole[:, ::2]).third)
