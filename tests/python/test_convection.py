# SPDX-License-Identifier: Apache-2.0
"""Open flux and potential of a polar cap, against a dipole in a uniform field with a known convection."""

import json
import runpy
import sys

import numpy as np
import pytest

import dungey
from conftest import ROOT, completed
from dungey import case_of
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.flowfield import PlasmaField
from subcurrent.solvers.magnetosphere.convection import find_convection, without_convection
from subcurrent.solvers.magnetosphere.polar_cap import Network, fitted
from subcurrent.solvers.magnetosphere.polar_cap_plot import draw_polar_caps
from subcurrent.solvers.magnetosphere.units import Wind

B, E = 1e-3, -4e-5  # the ring is at 10; far away the plasma flows along x with 0.04


def of_dungey(mirrored="", spacing=1.0, nodes=31, b=B, e=E, **planet):
    case = case_of(mirrored, spacing, **planet)
    tilt = np.radians(case.planet.tilt)
    plasma = dungey.state(case.grid.low, case.grid.points, spacing, b, e, tilt)
    return find_convection(plasma, case, nodes), case.units()


def megawebers(units):
    return 1e-6 * units.flux * dungey.open_flux(B)


def kilovolts(units):
    return 1e-3 * units.potential * dungey.drop(B, E)


def test_the_units():
    """300 km/s and 5 nT give 1.5 mV/m."""
    units = case_of().units()
    assert units.flux == pytest.approx(31.2e-6 * 6.37e6**2)
    wind = (300e3 / units.speed) * (5e-9 / units.field)
    assert wind * units.potential == pytest.approx(1.5e-3 * 6.37e6)


def test_the_open_flux_and_the_potential_of_a_known_convection():
    found, units = of_dungey("yz", nodes=41)
    assert found.north.open_flux == pytest.approx(megawebers(units), rel=3e-3)
    assert found.neutral_line == pytest.approx(megawebers(units), rel=1e-6)
    assert found.north.potential == pytest.approx(kilovolts(units), rel=0.01)
    assert found.north.along_line == pytest.approx(kilovolts(units), rel=0.01)
    assert found.north.curl < 2e-3
    assert found.north.lost == 0
    assert found.south is found.north
    assert found.sentence() is None


def test_the_flux_converges_with_the_nodes():
    errors = []
    for nodes in (11, 41):
        found, units = of_dungey("yz", nodes=nodes, e=0.0)
        errors.append(abs(found.north.open_flux / megawebers(units) - 1))
    assert errors[1] < 0.5 * errors[0]


def test_the_potential_converges_with_the_spacing():
    """Of second order, on the same sphere."""
    errors, curls = [], []
    for spacing in (1.0, 0.5):
        found, units = of_dungey("yz", spacing, nodes=21, outer=5.0 - np.sqrt(3) * spacing)
        assert found.radius == pytest.approx(5.0)
        errors.append(abs(found.north.along_line / kilovolts(units) - 1))
        curls.append(found.north.curl)
    assert errors[1] < 0.3 * errors[0]
    assert curls[1] < 0.35 * curls[0]


def test_a_part_of_the_grid_gives_what_the_whole_gives():
    whole, _ = of_dungey(nodes=21)
    assert whole.neutral_line is None
    assert whole.south.potential == pytest.approx(whole.north.potential, rel=1e-9)
    assert whole.south.open_flux == pytest.approx(whole.north.open_flux, rel=1e-9)
    for mirrored in ("y", "z", "yz"):
        part, _ = of_dungey(mirrored, nodes=21)
        assert part.north.potential == pytest.approx(whole.north.potential, rel=1e-9)
        assert part.north.open_flux == pytest.approx(whole.north.open_flux, rel=1e-9)
        assert (part.neutral_line is None) == ("z" not in mirrored)


def test_lines_of_the_wind_are_not_the_planets():
    """The sphere, of 4.7 radii, encloses the ring of neutral points, at 2.7."""
    found, units = of_dungey("yz", b=0.05, e=0.0)
    assert found.north.open_flux == pytest.approx(1e-6 * units.flux * dungey.open_flux(0.05), rel=0.01)


def test_a_tilted_dipole():
    """The whole configuration turned: the grid is another one to it."""
    turned, units = of_dungey(tilt=25.0)
    for cap in (turned.north, turned.south):
        assert cap.open_flux == pytest.approx(megawebers(units), rel=5e-3)
        assert cap.potential == pytest.approx(kilovolts(units), rel=0.01)


def test_what_turns_with_the_planet_is_no_convection():
    """A rotation of six minutes, whose potential is larger than that of the convection."""
    still, units = of_dungey(nodes=21)
    case = case_of(rotation=0.1)
    spin = 2 * np.pi / (360 / units.time)
    plasma = dungey.state(case.grid.low, case.grid.points, 1.0, B, E)
    turning = spin * np.stack([-plasma.points[1], plasma.points[0], 0 * plasma.points[0]])
    state = PlasmaField(
        plasma.points, plasma.density, plasma.velocity + turning, plasma.pressure, plasma.magnetic
    )
    found = find_convection(state, case, 21)
    assert found.north.potential == pytest.approx(still.north.potential, rel=1e-6)


def test_a_field_along_the_wind_parts_the_hemispheres():
    """With a uniform B_x the state is its own image in the centre, and the caps lie to opposite sides."""
    case = case_of()
    plasma = dungey.state(case.grid.low, case.grid.points, 1.0, B)
    along = np.array([1.0, 0.0, 0.0])[:, None, None, None]
    state = PlasmaField(
        plasma.points, plasma.density, plasma.velocity, plasma.pressure, plasma.magnetic + 5e-4 * along
    )
    found = find_convection(state, case, 21)
    north, south = (cap.chart.flat.mean(axis=0) for cap in (found.north, found.south))
    assert abs(north[0]) > 0.01
    assert south[0] == pytest.approx(-north[0], rel=1e-6)
    assert found.south.open_flux == pytest.approx(found.north.open_flux, rel=1e-6)


def test_latitudes_and_local_time():
    """At the planet's surface: from `inner` on, where sin^2 of the boundary is known, along the dipole."""
    chart = of_dungey("z")[0].north.chart
    rim = slice(chart.inside, None)
    sine = np.sqrt(dungey.sine_of_boundary(B, 1.5) ** 2 / 1.5)
    np.testing.assert_allclose(np.sin(np.radians(chart.colatitudes[rim])), sine, rtol=5e-3)
    highest, lowest = np.nanargmax(chart.potentials), np.nanargmin(chart.potentials)
    assert np.degrees(chart.azimuths[highest]) == pytest.approx(90, abs=10)  # dawn: y points there
    assert np.degrees(chart.azimuths[lowest]) == pytest.approx(-90, abs=10)
    assert np.nanmean(chart.potentials) == pytest.approx(0, abs=1e-9 * np.nanmax(chart.potentials))


def disc(count):
    """The nodes of a square grid within the unit circle, and the links between them."""
    line = np.linspace(-1, 1, count)
    x, y = np.meshgrid(line, line)
    inside = np.hypot(x, y) < 1
    number = np.cumsum(inside.ravel()).reshape(inside.shape) - 1
    links = [
        np.stack([n[:, :-1][m[:, :-1] & m[:, 1:]], n[:, 1:][m[:, :-1] & m[:, 1:]]], axis=1)
        for n, m in ((number, inside), (number.T, inside.T))
    ]
    links, h = np.concatenate(links), line[1] - line[0]
    flat = np.stack([x[inside], y[inside]], axis=1)
    return Network(flat, links, np.full(len(links), h), h, inside.sum(), 0)


@pytest.mark.parametrize("turning", [0.0, 0.5, 2.0])
def test_the_part_that_is_no_gradient(turning):
    """E = y + turning z x r on the unit disc: the second has no gradient in it, and of the square of both its
    share is (turning^2 / 2) / (1 + turning^2 / 2)."""
    network = disc(81)
    middle, step = (
        network.flat[network.links].mean(axis=1),
        network.flat[network.links[:, 1]] - network.flat[network.links[:, 0]],
    )
    field = np.stack([-turning * middle[:, 1], 1 + turning * middle[:, 0]], axis=1)
    values, left = fitted(network, -(field * step).sum(-1))
    share = turning**2 / 2
    assert left == pytest.approx(np.sqrt(share / (1 + share)), abs=0.01)
    np.testing.assert_allclose(values, -network.flat[:, 1], atol=0.02 * turning + 1e-9)


def test_what_is_left_is_spread_over_the_lengths():
    """Around a triangle whose voltages add up to 4: its links take it in proportion to their lengths."""
    links, lengths, voltages = np.array([[0, 1], [1, 2], [2, 0]]), np.array([0.1, 0.2, 0.1]), [3.0, 2.0, -1.0]
    network = Network(np.zeros((3, 2)), links, lengths, 0.1, 3, 0)
    values, left = fitted(network, np.array(voltages))
    np.testing.assert_allclose(values[links[:, 1]] - values[links[:, 0]], [2, 0, -2], atol=1e-12)
    assert left == pytest.approx(np.sqrt((1 + 4 / 2 + 1) / (9 + 4 / 2 + 1)))


def test_points_that_are_apart_have_no_potential():
    network = disc(21)
    apart = np.concatenate([network.flat, [[5, 5], [5.1, 5]]])
    n = len(network.flat)
    links = np.concatenate([network.links, [[n, n + 1]]])
    both = Network(apart, links, np.append(network.lengths, 0.1), network.spacing, n + 2, 0)
    values, _ = fitted(both, -(apart[links[:, 1]] - apart[links[:, 0]])[:, 1])
    assert np.isnan(values[n:]).all()
    np.testing.assert_allclose(values[:n], -network.flat[:, 1], atol=1e-9)


def test_without_open_lines_there_is_no_potential():
    found, _ = of_dungey("yz", b=-B, e=0.0)
    assert found.north.open_flux == 0
    assert found.north.potential is None
    assert found.neutral_line is None
    assert found.sentence() == "no field line of the planet leaves the grid, so that there is no polar cap."
    assert json.loads(json.dumps(found.record()))["north"]["potential_kV"] is None


def test_where_there_is_no_convection():
    assert without_convection(case_of()) is None
    assert without_convection(case_of("yz")) is None
    assert without_convection(load_case(find_case("earth_south"))) is None
    assert without_convection(load_case(find_case("jupiter"))) is None
    assert "orszag_tang" in without_convection(load_case(find_case("orszag_tang")))
    assert "a sphere of 15.23 radii" in without_convection(case_of(outer=13.5))
    flat = load_case(find_case("earth_north"), ["grid.points=[90,30,1]", "grid.spacing=1"])
    assert "does not enclose" in without_convection(flat)


def test_pictures(tmp_path):
    found, units = of_dungey(nodes=21, tilt=10.0)
    draw_polar_caps(tmp_path / "both.svg", found, "T", units)
    shown = (tmp_path / "both.svg").read_text()
    assert all(f"<!-- {text} -->" in shown for text in ("potential (kV)", "12 h, sun", "6 h", "80°"))
    assert f"north: open flux {found.north.open_flux:.4g} MWb" in shown
    assert f"south: open flux {found.south.open_flux:.4g} MWb" in shown
    one, _ = of_dungey("z", nodes=21, e=0.0)  # nothing moves
    draw_polar_caps(tmp_path / "one.svg", one, "T", units)
    assert "south: " not in (tmp_path / "one.svg").read_text()


@pytest.mark.mpi
def test_a_run_from_its_case_to_the_table(program):
    """The pictures of a run and the script find the same; the start has open lines, and hardly moves."""
    small = ("--set", "grid.points=[24,12,12]", "--set", "grid.spacing=3", "--set", "run.steps=12")
    program.ok("run", "earth_south", *small, "--out", "r")
    assert (program.folder / "r" / "figures" / "polar_cap.png").stat().st_size > 10_000
    found = json.loads((program.folder / "r" / "convection.json").read_text())
    assert found["note"] is None
    assert found["north"] == found["south"]
    script = ROOT / "cases" / "earth_south" / "convection.py"
    line = [sys.executable, script, program.folder / "r"]
    text = completed(line, check=True).stdout.splitlines()
    cells = [cell.strip() for cell in text[2].strip("| ").split("|")]
    cap = found["north"]
    assert cells[:2] == [f"{found['time']:.0f}", f"{cap['open_flux_MWb']:.0f}"]
    assert cells[3:] == [
        *(f"{cap[name]:.0f}" for name in ("potential_kV", "along_line_kV")),
        f"{100 * cap['curl']:.1f} %",
    ]
    # 1e-4 300^2 + 11.7 x 5, for a field that points southward
    assert text[-1].endswith("in such a wind: 67.5 kV")
    RunFolder(program.folder / "r").check_new(overwrite=True)  # all of its files are known


@pytest.mark.parametrize(
    ("velocity", "field", "expected"),
    [
        ((400.0, 0.0, 0.0), (0.0, 0.0, 0.0), 16.0),
        ((400.0, 0.0, 0.0), (0.0, 0.0, 5.0), 16.0),
        ((300.0, 0.0, 400.0), (0.0, 0.0, -10.0), 25 + 117),
        ((400.0, 0.0, 0.0), (0.0, 8.0, 0.0), 16 + 11.7 * 8 * 0.5**1.5),
    ],
)
def test_the_formula_of_boyle(velocity, field, expected):
    script = runpy.run_path(str(ROOT / "cases" / "earth_south" / "convection.py"))
    assert script["boyle"](Wind(5.0, velocity, 2e5, field)) == pytest.approx(expected)


def test_the_script_refuses_in_a_sentence(tmp_path):
    script = ROOT / "cases" / "earth_south" / "convection.py"
    done = completed([sys.executable, script, tmp_path])
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path} is not a run folder: {tmp_path / 'case.toml'} is missing.\n"
