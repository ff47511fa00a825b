# SPDX-License-Identifier: Apache-2.0
"""Grid files with periodic axes: an annulus that closes on itself, a box that goes on by a shift."""

import runpy
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import QUIET, summary
from subcurrent.errors import BAD_INPUT
from subcurrent.report.snapshot import read_snapshot

pytestmark = pytest.mark.mpi

CASE = Path(__file__).resolve().parents[2] / "cases" / "taylor_couette"


def write(path: Path, arrays: dict) -> None:
    with h5py.File(path, "w") as file:
        for name, values in arrays.items():
            file[name] = values


def test_the_shipped_grid_is_what_its_script_makes():
    points = runpy.run_path(str(CASE / "make_grid.py"))["points"](16)
    with h5py.File(CASE / "grid.h5") as file:
        for name, values in points.items():
            np.testing.assert_allclose(file[name][:], values, rtol=0, atol=1e-14)


def test_taylor_couette_reaches_its_exact_profile(program):
    """The speed follows A r + B / r, and nothing leaves the circles."""
    program.ok("run", CASE / "case.toml", "-n", 2, "--out", "r", *QUIET)
    assert summary(program.folder / "r")["capped_steps"] == 0
    (path,) = (program.folder / "r" / "snapshots").iterdir()
    flow = read_snapshot(path)
    x, y, _ = flow.points
    r = np.hypot(x, y)
    spin = (-0.8 - 1) / 3 + 4 * 1.2 / 3 / r**2
    exact = np.stack([-spin * y, spin * x, 0 * x])
    assert np.abs(flow.velocity - exact).max() < 5e-4


def box(shift_error: float = 0.0) -> dict:
    """The points of a box whose y axis is periodic: 12 points and the image of the first."""
    walls, around = np.arange(12) / 11, np.arange(13) / 12
    z, y, x = np.meshgrid(walls, around, walls, indexing="ij")
    y = y.copy()
    y[3, -1, 4] += shift_error
    return {"x": x, "y": y, "z": z}


PERIODIC = ("--set", "boundaries.y-=periodic", "--set", "boundaries.y+=periodic")
SHORT = ("--set", "grid.points=[12,12,12]", "--set", "run.steps=4", "--set", "output.figures=false")
SHORT += ("--set", "flow.reynolds=100")


def test_a_box_that_goes_on_by_a_shift_is_the_analytic_one(program):
    write(program.folder / "box.h5", box())
    case = CASE.parent / "cavity_demo" / "case.toml"
    grids = {
        "analytic": ("--set", "grid.clustering=uniform"),
        "file": ("--set", "grid.clustering=file", "--set", f"grid.file={program.folder / 'box.h5'}"),
    }
    flows = []
    for name, grid in grids.items():
        program.ok("run", case, "-n", 2, "--out", name, *SHORT, *PERIODIC, *grid)
        flows.append(read_snapshot(next((program.folder / name / "snapshots").iterdir())))
    np.testing.assert_allclose(flows[1].points, flows[0].points, rtol=0, atol=1e-13)
    np.testing.assert_allclose(flows[1].velocity, flows[0].velocity, rtol=0, atol=1e-6)
    assert np.abs(flows[0].velocity).max() > 0.1


def test_files_that_do_not_repeat_are_refused(program):
    write(program.folder / "torn.h5", box(1e-3))
    write(program.folder / "short.h5", {name: values[:, :-1] for name, values in box().items()})
    case = CASE.parent / "cavity_demo" / "case.toml"
    for name, words in (
        ("torn", "does not repeat along its periodic axis"),
        ("short", "the image of the first"),
    ):
        file = ("--set", "grid.clustering=file", "--set", f"grid.file={program.folder / name}.h5")
        done = program("run", case, "--out", name, *SHORT, *PERIODIC, *file)
        assert done.returncode == BAD_INPUT
        assert words in done.stderr
