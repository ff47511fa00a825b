# SPDX-License-Identifier: Apache-2.0
"""The dendrite's model of Karma and Rappel: its case file, its terms by sympy, a plane against NumPy, fronts
at rest, what is conserved, and PFHub's benchmark problem 3a in short and, in make test-long, as it stands."""

import json
import math
import re
import subprocess
import sys

import numpy as np
import pytest

from conftest import ROOT, completed, core_is_built, script_at, set_options
from subcurrent.case.library import shipped
from subcurrent.case.reading import as_toml, load_case, typed_case
from subcurrent.case.reference import read_columns
from subcurrent.errors import BadInput
from subcurrent.solvers.dendrite.crystal_field import read_crystal

compare = script_at(ROOT / "cases" / "pfhub_3a" / "compare.py")
MODEL = {"name": "karma_rappel"}
SEEDS = [{"centre": [4.0, 4.0, 0.4], "radius": 4.0}]
TABLES = {
    "solver": "dendrite",
    "model": MODEL,
    "grid": {"cells": [30, 28, 1], "spacing": 0.8},
    "seeds": SEEDS,
    "run": {"steps": 1},
}
REFERENCE = read_columns(ROOT / "cases" / "pfhub_3a" / "reference.csv")
needs_core = pytest.mark.skipif(not core_is_built(), reason="the compiled module is not built")

# -- the case file ---------------------------------------------------------------------------------


def test_the_resolved_case_reads_back():
    import tomllib  # noqa: PLC0415

    case = typed_case(TABLES, None)
    assert typed_case(tomllib.loads(as_toml(case)), None) == case
    options = case.options()
    assert options["karma_rappel"]["coupling"] == pytest.approx(10 / 0.6267)
    assert (options["spacing"], options["temperature"]) == (0.8, -0.3)
    assert "material" not in options
    other = typed_case(TABLES | {"model": MODEL | {"interface_width": 2.0, "relaxation_time": 3.0}}, None)
    assert other.options()["karma_rappel"]["coupling"] == pytest.approx(10 * 3 / (0.6267 * 4))


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"model": {"diffusivity": 2.0}},
            'model.diffusivity = 2.0 has no effect with model.name = "kobayashi"',
        ),
        ({"model": {"name": "kobayashi"}, "start": {"undercooling": 0.4}}, "start.undercooling = 0.4 has no"),
        ({"material": {"noise": 0.0}}, 'material.noise = 0.0 has no effect with model.name = "karma_rappel"'),
        ({"material": {"lambda": 0.2}}, 'it needs model.name = "kobayashi"'),
        ({"start": {"temperature": 1500.0}}, "start.temperature = 1500.0 has no effect"),
        ({"start": {"noise_seed": 4}}, "start.noise_seed = 4 has no effect"),
        ({"model": MODEL | {"anisotropy": 0.07}}, "below 1/15"),
        ({"model": MODEL | {"name": "warren"}}, '"kobayashi" or "karma_rappel"'),
        ({"seeds": [{"centre": [4.0, 4.0, 0.4], "radius": 0.5}]}, "at least model.interface_width = 1"),
        ({"seeds": [{"centre": [4.0, 4.0, 1.0], "radius": 4.0}]}, "along z it must lie between 0 and 0.8."),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(change, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(TABLES | change, None)


# -- the terms -------------------------------------------------------------------------------------


def in_a_plane(epsilon: float, turn: float):
    """a = 1 + epsilon cos(4 (theta - turn)) and the derivatives of a^2 |g|^2 / 2, by sympy."""
    sympy = pytest.importorskip("sympy", reason="sympy is not installed")
    x, y = sympy.symbols("x y", real=True)
    a = 1 + epsilon * sympy.cos(4 * (sympy.atan2(y, x) - turn))
    energy = a**2 * (x**2 + y**2) / 2
    return [sympy.lambdify((x, y), term) for term in (a, sympy.diff(energy, x), sympy.diff(energy, y))]


@needs_core
def test_the_terms_in_a_plane_are_those_of_cos_4_theta():
    """The flux is the derivative of the energy, and the cubic anisotropy that of the benchmark."""
    points = [(0.3, -0.2), (1.0, 0.0), (1e-4, 3e-4), (-0.7, -0.7), (0.1, 0.4)]
    turn = 0.3
    code = (
        "import json, sys; from subcurrent import core; m = core.load(); points, q = json.loads(sys.argv[1]);"
        "print(json.dumps([[m.dendrite_anisotropy((*p, 0.0), 0.05), m.dendrite_flux((*p, 0.0), 0.05, q),"
        " m.dendrite_flux((*p, 0.0), 0.05)] for p in points]))"
    )
    given = json.dumps([points, [math.cos(turn / 2), 0, 0, math.sin(turn / 2)]])
    done = completed([sys.executable, "-c", code, given], check=True)
    a, *straight = in_a_plane(0.05, 0)
    _, *turned = in_a_plane(0.05, turn)
    for point, (mine, rotated, along) in zip(points, json.loads(done.stdout), strict=True):
        size = math.hypot(*point)
        assert mine == pytest.approx(a(*point), rel=1e-9), point
        for found, terms in ((along, straight), (rotated, turned)):
            expected = [*(term(*point) for term in terms), 0]
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-10 * size), point


# -- steps against NumPy ---------------------------------------------------------------------------

W0, TAU0, EPSILON, D, LAMBDA, H = 1.0, 1.5, 0.04, 4.0, 7.0, 0.8


def numpy_steps(q, u, dt: float, count: int, turn: float):
    """The benchmark's equations in its own variables, phase q from -1 to 1, in arrays of a plane."""
    a, flux_x, flux_y = in_a_plane(EPSILON, turn)

    def around(values, layers=2):
        return np.pad(values, layers, "symmetric")

    def across(wide, axis):  # central slopes on all but the outer layer
        return (np.roll(wide, -1, axis) - np.roll(wide, 1, axis)) / (2 * H)

    def divergence(q):
        wide = around(q)
        total = 0
        for axis, flux in ((1, flux_x), (0, flux_y)):
            normal = (np.roll(wide, -1, axis) - wide) / H
            other = across(wide, 1 - axis)
            tangential = 0.5 * (other + np.roll(other, -1, axis))
            x, y = (normal, tangential) if axis == 1 else (tangential, normal)
            with np.errstate(invalid="ignore", divide="ignore"):
                through = np.where(np.hypot(x, y) > 1e-9, flux(x, y), 0)
            total = total + (through - np.roll(through, 1, axis)) / H
        return total[2:-2, 2:-2]

    for _ in range(count):
        slopes = [across(around(q), axis)[2:-2, 2:-2] for axis in (1, 0)]
        width = np.where(np.hypot(*slopes) > 1e-9, a(*slopes), 1 + EPSILON)
        wide = around(u)
        lap = sum(np.roll(wide, by, axis) for axis in (0, 1) for by in (1, -1)) - 4 * wide
        force = W0**2 * divergence(q) + (q - LAMBDA * u * (1 - q**2)) * (1 - q**2)
        new = q + dt * force / (TAU0 * width**2)
        new = np.where(np.abs(new + 1) < 2e-12, -1, new)
        u = u + dt * D * lap[2:-2, 2:-2] / H**2 + 0.5 * (new - q)
        q = new
    return q, u


STEPS = """
import numpy as np, subcurrent as sc
model = dict(name="karma_rappel", interface_width={W0}, relaxation_time={TAU0}, anisotropy={EPSILON},
             diffusivity={D}, coupling={LAMBDA})
for name, angle in (("straight", 0.0), ("turned", 20.0)):
    sim = sc.Dendrite((30, 28, 1), spacing={H}, undercooling=0.4, precision="double", model=model,
                      seeds=[dict(centre=[4.0, 5.0, 0.4], radius=5.0, angle=angle)])
    start = [sim.phase[0].copy(), sim.temperature_above_melting[0].copy()]
    last = sim.run(steps=30)
    np.savez(name, start=start, end=[sim.phase[0], sim.temperature_above_melting[0]], dt=last["dt"])
"""


@needs_core
@pytest.mark.parametrize(("name", "turn"), [("straight", 0.0), ("turned", math.radians(20))])
def test_steps_in_a_plane_agree_with_numpy(tmp_path, name, turn):
    code = STEPS.format(W0=W0, TAU0=TAU0, EPSILON=EPSILON, D=D, LAMBDA=LAMBDA, H=H)
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    with np.load(tmp_path / f"{name}.npz") as found:
        (p, u), (p_end, u_end) = found["start"], found["end"]
        q, expected_u = numpy_steps(2 * p - 1, u, float(found["dt"]), 30, turn)
    assert np.abs(p_end - p).max() > 0.2
    # In the tail ahead of a front q + 1 has few digits, and so have the directions.
    tail = p_end < 1e-6
    assert 100 < np.count_nonzero(tail) < 500
    for mine, theirs in ((2 * p_end - 1, q), (u_end, expected_u)):
        off = np.abs(mine - theirs)
        assert off[~tail].max() < 2e-12
        assert off[tail].max() < 1e-9


# -- fronts and sums -------------------------------------------------------------------------------

FRONT = """
import json, numpy as np, subcurrent as sc
found = []
for cells in (96, 192):
    sim = sc.Dendrite((cells, 1, 1), spacing=24 / cells, precision="double", undercooling=0.3,
                      model=dict(name="karma_rappel", diffusivity=1.0, interface_width=1.5),
                      seeds=[dict(centre=[0, 0, 0], radius=2.0)])
    x = (np.arange(cells) + 0.5) * 24 / cells - 12
    profile = lambda width: 0.5 * (1 - np.tanh(x / (np.sqrt(2) * width)))
    sim.phase[0, 0], sim.temperature_above_melting[...] = profile(0.75), 0.0
    sim.run(time=400.0)
    along_x = 1.05 * 1.5  # a = 1 + epsilon_4 there
    found.append([float(np.abs(sim.phase[0, 0] - profile(along_x)).max()),
                  float(np.abs(sim.temperature_above_melting).max())])
sim = sc.Dendrite((24, 20, 16), spacing=0.8, precision="double", undercooling=0.5,
                  model=dict(name="karma_rappel"), seeds=[dict(radius=4.0)])
before = sim.step()
after = sim.run(steps=300)
found += [after["total"] - before["total"], after["solid"] - before["solid"]]
print(json.dumps(found))
"""


@needs_core
def test_a_front_at_rest_has_its_profile_and_heat_is_conserved(tmp_path):
    done = completed([sys.executable, "-c", FRONT], check=True, cwd=tmp_path)
    (coarse, _), (fine, warm), drift, grown = json.loads(done.stdout)
    assert fine < 2e-4
    assert coarse / fine > 3.5  # second order
    assert warm < 1e-4
    assert abs(drift) < 1e-13
    assert grown > 0.1


# -- PFHub's benchmark problem 3a ------------------------------------------------------------------


def test_the_case_is_the_benchmark():
    case = load_case(shipped()["pfhub_3a"])
    model = case.model
    assert (model.interface_width, model.relaxation_time, model.anisotropy, model.diffusivity) == (
        1,
        1,
        0.05,
        10,
    )
    assert case.start.undercooling == 0.3
    assert [count * case.grid.spacing for count in case.grid.cells[:2]] == [960, 960]
    assert case.run.time == 1500
    assert case.seeds[0].radius == 8


@pytest.mark.mpi
def test_a_run_has_no_units_and_grows_as_the_uploads(program):
    """A part of the plane up to t = 150: the heat has not reached its walls."""
    short = set_options(
        "grid.cells=[300,300,1]", "run.time=150", "output.every=75", "output.history_every=50"
    )
    done = program.ok("run", "pfhub_3a", "-n", "1", "--out", "r", *short)
    folder = program.folder / "r"
    assert "um" not in re.sub(r"\w*[A-Za-z]um\w*|um\w+", "", done.stdout)
    history = read_columns(folder / "history.csv")
    mine = compare.reached(folder, REFERENCE)
    assert mine["time"] == [150]
    for name in ("tip", "solid"):
        theirs = [REFERENCE[f"{name} {upload}"][0] for upload in compare.UPLOADS]
        assert min(theirs) < mine[name][0] < max(theirs)
        assert mine[name][0] == pytest.approx(REFERENCE[f"{name} moose_itg"][0], rel=0.05)
    # Energy falls, the solid grows, and no flux leaves through the faces.
    assert np.all(np.diff(history["free_energy"]) < 0)
    assert np.all(np.diff(history["solid"]) > 0)
    assert np.abs(history["total"] - history["total"][0]).max() < 1e-12
    for name in ("crystal.png", "temperature.png", "growth.png"):
        assert (folder / "figures" / name).stat().st_size > 10_000
    report = (folder / "report.html").read_text()
    assert "free energy" in report
    assert "<td>undercooling</td><td>0.3</td>" in report
    # Symmetric about the diagonal, up to the order of sums.
    crystal = read_crystal(sorted((folder / "snapshots").iterdir())[-1], 0.0)
    assert np.abs(crystal.phase[0] - crystal.phase[0].T).max() < 1e-5
    # Means over cells of a plane keep its only layer.
    coarse = read_crystal(sorted((folder / "snapshots").iterdir())[-1], 0.0, 7)
    assert coarse.phase.shape == (1, 42, 42)
    assert coarse.spacing == pytest.approx((5.6, 5.6, 0.8))
    assert coarse.phase[0, 3, 5] == pytest.approx(crystal.phase[0, 21:28, 35:42].mean(), rel=1e-5)


@pytest.mark.mpi
@pytest.mark.long
@pytest.mark.timeout(3600)
def test_the_benchmark_agrees_with_the_uploads(program):
    """In a smaller square, whose walls the heat does not reach, up to t = 1500."""
    small = set_options("grid.cells=[800,800,1]", "output.figures=false")
    program.ok("run", "pfhub_3a", "-n", "2", "--out", "r", *small, timeout=3500)
    mine = compare.reached(program.folder / "r", REFERENCE)
    assert list(mine["time"]) == [150, 300, 600, 900, 1200, 1500]
    for name in ("tip", "solid"):
        theirs = np.array([REFERENCE[f"{name} {upload}"] for upload in compare.UPLOADS])
        assert np.all(theirs.min(0) < mine[name])
        assert np.all(mine[name] < theirs.max(0))
        assert mine[name] == pytest.approx(REFERENCE[f"{name} moose_itg"], rel=0.07)
    excess = mine["energy"] - compare.AREA * compare.MELT  # of the crystal and its warm melt
    theirs = REFERENCE["energy moose_itg"] - compare.AREA * compare.MELT
    assert excess == pytest.approx(theirs, rel=0.07)
