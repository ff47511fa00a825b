# SPDX-License-Identifier: Apache-2.0
"""A wind that changes with time: what a file may hold, what a run says of it, and equal bits."""

import json

import numpy as np
import pytest

from conftest import QUIET, history
from subcurrent.case.library import find_case
from subcurrent.case.reading import as_toml, load_case
from subcurrent.errors import BadInput
from subcurrent.solvers.kinds import kind_of
from subcurrent.solvers.magnetosphere.standoff import find_standoff
from subcurrent.solvers.magnetosphere.units import Wind
from test_magnetosphere_planets import COARSE, SMOOTH
from test_magnetosphere_runs import SMALL

GUSTS = """# density and field jump
time,density,velocity_x,temperature,field_z
-20,5,300,2e5,5
3.5,6,320,2.5e5,4
9,12,400,2e5,-5
14.25,8,350,1e5,-3
60,5,300,2e5,5
"""
ROWS = ("--set", "output.history_every=1")
FILE = ("--set", "wind.file=wind.csv")


def windy(folder, text):
    """The Earth's case beside a file of the wind."""
    (folder / "wind.csv").write_text(text)
    (folder / "case.toml").write_text(find_case("earth_north").read_text())
    return load_case(folder / "case.toml", ["wind.file=wind.csv"])


# -- the file --------------------------------------------------------------------------------------


def test_rows_in_the_solvers_units(tmp_path):
    """Columns that are left out have the constant value; an earlier row does not change a later one."""
    case = windy(tmp_path, GUSTS)
    options = case.options()
    winds = options["winds"]
    assert winds["time"] == [-20, 3.5, 9, 14.25, 60]
    for n, row in enumerate([(5, 300, 2e5, 5), (6, 320, 2.5e5, 4), (12, 400, 2e5, -5)]):
        density, speed, temperature, field = row
        scaled = Wind(density, (speed, 0.0, 0.0), temperature, (0.0, 0.0, field)).scaled(case.units())
        assert {name: winds[name][n] for name in scaled} == scaled
    assert winds["density"][0] == options["wind"]["density"]
    assert winds["pressure"][-1] == options["wind"]["pressure"]


def test_a_resolved_case_names_the_file_for_good(tmp_path):
    case = windy(tmp_path, GUSTS)
    assert case.wind.file == str(tmp_path / "wind.csv")
    other = tmp_path / "elsewhere" / "case.toml"
    other.parent.mkdir()
    other.write_text(as_toml(case))
    assert load_case(other) == case


def test_what_is_said_of_it(tmp_path):
    case = windy(tmp_path, GUSTS)
    notes = "\n".join(case.notes())
    assert f"from {tmp_path / 'wind.csv'}, rows from time -20 to 60" in notes
    assert "n 5 to 12 cm^-3, |v| 300 to 400 km/s" in notes
    assert "dynamic pressure 0.7527 to 3.211 nPa" in notes
    assert "balances at 8.86 to 11.28 radii" in notes
    assert kind_of(case).title(case).startswith("Earth, wind of wind.csv, ")
    assert case.expected_standoff() is None


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("density\n5\n", "has no column time: it must be a CSV file with the column time and"),
        ("time,densty\n0,5\n", 'has a column "densty": allowed are time, density'),
        ("time,density\n", "no columns of numbers"),
        ("time,density\n0,five\n", "row 1 has no number in its column density"),
        ("time,density\n0,5\n1\n", "row 2 has no number in its column density"),
        ("time,density\n0,5\n0,6\n", "row 2: time = 0 is not allowed: it must be greater than 0"),
        ("time\n3\n2\n", "row 2: time = 2 is not allowed: it must be greater than 3"),
        ("time,density\n0,5\n1,nan\n", "row 2: density = nan is not allowed"),
        ("time,density\n0,5\n# a gap\ninf,6\n", "row 2: time = inf is not allowed"),
        ("time,density\n0,0\n", "row 1: density = 0 is not allowed: it must be greater than 0"),
        ("time,temperature\n0,-2\n", "row 1: temperature = -2 is not allowed: it must be greater than 0"),
        ("time,velocity_x\n0,300\n1,0\n", "row 2: velocity_x = 0 is not allowed: the sun is at -x"),
    ],
)
def test_what_is_refused(tmp_path, text, said):
    with pytest.raises(BadInput) as refused:
        windy(tmp_path, text)
    assert f"{tmp_path / 'wind.csv'}" in refused.value.sentence
    assert said in refused.value.sentence


def test_a_file_that_is_not_there():
    with pytest.raises(BadInput) as refused:
        load_case(find_case("earth_north"), ["wind.file=calm.csv"])
    assert 'wind.file = "calm.csv" does not exist' in refused.value.sentence


# -- where the wind of an earlier time is -----------------------------------------------------------


def test_the_wind_on_its_way_to_the_planet(tmp_path):
    """At a constant speed exactly that of t - x / v; at a speed that falls what entered with it."""
    case = windy(tmp_path, "time,density\n0,5\n100,10\n")
    units = case.units()
    speed = 3e5 / units.speed
    way = np.array([0.0, 0.5, 2.0])
    density, speeds = case.winds().passed(80.0, way, units)
    assert speeds == pytest.approx(speed)
    assert density * 1e4 == pytest.approx(5 + (80 - way / speed) / 20)
    case = windy(tmp_path, "time,velocity_x\n0,300\n1000,600\n")
    speeds = case.winds().passed(800.0, way, units)[1]
    entered = (1e-3 * units.speed * speeds - 300) / 0.3
    assert way == pytest.approx((800 - entered) * speeds, abs=1e-6)


def test_a_denser_wind_behind_a_front_is_no_shock():
    """The wind thins out by half: the denser one before it is downstream of the front."""
    x = -np.arange(30.0, 6, -0.5)
    density = np.where(x < -22, 0.5, 1.0)
    dense, flow, current = density.copy(), np.ones_like(x), 1 / (1 + (x + 10) ** 2)
    dense[x > -14.2], flow[x > -14.2] = 3.0, 0.3
    axis = {"x": x, "density": dense, "vx": flow, "current": current}
    assert find_standoff(axis, 0.5, 1.0, 7).shock > 20
    found = find_standoff(axis, density, np.ones_like(x), 7)
    assert found.shock == pytest.approx(14.4, abs=0.2)
    assert found.magnetopause == pytest.approx(10)


# -- runs ------------------------------------------------------------------------------------------


def same_end(folder, one, other):
    a, b = folder / one, folder / other
    return history(a) == history(b) and (a / "axis.csv").read_text() == (b / "axis.csv").read_text()


def run(program, name, *options, ranks=1):
    program.folder.joinpath("case.toml").write_text(find_case("earth_north").read_text())
    return program.ok("run", "case.toml", *SMALL, *ROWS, *QUIET, "-n", str(ranks), "--out", name, *options)


@pytest.mark.mpi
def test_a_constant_file_is_a_constant_wind(program):
    (program.folder / "wind.csv").write_text("time,density,velocity_x,field_z\n1.5,5,300,5\n9,5,300,5\n")
    run(program, "constant")
    done = run(program, "file", *FILE, ranks=2)
    assert "solar wind: from " in done.stdout
    assert same_end(program.folder, "constant", "file")


@pytest.mark.mpi
def test_the_same_bits_on_any_ranks_and_device_and_after_any_restart(program):
    (program.folder / "wind.csv").write_text(GUSTS)
    run(program, "whole", *FILE)
    run(program, "calm")
    assert not same_end(program.folder, "whole", "calm")
    run(program, "two", *FILE, "--strategy", "pipelined", ranks=2)
    run(program, "four", *FILE, "--strategy", "boundary_first", ranks=4)
    run(program, "device", *FILE, "--device", "emulated", ranks=2)
    for number, steps in enumerate((1, 4, 8, 9)):
        sets = ("--set", f"run.steps={steps}", *(("--resume",) if number else ()))
        run(program, "parts", *FILE, *sets, ranks=1 + number % 2)
    run(program, "parts", *FILE, "--resume", ranks=3)
    for name in ("two", "four", "device", "parts"):
        assert same_end(program.folder, "whole", name), name


@pytest.mark.mpi
def test_pictures_and_report_without_one_balance(program):
    (program.folder / "wind.csv").write_text(GUSTS)
    program.folder.joinpath("case.toml").write_text(find_case("earth_north").read_text())
    program.ok("run", "case.toml", *SMALL, *FILE, *QUIET, "--out", "r")
    (program.folder / "wind.csv").unlink()  # what is drawn again needs no input
    program.ok("report", "r")
    summary = json.loads((program.folder / "r" / "summary.json").read_text())
    assert summary["expected_magnetopause"] is None
    assert "wind of wind.csv" in (program.folder / "r" / "report.html").read_text(encoding="utf-8")
    assert (program.folder / "r" / "figures" / "axis.png").is_file()


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("velocity_y", "3", "boundaries.y- reflects, but the wind blows through it"),
        ("field_y", "3", "boundaries.y- is a mirror, but the wind's field crosses it"),
        ("field_x", "3", "boundaries.z- is an equator, but the wind's field lies in it"),
    ],
)
def test_a_row_that_a_reflecting_face_forbids(program, column, value, said):
    (program.folder / "wind.csv").write_text(f"time,{column}\n0,0\n5,{value}\n")
    program.folder.joinpath("case.toml").write_text(find_case("earth_north").read_text())
    assert f"wind.csv, row 2: {said}" in program.refused("run", "case.toml", *SMALL, *FILE)


@pytest.mark.mpi
def test_a_field_along_the_normal_that_changes(program):
    (program.folder / "wind.csv").write_text("time,field_x\n0,1\n5,1\n7,2\n")
    program.folder.joinpath("case.toml").write_text(find_case("earth_tilted").read_text())
    assert "wind.csv, row 3: the field along x is not that of row 1" in program.refused(
        "run", "case.toml", *FILE
    )


@pytest.mark.mpi
@pytest.mark.long
@pytest.mark.timeout(1800)
def test_the_magnetopause_follows_a_rise_of_the_pressure(program):
    """Twice the density and 4/3 of the speed: the balance moves from 11.28 to 9.13 radii."""
    (program.folder / "wind.csv").write_text("time,density,velocity_x\n1300,5,300\n1310,10,400\n")
    program.folder.joinpath("case.toml").write_text(find_case("earth_north").read_text())
    sets = ("--set", "run.time=2600", "--set", "output.history_every=20", "--set", "output.snapshots=false")
    program.ok("run", "case.toml", *COARSE, *SMOOTH, *FILE, *sets, *QUIET, "-n", "2", "--out", "r")
    rows = history(program.folder / "r")
    times, places = (np.array([float(row[name]) for row in rows]) for name in ("time", "magnetopause"))
    before = places[(times > 1000) & (times < 1300)]
    after = places[times > 2400]
    assert before.mean() == pytest.approx(11.28, rel=0.08)
    assert after.mean() == pytest.approx(9.13, rel=0.08)
    assert after.mean() / before.mean() == pytest.approx((2 * (4 / 3) ** 2) ** (-1 / 6), rel=0.08)
