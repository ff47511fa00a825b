# SPDX-License-Identifier: Apache-2.0
"""Turbulence from case file to pictures on any number of ranks."""

import json

import numpy as np
import pytest

from conftest import QUIET, history, set_options
from snapshots import derivative, fields_in, last_snapshot, same_end
from subcurrent.case.reference import read_columns
from subcurrent.errors import OK
from subcurrent.report.snapshot import read_plane
from subcurrent.solvers.box_pictures import draw_vorticity
from subcurrent.solvers.turbulence.pictures import Spectrum, draw_spectrum
from turbulence_runs import CASE, FIELDS


@pytest.mark.mpi
def test_a_run_leaves_history_spectra_snapshots_and_pictures(program):
    program.write_case(CASE)
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r")
    assert "shared: ranks 0-1" in done.stdout
    assert "modes are transposed between 2 ranks" in done.stdout
    folder = program.folder / "r"
    table = history(folder)
    assert [row["step"] for row in table] == ["2", "4", "6", "8", "10", "12"]
    assert all(float(row["energy"]) == pytest.approx(0.5, rel=1e-6) for row in table)
    # The snapshot, the spectrum and the history tell of one flow.
    velocity, vorticity = fields_in(last_snapshot(folder), *FIELDS)
    assert velocity.shape == (16, 20, 24, 3)
    assert 0.5 * np.mean(np.sum(velocity**2, -1)) == pytest.approx(float(table[-1]["energy"]), rel=2e-9)
    assert 0.5 * np.mean(np.sum(vorticity**2, -1)) == pytest.approx(float(table[-1]["enstrophy"]), rel=1e-9)
    spectrum = read_columns(folder / "spectrum.csv")
    assert spectrum["E"].sum() == pytest.approx(float(table[-1]["energy"]), rel=1e-9)
    assert [path.name for path in sorted((folder / "spectra").iterdir())] == [
        f"spectrum_{step:08d}.csv" for step in (4, 8, 12)
    ]
    # du/dx of the snapshot's points, by numpy's transform
    g = [derivative(velocity[..., axis], axis) for axis in range(3)]
    skewness = np.mean(np.array(g) ** 3) / np.mean(np.array(g) ** 2) ** 1.5
    assert float(table[-1]["skewness"]) == pytest.approx(skewness, abs=1e-9)
    assert np.abs(sum(g)).max() < 1e-12
    time, plane = read_plane(last_snapshot(folder), "vorticity")
    assert time == pytest.approx(0.24)
    assert np.array_equal(plane, np.moveaxis(vorticity[8], -1, 0))
    for name in ("spectrum.png", "dissipation.png", "vorticity.png", "scales.png", "structure.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["viscosity"] == 0.02
    assert (folder / "report.html").is_file() or program("report", "r").returncode == OK


@pytest.mark.mpi
@pytest.mark.parametrize(
    "scheme",
    [
        {"integrator": "rk3", "form": "divergence"},
        {"dealiasing": "phase_shift", "courant": 0.05},
    ],
)
def test_every_scheme_is_had_from_a_case_file(program, scheme):
    program.write_case(CASE)
    sets = set_options(*(f"scheme.{name}={value}" for name, value in scheme.items()))
    program.ok("run", "case.toml", "--out", "r", *QUIET, *sets, "--set", "run.steps=4")
    last = history(program.folder / "r")[-1]
    assert float(last["energy"]) == pytest.approx(0.5, rel=1e-4)
    steps = {float(row["dt"]) for row in history(program.folder / "r")}
    assert (steps == {0.02}) == ("courant" not in scheme)


@pytest.mark.mpi
def test_fields_on_disk_leave_the_same_bits(program):
    program.write_case(CASE)
    run = ("run", "case.toml", *QUIET, "--set", "run.steps=4")
    disk = ("--set", "storage.place=files", "--set", "storage.pieces=2", "--set", "storage.scratch=here")
    program.ok(*run, "--out", "memory")
    done = program.ok(*run, *disk, "--out", "disk")
    assert "disk" in done.stdout
    assert same_end(program.folder / "memory", program.folder / "disk", *FIELDS)
    assert not list((program.folder / "here").rglob("*")), "scratch files remain"


FIVE_LINES = """
import numpy as np
import subcurrent as sc
sim = sc.Turbulence((16, 16, 16), reynolds=100, dt=0.02, forcing={"kind": "constant_power", "power": 0.1})
last = sim.run(steps=5)
k, energy = sim.spectrum()
sim.plot("spectrum.png")
sim.plot("vorticity.png", kind="vorticity")
u = sim.velocity
assert u.shape == (3, 16, 16, 16), u.shape
assert abs(0.5 * np.mean(np.sum(u**2, axis=0)) - last["energy"]) < 1e-12
assert abs(energy.sum() - last["energy"]) < 1e-12
before = sim.modes[0, 0, 1, 1]
sim.step()
assert sim.modes[0, 0, 1, 1] != before and sim.modes.dtype == complex
half = sc.Turbulence((16, 16, 16), reynolds=100, dt=0.02, precision="single")
half.run(steps=1)
assert half.velocity.dtype == np.float32 and half.modes.dtype == np.complex64
assert half.gather("vorticity").dtype == np.float32
assert half.modes.shape == sim.modes.shape and np.abs(half.modes).max() > 1
print(repr(sim))
"""


@pytest.mark.mpi
def test_the_interface_in_five_lines(program):
    done = program.script(FIVE_LINES)
    assert "step 6" in done.stdout
    assert (program.folder / "spectrum.png").stat().st_size > 10_000


@pytest.mark.mpi
def test_bad_input_ends_with_one_sentence(program, refusal):
    program.write_case(CASE)
    said = refusal("run", "case.toml", "-n", "2", "--set", "engine.split=[2,1,1]")
    assert "its first number must be 1" in said
    assert "memory" in program.refused("run", "case.toml", "--set", "storage.memory=1 KiB")


# -- pictures --------------------------------------------------------------------------------------


def test_pictures_appear(tmp_path):
    k = np.arange(1, 40.0)
    spectra = [Spectrum(k, k ** (-5 / 3), "one", 0.4 ** (2 / 3), 0.03)]
    draw_spectrum(tmp_path / "s.png", spectra, 39, "A spectrum")
    draw_vorticity(tmp_path / "v.png", np.random.default_rng(1).random((3, 16, 20)), 1.0, "A plane")
    for name in ("s.png", "v.png"):
        assert (tmp_path / name).stat().st_size > 10_000


MODES_ALONE = """
import re
from pathlib import Path
import subcurrent as sc

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) / 1024

sim = sc.Turbulence((96, 96, 96), reynolds=100, dt=0.01)
sim.step()
before = peak()
sim.modes[:] *= 1
modes = sim.gather("modes")
sim.step()
print(peak() - before)
"""


def test_the_modes_allocate_no_points(program):
    """An array of points has 20 MiB, the modes 6."""
    done = program.script(MODES_ALONE)
    assert float(done.stdout) < 20
