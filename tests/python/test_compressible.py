# SPDX-License-Identifier: Apache-2.0
"""The compressible solver from case file to pictures on any number of ranks, against numpy and exact waves;
what stops it."""

import json
from types import SimpleNamespace

import numpy as np
import pytest

import subcurrent as sc
from conftest import QUIET, history, sentence_of, set_options, summary
from snapshots import derivative, fields_in, last_snapshot
from subcurrent.case.reference import read_columns
from subcurrent.errors import DIVERGED, OK
from subcurrent.solvers.compressible.wave import exact as wave_profiles

CASE = """
solver = "compressible"
[flow]
initial = "random"
mach = 0.4
peak = 2.0
[gas]
viscosity = 0.02
[grid]
points = [24, 20, 16]
[scheme]
filter = 0.47
[run]
steps = 12
[output]
every = 0.08
history_every = 2
"""
FIELDS = ("density", "velocity", "pressure", "dilatation", "vorticity")


def fields_of(folder) -> dict[str, np.ndarray]:
    """Of the last snapshot, components first."""
    fields = zip(FIELDS, fields_in(last_snapshot(folder), *FIELDS), strict=True)
    return {name: np.moveaxis(f, -1, 0) if f.ndim == 4 else f for name, f in fields}


@pytest.mark.mpi
@pytest.mark.parametrize("wave", ["acoustic", "entropy", "vorticity"])
def test_a_wave_is_drawn_against_the_exact_one(program, wave):
    """The exact profiles of the picture are those of the solver: their mean |difference| from the run is the
    error that the solver finds."""
    sets = [f"flow.initial={wave}", "flow.mach=0.5", "flow.amplitude=0.05", "grid.points=[16,8,8]"]
    sets += ["run.time=1.0", "run.dt=0.02"]
    (program.folder / "case.toml").write_text('solver = "compressible"\n')
    words = set_options(*sets)
    done = program.ok("run", "case.toml", "-n", "1", "--out", "r", *words)
    folder = program.folder / "r"
    assert (folder / "figures" / "wave.png").stat().st_size > 10_000, done.stdout
    fields = fields_of(folder)
    mine = {"density": fields["density"], "u": fields["velocity"][0], "v": fields["velocity"][1]}
    flow = SimpleNamespace(initial=wave, mach=0.5, amplitude=0.05)
    said = json.loads((folder / "wave.json").read_text())
    found = wave_profiles(flow, 1.4, 2 * np.pi / 16 * np.arange(16), said["time"])
    assert set(found) == {"acoustic": {"density", "u"}, "entropy": {"density"}, "vorticity": {"v"}}[wave]
    others = {"density": 1.0, "u": 0.0 if wave == "acoustic" else 1.0, "v": 0.0}
    off = sum(np.abs(mine[name] - found.get(name, others[name])).mean() for name in mine) / 0.05
    assert off == pytest.approx(said["error"], rel=1e-6)


def split_spectrum(velocity: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """E(k) of the solenoidal and of the dilatational part, by numpy."""
    modes = np.fft.fftn(velocity, axes=(1, 2, 3)) / velocity[0].size
    z, y, x = (np.fft.fftfreq(n, 1 / n) for n in velocity.shape[1:])
    k = np.array(np.meshgrid(z, y, x, indexing="ij"))[::-1]
    shell = (np.sqrt((k**2).sum(axis=0)) + 0.5).astype(int)
    for axis, count in enumerate(velocity.shape[:0:-1]):  # of n / 2 the sign is not known
        k[axis][k[axis] == -count / 2] = 0
    square = (k**2).sum(axis=0)
    along = np.abs((k * modes).sum(axis=0)) ** 2 / np.where(square > 0, square, 1)
    both = [0.5 * ((np.abs(modes) ** 2).sum(axis=0) - along), 0.5 * along]
    return tuple(np.bincount(shell.ravel(), part.ravel()) for part in both)


def test_the_balance_of_kinetic_energy_has_what_the_filter_takes():
    """dK/dt = p theta - friction - filtered, in short steps, of which the filter takes a tenth."""
    given = {"flow": {"peak": 3, "seed": 3}, "scheme": {"filter": 0.47}}
    sim = sc.Compressible((24, 24, 24), initial="random", mach=0.4, viscosity=0.02, dt=0.002, **given)
    rows = [sim.step() for _ in range(6)]
    names = ("time", "energy", "pressure_work", "friction", "filtered")
    time, energy, work, lost, filtered = (np.array([row[name] for row in rows]) for name in names)
    gained = np.gradient(energy, time)[1:-1]
    assert gained == pytest.approx((work - lost - filtered)[1:-1], rel=1e-3)
    assert (filtered > 0.1 * np.abs(energy[-1] - energy[0]) / (time[-1] - time[0])).all()


@pytest.mark.mpi
def test_a_run_leaves_history_spectra_snapshots_and_pictures(program):
    program.write_case(CASE)
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r")
    assert "Mach number 0.4, viscosity 0.02, Pr 0.7, filter 0.47, double precision" in done.stdout
    folder = program.folder / "r"
    table = history(folder)
    assert [row["step"] for row in table] == ["2", "4", "6", "8", "10", "12"]
    last = {name: float(text) for name, text in table[-1].items()}
    # The snapshot, the spectra and the history tell of one flow.
    field = fields_of(folder)
    rho, u, p = field["density"], field["velocity"], field["pressure"]
    square = (u**2).sum(axis=0)
    assert last["energy"] == pytest.approx(0.5 * np.mean(rho * square), rel=1e-9)
    assert last["mass"] == pytest.approx(1, rel=1e-9)
    assert last["total_energy"] == pytest.approx(np.mean(p / 0.4 + 0.5 * rho * square), rel=1e-9)
    assert last["mach"] == pytest.approx(np.sqrt(square.mean()) / np.sqrt(1.4 * p / rho).mean(), rel=1e-9)
    assert (last["density_low"], last["pressure_high"]) == pytest.approx((rho.min(), p.max()), rel=1e-9)
    # Derivatives by numpy's transform: the flow is resolved well enough that compact ones agree.
    g = np.array([[derivative(u[i], a) for i in range(3)] for a in range(3)])  # d u_i / d x_a
    theta = g[0, 0] + g[1, 1] + g[2, 2]
    vorticity = np.array([g[1, 2] - g[2, 1], g[2, 0] - g[0, 2], g[0, 1] - g[1, 0]])
    assert np.abs(field["dilatation"] - theta).max() < 2e-2 * np.abs(vorticity).max()
    assert last["enstrophy"] == pytest.approx(0.5 * np.mean((vorticity**2).sum(axis=0)), rel=2e-3)
    mine = field["dilatation"]
    assert last["dilatation"] == pytest.approx(np.sqrt(np.mean(mine**2)), rel=1e-9)
    assert last["dilatation_skewness"] == pytest.approx(np.mean(mine**3) / np.mean(mine**2) ** 1.5, abs=1e-9)
    mu = 0.02 * (p / rho * 1.4 * 0.4**2) ** 0.76
    w2 = (field["vorticity"] ** 2).sum(axis=0)
    assert last["solenoidal"] == pytest.approx(np.mean(mu * w2), rel=1e-9)
    nu, epsilon = np.mean(mu / rho), last["dissipation"] / last["mass"]
    assert last["kolmogorov"] == pytest.approx((nu**3 / epsilon) ** 0.25, rel=1e-9)
    assert last["kmax_eta"] == pytest.approx(last["kolmogorov"] * min(rho.shape) / 2, rel=1e-9)
    assert last["dilatational"] == pytest.approx(np.mean(4 / 3 * mu * mine**2), rel=1e-9)
    own = [g[a, a] for a in range(3)]
    skewness = np.mean(np.array(own) ** 3) / np.mean(np.array(own) ** 2) ** 1.5
    assert last["skewness"] == pytest.approx(skewness, abs=5e-3)
    taylor = square.mean() / np.sqrt(3 * 3 * np.mean(np.array(own) ** 2)) / np.mean(mu / rho)
    assert last["taylor_reynolds"] == pytest.approx(taylor, rel=5e-3)
    spectrum = read_columns(folder / "spectrum.csv")
    for name, exact in zip(("solenoidal", "dilatational"), split_spectrum(u), strict=True):
        assert spectrum[name][: len(exact)] == pytest.approx(exact, rel=1e-8, abs=1e-17)
    assert spectrum["E"].sum() == pytest.approx(0.5 * square.mean(), rel=1e-9)
    assert len(list((folder / "spectra").iterdir())) >= 2
    for name in ("history.png", "schlieren.png", "vorticity.png", "spectrum.png", "structure.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    end = summary(folder)
    assert end["last_step"]["total_energy"] == pytest.approx(end["at_start"]["total_energy"], rel=1e-13)
    assert (folder / "report.html").is_file() or program("report", "r").returncode == OK
    assert "turbulent Mach number" in (folder / "report.html").read_text()


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("precision", "place"), [("double", "memory"), ("single", "memory"), ("double", "files")]
)
def test_a_resumed_run_goes_on_with_the_same_bits(program, made_once, precision, place):
    """The parts with their fields there, the whole in memory."""
    program.write_case(CASE)
    sets = (*QUIET, "--set", f"scheme.precision={precision}")
    whole = made_once(CASE, "-n", "1", *sets)
    if place == "files":
        sets += ("--set", "storage.place=files", "--set", "storage.pieces=1")
    program.ok("run", "case.toml", "-n", "2", "--out", "parts", *sets, "--set", "run.steps=5")
    done = program.ok("run", "case.toml", "-n", "3", "--out", "parts", "--resume", *sets)
    assert ("in files (1 piece)" in done.stdout + done.stderr) == (place == "files")
    parts = program.folder / "parts"
    assert history(whole) == history(parts)
    one, other = fields_of(whole), fields_of(parts)
    assert all(np.array_equal(one[name], other[name]) for name in FIELDS)
    assert one["density"].dtype == (np.float32 if precision == "single" else np.float64)
    assert (whole / "spectrum.csv").read_bytes() == (parts / "spectrum.csv").read_bytes()


@pytest.mark.mpi
def test_a_pressure_that_is_not_positive_ends_the_run_with_step_and_cell(program):
    program.write_case(CASE)
    sets = ("flow.mach=2.0", "gas.viscosity=1e-4", "scheme.filter=0.0", "run.steps=400")
    words = set_options(*sets)
    done = program("run", "case.toml", "-n", "2", "--out", "r", *QUIET, *words)
    assert done.returncode == DIVERGED, done.stdout
    said = sentence_of(done)
    assert " after step " in said
    assert " at cell [" in said
    assert said.startswith(
        ("the density is -", "the pressure is -", "the density is nan", "the pressure is nan")
    )
    assert "a finer grid, a filter or a smaller run.courant may help" in said
    assert 1 <= int(said.partition(" after step ")[2].split()[0]) < 400
    cell = json.loads(said.partition(" at cell ")[2].partition(";")[0])
    assert all(0 <= at < count for at, count in zip(cell, (24, 20, 16), strict=True))


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("case", "ranks", "points", "finer", "courant", "order"),
    [
        # Steps so short that the error of a step, dt⁴, vanishes beside that of a derivative.
        ("sound_wave", 1, "[24, 8, 8]", "[32, 8, 8]", 0.02, 7.8),
        ("sound_wave", 3, "[24, 8, 8]", "[32, 8, 8]", 0.02, 7.8),
        ("entropy_wave", 2, "[24, 8, 8]", "[32, 8, 8]", 0.05, 7.8),
        ("vorticity_wave", 4, "[24, 16, 8]", "[32, 16, 8]", 0.05, 7.8),
        ("isentropic_vortex", 2, "[32, 32, 8]", "[48, 48, 8]", None, 5.0),
    ],
)
def test_cases_that_are_known_exactly(program, case, ranks, points, finer, courant, order):
    errors = []
    sets = ["--set", "run.time=0.5", *(["--set", f"run.courant={courant}"] if courant else [])]
    for number, size in enumerate((points, finer)):
        words = ("-n", str(ranks), "--out", f"r{number}", "--set", f"grid.points={size}")
        program.ok("run", case, *words, *QUIET, *sets)
        found = json.loads((program.folder / f"r{number}" / "wave.json").read_text())
        assert found["time"] == pytest.approx(0.5, rel=1e-12)
        errors.append(found["error"])
    coarse, fine = (json.loads(text)[0] for text in (points, finer))
    assert np.log(errors[0] / errors[1]) / np.log(fine / coarse) > order, errors


@pytest.mark.mpi
def test_a_vortex_at_a_low_mach_number_meets_the_published_start(program):
    """32³ to time 2, where Taylor and Green's vortex is still resolved; both laws of viscosity."""
    for law in ("power", "sutherland"):
        sets = ("grid.points=[32,32,32]", "run.time=2.0", "output.every=2.0", f"gas.law={law}")
        words = set_options(*sets)
        out = f"r_{law}"
        program.ok("run", "taylor_green_mach01", "-n", "2", "--out", out, *QUIET, *words)
        last = history(program.folder / out)[-1]
        reference = read_columns(program.folder / out / "reference.csv")
        time = float(last["time"])
        energy = np.interp(time, reference["t"], reference["kinetic_energy"])
        dissipation = np.interp(time, reference["t"], reference["dissipation"])
        assert float(last["energy"]) == pytest.approx(energy, rel=5e-3)
        assert float(last["dissipation"]) == pytest.approx(dissipation, rel=3e-2)


@pytest.mark.mpi
def test_a_forced_run_gains_what_it_is_fed(program, refusal):
    program.write_case(CASE)
    fed = ("forcing.kind=constant_power", "forcing.power=0.4", "forcing.cooling=false", "run.steps=6")
    words = set_options(*fed)
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r", *QUIET, *words)
    assert "power 0.4 below k = 2.5" in done.stdout
    end = summary(program.folder / "r")
    gain = end["last_step"]["total_energy"] - end["at_start"]["total_energy"]
    assert gain == pytest.approx(0.4 * end["time"], rel=1e-11)
    sets = ("--set", "forcing.kind=constant_power", "--set", "flow.initial=uniform")
    assert 'it needs "random" or "taylor_green"' in refusal("run", "case.toml", *sets, "--dry-run")


FIVE_LINES = """
import numpy as np
import subcurrent as sc
sim = sc.Compressible((16, 8, 8), initial="random", mach=0.3, viscosity=0.02, flow={"peak": 2, "seed": 7})
last = sim.run(steps=3)
k, solenoidal, dilatational = sim.spectrum()
u, rho = sim.gather("velocity"), sim.gather("density")
assert u.shape == (3, 8, 8, 16) and rho.shape == (8, 8, 16)
assert abs(0.5 * np.mean((u**2).sum(axis=0)) - (solenoidal + dilatational).sum()) < 1e-13
assert abs(0.5 * np.mean(rho * (u**2).sum(axis=0)) - last["energy"]) < 1e-13
assert sim.measure()["enstrophy"] == last["enstrophy"]
sim.plot("schlieren.png")
sim.plot("vorticity.png", kind="vorticity")
print(repr(sim))
"""


@pytest.mark.mpi
def test_the_interface_in_five_lines(program):
    done = program.script(FIVE_LINES)
    assert "Compressible turbulence, M = 0.3" in done.stdout
    for name in ("schlieren.png", "vorticity.png"):
        assert (program.folder / name).stat().st_size > 10_000
