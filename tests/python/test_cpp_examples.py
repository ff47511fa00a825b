# SPDX-License-Identifier: Apache-2.0
"""The C++ examples, run as a user does: restart.cpp, gray_scott.cpp and wave.cpp go on from their
checkpoints on other ranks with the same bits, write what ParaView opens and leave what an independent
solution leaves; what any example refuses is a sentence."""

import math

import numpy as np
import pytest

from conftest import MPIRUN, ROOT, ROOT_MAY, completed

PROGRAMS = ROOT / "build/release/examples"
pytestmark = [
    pytest.mark.mpi,
    pytest.mark.skipif(not (PROGRAMS / "restart").exists(), reason="the C++ examples are not built"),
]


@pytest.fixture
def example(program):
    def run(ranks, name, *arguments):
        return completed(
            [*MPIRUN, str(ranks), str(PROGRAMS / name), *map(str, arguments)],
            cwd=program.folder,
            env={**program.environment, **ROOT_MAY, "OMP_NUM_THREADS": "1"},
            timeout=120,
        )

    return run


def ran(done):
    assert done.returncode == 0, done.stderr
    return done.stdout


def refused(done, code, sentence):
    """One line of the program's own, whatever the number of ranks, and its exit code."""
    assert done.returncode == code, (done.returncode, done.stderr)
    for other in ("terminate called", "MPI_ABORT", "*** Process received signal ***"):
        assert other not in done.stderr, done.stderr
    said = [line for line in done.stderr.splitlines() if sentence in line]
    assert len(said) == 1, done.stderr


def fields_of(path):
    """What VTK, and so ParaView, reads: arrays [z, y, x] by name, the points along an axis, and the time."""
    vtk = pytest.importorskip("vtk")
    numbers = pytest.importorskip("vtk.util.numpy_support")
    reader = vtk.vtkHDFReader()
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutput()
    shape = image.GetDimensions()[::-1]
    data = image.GetPointData()
    arrays = {
        data.GetArrayName(n): numbers.vtk_to_numpy(data.GetArray(n)).reshape(shape)
        for n in range(data.GetNumberOfArrays())
    }
    points = image.GetOrigin()[0] + image.GetSpacing()[0] * np.arange(shape[2])
    return arrays, points, image.GetFieldData().GetArray("TimeValue").GetValue(0)


# every example

NO_NUMBER = 'is "abc"; it must be a whole number from'
TAKEN = {  # what may be given, and what the words are called in the sentence about one too many
    "heat": ("the number of cells, the number of steps and the number of steps a pass", 8, 1, 2),
    "heat_on_disk": ("the folder, the number of pieces and the number of steps a pass", 8, 1, "here", 2, 1),
    "restart": ("the number of cells, the number of steps and the checkpoint", 8, 1, "a.h5"),
    "gray_scott": ("the name, feed, kill and dt", 12, 1, "a", 0.02, 0.048, 1),
    "wave": ("the strength of the sponge and the number of steps a pass", 16, 1, "a", 0.2, 2),
    "spectral_derivative": ("the arguments are the number of points", 8),
}


def test_every_example_is_among_them():
    assert sorted(TAKEN) == sorted(path.stem for path in (ROOT / "examples").glob("*.cpp"))


@pytest.mark.parametrize("name", TAKEN)
def test_words_that_are_no_numbers_are_refused_in_one_sentence(example, name):
    what = "points" if name == "spectral_derivative" else "cells"
    for ranks in (1, 2):
        refused(example(ranks, name, "abc"), 2, f"{name}: the number of {what} {NO_NUMBER}")
    if name != "spectral_derivative":
        refused(example(2, name, 16, "abc"), 2, f"{name}: the number of steps {NO_NUMBER} 0 on")


@pytest.mark.parametrize("name", TAKEN)
def test_a_word_too_many_is_refused_in_one_sentence(example, name):
    words, *given = TAKEN[name]
    ran(example(2, name, *given))
    done = example(2, name, *given, "more")
    refused(done, 2, f'{name}: the argument "more" is one too many; the arguments are ')
    assert words in done.stderr


@pytest.mark.parametrize("name", ["heat", "heat_on_disk", "restart"])
def test_a_grid_that_cannot_be_is_one_sentence(example, name):
    refused(example(2, name, 1, 2), 2, f"{name}: ")
    refused(example(2, name, 0, 2), 2, f"{name}: ")


def test_files_that_cannot_be_are_one_sentence(example, program):
    (program.folder / "file").write_text("x")
    refused(
        example(2, "heat_on_disk", 16, 1, "file/scratch"), 3, "heat_on_disk: cannot make the scratch folder"
    )
    refused(example(2, "restart", 16, 1, "nowhere/a.h5"), 3, "restart: ")


# heat.cpp


@pytest.mark.parametrize("length", [2, 3, 8])
def test_heat_has_the_same_digits_in_passes(example, length):
    single = ran(example(1, "heat", 24, 20))
    for ranks in (1, 2):
        assert ran(example(ranks, "heat", 24, 20, length)) == single


# restart.cpp


def test_it_goes_on_with_the_same_bits(example):
    whole = ran(example(1, "restart", 16, 20, "whole.h5"))
    assert whole.startswith("step 20: ")
    assert ran(example(2, "restart", 16, 8, "parts.h5")).startswith("step 8: ")
    assert ran(example(3, "restart", 16, 12, "parts.h5")) == whole


def test_a_foreign_or_damaged_checkpoint_is_one_sentence(example, program):
    ran(example(1, "restart", 16, 1, "a.h5"))
    (program.folder / "b.h5").write_text("no checkpoint")
    refused(example(2, "restart", 20, 1, "a.h5"), 3, "restart: ")
    refused(example(2, "restart", 16, 1, "b.h5"), 3, "restart: ")


# gray_scott.cpp


def react(cells, steps, feed=0.02, kill=0.048, dt=1.0):
    """The reaction by whole arrays, each operation in the order of the equation."""
    far = np.abs(np.arange(cells) - cells // 2)
    seeded = np.maximum(np.maximum(far[:, None, None], far[None, :, None]), far[None, None, :]) < 6
    u, v = np.where(seeded, 0.25, 1.0), np.where(seeded, 0.33, 0.0)

    def laplacian(q):
        around = np.roll(q, -1, 2) + np.roll(q, 1, 2)
        for axis in (1, 0):
            around = around + np.roll(q, -1, axis) + np.roll(q, 1, axis)
        return around / 6 - q

    for _ in range(steps):
        eaten = u * v * v
        u, v = (
            u + dt * (0.2 * laplacian(u) - eaten + feed * (1 - u)),
            v + dt * (0.1 * laplacian(v) + eaten - (feed + kill) * v),
        )
    return u, v


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_gray_scott_has_the_bits_of_whole_arrays(example, program, ranks):
    ran(example(ranks, "gray_scott", 20, 60, "spots"))
    fields, points, time = fields_of(program.folder / "spots_00000060.vtkhdf")
    u, v = react(20, 60)
    assert time == 60
    assert points[1] - points[0] == 1
    assert np.array_equal(fields["u"], u)
    assert np.array_equal(fields["v"], v)
    assert v.max() > 0.1  # v lives, so that the bits say something


@pytest.mark.parametrize(
    ("name", "cells", "part", "steps", "more"),
    [("gray_scott", 16, 15, 40, (0.03, 0.06)), ("wave", 24, 25, 60, ())],
)
def test_a_run_goes_on_on_other_ranks(example, program, name, cells, part, steps, more):
    whole = ran(example(1, name, cells, steps, "whole", *more))
    ran(example(3, name, cells, part, "parts", *more))
    assert ran(example(2, name, cells, steps, "parts", *more)) == whole
    paths = [program.folder / f"{one}_{steps:08}.vtkhdf" for one in ("whole", "parts")]
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_gray_scott_refuses_in_one_sentence(example):
    ran(example(1, "gray_scott", 16, 2, "a"))
    refused(example(2, "gray_scott", 16, 4, "a", 0.03), 2, "gray_scott: a.h5 is of a run with feed 0.02")
    refused(example(2, "gray_scott", 16, 1, "a"), 2, "gray_scott: a.h5 is of step 2, beyond step 1")
    refused(example(2, "gray_scott", "many"), 2, 'gray_scott: the number of cells is "many"; it must be')
    refused(example(2, "gray_scott", 16, 2, "nowhere/b"), 3, "gray_scott: ")
    hot = example(2, "gray_scott", 16, 500, "hot", 0.02, 0.048, 9)
    refused(hot, 4, "gray_scott: u or v is not finite at step 500; a dt below 9 may help")


# wave.cpp

SPEED, SPACING = 343.0, 0.01
DT = 0.25 * SPACING / SPEED
PEAK = SPEED / (16 * SPACING)


def travelled(points, time):
    """The exact pressure of the point source in the middle, and the distance from it."""
    at = points - points[len(points) // 2]
    r = np.sqrt(at[:, None, None] ** 2 + at[None, :, None] ** 2 + at[None, None, :] ** 2)
    square = (math.pi * PEAK * (time - r / SPEED - 1.5 / PEAK)) ** 2
    with np.errstate(divide="ignore"):
        return (1 - 2 * square) * np.exp(-square) / r, r


def test_the_wave_travels_as_the_exact_solution_says(example, program):
    ran(example(2, "wave", 96, 170, "sound"))
    fields, points, time = fields_of(program.folder / "sound_00000170.vtkhdf")
    assert time == pytest.approx(170 * DT)
    assert points[0] == pytest.approx(SPACING / 2)
    exact, r = travelled(points, time)
    heard = (r > 6 * SPACING) & (fields["sponge"] == 0)
    off = np.linalg.norm((fields["pressure"] - exact)[heard]) / np.linalg.norm(exact[heard])
    assert np.abs(exact[heard]).max() > 3  # Pa: the pulse is there, and not in the sponge yet
    assert off < 0.02, off


def left_inside(path, still=16):
    """Energy-like: the squares of the pressure within so many cells of the middle."""
    pressure = fields_of(path)[0]["pressure"]
    middle = slice(len(pressure) // 2 - still, len(pressure) // 2 + still)
    return float((pressure[middle, middle, middle] ** 2).sum())


def test_the_sponge_lets_the_wave_leave(example, program):
    """When the pulse has gone to the walls and back, with walls alone and with the sponge before them."""
    for name, strength in (("soft", 0.2), ("hard", 0)):
        ran(example(2, "wave", 96, 520, name, strength))
    soft, hard = (left_inside(program.folder / f"{name}_00000520.vtkhdf") for name in ("soft", "hard"))
    assert soft < 5e-3 * hard, (soft, hard)


def test_the_wave_has_the_same_bits_in_passes(example, program):
    """Across an output, with a checkpoint in the middle of what would be a pass."""
    single = ran(example(1, "wave", 24, 210, "single"))
    ran(example(3, "wave", 24, 25, "passes", 0.2, 2))
    assert ran(example(2, "wave", 24, 210, "passes", 0.2, 4)) == single
    for step in (200, 210):
        names = [program.folder / f"{name}_{step:08}.vtkhdf" for name in ("single", "passes")]
        assert names[0].read_bytes() == names[1].read_bytes()


def test_the_wave_refuses_in_one_sentence(example):
    ran(example(1, "wave", 16, 2, "a"))
    refused(example(2, "wave", 16, 4, "a", 0.5), 2, "wave: a.h5 is of a sponge of strength 0.2")
    refused(example(2, "wave", 16, 4, "b", -1), 2, 'wave: the strength of the sponge is "-1"; it must be')
    refused(example(3, "wave", 20, 4, "a"), 3, "wave: ")
