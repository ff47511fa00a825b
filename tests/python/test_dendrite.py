# SPDX-License-Identifier: Apache-2.0
"""The dendrite from case file to pictures, its flux against a symbolic derivative, its loops vectorised."""

import itertools
import json
import math
import re
import sys

import numpy as np
import pytest
from PIL import Image

from conftest import QUIET, ROOT, completed, core_is_built, drawn_apart, history, summary
from snapshots import same_end
from subcurrent.case.reference import read_columns
from subcurrent.solvers.dendrite.crystal import draw_outlines, draw_temperature
from subcurrent.solvers.dendrite.crystal_field import CrystalField, read_crystal
from subcurrent.solvers.dendrite.figures import shown
from subcurrent.solvers.dendrite.kind import ARM_VELOCITIES, ARMS

CASE = """
solver = "dendrite"
[grid]
cells = [20, 18, 16]
[boundaries]
"x-" = "symmetry"
"y-" = "symmetry"
"z-" = "symmetry"
[[seeds]]
centre = [0.0, 0.0, 0.0]
radius = 0.1
[run]
steps = 30
[output]
history_every = 5
"""
FIELDS = ("phase", "temperature_above_melting")


# -- whole runs ------------------------------------------------------------------------------------


@pytest.mark.mpi
def test_a_run_leaves_history_snapshots_and_pictures(program):
    program.write_case(CASE)
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r")
    assert "messages are sent by shared: ranks 0-1" in done.stdout
    folder = program.folder / "r"
    table = history(folder)
    assert [row["step"] for row in table] == ["5", "10", "15", "20", "25", "30"]
    tips = [float(row["tip"]) for row in table]
    assert tips == sorted(tips)
    assert tips[0] > 1e-7
    arms = [[float(row[name]) for name in ARMS] for row in table]
    assert tips == [max(lengths) for lengths in arms]
    speeds = [float(row["tip_velocity"]) for row in table[1:]]
    times = [float(row["time"]) for row in table]
    for n, speed in enumerate(speeds):
        assert speed == pytest.approx((tips[n + 1] - tips[n]) / (times[n + 1] - times[n]), rel=1e-3)
    for arm, name in enumerate(ARM_VELOCITIES):
        assert math.isnan(float(table[0][name] or math.nan))
        for n, row in enumerate(table[1:]):
            between = (arms[n + 1][arm] - arms[n][arm]) / (times[n + 1] - times[n])
            assert float(row[name]) == pytest.approx(between, rel=1e-3), (name, n)
    crystal = read_crystal(next((folder / "snapshots").iterdir()), 1728.0)
    assert crystal.phase.shape == (16, 18, 20)
    assert crystal.phase.mean() == pytest.approx(float(table[-1]["solid"]), rel=1e-5)
    assert crystal.temperature.max() == pytest.approx(float(table[-1]["T_high"]), abs=0.01)
    for name in ("crystal.png", "temperature.png", "growth.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    assert summary(folder)["undercooling"] == 217


ROTATED = """
solver = "dendrite"
[grid]
cells = [96, 80, 80]
[material]
noise = 0.0
[[seeds]]
radius = 0.12
axis = [1.0, 0.0, 0.0]
angle = 45.0
[run]
steps = 1000
[output]
snapshots = false
history_every = 250
"""


@pytest.mark.mpi
def test_each_arm_of_a_rotated_crystal_has_its_own_speed(program):
    """Rotated about x. The arms along its y and z grow between the axes of the grid, 5 % slower; the longest
    arm, along x, does not show that."""
    program.write_case(ROTATED)
    program.ok("run", "case.toml", "-n", "2", "--out", "r", *QUIET)
    table = read_columns(program.folder / "r" / "history.csv")
    lengths = np.array([table[name] for name in ARMS])
    speeds = np.array([table[name] for name in ARM_VELOCITIES])[:, 1:]
    np.testing.assert_allclose(speeds, np.diff(lengths) / np.diff(table["time"]), rtol=1e-4)
    np.testing.assert_allclose(table["tip"], lengths.max(0))
    late = speeds[:, -2:].mean(1)
    assert late[1] == pytest.approx(late[0], rel=1e-3)
    assert late[2:] == pytest.approx(late[2], rel=1e-3)
    assert 0.92 < late[2] / late[0] < 0.98
    assert table["tip_velocity"][-2:].mean() == pytest.approx(late[0], rel=1e-3)


@pytest.mark.mpi
def test_a_resumed_run_goes_on_with_the_same_bits(program, made_once):
    program.write_case(CASE)
    program.ok("run", "case.toml", "-n", "1", "--out", "parts", "--set", "run.steps=13", *QUIET)
    program.ok("run", "case.toml", "-n", "2", "--out", "parts", "--resume", *QUIET)
    assert same_end(made_once(CASE, "-n", "1", *QUIET), program.folder / "parts", *FIELDS)


def test_bad_input_ends_with_one_sentence(program, refusal):
    program.write_case(CASE.replace("[20, 18, 16]", "[20, 18]"))
    assert "grid.cells" in refusal("run", "case.toml")


# -- snapshots and pictures ------------------------------------------------------------------------


@pytest.mark.mpi
def test_vtk_reads_the_snapshot_as_an_image(program, made_once):
    reader = pytest.importorskip("vtkmodules.vtkIOHDF", reason="vtk is not installed").vtkHDFReader()
    path = next((made_once(CASE, "-n", "1", *QUIET) / "snapshots").iterdir())
    reader.SetFileName(str(path))
    reader.Update()
    image = reader.GetOutput()
    assert image.GetDimensions() == (20, 18, 16)
    assert image.GetSpacing() == pytest.approx((0.02, 0.02, 0.02))
    assert image.GetOrigin() == pytest.approx((0.01, 0.01, 0.01))
    values = image.GetPointData().GetArray("phase")
    expected = read_crystal(path, 1728.0).phase
    for x, y, z in ((3, 2, 1), (19, 17, 15), (6, 0, 0)):
        assert values.GetTuple1((z * 18 + y) * 20 + x) == pytest.approx(float(expected[z, y, x]))


def ball(count: int = 24) -> CrystalField:
    r = (np.arange(count) + 0.5) * 0.02
    z, y, x = np.meshgrid(r, r, r, indexing="ij")
    phase = 0.5 * (1 - np.tanh((np.sqrt(x**2 + y**2 + z**2) - 0.2) / 0.03))
    return CrystalField(phase, 1511 + 150 * phase, (0.01,) * 3, (0.02,) * 3, 1e-9)


@pytest.mark.parametrize("mirrored", [(True, False, True), (True, True, True), (False, True, False)])
def test_an_eighth_is_completed(mirrored):
    """Middle planes, coordinates and box are those of a crystal whose images are stored."""
    part = ball()
    axes = [2 - axis for axis in range(3) if mirrored[axis]]
    phase, temperature = part.phase, part.temperature
    for axis in axes:
        phase, temperature = (
            np.concatenate([np.flip(values, axis), values], axis) for values in (phase, temperature)
        )
    origin = tuple(-0.47 if mirrored[axis] else 0.01 for axis in range(3))
    stored, whole = CrystalField(phase, temperature, origin, (0.02,) * 3), part.completed(mirrored)
    assert whole.bounds() == pytest.approx(stored.bounds())
    for axis in range(3):
        assert whole.axis(axis) == pytest.approx(stored.axis(axis))
        for mine, expected in zip(whole.middle(axis), stored.middle(axis), strict=True):
            assert np.array_equal(mine, expected)


def test_pictures_appear_without_pyvista(tmp_path):
    draw_outlines(tmp_path / "a.png", [ball(), ball()], "Two")
    draw_temperature(tmp_path / "b.png", ball().completed((True, True, True)), "One")
    assert (tmp_path / "a.png").stat().st_size > 10_000
    assert (tmp_path / "b.png").stat().st_size > 10_000


def test_the_view_in_space_appears(tmp_path):
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    code = (
        "from test_dendrite import ball;"
        "from subcurrent.solvers.dendrite.crystal_view import draw_surfaces, surface_of;"
        "s = surface_of(ball().completed((True, True, True)));"
        "assert abs(s.volume / (4 / 3 * 3.14159265 * 0.2**3) - 1) < 0.02, s.volume;"
        "assert s.n_open_edges == 0, s.n_open_edges;"
        "draw_surfaces(Path(sys.argv[1]), [ball()] * 3)"
    )
    drawn_apart(code, tmp_path / "v.png")
    assert (tmp_path / "v.png").stat().st_size > 10_000
    with Image.open(tmp_path / "v.png") as view:
        assert len(view.crop((0, 0, 20, view.height)).getcolors()) == 1, "texts are off the edge"


def test_four_snapshots_are_shown(tmp_path):
    paths = [tmp_path / f"{n}" for n in range(1, 7)]
    assert [path.name for path in shown(paths)] == ["1", "2", "4", "6"]
    assert shown(paths[:4]) == paths[:4]


# -- the flux --------------------------------------------------------------------------------------


@pytest.mark.skipif(not core_is_built(), reason="the compiled module is not built")
def test_the_flux_is_the_derivative_of_the_energy():
    """d/d(grad phi) of A^2 |grad phi|^2 / 2 by sympy, along the grid's axes and rotated."""
    sympy = pytest.importorskip("sympy", reason="sympy is not installed")
    g = sympy.symbols("gx gy gz", real=True)
    gamma = sympy.Rational(1, 20)
    w, x, y, z = sympy.Rational(4, 5), sympy.Rational(2, 5), sympy.Rational(1, 5), sympy.Rational(2, 5)
    assert w**2 + x**2 + y**2 + z**2 == 1
    rotated = sympy.Matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )
    points = [(0.3, -0.2, 0.5), (1.0, 0.0, 0.0), (1e-4, 3e-4, -2e-4), (-0.7, -0.7, -0.7), (0.0, 0.4, 1e-3)]
    found = {}
    for name, R, quaternion in (
        ("straight", sympy.eye(3), (1, 0, 0, 0)),
        ("rotated", rotated, tuple(float(part) for part in (w, x, y, z))),
    ):
        p = R.T * sympy.Matrix(g)
        square = sum(part**2 for part in p)
        A = 1 - 3 * gamma + 4 * gamma * sum(part**4 for part in p) / square**2
        energy = A**2 * square / 2
        derivative = [sympy.lambdify(g, sympy.diff(energy, part), "math") for part in g]
        found[name] = (quaternion, [[float(d(*point)) for d in derivative] for point in points])
    code = (
        "import json, sys; from subcurrent import core; m = core.load(); cases = json.loads(sys.argv[1]);"
        "print(json.dumps([[m.dendrite_flux(p, 0.05, q) for p in ps] for q, ps in cases]))"
    )
    given = json.dumps([(quaternion, [*points, (0.0, 0.0, 0.0)]) for quaternion, _ in found.values()])
    done = completed([sys.executable, "-c", code, given], check=True)
    for (_, expected), got in zip(found.values(), json.loads(done.stdout), strict=True):
        for theirs, mine, point in zip(expected, got, points, strict=False):
            # What is added to |grad phi|^2 so that flat places stay finite is 1e-18.
            size = math.hypot(*point)
            assert mine == pytest.approx(theirs, rel=1e-9, abs=1e-11 * size), point
        assert got[-1] == [0, 0, 0]


# -- speed -----------------------------------------------------------------------------------------


@pytest.mark.long
def test_every_kernel_of_the_library_is_vectorised():
    """In the solver's own files, where the compiler has the most to inline: a loop for each of 8 kernels, of
    which 4 compute fluxes for both sides of a face."""
    from test_vectorised import compile_command, flux_loop, row_loop  # noqa: PLC0415

    command = [*compile_command(), "-ffp-contract=off", "-fopt-info-vec-optimized", "-S", "-o", "/dev/null"]
    source = ROOT / "solvers" / "dendrite" / "solver.cpp"
    done = completed([*command, source], cwd=ROOT, timeout=600)
    assert done.returncode == 0, done.stderr
    for loop in (rf"for_each\.hpp:{row_loop()}", rf"flux_rows\.hpp:{flux_loop()}"):
        pattern = rf"{loop}:\d+: optimized: loop vectorized using (\d+) byte vectors"
        sizes = [int(size) for size in re.findall(pattern, done.stderr)]
        widest = max(sizes)
        assert sum(size == widest for size in sizes) >= len(list(itertools.product((0, 1), repeat=2)))
