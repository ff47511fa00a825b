# SPDX-License-Identifier: Apache-2.0
"""The finite volumes that cases' references come from, against an exact wave and against finer cells."""

import sys
from pathlib import Path

import numpy as np
import pytest

from subcurrent.case.library import find_case
from subcurrent.case.reference import read_columns

sys.path.insert(0, str(Path(__file__).parents[1] / "oracle"))
import ideal_mhd as mhd


def alfven_wave(cells):
    """Circularly polarised, exact at any amplitude: tan(angle) = 1/2 to x, one wave in the box, speed 1."""
    along, across, length = 2 / np.sqrt(5), 1 / np.sqrt(5), np.sqrt(5) / 2
    h = length / cells
    edge = [h * np.arange(n) for n in (cells, 2 * cells)]
    x, y = np.meshgrid(edge[0] + 0.5 * h, edge[1] + 0.5 * h)
    phase = 2 * np.pi * (along * x + across * y)
    corner = 2 * np.pi * (along * edge[0][None, :] + across * edge[1][:, None])
    w = np.zeros((8, 2 * cells, cells))
    w[mhd.RHO], w[mhd.P] = 1, 0.1
    w[mhd.BX], w[mhd.BY], w[mhd.BZ] = along, across, 0.1 * np.cos(phase)
    w[mhd.VX], w[mhd.VY] = 0.1 * np.sin(phase) * across, -0.1 * np.sin(phase) * along
    w[mhd.VZ] = -w[mhd.BZ]
    return mhd.Plasma.of(w, 0.1 * np.cos(corner) / (2 * np.pi), h, 5 / 3)


def test_a_known_wave_is_met_with_nearly_second_order():
    errors = []
    for cells in (8, 16, 32):
        start = alfven_wave(cells)
        before = start.primitive()
        after = mhd.run(start, 1.0)
        errors.append(np.abs(after.primitive() - before).mean())
        divergence = mhd.after(after.bx, 1) - after.bx + mhd.after(after.by, 0) - after.by
        assert np.abs(divergence).max() < 1e-14
        assert after.conserved[mhd.RHO].mean() == pytest.approx(1, abs=1e-14)
    # Second order but for the crests, which the limiter clips.
    assert 0.5 * np.log2(errors[0] / errors[2]) > 1.75, errors
    assert np.log2(errors[1] / errors[2]) > 1.5, errors


def test_the_shock_tube_approaches_its_reference():
    reference = read_columns(find_case("brio_wu").parent / "reference.csv")
    w = mhd.run(mhd.brio_wu(200), 0.1).primitive()[:, 0, :200]
    for name, k, norm in (("density", mhd.RHO, 0.008), ("pressure", mhd.P, 0.008), ("By", mhd.BY, 0.014)):
        assert np.abs(w[k] - reference[name].reshape(200, 2).mean(axis=1)).mean() < norm, name


def test_x_and_y_are_alike():
    turned = mhd.orszag_tang(16)
    exchanged = mhd.Plasma(
        turned.conserved.transpose(0, 2, 1)[[mhd.RHO, mhd.VY, mhd.VX, mhd.VZ, mhd.P, mhd.BY, mhd.BX, mhd.BZ]],
        turned.by.T.copy(),
        turned.bx.T.copy(),
        turned.spacing,
        turned.gamma,
    )
    a, b = mhd.run(turned, 0.1), mhd.run(exchanged, 0.1)
    assert np.allclose(a.conserved[mhd.P], b.conserved[mhd.P].T, rtol=1e-12)
    assert np.allclose(a.bx, b.by.T, atol=1e-13)
