# SPDX-License-Identifier: Apache-2.0
"""A passive scalar in turbulence: against a serial reference, from case file to files and pictures, its
restarts and starts, what is refused, and the case `forced_scalar` on few points."""

import re
import sys

import h5py
import numpy as np
import pytest

import subcurrent as sc
from conftest import QUIET, ROOT, history, sentence_of, set_options
from snapshots import derivative, last_snapshot
from subcurrent.case.reading import typed_case
from subcurrent.case.reference import read_columns
from subcurrent.errors import BAD_INPUT, STORAGE, BadInput
from subcurrent.report.snapshot import read_plane
from test_turbulence_case import changed
from turbulence_runs import CASE

sys.path.insert(0, str(ROOT / "cases" / "forced_scalar"))
import budget

SCALAR = """
[scalar]
schmidt = 0.7
gradient = [0.0, 0.0, 1.0]
initial = "random"
peak = 2.0
"""
WITH = CASE + SCALAR


def given(**scalar):
    return changed(scalar={"schmidt": 0.7, "gradient": [0.0, 0.0, 1.0], **scalar})


# -- against a serial reference ------------------------------------------------------------------------


class Reference:
    """The equations in NumPy on all points: the scalar in the form u · ∇θ, by the classical Runge–Kutta
    method in u exp(ν k² t) and θ exp(κ k² t)."""

    def __init__(self, points, viscosity, diffusivity, gradient):
        axes = [np.fft.fftfreq(n, 1 / n) for n in points]
        self.k = np.array(np.meshgrid(*axes, indexing="ij"))
        self.square = np.sum(self.k**2, axis=0)
        self.kept = np.all([np.abs(k) <= (n - 1) // 3 for k, n in zip(self.k, points, strict=True)], axis=0)
        self.rate = np.array([*[viscosity] * 3, diffusivity])[:, None, None, None] * self.square
        self.gradient = np.array(gradient)

    def term(self, modes):
        def points(of):
            return np.fft.ifftn(of, axes=(-3, -2, -1)).real

        u = points(modes[:3])
        along = points(1j * self.k * modes[3])
        omega = points(1j * np.cross(self.k, modes[:3], axis=0))
        n = np.fft.fftn(np.cross(u, omega, axis=0), axes=(1, 2, 3))
        n -= self.k * np.sum(self.k * n, axis=0) / np.where(self.square > 0, self.square, 1)
        carried = np.fft.fftn(np.sum(u * along, axis=0)) + np.tensordot(self.gradient, modes[:3], 1)
        return self.kept * np.array([*n, -carried])

    def step(self, a, dt):
        half = np.exp(-self.rate * dt / 2)
        k1 = self.term(a)
        k2 = self.term(half * (a + dt / 2 * k1))
        k3 = self.term(half * a + dt / 2 * k2)
        k4 = self.term(half**2 * a + dt * half * k3)
        return half**2 * a + dt / 6 * (half**2 * k1 + 2 * half * (k2 + k3) + k4)


def points_of(sim):
    """Velocity and scalar, shape (4, nx, ny, nz)."""
    return np.array([*sim.gather("velocity"), sim.gather("scalar")]).transpose(0, 3, 2, 1)


@pytest.mark.parametrize("form", ["rotational", "divergence"])
def test_steps_are_those_of_a_serial_reference(form):
    pytest.importorskip("subcurrent._core")
    points, gradient = (16, 10, 12), [0.4, -1.0, 0.7]
    sim = sc.Turbulence(
        points, viscosity=0.05, dt=0.02, initial="random", scheme={"form": form}, spectrum={"peak": 2.0},
        scalar={"diffusivity": 0.03, "gradient": gradient, "initial": "random", "peak": 2.0, "seed": 3},
    )  # fmt: skip
    reference = Reference(points, 0.05, 0.03, gradient)
    modes = np.fft.fftn(points_of(sim), axes=(1, 2, 3))
    before = modes[3].copy()
    for _ in range(5):
        sim.step()
        modes = reference.step(modes, 0.02)
    here = np.fft.ifftn(modes, axes=(1, 2, 3)).real
    assert np.abs(modes[3] - before).max() > 0.05 * np.abs(before).max()
    assert points_of(sim) == pytest.approx(here, abs=1e-12)


# -- from a case file to pictures ----------------------------------------------------------------------


@pytest.mark.mpi
def test_a_run_leaves_the_scalar_in_all_its_files(program):
    program.write_case(WITH)
    done = program.ok("run", "case.toml", "-n", "2", "--out", "r")
    assert "a passive scalar of diffusivity 0.0285714" in done.stdout
    folder = program.folder / "r"
    last = {name: float(value) for name, value in history(folder)[-1].items()}
    with h5py.File(last_snapshot(folder)) as file:
        theta, velocity = file["fields/scalar"][...], file["fields/velocity"][...]
        assert file["fields/scalar"].dims[0][0].name == "/fields/z"
    assert theta.shape == (16, 20, 24)
    assert abs(theta.mean()) < 1e-14
    assert last["scalar_variance"] == pytest.approx(np.mean(theta**2), rel=1e-9)
    assert last["scalar_production"] == pytest.approx(-2 * np.mean(velocity[..., 2] * theta), rel=1e-9)
    chi = 2 * 0.02 / 0.7 * np.mean(sum(derivative(theta, axis) ** 2 for axis in range(3)))
    assert last["scalar_dissipation"] == pytest.approx(chi, rel=1e-9)
    ratio = last["energy"] / last["dissipation"] * chi / np.mean(theta**2)
    assert last["scalar_time_ratio"] == pytest.approx(ratio, rel=1e-8)
    eta = ((0.02 / 0.7) ** 3 / last["dissipation"]) ** 0.25
    assert last["scalar_kmax_eta"] == pytest.approx(5 * eta, rel=1e-9)
    spectrum = read_columns(folder / "spectrum.csv")
    assert spectrum["scalar"].sum() == pytest.approx(last["scalar_variance"], rel=1e-9)
    assert len(list((folder / "spectra").iterdir())) == 3
    _, plane = read_plane(last_snapshot(folder), "scalar")
    assert np.array_equal(plane, theta[8])
    for name in ("scalar.png", "scalar_spectrum.png", "scalar_budget.png", "spectrum.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000, done.stdout
    assert "mechanical-to-scalar time-scale ratio" in (folder / "report.html").read_text()


def test_the_interface_has_the_scalar(tmp_path):
    pytest.importorskip("subcurrent._core")
    small = {"reynolds": 50, "dt": 0.05}
    sim = sc.Turbulence((12, 12, 12), **small, scalar={"schmidt": 1.0, "gradient": [1.0, 0.0, 0.0]})
    last = sim.run(steps=3)
    theta, (k, variance) = sim.gather("scalar"), sim.scalar_spectrum()
    assert theta.shape == (12, 12, 12)
    assert sim.modes.shape[0] == 4
    assert last["scalar_variance"] == pytest.approx(np.mean(theta**2), rel=1e-12)
    assert variance.sum() == pytest.approx(np.mean(theta**2), rel=1e-12)
    assert len(k) == len(variance)
    sim.plot(tmp_path / "scalar.png", kind="scalar")
    assert (tmp_path / "scalar.png").stat().st_size > 10_000
    without = sc.Turbulence((12, 12, 12), **small)
    with pytest.raises(BadInput, match=r"scalar_spectrum\(\) needs a scalar"):
        without.scalar_spectrum()


def scalar_of(folder):
    with h5py.File(last_snapshot(folder)) as file:
        return file["fields/scalar"][...]


@pytest.mark.mpi
def test_a_resumed_run_goes_on_with_the_same_bits_and_the_same_scalar(program, made_once, refusal):
    program.write_case(WITH)
    whole = made_once(WITH, "-n", "1", *QUIET)
    parts = ("run", "case.toml", "--out", "parts", *QUIET)
    program.ok(*parts, "-n", "1", "--set", "run.steps=5")
    said = refusal(*parts, "--resume", "--set", "scalar.schmidt=0.8")
    assert "needs the same scalar.schmidt as the run it continues: 0.7 there, 0.8 here" in said
    files = ("--set", "storage.place=files", "--set", "storage.pieces=2")
    program.ok(*parts, "-n", "3", "--resume", *files)
    assert np.array_equal(scalar_of(whole), scalar_of(program.folder / "parts"))
    assert history(whole) == history(program.folder / "parts")


@pytest.mark.mpi
def test_a_run_neither_gains_nor_loses_a_scalar_on_its_way(program, refusal):
    (program.folder / "with.toml").write_text(WITH)
    (program.folder / "without.toml").write_text(CASE)
    for name, other in (("with", "without"), ("without", "with")):
        short = ("--set", "run.steps=2", *QUIET)
        program.ok("run", f"{name}.toml", "--out", name, *short)
        said = refusal("run", f"{other}.toml", "--out", name, "--resume", *QUIET)
        assert "--resume needs the same scalar as the run it continues: " in said
        start = sorted((program.folder / name / "checkpoints").glob("*.h5"))[-1]
        sets = (f"flow.initial={start}", "spectrum.peak=4.0")
        words = set_options(*sets)
        done = program("run", f"{other}.toml", "--out", f"{name} {other}", *words, *short)
        assert done.returncode == STORAGE
        assert re.search(r"holds \"modes\" in shape .*; this run needs ", sentence_of(done))


@pytest.mark.mpi
def test_a_flow_of_a_snapshot_gets_a_scalar_of_its_own_or_that_of_the_file(program, made_once):
    program.write_case(WITH)
    first = made_once(WITH, "-n", "1", *QUIET)
    flow = (
        f"flow.initial={last_snapshot(first)}",
        "spectrum.peak=4.0",
        "run.steps=1",
        "output.history_every=1",
    )
    before = float(history(first)[-1]["scalar_variance"])
    for name, more in (
        ("zero", ("scalar.initial=zero", "scalar.peak=4.0")),
        ("random", ("scalar.variance=9.0",)),
        ("file", ("scalar.initial=file", "scalar.peak=4.0")),
    ):
        words = set_options(*flow, *more)
        program.ok("run", "case.toml", "--out", name, "-n", "2", *words, *QUIET)
        row = history(program.folder / name)[0]
        wanted = {"zero": 0.0, "random": 9.0, "file": before}[name]
        assert float(row["scalar_variance"]) == pytest.approx(wanted, rel=0.2, abs=1e-3), name
    # A snapshot without a scalar has none to give.
    (program.folder / "without.toml").write_text(CASE)
    program.ok("run", "without.toml", "--out", "bare", *QUIET)
    sets = (f"flow.initial={last_snapshot(program.folder / 'bare')}", *flow[1:], "scalar.initial=file",
            "scalar.peak=4.0")  # fmt: skip
    done = program("run", "case.toml", "--out", "none", *set_options(*sets), *QUIET)
    assert done.returncode in (BAD_INPUT, STORAGE)
    assert "scalar" in sentence_of(done)


# -- case files ------------------------------------------------------------------------------------------


def test_a_scalar_has_the_diffusivity_and_the_variance_that_are_asked_for():
    case = typed_case(given(initial="random", variance=2.5), None)
    assert case.diffusivity() == pytest.approx(0.02 / 0.7)
    assert sum(case.options()["scalar"]["spectrum"]) == pytest.approx(2.5)
    assert typed_case(changed(), None).options()["scalar"] == {}
    tables = given(diffusivity=0.0)
    del tables["scalar"]["schmidt"]
    assert typed_case(tables, None).diffusivity() == 0


@pytest.mark.parametrize(
    ("scalar", "said"),
    [
        ({"schmidt": None}, "scalar has no diffusivity: give one of scalar.schmidt or scalar.diffusivity"),
        ({"diffusivity": 0.1}, "scalar.schmidt = 0.7 and scalar.diffusivity = 0.1 cannot be combined"),
        ({"schmidt": 0.0}, "a number greater than 0"),
        ({"gradient": [1.0, 0.0]}, "three numbers"),
        ({"gradient": [0.0, 0.0, 0.0]}, "scalar.gradient = [0.0, 0.0, 0.0] leaves a scalar zero"),
        ({"initial": "ones"}, '"zero", "random" or "file"'),
        ({"initial": "file"}, 'scalar.initial = "file" needs the path of a run, snapshot or checkpoint'),
        ({"peak": 3.0}, 'it needs scalar.initial = "random"'),
        ({"initial": "random", "peak": 1e-9}, "scalar.peak = 1e-09 is not allowed"),
    ],
)
def test_a_scalar_that_cannot_be_is_refused_in_a_sentence(scalar, said):
    tables = given(**scalar)
    tables["scalar"] = {name: value for name, value in tables["scalar"].items() if value is not None}
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(tables, None).options()


def test_schmidts_number_needs_a_viscosity():
    tables = given()
    tables["flow"] = {"initial": "taylor_green", "viscosity": 0.0}
    del tables["spectrum"]
    with pytest.raises(BadInput, match=r"scalar.schmidt = 0.7 needs a flow.viscosity greater than 0"):
        typed_case(tables, None)


# -- the case forced_scalar ------------------------------------------------------------------------------


@pytest.mark.mpi
def test_the_variance_of_a_scalar_in_forced_turbulence_becomes_steady(program):
    """The small form of the case's README, by the case's own script."""
    sets = ("grid.points=[32,32,32]", "flow.viscosity=0.028", "scheme.dt=0.04", "output.every=0")
    words = set_options(*sets, "output.snapshots=false", "output.timeline=false")
    program.ok("run", "forced_scalar", "--out", "r", *QUIET, *words, timeout=600)
    found = budget.measured(program.folder / "r")
    print(" ".join(budget.row(found)))
    assert found["balance"] == pytest.approx(1, abs=0.1)
    assert found["balance"] - 1 == pytest.approx(found["change"], abs=1e-2)
    assert found["mean"]["scalar_time_ratio"] == pytest.approx(1.67, abs=0.05)
    assert found["correlation"] == pytest.approx(0.66, abs=0.03)
    assert found["mean"]["scalar_kmax_eta"] == pytest.approx(found["mean"]["kmax_eta"], rel=1e-9)  # Sc = 1
