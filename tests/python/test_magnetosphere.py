# SPDX-License-Identifier: Apache-2.0
"""Magnetosphere cases: keys and units, and what is read off a run."""

import numpy as np
import pytest

from subcurrent.case.library import find_case
from subcurrent.case.reading import as_toml, load_case, typed_case
from subcurrent.errors import BadInput
from subcurrent.report.flowfield import PlasmaField
from subcurrent.solvers.magnetosphere.halo_table import promise, table_of
from subcurrent.solvers.magnetosphere.standoff import find_standoff


def earth(*sets):
    return load_case(find_case("earth_north"), sets)


# -- the case file ---------------------------------------------------------------------------------


def test_the_wind_in_the_solvers_units():
    """The figures of Ogino's Earth code: 0.937 s, 6.8e6 m/s, rho 5e-4, p 3.56e-8, v 0.044, B 1.6e-4."""
    options = earth().options()
    units = earth().units()
    assert units.time == pytest.approx(0.937, rel=2e-3)
    assert units.speed == pytest.approx(6.80e6, rel=1e-3)
    wind = options["wind"]
    assert wind["density"] == pytest.approx(5e-4)
    assert wind["pressure"] == pytest.approx(3.56e-8, rel=3e-3)
    assert wind["velocity"] == pytest.approx([0.0441, 0, 0], rel=3e-3)
    assert wind["field"] == pytest.approx([0, 0, 1.6e-4], rel=3e-3)


@pytest.mark.parametrize(("speed", "pressure", "balance"), [(300, 0.753, 11.28), (400, 1.338, 10.25)])
def test_where_the_pressures_balance(speed, pressure, balance):
    case = earth(f"wind.velocity=[{speed},0,0]")
    assert case.solar_wind().dynamic_pressure * 1e9 == pytest.approx(pressure, rel=1e-3)
    assert case.expected_standoff() == pytest.approx(balance, abs=0.01)
    assert f"{balance:.2f} radii" in "\n".join(case.notes())


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["wind.velocty=300"], "did you mean wind.velocity"),
        (["planet.tild=3"], "did you mean planet.tilt"),
        (['boundaries."y-"=periodic'], 'boundaries."y+" = "periodic"'),
        (["boundaries.x+=oblique"], "waves leave at 45 degrees to x"),
        (["run.steps=3", "run.time=4"], None),
        (["plasma.initial=brio_wu"], "wind"),
        (["planet.outer=2"], "planet.inner"),
        (["run.cycle=0"], "run.cycle"),
        (["planet.mirror=-7"], "planet.mirror = -7"),
        (["wind.velocity=[0,0,0]"], "wind.velocity = [0.0, 0.0, 0.0]"),
        (["wind.velocity=[-300,0,0]"], "wind.velocity = [-300.0, 0.0, 0.0]"),
        (["diffusion.heating=true", "diffusion.smoothing=0.1"], "dipole"),
    ],
)
def test_what_is_refused(sets, said):
    if said is None:  # of an exclusive pair the last one given stands
        assert earth(*sets).run.time == 4
        return
    with pytest.raises(BadInput) as refused:
        earth(*sets)
    assert said in refused.value.sentence


def test_a_resolved_case_reads_back_as_itself(tmp_path):
    case = earth()
    path = tmp_path / "case.toml"
    path.write_text(as_toml(case))
    assert load_case(path) == case


def test_a_planet_needs_a_wind():
    tables = {"solver": "magnetosphere", "plasma": {"initial": "planet"}, "run": {"steps": 1}}
    with pytest.raises(BadInput, match="wind is missing"):
        typed_case({**tables, "grid": {"points": [4, 4, 4], "spacing": 1.0}, "boundaries": WALLS}, None)


WALLS = {"x-": "wind", "x+": "free", "y-": "free", "y+": "free", "z-": "free", "z+": "free"}


def test_a_periodic_axis_is_as_thick_as_the_halo():
    sets = [f'boundaries."{face}"={kind}' for face, kind in (("y-", "oblique"), ("y+", "free"))]
    with pytest.raises(BadInput) as refused:
        load_case(find_case("blast"), sets)
    assert "grid.points = [256, 384, 1] has 1 along z" in refused.value.sentence
    assert 'boundaries."y-" = "oblique"' in refused.value.sentence


# -- what is read off a run ------------------------------------------------------------------------


def line_to_the_sun(x, density, flow, current):
    return {"x": x, "density": density, "vx": flow, "current": current}


def test_the_magnetopause_is_not_the_shock():
    x = np.arange(-30.0, 0.0, 0.5)
    density = np.where(x < -15, 1.0, 3.0)
    flow = 1 / density
    current = np.exp(-((x + 15) ** 2)) + 0.6 * np.exp(-((x + 11.2) ** 2) / 0.5)
    found = find_standoff(line_to_the_sun(x, density, flow, current), 1.0, 1.0, 6.0)
    assert found.magnetopause == pytest.approx(11.2, abs=0.1)
    assert found.shock == pytest.approx(15.25, abs=0.26)
    nothing = find_standoff(line_to_the_sun(x, np.ones_like(x), flow, current), 1.0, 1.0, 6.0)
    assert np.isnan(nothing.magnetopause)
    assert np.isnan(nothing.shock)


def test_the_atmosphere_at_the_start_is_no_shock():
    """As dense as behind a shock from 11 radii on, but at rest; also where all of the line is the wind's."""
    x, wind = np.arange(-30.0, 0.0, 0.5), 5e-4
    density = np.where(x < -16, wind, np.maximum(np.abs(x) ** -3.0, 0.2 * wind))
    flow = np.where(x < -16, 0.044, 0.0)
    for speed in (0.044, -0.044):
        line = line_to_the_sun(x, density, np.sign(speed) * flow, np.zeros_like(x))
        found = find_standoff(line, wind, speed, 7.0)
        assert np.isnan(found.shock)
        assert np.isnan(found.magnetopause)


def test_currents_in_plasma_that_is_held_are_no_magnetopause():
    """Jupiter holds up to 30 radii; a small planet has its magnetopause at 1.5."""
    x = np.arange(-150.0, 0.0, 3.0)
    density = np.where(x < -75, 2e-5, 6e-5)
    current = np.exp(-(((x + 75) / 3) ** 2)) + 0.6 * np.exp(-(((x + 59) / 4) ** 2))
    held = current + 0.9 * np.exp(-(((x + 20) / 5) ** 2))
    line = line_to_the_sun(x, density, 2e-5 / density, held)
    assert find_standoff(line, 2e-5, 1.0, 30.0).magnetopause == pytest.approx(59, abs=0.5)
    small = {**line, "x": x * 1.5 / 59, "current": current}
    assert find_standoff(small, 2e-5, 1.0, 1.2).magnetopause == pytest.approx(1.5, abs=0.02)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["linear_wave", "grid.points=[16,16,16]", "grid.spacing=0.0625"], "grid.spacing = 0.0625"),
        (["linear_wave", "grid.points=[32,1,1]", "grid.spacing=0.09375"], "along y is 1.5"),
        (["orszag_tang", "grid.points=[24,20,1]", "grid.spacing=0.05"], "grid.points = [24, 20, 1]"),
        (["orszag_tang", "boundaries.x-=free", "boundaries.x+=free"], 'boundaries."x-" = "free"'),
    ],
)
def test_a_periodic_start_needs_whole_periods(sets, said):
    with pytest.raises(BadInput) as refused:
        load_case(find_case(sets[0]), sets[1:])
    assert said in refused.value.sentence
    assert sets[0] in refused.value.sentence


def test_boxes_of_whole_periods_may_have_any_number_of_points():
    for n in (7, 48, 100):
        load_case(
            find_case("linear_wave"), [f"grid.points=[{2 * n},{n},{2 * n}]", f"grid.spacing={1.5 / n!r}"]
        )
        load_case(find_case("orszag_tang"), [f"grid.points=[{n},{2 * n},1]", f"grid.spacing={1 / n:.9g}"])


@pytest.mark.parametrize(
    ("faces", "ranks", "fits"),
    [
        ({"y-": "mirror"}, 2, True),
        ({"y-": "mirror"}, 4, False),
        ({"y+": "mirror"}, 2, False),
        ({"z-": "equator"}, 2, True),
    ],
)
def test_blocks_beside_a_mirror_are_thick_enough(faces, ranks, fits):
    tables = {
        "solver": "magnetosphere",
        "plasma": {"initial": "planet"},
        "grid": {"points": [16, 4, 16], "spacing": 1.0, "low": [-20.0, -3.0 if "y+" in faces else 0.0, 0.0]},
        "boundaries": {**WALLS, **faces},
        "planet": {"inner": 1.5, "outer": 3},
        "wind": {"density": 5.0, "velocity": [300.0, 0.0, 0.0], "temperature": 2e5},
        "run": {"steps": 1},
    }
    axis = "yz".index(next(iter(faces))[0])
    split = [1, *((ranks, 1) if axis == 0 else (1, ranks))]
    case = typed_case({**tables, "engine": {"split": split}}, None)
    if fits:
        case.check_ranks(ranks)
        return
    with pytest.raises(BadInput, match=r"engine.split = \[1, ., .\].*at most . ranks fit"):
        case.check_ranks(ranks)
    automatic = typed_case(tables, None)
    automatic.check_ranks(ranks)
    assert automatic.split_over(ranks)[1] == 1


def test_a_quarter_is_completed_to_the_whole():
    """A dipole and a flow with both symmetries, on a quarter and on all of space."""

    def plasma(low):
        z, y, x = np.meshgrid(np.arange(low, 4.0), np.arange(low, 4.0), np.arange(-4.0, 6.0), indexing="ij")
        r2 = x**2 + y**2 + z**2 + 0.1
        field = np.array([-3 * x * z, -3 * y * z, r2 - 3 * z**2])
        return PlasmaField(np.array([x, y, z]), r2, np.array([x**2, x * y, z]), 1 / r2, field)

    done, whole = plasma(0.0).completed((True, True)), plasma(-3.0)
    for name in ("points", "density", "velocity", "pressure", "magnetic"):
        assert np.array_equal(getattr(done, name), getattr(whole, name)), name


def test_table_2_of_the_paper_and_its_condition():
    """Two threads, no join: 30 runs hidden and 10 apart; times as the timeline counts them."""

    class Engine:
        threads, halo_thread_joins = 2, False

    hidden = {"start": 0.03, "wait": 0.5 * 0.06, "shell": 0.5 * 0.9, "core": 0.5 * 3.0}
    apart = {"start": 0.01, "wait": 0.39, "shell": 0.1, "core": 0.6}
    seconds = dict.fromkeys(("first", "second"), hidden) | {
        name + " ordered": apart for name in ("first", "second")
    }
    sampled = {"first": 10, "second": 10}
    table = table_of(seconds, {"first": 40, "second": 40}, sampled, Engine)
    row = table["stages"]["first"]
    assert row["communication"] == pytest.approx(0.003)
    assert row["shell"] == pytest.approx(0.03)
    assert row["halo_elapsed"] == pytest.approx(0.033)
    assert row["core_elapsed"] == pytest.approx(0.1)
    assert row["t_add"] == pytest.approx(0.03)
    assert row["t_com"] == pytest.approx(0.04)
    assert table["verdict"].startswith("t_add < t_com holds")
    assert "too close" not in table["verdict"]
    apart["wait"] = 0.1
    assert "does not hold" in table_of(seconds, {"first": 40, "second": 40}, sampled, Engine)["verdict"]
    apart["wait"] = 0.25
    assert "too close to tell" in table_of(seconds, {"first": 40, "second": 40}, sampled, Engine)["verdict"]


def test_no_more_is_promised_than_the_messages_take():
    """A thread less made computing faster where ranks times threads outnumber the cores."""
    assert promise(t_add=-48.0, t_com=2.0, step=300.0) == pytest.approx(2 / 300)
    assert promise(t_add=5.0, t_com=2.0, step=300.0) == pytest.approx(-3 / 300)
