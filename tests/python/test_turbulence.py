# SPDX-License-Identifier: Apache-2.0
"""Turbulence from case file to pictures, restarts and first fields on any number of ranks, long checks."""

import json
import re
import tomllib

import h5py
import numpy as np
import pytest

from conftest import QUIET, ROOT, history, sentence_of
from subcurrent import plots
from subcurrent.case import as_toml, load_case, typed_case
from subcurrent.errors import BAD_INPUT, OK, STORAGE, BadInput, StorageError
from subcurrent.reference import read_columns
from subcurrent.snapshot import checksum, read_plane

CASE = """
solver = "turbulence"
[flow]
viscosity = 0.02
initial = "random"
[spectrum]
peak = 2.0
[grid]
points = [24, 20, 16]
[scheme]
dt = 0.02
[forcing]
kind = "negative_viscosity"
[run]
steps = 12
[output]
every = 0.08
history_every = 2
"""
TABLES = tomllib.loads(CASE)


def changed(**tables):
    return {
        name: {**TABLES.get(name, {}), **tables.get(name, {})} for name in {*TABLES, *tables} - {"solver"}
    } | {"solver": "turbulence"}


# -- the case file ---------------------------------------------------------------------------------


def test_the_resolved_case_reads_back():
    case = typed_case(TABLES, None)
    text = as_toml(case)
    assert typed_case(tomllib.loads(text), None) == case
    assert text.index("[flow]") < text.index("[engine]") < text.index("[output]")
    assert typed_case(changed(flow={"viscosity": None, "reynolds": 50.0}), None).viscosity() == 0.02


@pytest.mark.parametrize("shape", ["peaked", "kolmogorov"])
def test_the_spectrum_has_the_energy_that_is_asked_for(shape):
    energies = typed_case(changed(spectrum={"shape": shape, "energy": 0.7}), None).energies()
    assert sum(energies) == pytest.approx(0.7)
    assert energies[0] == 0
    assert np.argmax(energies) in (2, 3)


def test_a_spectrum_comes_from_a_file(tmp_path):
    (tmp_path / "e.csv").write_text("k,E\n1,0.5\n3,0.25\n")
    case = typed_case(changed(spectrum={"shape": "file", "file": "e.csv", "peak": 4.0}), tmp_path)
    assert case.energies() == [0, 0.5, 0, 0.25]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("-1,0.5", "k must be a whole number >= 0"),
        ("1.5,0.5", "k must be a whole number >= 0"),
        ("inf,0.5", "k must be a whole number >= 0"),
        ("nan,0.5", "k must be a whole number >= 0"),
        ("1e300,0.5", "have k from 1 to"),
        ("100000,0.5", "have k from 1 to"),
        ("0,0.5", "have k from 1 to"),
        ("1,-0.5", "E must be from 0"),
        ("1,nan", "E must be from 0"),
        ("1,1e300", "E must be from 0"),
        ("1,0.5\n1,0.5", "once"),
        ("1,0", "no energy"),
        ("", "no columns of numbers"),
        ("1", "no columns of numbers"),
        ("1,\0", "no columns of numbers"),
    ],
)
def test_a_spectrum_that_no_mode_can_have_is_refused(tmp_path, rows, said):
    (tmp_path / "e.csv").write_text(f"k,E\n{rows}\n")
    with pytest.raises(BadInput, match=said):
        typed_case(changed(spectrum={"shape": "file", "file": "e.csv", "peak": 4.0}), tmp_path)


@pytest.mark.parametrize("peak", [1e-3, 1e-50])
@pytest.mark.parametrize("shape", ["peaked", "kolmogorov"])
def test_a_peak_far_from_every_mode_is_refused_or_computed(peak, shape):
    try:
        energies = typed_case(changed(spectrum={"shape": shape, "peak": peak}), None).energies()
    except BadInput as error:
        assert "spectrum.peak" in error.sentence
    else:
        assert sum(energies) == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"grid": {"points": [24, 21, 16]}}, "three even numbers"),
        ({"flow": {"viscosity": None}}, "flow has no viscosity"),
        ({"flow": {"reynolds": 100.0}}, "flow.reynolds and flow.viscosity cannot stand together"),
        ({"flow": {"initial": "rest"}}, "the path of a snapshot"),
        ({"flow": {"initial": "nowhere.vtkhdf"}}, "nowhere.vtkhdf"),
        ({"scheme": {"dt": None}}, "give scheme.dt or scheme.courant"),
        ({"scheme": {"integrator": "euler"}}, 'must be "rk4" or "rk3"'),
        ({"scheme": {"courant_number": 0.5}}, "courant_number"),
        ({"scheme": {"precision": "half"}}, 'must be "double" or "single"'),
        ({"forcing": {"kind": "constant_power"}}, "forcing.power"),
        ({"forcing": {"power": 0.1}}, "forcing.power"),
        ({"forcing": {"kmax": 1.0}}, "greater than 1"),
        ({"spectrum": {"shape": "file"}}, "spectrum.file is missing"),
        ({"spectrum": {"shape": "file", "file": "e.csv"}}, "spectrum.peak = 2.0 has no effect"),
        ({"engine": {"strategy": "pipelined"}}, 'engine.strategy = "pipelined" is not allowed'),
        ({"engine": {"corners": "staged"}}, 'engine.corners = "staged" has no effect'),
        ({"storage": {"files": 4}}, "storage.files needs"),
        ({"storage": {"memory": "3 apples"}}, "it must be a size"),
        ({"storage": {"memory": "3 GiB", "kind": "disk"}}, "storage.memory and storage.kind"),
        ({"run": {"time": 1.0}}, "run.steps and run.time"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(change, said):
    tables = changed(**change)
    tables = {
        name: {k: v for k, v in table.items() if v is not None} if isinstance(table, dict) else table
        for name, table in tables.items()
    }
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(tables, ROOT)


@pytest.mark.parametrize(
    "name", ["taylor_green_1600", "forced_hit_128", "decaying_random", "out_of_core_256"]
)
def test_the_shipped_cases_are_sound(name):
    path = ROOT / "cases" / name / "case.toml"
    case = load_case(path)
    case.check_ranks(4)
    assert (case.reference(path.parent) is not None) == (name == "taylor_green_1600")
    assert case.options()["storage"]["memory"] == (600 * 2**20 if name == "out_of_core_256" else 0)


# -- whole runs ------------------------------------------------------------------------------------


def fields_of(path):
    with h5py.File(path) as file:
        return [file[f"fields/{name}"][...] for name in ("velocity", "vorticity")]


def last_snapshot(folder):
    return sorted((folder / "snapshots").glob("*.vtkhdf"))[-1]


@pytest.mark.mpi
def test_a_run_leaves_history_spectra_snapshots_and_pictures(program):
    program.write_case(CASE)
    done = program("run", "case.toml", "-n", "2", "--out", "r")
    assert done.returncode == OK, done.stderr
    assert "shared: ranks 0-1" in done.stdout
    assert "transposes of modes travel between 2 ranks" in done.stdout
    folder = program.folder / "r"
    table = history(folder)
    assert [row["step"] for row in table] == ["2", "4", "6", "8", "10", "12"]
    assert all(float(row["energy"]) == pytest.approx(0.5, rel=1e-6) for row in table)
    # The snapshot, the spectrum and the history tell of one flow.
    velocity, vorticity = fields_of(last_snapshot(folder))
    assert velocity.shape == (16, 20, 24, 3)
    assert 0.5 * np.mean(np.sum(velocity**2, -1)) == pytest.approx(float(table[-1]["energy"]), rel=2e-9)
    assert 0.5 * np.mean(np.sum(vorticity**2, -1)) == pytest.approx(float(table[-1]["enstrophy"]), rel=1e-9)
    spectrum = read_columns(folder / "spectrum.csv")
    assert spectrum["E"].sum() == pytest.approx(float(table[-1]["energy"]), rel=1e-9)
    assert [path.name for path in sorted((folder / "spectra").iterdir())] == [
        f"spectrum_{step:08d}.csv" for step in (4, 8, 12)
    ]
    # du/dx of the snapshot's points, by numpy's transform
    k = np.fft.fftfreq(24, 1 / 24)
    gradient = np.fft.ifft(1j * k * np.fft.fft(velocity[..., 0], axis=2), axis=2).real
    g = [gradient]
    for axis, count, d in ((1, 20, 1), (0, 16, 2)):
        shape = [1, 1, 1]
        shape[axis] = count
        wave = np.fft.fftfreq(count, 1 / count).reshape(shape)
        g.append(np.fft.ifft(1j * wave * np.fft.fft(velocity[..., d], axis=axis), axis=axis).real)
    skewness = np.mean(np.array(g) ** 3) / np.mean(np.array(g) ** 2) ** 1.5
    assert float(table[-1]["skewness"]) == pytest.approx(skewness, abs=1e-9)
    assert np.abs(sum(g)).max() < 1e-12
    time, plane = read_plane(last_snapshot(folder), "vorticity")
    assert time == pytest.approx(0.24)
    assert np.array_equal(plane, np.moveaxis(vorticity[8], -1, 0))
    for name in ("spectrum.png", "dissipation.png", "vorticity.png", "scales.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    summary = json.loads((folder / "summary.json").read_text())
    assert summary["viscosity"] == 0.02
    assert (folder / "report.html").is_file() or program("report", "r").returncode == OK


@pytest.mark.mpi
def test_a_resumed_run_goes_on_with_the_same_bits(program):
    program.write_case(CASE)
    assert program("run", "case.toml", "-n", "1", "--out", "whole", *QUIET).returncode == OK
    parts = ("run", "case.toml", "--out", "parts", *QUIET)
    assert program(*parts, "-n", "1", "--set", "run.steps=5").returncode == OK
    done = program(*parts, "-n", "3", "--resume")
    assert done.returncode == OK, done.stderr
    for one, other in zip(
        *(fields_of(last_snapshot(program.folder / name)) for name in ("whole", "parts")), strict=True
    ):
        assert np.array_equal(one, other)
    assert history(program.folder / "whole") == history(program.folder / "parts")


@pytest.mark.mpi
def test_single_precision_resumes_with_the_same_bits_and_refuses_the_other(program):
    program.write_case(CASE)
    single = (*QUIET, "--set", "scheme.precision=single")
    done = program("run", "case.toml", "-n", "1", "--out", "whole", *single)
    assert done.returncode == OK, done.stderr
    assert "single precision" in done.stdout
    parts = ("run", "case.toml", "--out", "parts")
    assert program(*parts, "-n", "1", *single, "--set", "run.steps=5").returncode == OK
    done = program(*parts, "-n", "2", *QUIET, "--resume")
    assert done.returncode == BAD_INPUT
    assert "the same scheme.precision as the run it continues: single there, double here" in sentence_of(done)
    done = program(*parts, "-n", "3", *single, "--resume")
    assert done.returncode == OK, done.stderr
    for one, other in zip(
        *(fields_of(last_snapshot(program.folder / name)) for name in ("whole", "parts")), strict=True
    ):
        assert one.dtype == np.float32
        assert np.array_equal(one, other)
    assert history(program.folder / "whole") == history(program.folder / "parts")
    assert json.loads((program.folder / "whole" / "summary.json").read_text())["precision"] == "single"
    # A first field from a checkpoint is taken bit by bit, so of the same precision; from a snapshot of any.
    first = program.folder / "whole"
    for start, code in (
        (sorted((first / "checkpoints").glob("*.h5"))[-1], STORAGE),
        (last_snapshot(first), OK),
    ):
        done = program(
            "run", "case.toml", "--out", f"from{code}", *QUIET, "--set", f'flow.initial="{start}"',
            "--set", "run.steps=1",
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        if code == STORAGE:
            assert "complex numbers of single precision" in sentence_of(done)


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
    sets = [word for name, value in scheme.items() for word in ("--set", f"scheme.{name}={value}")]
    done = program("run", "case.toml", "--out", "r", *QUIET, *sets, "--set", "run.steps=4")
    assert done.returncode == OK, done.stderr
    last = history(program.folder / "r")[-1]
    assert float(last["energy"]) == pytest.approx(0.5, rel=1e-4)
    steps = {float(row["dt"]) for row in history(program.folder / "r")}
    assert (steps == {0.02}) == ("courant" not in scheme)


@pytest.mark.mpi
def test_fields_on_disk_leave_the_same_bits(program):
    program.write_case(CASE)
    run = ("run", "case.toml", *QUIET, "--set", "run.steps=4")
    disk = ("--set", "storage.kind=disk", "--set", "storage.files=2", "--set", "storage.scratch=here")
    assert program(*run, "--out", "memory").returncode == OK
    done = program(*run, *disk, "--out", "disk")
    assert done.returncode == OK, done.stderr
    assert "disk" in done.stdout
    for one, other in zip(
        *(fields_of(last_snapshot(program.folder / name)) for name in ("memory", "disk")), strict=True
    ):
        assert np.array_equal(one, other)
    assert not list((program.folder / "here").rglob("*")), "scratch files remain"


@pytest.mark.mpi
def test_a_run_starts_from_a_snapshot_or_a_checkpoint(program):
    program.write_case(CASE)
    assert program("run", "case.toml", "-n", "2", "--out", "first", *QUIET).returncode == OK
    first = program.folder / "first"
    checkpoint = sorted((first / "checkpoints").glob("*.h5"))[-1]
    energy = {}
    for name, start, ranks in (
        ("snap", last_snapshot(first), 1),
        ("check", checkpoint, 2),
        ("again", checkpoint, 1),
    ):
        done = program(
            "run", "case.toml", "-n", ranks, "--out", name, *QUIET, "--set", f'flow.initial="{start}"',
            "--set", "run.steps=2",
        )  # fmt: skip
        assert done.returncode == OK, done.stderr
        energy[name] = history(program.folder / name)[0]
    assert energy["check"] == energy["again"]
    assert float(energy["check"]["time"]) == pytest.approx(0.04)
    for column in ("energy", "dissipation", "skewness"):
        assert float(energy["snap"][column]) == pytest.approx(float(energy["check"][column]), rel=1e-9)


@pytest.mark.mpi
def test_a_snapshot_of_other_points_is_refused(program):
    program.write_case(CASE)
    assert program("run", "case.toml", "--out", "first", *QUIET, "--set", "run.steps=1").returncode == OK
    start = last_snapshot(program.folder / "first")
    done = program(
        "run", "case.toml", "-n", 2, "--set", f'flow.initial="{start}"', "--set", "grid.points=[16,16,16]"
    )
    assert done.returncode == BAD_INPUT
    assert "shape (16, 20, 24, 3), not the run's [16, 16, 16] points" in sentence_of(done)


@pytest.mark.mpi
def test_the_interface_in_five_lines(program):
    script = program.folder / "five.py"
    script.write_text(
        """
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
    )
    import subprocess  # noqa: PLC0415
    import sys  # noqa: PLC0415

    done = subprocess.run(
        [sys.executable, script],
        check=False,
        cwd=program.folder,
        env=program.environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "step 6" in done.stdout
    assert (program.folder / "spectrum.png").stat().st_size > 10_000


@pytest.mark.mpi
def test_bad_input_ends_with_one_sentence(program):
    program.write_case(CASE)
    done = program("run", "case.toml", "-n", "2", "--set", "engine.split=[2,1,1]")
    assert done.returncode == BAD_INPUT
    assert "its first number must be 1" in sentence_of(done)
    done = program("run", "case.toml", "--set", "storage.memory=1 KiB")
    assert done.returncode == BAD_INPUT
    assert "memory" in sentence_of(done)


# -- pictures --------------------------------------------------------------------------------------


def test_pictures_appear(tmp_path):
    k = np.arange(1, 40.0)
    spectra = [plots.EnergySpectrum(k, k ** (-5 / 3), "one", 0.4, 0.03)]
    plots.draw_spectrum(tmp_path / "s.png", spectra, 39, "A spectrum")
    plots.draw_vorticity(tmp_path / "v.png", np.random.default_rng(1).random((16, 20)), 1.0, "A plane")
    for name in ("s.png", "v.png"):
        assert (tmp_path / name).stat().st_size > 10_000


# -- long: against published DNS and experience ----------------------------------------------------


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_taylor_green_meets_its_published_peak(program):
    """128³ against 512³: within 2 % of the peak of dissipation and 0.15 of its time."""
    done = program("run", "taylor_green_1600", "-n", "2", "--out", "r", *QUIET, timeout=4 * 3600)
    assert done.returncode == OK, done.stderr
    mine = {
        name: np.array([float(row[name]) for row in history(program.folder / "r")])
        for name in history(program.folder / "r")[0]
    }
    reference = read_columns(ROOT / "cases" / "taylor_green_1600" / "reference.csv")
    peak, published = np.argmax(mine["dissipation"]), np.argmax(reference["dissipation"])
    share = mine["dissipation"][peak] / reference["dissipation"][published]
    print(f"peak {share:.4f} of the published one, at t = {mine['time'][peak]:.2f}")
    assert share == pytest.approx(1, abs=0.02)
    assert mine["time"][peak] == pytest.approx(reference["t"][published], abs=0.15)
    at = np.interp(mine["time"], reference["t"], reference["dissipation"])
    assert np.abs(mine["dissipation"] / at - 1).max() < 0.08


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_forced_turbulence_is_steady_and_skewed(program):
    """64³, k_max eta about 1.3: over the second half the energy stays, the dissipation has no trend, the
    skewness is that of turbulence, the spectrum in Kolmogorov's units near 1.6 where it is flat."""
    smaller = ("grid.points=[64,64,64]", "flow.viscosity=0.011", "scheme.dt=0.02")
    sets = [word for text in smaller for word in ("--set", text)]
    done = program("run", "forced_hit_128", "-n", "2", "--out", "r", *QUIET, *sets, timeout=4 * 3600)
    assert done.returncode == OK, done.stderr
    table = history(program.folder / "r")
    mine = {name: np.array([float(row[name]) for row in table]) for name in table[0]}
    late = mine["time"] > 8
    assert mine["energy"] == pytest.approx(0.5, rel=1e-4)
    thirds = [part.mean() for part in np.array_split(mine["dissipation"][late], 3)]
    skewness = mine["skewness"][late].mean()
    print(
        f"dissipation by thirds {thirds}, skewness {skewness:.3f}, Re_lambda "
        f"{mine['taylor_reynolds'][late].mean():.1f}, k_max eta {mine['kmax_eta'][late].mean():.2f}"
    )
    assert max(thirds) < 1.4 * min(thirds)
    assert -0.6 < skewness < -0.4
    assert mine["kmax_eta"][late].min() > 0.9


def test_only_a_whole_snapshot_is_a_start(program):
    """A bit of the velocity, its checksum's own, and one of another program's, without checksums."""
    program.write_case(CASE.replace("steps = 12", "steps = 1"))
    assert program("run", "case.toml", "--out", "r", *QUIET).returncode == OK
    whole = sorted((program.folder / "r" / "snapshots").glob("*.vtkhdf"))[-1]
    with h5py.File(whole) as file:
        stored = file["VTKHDF/PointData/velocity"]
        first, sum_ = stored.id.get_offset(), int(stored.attrs["checksum"])
        assert checksum(stored) == sum_
    content = whole.read_bytes()
    assert content.count(sum_.to_bytes(8, "little")) == 1
    for name, at in (("velocity", first + 1001), ("checksum", content.index(sum_.to_bytes(8, "little")))):
        damaged = program.folder / f"{name}.vtkhdf"
        damaged.write_bytes(content[:at] + bytes([content[at] ^ 4]) + content[at + 1 :])
        sets = ("--set", "flow.initial=" + damaged.name, "--set", "spectrum.peak=4.0")
        done = program("run", "case.toml", "--out", name, *sets, *QUIET)
        assert done.returncode in (BAD_INPUT, STORAGE), done.stdout
        assert damaged.name in sentence_of(done)
    with pytest.raises(StorageError, match="the checksum of fields/velocity does not match"):
        read_plane(program.folder / "velocity.vtkhdf", "velocity")
    with h5py.File(whole, "r+") as file:
        del file["VTKHDF/PointData/velocity"].attrs["checksum"]
    sets = ("--set", f"flow.initial={whole}", "--set", "spectrum.peak=4.0")
    done = program("run", "case.toml", "--out", "without", *sets, *QUIET)
    assert done.returncode == BAD_INPUT
    assert "carries no checksum" in sentence_of(done)
