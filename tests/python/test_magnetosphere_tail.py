# SPDX-License-Identifier: Apache-2.0
"""Current sheet, neutral line and nose of a magnetosphere in states that are known in closed form, and the
scripts that print them of a run."""

import re
import sys

import numpy as np
import pytest

from conftest import ROOT, completed
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import OK
from subcurrent.report.flowfield import PlasmaField
from subcurrent.report.markdown import markdown
from subcurrent.solvers.magnetosphere.spacing import at_spacing
from subcurrent.solvers.magnetosphere.tail import find_nose, find_sheet


def shipped(name, *sets):
    return load_case(find_case(name), list(sets))


def nodes_of(case):
    """x, y, z at the nodes, each (nz, ny, nx)."""
    axes = [
        low + case.grid.spacing * np.arange(count)
        for low, count in zip(case.grid.low, case.grid.points, strict=True)
    ]
    z, y, x = np.meshgrid(*axes[::-1], indexing="ij")
    return x, y, z


def tail_about(height, case):
    """Lobes on both sides of a sheet z = height(x); on it B_z turns at x = 17.25, v_x at 12.4 and 14.6."""
    x, y, z = nodes_of(case)
    above = z - height(x)
    magnetic = np.stack([-0.01 * np.clip(above, -5, 5), 0 * x, 1e-4 * (17.25 - x) + 1e-3 * above])
    velocity = np.stack([1e-3 * (np.abs(x - 13.5) - 1.1) + 1e-3 * above, 0 * x, 0 * x])
    return PlasmaField(np.stack([x, y, z]), 0 * x + 1e-3, velocity, 0 * x + 1e-7, magnetic)


@pytest.mark.parametrize(
    ("name", "sets", "lifted"),
    [("earth_tilted", (), 5.35), ("earth_south", ("grid.points=[90,30,30]", "grid.spacing=1"), 0.0)],
)
def test_the_sheet_lies_where_the_lobes_meet(name, sets, lifted):
    case = shipped(name, *sets)

    def height(x):
        return lifted * np.tanh(x / 12)

    sheet = find_sheet(tail_about(height, case), case)
    assert sheet.x[0] == 8  # beyond planet.outer
    # The profile of B_x is linear in z, and so is what the values of two nodes are joined by.
    assert sheet.z == pytest.approx(height(sheet.x), abs=1e-12)
    assert sheet.height(20.5) == pytest.approx(height(20.5), abs=0.01)
    assert sheet.neutral_line() == pytest.approx(17.25, abs=1e-9)
    assert sheet.southward_to() == 59
    assert sheet.flows_away_beyond() == pytest.approx(14.6, abs=1e-9)


def test_the_sheet_is_followed_from_the_planet():
    """Beside fields that turn elsewhere, and beyond a gap."""
    case = shipped("earth_tilted")
    plasma = tail_about(lambda x: 3.0 + 0 * x, case)
    x, _, z = plasma.points
    bx = plasma.magnetic[0]
    beside = (z < -20) & (x > 12)
    bx[beside] = np.where(z[beside] > -25, -1.0, 1.0)  # a stronger turn, far below
    assert find_sheet(plasma, case).z == pytest.approx(3.0)
    bx[(x > 30) & (x < 40) | (x > 50)] = -1e-3  # no southern lobe
    sheet = find_sheet(plasma, case)
    gap = (sheet.x > 30) & (sheet.x < 40) | (sheet.x > 50)
    assert np.isnan(sheet.z[gap]).all()
    assert sheet.z[~gap] == pytest.approx(3.0)
    assert sheet.southward_to() == 50


def bubble(case, centre, magnetopause, shock):
    """A wind whose shock is a sphere about (0, 0, centre), and a current on another sphere in it."""
    x, y, z = nodes_of(case)
    wind = case.solar_wind().scaled(case.units())
    r, near = np.sqrt(x**2 + y**2 + (z - centre) ** 2), np.sqrt(x**2 + y**2 + z**2)
    dense = 1 + 2.5 * 0.5 * (1 - np.tanh((r - shock) / 0.5))  # 1.5 at 0.49 outside
    velocity = np.stack([wind["velocity"][0] / dense, 0 * x, 0 * x])
    angle = np.radians(case.planet.tilt)
    moment = np.stack([np.sin(angle) + 0 * x, 0 * x, np.cos(angle) + 0 * x])
    along = np.sin(angle) * x + np.cos(angle) * z
    near = np.maximum(near, 0.5)
    dipole = moment / near**3 - 3 * along * np.stack([x, y, z]) / near**5
    rest = np.stack([0 * x, 0 * x, 1e-3 * np.tanh((r - magnetopause) / 0.8)])
    points = np.stack([x, y, z])
    return PlasmaField(points, wind["density"] * dense, velocity, 0 * x + 1e-7, dipole + rest)


@pytest.mark.parametrize("centre", [4.0, -2.5])
def test_the_nose_is_the_foremost_point_of_the_magnetopause(centre):
    case = shipped("earth_tilted")
    nose = find_nose(bubble(case, centre, 11.0, 15.0), case)
    # A ray every three degrees, and curls by differences over two radii.
    assert nose.distance == pytest.approx(11.0, abs=0.15)
    assert nose.z == pytest.approx(centre, abs=1.3)
    assert nose.shock == pytest.approx(15.4, abs=0.35)


def test_a_case_at_another_spacing_has_nodes_in_the_planes_of_symmetry():
    assert at_spacing(shipped("earth_south"), 1)[:2] == ["grid.points=[90, 30, 30]", "grid.spacing=1"]
    for name, spacing, points, low in (
        ("jupiter", 4, [112, 75, 38], [-150, -148, 0]),
        ("earth_tilted", 2.5, [36, 18, 35], [-30, 0, -42.5]),
    ):
        case, sets = shipped(name), at_spacing(shipped(name), spacing)
        changed = load_case(find_case(name), sets)
        assert (list(changed.grid.points), list(changed.grid.low)) == (points, low)
        for what in ("density", "pressure", "viscosity", "resistivity"):
            ratio = getattr(changed.diffusion, what) / getattr(case.diffusion, what)
            assert ratio == pytest.approx(spacing / case.grid.spacing, rel=1e-5)


def printed(tmp_path, script, *words):
    done = completed([sys.executable, ROOT / "cases" / script, *words], timeout=300, cwd=tmp_path)
    assert done.returncode == OK, done.stderr
    return [[cell.strip() for cell in row.strip("| ").split("|")] for row in done.stdout.splitlines()]


@pytest.mark.mpi
def test_scripts_take_every_planet(tmp_path):
    """On grids too coarse for physics: tables with the columns of the case."""
    tail, study, drift = ("earth_south/tail.py", "earth_north/study.py", "earth_north/drift.py")
    quick = ("--ranks", "1", "--set", "output.history_every=1", "--set", "output.figures=false")
    for case, spacing, time in (("earth_tilted", "4", "60"), ("jupiter", "15", "1e3")):
        options = ("--case", case, "--spacing", spacing, "--time", time, "--every", time, *quick)
        heading, _, *rows = printed(tmp_path, tail, *options)
        assert rows, heading
        assert ("z at 20, 25, 30" in heading) == (case == "earth_tilted")
        assert all(len(row) == len(heading) for row in rows)
        assert float(rows[-1][0]) == pytest.approx(float(time), rel=0.2)
    found = printed(tmp_path, drift, "runs/earth_tilted_tail", "runs/jupiter_tail", "--times", "60")
    assert [row[2] for row in found[2:]] == ["40", "150"]
    options = ("--case", "earth_tilted", "--spacings", "5", "--winds", "400", "--time", "50")
    rows = printed(tmp_path, study, *options, *quick)
    assert rows[2][:3] == ["5", "0.02", "400"]


def test_tables_are_those_of_markdown():
    lines = list(markdown(("a", "b"), iter([("1", "2"), ("---", "3")])))
    assert lines == ["| a | b |", "|---|---|", "| 1 | 2 |", "| --- | 3 |"]


def test_scripts_print_tables_by_one_function():
    pattern = re.compile(r'"---\|"')
    written = [path for folder in ("cases", "tools") for path in (ROOT / folder).rglob("*.py")]
    assert written
    assert [path for path in written if pattern.search(path.read_text())] == []
