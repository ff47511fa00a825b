# SPDX-License-Identifier: Apache-2.0
"""The spectrum of forced turbulence against published values: stored, of a small run, of the whole case."""

import sys

import numpy as np
import pytest

from conftest import QUIET, ROOT, script_at, set_options
from subcurrent.case.reference import read_columns
from subcurrent.report.structure import StructureFunctions

sys.path.insert(0, str(ROOT / "cases" / "forced_hit_128"))
import spectrum as published

structure = script_at(ROOT / "cases" / "forced_hit_128" / "structure.py")


def spectrum_of(program, *sets):
    """The second half of a run of forced_hit_128 in single precision to t = 12, by the case's own script."""
    sets = ("scheme.precision=single", "run.time=12", "output.timeline=false", *sets)
    words = set_options(*sets)
    program.ok("run", "forced_hit_128", "--out", "r", *QUIET, *words, timeout=4 * 3600)
    return published.measured(program.folder / "r")


def check_against_published(found):
    """No flat part at these Reynolds numbers, but a bump near k eta = 0.1 (Lohse & Mueller-Groeling 1995)
    above the constant of the flat part, 1.58 (Donzis & Sreenivasan 2010), and beyond it exp(-5.2 k eta)
    (Saddoughi & Veeravalli 1994)."""
    assert 1.58 < found["bump"] < 2.5
    assert 0.1 < found["place"] < 0.17
    assert found["slope"] == pytest.approx(5.2, abs=0.3)


def check_structure(functions, viscosity, dissipation, *, balance, isotropy):
    """Dissipation and isotropy at small distances, Kolmogorov's equation with viscosity up to 10 eta, beyond
    which the forcing has a part; at these Reynolds numbers all stays below the limits 4/5 and 2.1."""
    found = structure.laws(functions, viscosity, dissipation)
    smallest = functions.r[0]
    strain = 15 * viscosity * functions.second[0] / (dissipation * smallest**2)
    assert strain == pytest.approx(1, abs=0.03)
    near = found.near()
    assert near.sum() >= 4
    assert np.all(np.abs(found.balance[near] / 0.8 - 1) < balance)
    assert np.all(np.abs(found.across[near] - 1) < isotropy)
    assert 0.3 < found.third.max() < 0.8
    assert 1 < found.second.max() < 2.1
    return found


def test_functions_that_obey_the_laws_do():
    """D_LL ~ r^(2/3), whose slope is exact, and the others by Kolmogorov's equation and isotropy."""
    viscosity, dissipation, r = 0.01, 0.3, np.geomspace(0.05, 3, 20)
    second = 2.1 * (dissipation * r) ** (2 / 3)
    third = 6 * viscosity * 2 / 3 * second / r - 0.8 * dissipation * r
    found = structure.laws(StructureFunctions(r, second, 4 / 3 * second, third), viscosity, dissipation)
    assert found.second == pytest.approx(2.1)
    assert found.balance == pytest.approx(0.8)
    assert found.across == pytest.approx(1)
    assert found.r * (viscosity**3 / dissipation) ** 0.25 == pytest.approx(r)


def test_shells_hold_as_many_modes_as_can_be_counted():
    assert published.modes_in_shells(3).tolist() == [1, 18, 62, 98]


def test_a_power_law_that_ends_exponentially_is_recovered():
    k = np.arange(1, 100.0)
    eta = (0.01**3 / 0.5) ** 0.25
    energy = 1.7 * 0.5 ** (2 / 3) * k ** (-5 / 3) * np.exp(-4 * k * eta)
    found = published.compensated(k, energy, 0.01, 0.5)
    assert found["slope"] == pytest.approx(4)
    assert found["c"] == pytest.approx(1.7 * np.exp(-4 * k * eta))
    assert 0.08 <= found["place"] < 0.08 + eta  # the first beyond


@pytest.mark.parametrize(
    ("name", "dissipation", "viscosity", "reynolds"),
    [("measured.csv", 0.0915438, 0.0045, 63.6), ("measured_256.csv", 0.0932588, 0.0018, 99.6)],
)
def test_the_stored_spectra_are_the_published_one(name, dissipation, viscosity, reynolds):
    """Of 128 and 256 cubed."""
    path = ROOT / "cases" / "forced_hit_128" / name
    assert f"dissipation = {dissipation}, viscosity = {viscosity}\n" in path.read_text()
    stored = read_columns(path)
    found = published.compensated(stored["k"], stored["E"], viscosity, dissipation)
    assert found["c"] == pytest.approx(stored["C"], abs=2e-5)
    check_against_published(found)
    assert found["place"] == pytest.approx(0.13, abs=0.02)
    shells = published.modes_in_shells(len(stored["k"]))[1:] / (4 * np.pi * stored["k"] ** 2)
    energy = np.sum(stored["E"] * shells)  # of the modes themselves; the forcing keeps it
    assert energy == pytest.approx(0.5, rel=1e-3)
    taylor = 2 / 3 * energy * np.sqrt(15 / (viscosity * dissipation))
    assert taylor == pytest.approx(reynolds, abs=0.1)
    assert taylor > 60


def test_the_stored_structure_functions_obey_the_laws():
    """Of 128 cubed, as the table says."""
    path = ROOT / "cases" / "forced_hit_128" / "structure.csv"
    viscosity, dissipation = 0.0045, 0.0914814
    assert f"dissipation = {dissipation}, viscosity = {viscosity}\n" in path.read_text()
    stored = read_columns(path)
    functions = StructureFunctions(*(stored[name] for name in ("r", "D_LL", "D_NN", "D_LLL")))
    found = check_structure(functions, viscosity, dissipation, balance=0.05, isotropy=0.01)
    assert found.r == pytest.approx(stored["r_eta"], rel=1e-4)
    run = {"points": 128, "half": 6, "until": 12, "viscosity": viscosity, "dissipation": dissipation}
    cells = structure.row(run | {"taylor_reynolds": 63.7, "functions": functions})
    documents = (ROOT / "solvers" / "turbulence" / "README.md").read_text()
    assert f"| {' | '.join(cells)} |" in documents.splitlines()


@pytest.mark.mpi
def test_forced_turbulence_on_few_points_has_the_published_spectrum(program):
    """48^3, R_lambda about 29; up to 10 eta, an eighth of the box, the forcing takes up to 9 % of the 4/5."""
    smallest = ("grid.points=[48,48,48]", "flow.viscosity=0.0165", "scheme.dt=0.03", "output.every=0.48")
    found = spectrum_of(program, *smallest)
    check_against_published(found)
    assert found["means"]["skewness"] == pytest.approx(-0.5, abs=0.05)
    assert found["means"]["energy"] == pytest.approx(0.5, rel=1e-4)
    assert found["thirds"] < 1.2
    run = structure.measured(program.folder / "r")
    check_structure(
        *(run[name] for name in ("functions", "viscosity", "dissipation")), balance=0.1, isotropy=0.08
    )


def test_the_spread_is_that_of_the_thirds_of_the_second_half():
    time = np.arange(0, 24.0, 0.01)
    history = {"time": time, "dissipation": np.where(time < 16, 1.0, np.where(time < 20, 2.0, 3.0))}
    assert published.spread(history, 23.99) == pytest.approx(3, rel=1e-2)
    assert published.spread(history, 15.99) == 1


@pytest.mark.mpi
@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 6))
def test_the_dissipation_is_steady_over_twelve_time_units(program, seed):
    """For any initial flow, in the second half of a run to t = 24."""
    sets = ("grid.points=[48,48,48]", "flow.viscosity=0.0165", "scheme.dt=0.03", "scheme.precision=single")
    words = set_options(*sets, "run.time=24", f"spectrum.seed={seed}")
    program.ok("run", "forced_hit_128", "--out", "r", *QUIET, *words, timeout=1800)
    assert published.spread(read_columns(program.folder / "r" / "history.csv"), 24) < 1.15


@pytest.mark.long
@pytest.mark.timeout(4 * 3600)
def test_forced_turbulence_is_steady_skewed_and_has_the_stored_spectrum(program):
    """128^3, R_lambda above 60: energy and dissipation stay, the skewness is that of turbulence."""
    found = spectrum_of(program, "output.every=0.5")
    means = found["means"]
    print(" ".join(published.row(found)))
    check_against_published(found)
    assert means["taylor_reynolds"] > 60
    assert means["energy"] == pytest.approx(0.5, rel=1e-4)
    assert means["skewness"] == pytest.approx(-0.5, abs=0.03)
    assert means["kmax_eta"] > 1.2
    assert found["thirds"] < 1.15
    stored = read_columns(ROOT / "cases" / "forced_hit_128" / "measured.csv")
    same = np.interp(stored["k_eta"], found["k"] * found["eta"], found["c"])
    inner = (stored["k_eta"] > 0.1) & (stored["k_eta"] < 1)
    assert same[inner] == pytest.approx(stored["C"][inner], rel=0.1)
    run = structure.measured(program.folder / "r")
    check_structure(
        *(run[name] for name in ("functions", "viscosity", "dissipation")), balance=0.05, isotropy=0.02
    )
