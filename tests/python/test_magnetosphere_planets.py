# SPDX-License-Identifier: Apache-2.0
"""The day side of planets: a northward field at the Earth, a tilted dipole; what Jupiter's rotation does."""

import math

import numpy as np
import pytest

from conftest import QUIET, set_options, summary
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.case.reference import read_columns
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.report.snapshot import read_plasma
from subcurrent.solvers.magnetosphere.spacing import at_spacing
from subcurrent.solvers.magnetosphere.tail import find_sheet

pytestmark = pytest.mark.mpi
COARSE = ("--set", "grid.points=[90,30,30]", "--set", "grid.spacing=1")
# Twice the case's spacing and twice its coefficients, all four of them.
SMOOTH = ("--set", "diffusion.density=4e-3", "--set", "diffusion.pressure=4e-3")
SMOOTH += ("--set", "diffusion.viscosity=2e-6", "--set", "diffusion.resistivity=2e-3")
BOXES = {  # spacing: one that ends about 58 radii behind the planet and 100 beside it
    6: ("grid.points=[36,35,18]", "grid.low=[-150,-102,0]"),
    4: ("grid.points=[53,51,26]", "grid.low=[-150,-100,0]"),
}


def places_of(program, case, name, *sets, **limits):
    """Magnetopause and shock at the end of a run."""
    program.ok("run", case, *sets, *QUIET, "-n", "2", "--out", name, **limits)
    last = summary(program.folder / name)["last_step"]
    return last["magnetopause"], last["shock"]


def day_side(program, case, name, *sets):
    return places_of(program, case, name, *COARSE, *SMOOTH, *sets)


@pytest.mark.parametrize(
    ("heating", "places"),
    [pytest.param("false", (10.98, 13.91), marks=pytest.mark.long), ("true", (11.10, 14.87))],
)
def test_the_day_side_of_a_southward_field(program, heating, places):
    """In a box that ends 14 radii behind the planet: where the whole box has them at t = 2000, within the
    0.1 by which it moves until it is steady. The balance of pressures without reconnection is at 11.28. With
    heating the ratio is that of published shocks, 1.35, within a percent."""
    short = ("--set", "grid.points=[45,20,20]", "--set", "run.time=2000")
    short += ("--set", f"diffusion.heating={heating}")
    found = day_side(program, "earth_south", "r", *short)
    assert found == pytest.approx(places, abs=0.1)
    if heating == "true":
        assert found[1] / found[0] == pytest.approx(1.35, rel=0.01)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("case", "places"), [("earth_north", (11.63, 14.96)), ("earth_south", (10.71, 13.95))]
)
def test_the_day_side_at_the_spacing_of_the_cases(program, case, places):
    """In a box that ends 14 radii behind the planet, half a minute on two cores. In the whole box the
    magnetopause is 0.05 and 0.03 nearer at t = 2000, the shock where it is here. Twice the spacing and all
    coefficients move the magnetopause by 1.0 and 2.8 %; the limit is 3 %."""
    fine = ("--set", "grid.points=[90,40,40]", "--set", "run.time=2000")
    found = places_of(program, case, "fine", *fine, timeout=1700)
    assert found == pytest.approx(places, abs=0.03)
    coarse = ("--set", "grid.points=[45,20,20]", "--set", "run.time=2000")
    assert day_side(program, case, "coarse", *coarse)[0] == pytest.approx(found[0], rel=0.03)


@pytest.mark.long
@pytest.mark.timeout(1800)
@pytest.mark.parametrize(
    ("case", "places", "ratio"),
    [("earth_north", (11.80, 15.46), 1.31), ("earth_south", (11.03, 14.94), 1.354)],
)
def test_heating_at_the_spacing_of_the_cases(program, case, places, ratio):
    """In the same box. Published ratios are 1.35 to 1.38; at twice the spacing, in the whole box, they are
    1.310 and 1.353."""
    fine = ("--set", "grid.points=[90,40,40]", "--set", "run.time=2000", "--set", "diffusion.heating=true")
    found = places_of(program, case, "r", *fine, timeout=1700)
    assert found == pytest.approx(places, abs=0.03)
    assert found[1] / found[0] == pytest.approx(ratio, abs=0.004)


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
@pytest.mark.parametrize(
    ("case", "places", "coarser", "neutral_line"),
    [
        ("earth_north", (11.07, 14.44), (11.69, 14.88), None),
        ("earth_south", (10.63, 13.92), (10.71, 13.89), 14.7),
    ],
)
def test_the_cases_of_the_earth_as_they_stand(program, case, places, coarser, neutral_line):
    """At their ends. Twice the spacing and all coefficients move magnetopause and shock by less than 1 % with
    a southward field. With a northward one they move by 5 and 3 %, more than the 3 % that should hold."""
    found = places_of(program, case, "fine", timeout=7000)
    assert found == pytest.approx(places, abs=0.03)
    twice = day_side(program, case, "coarse")
    assert twice == pytest.approx(coarser, abs=0.03)
    folder = RunFolder(program.folder / "fine")
    line = find_sheet(read_plasma(folder.last_snapshot()), stored_case(folder)).neutral_line()
    assert line == (neutral_line and pytest.approx(neutral_line, abs=0.2))
    if case == "earth_north" and twice != pytest.approx(found, rel=0.03):
        pytest.xfail("halving moves the steady day side of the northward field by more than 3 %")
    assert twice == pytest.approx(found, rel=0.03)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_magnetopause_of_earth_follows_the_pressure_of_the_wind(program):
    slow, shock = day_side(program, "earth_north", "slow", "--set", "run.time=2000")
    assert slow == pytest.approx(11.28, rel=0.1)
    assert shock > slow + 1
    stronger = ("--set", "wind.velocity=[400,0,0]", "--set", "run.time=1500")
    fast, _ = day_side(program, "earth_north", "fast", *stronger)
    assert fast == pytest.approx(10.25, rel=0.1)
    assert fast / slow == pytest.approx((400 / 300) ** (-1 / 3), rel=0.03)


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_tail_of_a_tilted_dipole_is_hinged(program):
    """Where B_x changes sign at midnight, at t = 2000: 11 radii x sin 30 degrees (Russell & Brody 1967)."""
    young = ("--set", "run.time=2000")
    program.ok("run", "earth_tilted", *young, *QUIET, "-n", "2", "--out", "r", timeout=1700)
    midnight = read_plasma(RunFolder(program.folder / "r").last_snapshot()).plane(1)
    x, z = midnight.points[0][0], midnight.points[2][:, 0]
    inside = np.abs(z) < 12
    for distance in (20, 25, 30):
        bx = midnight.magnetic[0][inside, np.searchsorted(x, distance)]
        below = int(np.flatnonzero(bx[1:] * bx[:-1] < 0)[0])
        height = z[inside][below] + bx[below] / (bx[below] - bx[below + 1])
        assert height == pytest.approx(5.5, abs=0.6), distance
    last = summary(program.folder / "r")["last_step"]
    assert last["shock"] == pytest.approx(15.84, abs=0.3)


def test_the_day_side_of_a_northward_field(program):
    """In a box that ends 14 radii behind the planet, at spacing 1 and t = 2000. In the whole box the
    magnetopause is there, too, and moves by 0.1 until t = 8000; the shock is 0.13 nearer. The pressures
    balance at 11.28."""
    short = set_options("grid.points=[45,20,20]", "run.time=2000")
    found = day_side(program, "earth_north", "r", *short)
    assert found == pytest.approx((11.74, 15.12), abs=0.1)


def test_a_dipole_that_tilts_to_the_sun_lifts_the_current_sheet(program):
    """In a box that ends 19 radii behind the planet and 20 north and south of it, until the wind has crossed
    it: magnetopause and shock where a box of 59 and 30 radii has them at this time. Far behind the planet the
    sheet is 5.5 radii above z = 0 (Russell & Brody 1967); here it is followed to the end of the box."""
    short = set_options("grid.points=[50,20,41]", "grid.low=[-30,0,-20]", "run.time=1250")
    assert places_of(program, "earth_tilted", "r", *short) == pytest.approx((11.93, 15.57), abs=0.1)
    folder = RunFolder(program.folder / "r")
    sheet = find_sheet(read_plasma(folder.last_snapshot()), stored_case(folder))
    assert [sheet.height(x) for x in (12, 14, 16)] == pytest.approx([5.24, 5.44, 5.64], abs=0.3)
    assert sheet.height(18) > 5


def jupiter(program, period, spacing, end):
    """A run of Jupiter that rotates once in so many hours."""
    sets = [*at_spacing(load_case(find_case("jupiter")), spacing), *BOXES[spacing]]
    sets += [f"planet.rotation={period}", f"run.time={end}"]
    name = f"r{period}"
    program.ok("run", "jupiter", *set_options(*sets), *QUIET, "-n", "2", "--out", name, timeout=1700)
    return RunFolder(program.folder / name)


def places(folder, name, since):
    """Distances from the planet in the rows of history.csv from a time on."""
    history = read_columns(folder.history)
    return history[name][history["time"] > since]


def turning(folder, low, high):
    """Mean speed around the axis between two distances in the equatorial plane, over that of rigid rotation
    with Jupiter's period."""
    case, state = stored_case(folder), read_plasma(folder.last_snapshot())
    r = np.hypot(*state.points[:2, 0])
    there = (r >= low) & (r < high)
    (x, y), (vx, vy) = state.points[:2, 0, there], state.velocity[:2, 0, there]
    angular = 2 * math.pi * case.units().time / (9.925 * 3600)
    return ((x * vy - y * vx) / (angular * r[there] ** 2)).mean()


def test_a_rotating_planet_drags_plasma_around_it_and_pushes_its_shock_out(program):
    """At spacing 6, where the current of the magnetopause does not stand out; the shock does. It moves out by
    two fifths, as at spacing 4 by a third. Until t = 1.5e5 it goes on swinging, by 3 radii; without rotation
    it is at rest. Plasma beyond planet.outer, 30 radii, is dragged by the field, less the farther it is, and
    this changes by 0.02 until then."""
    turns, still = (jupiter(program, period, 6, "1e5") for period in (9.925, 0))
    assert places(turns, "shock", 9.5e4) == pytest.approx(81.7, abs=2)
    assert places(still, "shock", 9.5e4) == pytest.approx(59.37, abs=0.2)
    shares = [turning(turns, low, low + 6) for low in (30, 42)]
    assert shares == pytest.approx([0.645, 0.463], abs=0.02)
    assert abs(turning(still, 30, 36)) < 1e-4


@pytest.mark.long
@pytest.mark.timeout(1800)
def test_a_rotating_planet_has_its_magnetopause_farther_out(program):
    """At spacing 4. Without rotation the magnetopause is where wind and dipole balance, at 45.9 radii, within
    a percent. With it, magnetopause and shock vary by 3 to 4 % from t = 1.1e5 on."""
    turns, still = (jupiter(program, period, 4, "1.5e5") for period in (9.925, 0))
    for folder, magnetopause, shock, within in ((turns, 61.9, 77.7, 0.04), (still, 45.6, 57.7, 0.01)):
        assert places(folder, "magnetopause", 1.4e5) == pytest.approx(magnetopause, rel=within)
        assert places(folder, "shock", 1.4e5) == pytest.approx(shock, rel=within)
    assert abs(turning(still, 30, 34)) < 1e-4
    assert 0.4 < turning(turns, 30, 34) < 0.8


@pytest.mark.long
@pytest.mark.timeout(2 * 3600)
def test_jupiter_as_it_stands(program):
    """After thirteen rotations, 18 minutes of one core. The magnetopause has varied by 5 % in the
    last third of the run, the shock by 0.5 %."""
    assert places_of(program, "jupiter", "r", timeout=7000) == pytest.approx((62.47, 80.18), abs=0.1)
