# SPDX-License-Identifier: Apache-2.0
"""Figures: files appear, and the numbers in them are right."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from subcurrent.case.library import shipped
from subcurrent.case.reading import parsed_case, read_tables
from subcurrent.errors import NoData, StorageError
from subcurrent.launch.rundir import RunFolder
from subcurrent.report import figures
from subcurrent.report.figures import draw_figures
from subcurrent.report.flowfield import FlowField, PlasmaField
from subcurrent.report.plots import style
from subcurrent.report.plots.history import draw_history, read_history
from subcurrent.report.snapshot import read_snapshot
from subcurrent.solvers.box_pictures import draw_vorticity
from subcurrent.solvers.cavity.flow import draw_flow, draw_flow_3d
from subcurrent.solvers.cavity.trace import trace
from subcurrent.solvers.compressible.pictures import draw_gas_history, draw_schlieren
from subcurrent.solvers.dendrite.crystal import draw_growth, draw_outlines, draw_temperature
from subcurrent.solvers.dendrite.crystal_field import CrystalField
from subcurrent.solvers.drawing import Drawing
from subcurrent.solvers.kinds import kind_of
from subcurrent.solvers.magnetosphere.plasma import (
    draw_axis,
    draw_magnetosphere,
    draw_plasma_history,
    draw_vortex,
)
from subcurrent.solvers.magnetosphere.plasma_plane import NAMES, draw_blast, draw_loop
from subcurrent.solvers.magnetosphere.units import Units
from subcurrent.solvers.turbulence.pictures import draw_dissipation, draw_scales
from subcurrent.solvers.wave.figures import draw_pressure
from subcurrent.stencil import showing

PNG = b"\x89PNG"


def solid_rotation(count: int = 21, skew: float = 0.0) -> FlowField:
    """Fluid turning around the middle of the box, on even or skewed points."""
    line = np.linspace(0, 1, count)
    z, y, x = np.meshgrid(line, line, line, indexing="ij")
    bump = skew * np.sin(np.pi * x) * np.sin(np.pi * y) * np.sin(np.pi * z)
    x, z = x + bump, z - 0.5 * bump
    return FlowField(np.stack([x, y, z]), np.stack([z - 0.5, 0 * y, 0.5 - x]), 1.5)


@pytest.mark.parametrize("skew", [0.0, 0.15])
def test_flow_figures_appear(tmp_path, skew):
    flow = solid_rotation(skew=skew)
    draw_flow(tmp_path / "flow.png", flow)
    draw_flow_3d(tmp_path / "flow_3d.png", flow)
    assert (tmp_path / "flow.png").read_bytes().startswith(PNG)
    assert (tmp_path / "flow_3d.png").read_bytes().startswith(PNG)


def test_fluid_at_rest_can_be_drawn(tmp_path):
    flow = solid_rotation()
    still = FlowField(flow.points, 0 * flow.velocity)
    draw_flow(tmp_path / "flow.png", still)
    draw_flow_3d(tmp_path / "flow_3d.png", still)


@pytest.mark.parametrize("skew", [0.0, 0.15])
def test_particles_of_a_solid_rotation_stay_on_circles(skew):
    """In index space or not, on even or skewed points, the distance from the axis must not change."""
    (path,) = trace(solid_rotation(41, skew), np.array([[30.0, 20.0, 20.0]]))
    radius = np.hypot(path[:, 0] - 0.5, path[:, 2] - 0.5)
    assert len(path) > 100
    assert np.ptp(radius) < 0.01 * radius.mean()
    assert np.ptp(path[:, 1]) < 0.01


def test_the_middle_plane_lies_in_the_middle():
    for count in (20, 21):
        flow = solid_rotation(count)
        for axis in range(3):
            assert flow.plane(axis).points[axis] == pytest.approx(np.full((count, count), 0.5))


def test_history_figure(tmp_path):
    (tmp_path / "history.csv").write_text(
        "step,time,iterations,residual,max_change,divergence_rms,capped\n"
        "1,0.1,9,1e-5,1,0.1,1\n2,0.2,5,0,0.5,0.1,0\n3,0.3,5,nan,0.1,0.1,0\n4,0.4\n"
    )
    history = read_history(tmp_path / "history.csv")
    assert list(history["step"]) == [1, 2, 3]
    draw_history(tmp_path / "history.png", history, 1e-5)
    assert (tmp_path / "history.png").read_bytes().startswith(PNG)


HISTORIES = {  # what is drawn of each, and a title that it then shows
    "cavity": (lambda path, history: draw_history(path, history, 1e-5), "Mass: divergence, rms"),
    "magnetosphere": (lambda path, history: draw_plasma_history(path, history, "T"), "Divergence of B"),
    "dendrite": (lambda path, history: draw_growth(path, history, "T"), "Solid fraction"),
    "turbulence": (lambda path, history: draw_dissipation(path, history, None, "T"), "Energy"),
    "turbulence scales": (lambda path, history: draw_scales(path, history, "T"), "Enstrophy"),
    "compressible": (lambda path, history: draw_gas_history(path, history, None, "T"), "Dilatation"),
}


@pytest.mark.parametrize("name", HISTORIES)
@pytest.mark.parametrize("later", [True, False])
def test_columns_that_another_version_did_not_write_are_left_out(tmp_path, name, later):
    """Either half of the columns, and one of a later version."""
    columns = kind_of({"solver": name.split()[0]}).history
    middle = len(columns) // 2
    there = ["step", "time", *(columns[middle:] if later else columns[2:middle]), "of_a_later_version"]
    rows = [there, *([str(n), *["0.5"] * (len(there) - 1)] for n in (1, 2))]
    (tmp_path / "history.csv").write_text("".join(",".join(row) + "\n" for row in rows))
    draw, title = HISTORIES[name]
    draw(tmp_path / "h.svg", read_history(tmp_path / "history.csv"))
    assert title in texts(tmp_path / "h.svg")


def test_nothing_is_drawn_without_the_time(tmp_path):
    (tmp_path / "history.csv").write_text("step,iterations\n1,9\n")
    with pytest.raises(NoData, match=r"history\.csv has no column time\."):
        draw_history(tmp_path / "h.png", read_history(tmp_path / "history.csv"), None)


@pytest.mark.parametrize(
    ("spacing", "shown"), [(1.0, {"x (cells)", "10 cells"}), (0.5, {"x", "5"})], ids=["cells", "lengths"]
)
def test_places_of_a_stencil_field_are_cells_where_a_cell_is_the_unit(tmp_path, spacing, shown):
    grid = SimpleNamespace(dimensions=2, cells=(40, 30), spacing=(spacing, spacing))
    field = SimpleNamespace(name="c", units="", grid=grid)
    showing.draw(field, np.zeros((30, 40)), str(tmp_path / "c.svg"), "z", None, None)
    assert texts(tmp_path / "c.svg") >= shown


def texts(path) -> set[str]:
    """What is written in an SVG of matplotlib."""
    return set(re.findall(r"<!-- (.*) -->", path.read_text()))


def plasma_history() -> dict[str, np.ndarray]:
    names = ("time", "dt", "mass", "energy", "divergence", "floors", "magnetopause", "shock")
    return {name: np.linspace(1, 2, 5) for name in names}


def test_a_planet_is_drawn_in_physical_units(tmp_path):
    """The Earth's: 0.937 s; a field of 31 200 nT over 6370 km of curl is 3.9 nA/m²."""
    units = Units(6370e3, 31.2e-6, 1e10)
    assert units.current == pytest.approx(31.2e-6 / (4e-7 * np.pi * 6370e3))
    draw_plasma_history(tmp_path / "h.svg", plasma_history(), "T", units, 11.0)
    assert texts(tmp_path / "h.svg") >= {"time (min)", "max |∇·B| (nT / radius)", "radii"}
    draw_plasma_history(tmp_path / "h.svg", plasma_history(), "T")
    assert "time" in texts(tmp_path / "h.svg")
    x = np.linspace(-30, -2, 57)
    names = ("density", "pressure", "vx", "Bx", "By", "Bz", "current")
    columns = {"x": x, **dict.fromkeys(names, 0.001 + 0 * x)}
    draw_axis(tmp_path / "a.svg", columns, "T", {"magnetopause": 11.0}, units, 7.0)
    assert texts(tmp_path / "a.svg") >= {"pressure (nPa)", "current density (nA/m²)"}


def test_the_upper_planes_of_a_magnetosphere_have_no_label_without_numbers(tmp_path):
    points = np.stack(np.meshgrid(*(np.linspace(-20.0, 20, 9),) * 3, indexing="ij")[::-1])
    one = np.ones(points.shape[1:])
    plasma = PlasmaField(points, one, points + 1, one, points + 1, 100.0)
    draw_magnetosphere(
        tmp_path / "p.svg",
        plasma,
        "T",
        units=Units(6370e3, 31.2e-6, 1e10),
        inner=3.0,
        mirrored=(False, False),
    )
    assert (tmp_path / "p.svg").read_text().count("<!-- x (radii), sun on the left -->") == 2


def plasma_cube(time: float = 0.2) -> PlasmaField:
    points = np.stack(np.meshgrid(*(np.linspace(-2.0, 2, 9),) * 3, indexing="ij")[::-1])
    one = np.ones(points.shape[1:])
    return PlasmaField(points, one + points[0] ** 2, points + 1, one, points + 1, time)


def draw_a_planet(path):
    earth = Units(6370e3, 31.2e-6, 1e10)
    draw_magnetosphere(path, plasma_cube(6500.0), "T", units=earth, inner=0.5, mirrored=(False, False))


CRYSTAL = CrystalField(np.eye(8)[None].repeat(8, 0), np.full((8, 8, 8), 1700.0), (0.0,) * 3, (1.0,) * 3)
WAVE = parsed_case(read_tables(shipped()["wave_pulse"]), "")
CURVE = {"s": np.arange(3.0)} | {f"{q} {w}": np.arange(3.0) for q in NAMES for w in ("along", "across")}
ENERGIES = {"time": np.arange(3.0), "magnetic_energy": 3 - np.arange(3.0)}
NOISE = np.random.default_rng(1).random((16, 20))

# What a picture says: the length of each plane's scale bar, how many, and further texts.
PLANES = {
    "wave": (
        lambda p: draw_pressure(p, NOISE, 1e-3, WAVE),
        "0.05 m",
        1,
        {"x (m)", "pressure (Pa)", "z = 0.485 m"},
    ),
    "vorticity": (lambda p: draw_vorticity(p, NOISE[None], 1.0, "T"), "1", 1, {"|ω| / mean of |ω|"}),
    "schlieren": (lambda p: draw_schlieren(p, NOISE, NOISE - 0.5, 1.0, "T"), "1", 2, {"|∇ρ|", "∇·u"}),
    "temperature": (lambda p: draw_temperature(p, CRYSTAL, "T"), "1 µm", 3, {"temperature (K)"}),
    "outlines": (lambda p: draw_outlines(p, [CRYSTAL], "T"), "1 µm", 3, {"x (µm)"}),
    "planet": (draw_a_planet, "1 radii", 4, {"T, 101 min"}),
    "vortex": (lambda p: draw_vortex(p, plasma_cube(), "T"), "1", 2, {"pressure", "density"}),
    "blast": (lambda p: draw_blast(p, plasma_cube(), CURVE, "T"), "1", 3, {"reference", "B²/2"}),
    "loop": (lambda p: draw_loop(p, plasma_cube(), ENERGIES, None, "T"), "1", 2, {"B²/2", "current along z"}),
    "flow": (lambda p: draw_flow(p, solid_rotation()), "0.2 side", 2, {"speed in the plane / lid speed"}),
}


@pytest.mark.parametrize("name", PLANES)
def test_the_planes_of_solvers_have_scale_bars_and_labels(tmp_path, name):
    draw, bar, count, others = PLANES[name]
    draw(tmp_path / "a.svg")
    written = re.findall(r"<!-- (.*) -->", (tmp_path / "a.svg").read_text())
    assert written.count(bar) >= count
    assert set(written) >= others


def test_a_reference_has_one_entry_in_the_legend_of_a_blast(tmp_path):
    draw_blast(tmp_path / "a.svg", plasma_cube(), CURVE, "T")
    written = re.findall(r"<!-- (.*) -->", (tmp_path / "a.svg").read_text())
    assert [written.count(text) for text in ("reference", "along the field", "across the field")] == [1, 1, 1]
    assert style.REFERENCE["color"] == "black"


def test_no_figure_is_wider_than_its_texts_can_be_read_on_the_site():
    """690 pixels of a column: the smallest text of 9 points has 8."""
    assert 690 / style.WIDEST * 9 / 72 > 8
    root = Path(__file__).parents[2]
    sources = [path for folder in ("python", "bench", "tools") for path in (root / folder).rglob("*.py")]
    widths = [
        float(width)
        for path in sources
        for width in re.findall(r"style\.figure\(\s*path, ([0-9.]+)(?= if|,)", path.read_text())
    ]
    assert len(widths) > 20
    assert max(widths) <= style.WIDEST


def test_minutes_become_hours_above_ten():
    earth = Units(6370e3, 31.2e-6, 1e10)
    assert earth.said(6500) == "101 min"
    assert earth.said(1.2e5) == "31.2 h"


def tube(tmp_path) -> RunFolder:
    folder = RunFolder(tmp_path / "r")
    folder.create()
    folder.case.write_text(shipped()["brio_wu"].read_text())
    folder.axis.write_text("x,density,pressure,vx,vy,By\n0,1,1,0,0,1\n1,1,1,0,0,1\n")
    folder.summary.write_text('{"time": 0.1}')
    return folder


def test_figures_are_drawn_as_svg_and_again_where_they_are(tmp_path):
    folder = tube(tmp_path)
    other = folder.figures / "tube.svg"
    drawn = draw_figures(folder, ".svg")
    assert [path.name for path in drawn.files] == ["tube.png", "tube.svg"]
    assert "Brio-Wu shock tube, 800 × 1 × 1 points, time 0.1" in texts(other)
    folder.summary.write_text('{"time": 0.2}')
    assert draw_figures(folder).files == drawn.files
    assert "Brio-Wu shock tube, 800 × 1 × 1 points, time 0.2" in texts(other)
    folder.clear()
    assert not folder.path.exists() or not any(folder.path.iterdir())


def test_a_view_in_space_stays_a_png_and_that_is_said(tmp_path, monkeypatch):
    def view(_folder, _case, path):
        path.write_bytes(PNG)

    monkeypatch.setattr(figures, "drawings_of", lambda _: (Drawing("view.png", "", view, in_space=True),))
    drawn = draw_figures(tube(tmp_path), ".pdf")
    assert [path.name for path in drawn.files] == ["view.png"]
    assert drawn.complaints() == ["view.pdf: views in space are drawn as PNG only."]


def test_a_damaged_snapshot_is_one_sentence(tmp_path):
    (tmp_path / "s.vtkhdf").write_bytes(b"not HDF5")
    with pytest.raises(StorageError, match=r"cannot read .*s.vtkhdf"):
        read_snapshot(tmp_path / "s.vtkhdf")
