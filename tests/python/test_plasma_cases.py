# SPDX-License-Identifier: Apache-2.0
"""Cases that test the MHD scheme: linear waves, the blast wave, the field loop, and what each conserves."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import set_options, summary
from subcurrent.case.library import find_case
from subcurrent.case.reference import read_columns
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.snapshot import read_plasma
from subcurrent.solvers.magnetosphere.plasma_plane import diagonals

sys.path.insert(0, str(Path(__file__).parents[1] / "oracle"))
sys.path.insert(0, str(Path(__file__).parents[2] / "tools"))
import leapfrog_modes as theory

from regenerate import blocks

pytestmark = [pytest.mark.mpi, pytest.mark.timeout(900)]
PERIOD = {name: 1 / wave.speed for name, wave in theory.WAVES.items()}


def summary_of(program, case, *sets, ranks=1, name="r"):
    words = set_options("output.figures=false", *sets)
    program.ok("run", case, *words, "-n", ranks, "--out", name, timeout=600)
    return summary(program.folder / name)


def error_of(program, wave, n, *sets):
    grid = (f"grid.points=[{n},{n // 2},{n // 2}]", f"grid.spacing={3 / n}", "output.snapshots=false")
    name = f"{wave}{n}"
    times = (f"plasma.wave={wave}", f"run.time={PERIOD[wave]}")
    summary_of(program, "linear_wave", *grid, *times, *sets, name=name)
    return json.loads((program.folder / name / "wave.json").read_text())["error"]


# -- linear waves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("wave", theory.WAVES)
def test_waves_at_the_cases_settings_converge_fourfold_within_the_published_thresholds(program, wave):
    """Centred differences carry an entropy wave 1.65 thresholds off, with any start of a cycle."""
    coarse, fine = (error_of(program, wave, n) for n in (32, 64))
    assert coarse / fine > 3.8
    assert fine < (1.7 if wave == "entropy" else 1.3) * theory.WAVES[wave].threshold
    for n, error in ((32, coarse), (64, fine)):
        assert error == pytest.approx(theory.error(wave, n, 0.8, 256), rel=2e-4)
    rows = blocks.get(find_case("linear_wave").parent / "README.md", "linear_wave")
    name = wave.replace("alfven", "Alfvén")
    (shown,) = [row.strip("| ").split(" | ") for row in rows if row.startswith(f"| {name} |")]
    said = [
        f"{coarse / fine:.2f}",
        f"{theory.WAVES[wave].threshold:g}, {fine / theory.WAVES[wave].threshold:.2f}",
    ]
    assert shown[3:] == said, "tools/figures.py linear_wave"
    assert [float(error) for error in shown[1:3]] == pytest.approx([coarse, fine], rel=1e-3)


def test_short_cycles_lose_what_the_theory_says(program):
    """With several starts in a period."""
    error = error_of(program, "alfven", 32, "run.courant=0.4", "run.cycle=8")
    assert error == pytest.approx(theory.error("alfven", 32, 0.4, 8), rel=2e-4)


@pytest.mark.parametrize("wave", theory.WAVES)
def test_the_damped_start_is_what_costs_the_order(wave):
    """The same cycle of 8 from starts that do not damp converges fourfold."""

    def ratios(start):
        a, b, c = (theory.error(wave, n, 0.4, 8, start) for n in (32, 64, 128))
        return a / b, b / c

    assert min(ratios("damped")) < 3.7
    for start in ("corrected", "exact"):
        assert all(3.9 < ratio < 4.3 for ratio in ratios(start)), start


# -- what is conserved -----------------------------------------------------------------------------


def change(summary, name):
    return summary["last_step"][name] / summary["at_start"][name] - 1


def volume_of(summary):
    grid = summary["case"]["grid"]
    return math.prod(grid["points"]) * grid["spacing"] ** 3


def drift(summary, name, scale):
    """Of a vector's sum, over a sum of magnitudes that it cannot exceed."""
    last, start = summary["last_step"], summary["at_start"]
    return math.hypot(*(last[f"{name}_{axis}"] - start[f"{name}_{axis}"] for axis in "xyz")) / scale


def loop(program, n, ranks=1):
    low = f"grid.low=[{-1 + 1 / n},{-0.5 + 1 / n},0]"
    grid = (f"grid.points=[{n},{n // 2},1]", f"grid.spacing={2 / n}", low, "output.history_every=10")
    return summary_of(program, "field_loop", *grid, ranks=ranks, name=f"loop{n}")


def blast(program, n, ranks=1):
    low = f"grid.low=[{-0.5 + 0.5 / n},{-0.75 + 0.5 / n},0]"
    grid = (f"grid.points=[{n},{3 * n // 2},1]", f"grid.spacing={1 / n}", low)
    return summary_of(program, "blast", *grid, ranks=ranks, name=f"blast{n}")


def plane_of(program, name):
    return read_plasma(RunFolder(program.folder / name).last_snapshot()).plane(2)


def test_the_blast_wave_is_symmetric_and_approaches_independent_finite_volumes(program):
    """128 x 192: the lines along and across the field, extremes, and what is conserved; more points in
    cases/blast/README.md."""
    done = blast(program, 128, ranks=2)
    plane = plane_of(program, "blast128")
    magnetic = 0.5 * (plane.magnetic**2).sum(0)
    reference = read_columns(find_case("blast").parent / "reference.csv")
    quantities = {"density": plane.density, "pressure": plane.pressure, "magnetic": magnetic}
    for name, norm in (("density", 0.08), ("pressure", 0.09), ("magnetic", 0.085)):
        for where, (s, values) in diagonals(plane, quantities[name]).items():
            expected = reference[f"{name} {where}"]
            error = np.abs(np.interp(reference["s"], s, values) - expected).mean() / expected.mean()
            assert error < norm, (name, where, error)
    # Of the finite volumes on 200 x 300: density 0.151 to 2.59, pressure to 0.947, B^2 / 2 0.106 to 1.389.
    assert plane.density.max() == pytest.approx(2.59, rel=0.1)
    assert plane.pressure.max() == pytest.approx(0.947, rel=0.03)
    assert magnetic.max() == pytest.approx(1.389, rel=0.03)
    assert plane.density.min() == pytest.approx(0.151, rel=0.15)
    assert plane.pressure.min() > 0.099
    assert done["floored"] == 0
    # Through the centre everywhere; about the field until images from beyond x = 1/2 arrive.
    assert np.abs(plane.density - plane.density[::-1, ::-1]).max() < 1e-13
    inner = np.abs(plane.points[0][0]) < 0.4
    rows = np.abs(plane.points[1][:, 0]) < 0.4
    square = plane.density[rows][:, inner]
    assert np.abs(square - square.T).max() < 1e-9

    volume, start = volume_of(done), done["at_start"]
    assert change(done, "mass") == pytest.approx(0, abs=1e-13)
    assert drift(done, "momentum", math.sqrt(2 * start["mass"] * start["energy"])) < 1e-13
    assert drift(done, "flux", math.sqrt(2 * volume * start["energy"])) < 1e-13
    assert done["last_step"]["divergence"] < 1e-11  # B / h = 128
    # Not conserved, for the pressure is advanced: 0.28 % are lost here, 0.32 % at 256 x 384.
    assert -0.004 < change(done, "energy") < 0


def test_a_field_loop_keeps_its_shape_over_a_crossing(program):
    """128 x 64, as published. Of its energy independent finite volumes (piecewise linear) keep 0.87."""
    done = loop(program, 128)
    plane = plane_of(program, "loop128")
    left = 1 + change(done, "magnetic_energy")
    assert 0.85 < left < 0.93
    # Back at its place: B against that of the start, and what has left the loop.
    h = done["case"]["grid"]["spacing"]
    x, y = plane.points[0], plane.points[1]
    potential = {
        (sx, sy): 1e-3 * np.maximum(0.3 - np.hypot(x + sx * h / 2, y + sy * h / 2), 0)
        for sx in (-1, 1)
        for sy in (-1, 1)
    }
    bx = sum(sy * a for (_, sy), a in potential.items()) / (2 * h)
    by = -sum(sx * a for (sx, _), a in potential.items()) / (2 * h)
    exact = np.array([bx, by])
    off = plane.magnetic[:2] - exact
    assert math.sqrt((off**2).sum() / (exact**2).sum()) < 0.29
    energy = 0.5 * (plane.magnetic**2).sum(0)
    outside = np.hypot(x, y) > 0.35
    assert energy[outside].sum() / energy.sum() < 0.01
    assert energy.max() < 1.7 * 0.5e-6
    assert not plane.magnetic[2].any()

    volume, start = volume_of(done), done["at_start"]
    assert change(done, "mass") == pytest.approx(0, abs=1e-14)
    assert drift(done, "momentum", math.sqrt(2 * start["mass"] * start["energy"])) < 1e-15
    assert drift(done, "flux", math.sqrt(2 * volume * start["magnetic_energy"])) < 1e-15
    assert done["last_step"]["divergence"] < 1e-14  # B / h = 0.064
    # Of what the field loses four fifths become heat; the rest goes where a cycle begins, and out of the sum.
    lost = start["magnetic_energy"] - done["last_step"]["magnetic_energy"]
    assert 0.1 < (start["energy"] - done["last_step"]["energy"]) / lost < 0.3
