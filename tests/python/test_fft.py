# SPDX-License-Identifier: Apache-2.0
"""subcurrent.FFT against numpy.fft, on one and several ranks."""

import json
import sys

import pytest

from conftest import completed

pytestmark = pytest.mark.mpi

SCRIPT = """
import json
import sys
import numpy as np
import subcurrent as sc


def check(library, precision):
    n = (20, 18, 15)
    fft = sc.FFT(n, library=library, precision=precision)
    single = precision == "single"
    digits = 5e8 if single else 1
    noise = np.random.default_rng(5).standard_normal(n[::-1]).astype(np.float32 if single else np.float64)
    at = [slice(start, start + size) for start, size in zip(fft.real_start, fft.real_shape)]
    to = [slice(start, start + size) for start, size in zip(fft.mode_start, fft.mode_shape)]
    points = noise[tuple(at)]
    exact = np.fft.rfftn(noise)
    modes = fft.forward(points)
    assert np.abs(modes - exact[tuple(to)]).max() < 1e-12 * digits
    assert np.abs(fft.backward(modes) - points).max() < 1e-14 * digits
    assert modes.dtype == (np.complex64 if single else np.complex128)
    assert fft.backward(modes).dtype == (np.float32 if single else np.float64)

    kx, ky, kz = fft.wavenumbers()
    whole = [np.fft.rfftfreq(20, 1 / 20), *(np.abs(np.fft.fftfreq(count, 1 / count)) for count in (18, 15))]
    for got, want, where in zip((kx, ky, kz), whole, to[::-1]):
        assert (np.abs(got.ravel()) == np.round(want[where])).all()

    # A view with rows apart is transformed where it lies, and `out` is filled in place.
    wide = np.full((*fft.real_shape[:2], 31), np.nan, fft.backward(modes).dtype)
    wide[..., :20] = points
    out = np.empty_like(modes)
    assert fft.forward(wide[..., :20], out=out) is out and (out == modes).all()

    some = sc.FFT(n, largest_mode=(6, 5, 4), library=library, precision=precision)
    cut = some.forward(points)
    smooth = some.backward(cut)
    kept = exact.copy()
    kept[np.abs(np.fft.fftfreq(15, 1 / 15)) > 4.5] = 0
    kept[:, np.abs(np.fft.fftfreq(18, 1 / 18)) > 5.5] = 0
    kept[:, :, 7:] = 0
    assert np.abs(smooth - np.fft.irfftn(kept, n[::-1])[tuple(at)]).max() < 1e-14 * digits
    for wrong in (points[:0], points[None]):
        try:
            fft.forward(wrong)
        except RuntimeError as error:
            assert "must have this rank's shape" in str(error)
        else:
            raise AssertionError("a wrong shape was taken")
    for wrong, reason in (
        (points + 0j, "the array of points is complex: real numbers are needed"),
        (points.astype(np.longdouble), "which would lose digits as float"),
        (points.astype(str), "numbers are needed"),
        (np.full(points.shape, 2**60 + 1), "has whole numbers beyond"),
        (np.ma.masked_greater(points, 0), "has masked entries"),
        *([(points.astype(np.float64), "is float64, which would lose digits as float32")] if single else []),
    ):
        try:
            fft.forward(wrong)
        except sc.BadInput as error:
            assert reason in str(error), error
        else:
            raise AssertionError(f"taken: {reason}")
    for call, reason in (
        (lambda: fft.backward(modes.astype(np.clongdouble)), "which would lose digits as complex"),
        (lambda: fft.forward(points, out=points), "out is float"),
        (lambda: fft.backward(modes, out=np.empty(fft.real_shape, int)), "out is int64"),
        (lambda: sc.FFT((20.5, 18, 15)), "cells[0] = 20.5 is not allowed"),
        (lambda: sc.FFT((20, 18, 2**40)), "it must be a whole number from 1 to 100000"),
        (lambda: sc.FFT(n, largest_mode=2.5), "largest_mode[0] = 2.5 is not allowed"),
        (lambda: sc.FFT(n, process_grid=(1.9, 1)), "process_grid[0] = 1.9 is not allowed"),
        (lambda: sc.FFT(n, threads=1.5), "threads = 1.5 is not allowed"),
    ):
        try:
            call()
        except sc.BadInput as error:
            assert reason in str(error), error
        else:
            raise AssertionError(f"taken: {reason}")
    assert np.abs(fft.forward(np.ones(points.shape, np.int8)) - fft.forward(np.ones_like(points))).max() == 0
    try:
        sc.FFT(n, precision="half")
    except sc.BadInput as error:
        assert 'it must be "double" or "single"' in str(error)
    else:
        raise AssertionError("half precision was taken")
    if fft.mode_start == (0, 0, 0):
        print("all good", fft)


for library, precision in json.loads(sys.argv[1]):
    check(library, precision)
"""


@pytest.fixture(scope="module")
def libraries() -> list[str]:
    ask = "import subcurrent._core as c; print(int(c.fft_libraries['fftw']))"
    done = completed([sys.executable, "-c", ask], check=True)
    return ["auto", "fftw"] if done.stdout.strip() == "1" else ["auto"]


@pytest.mark.parametrize(("ranks", "precisions"), [(1, ["double"]), (3, ["double", "single"])])
def test_against_numpy(program, libraries, ranks, precisions):
    ways = [(library, precision) for library in libraries for precision in precisions]
    done = program.script(SCRIPT, json.dumps(ways), ranks=ranks)
    assert done.stdout.count(f"all good <FFT 20 x 18 x 15 on {ranks} ranks>") == len(ways)
    if "fftw" not in libraries:
        pytest.skip("this build has no FFTW: only the library of its own was compared")
