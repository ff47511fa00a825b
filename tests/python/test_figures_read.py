# SPDX-License-Identifier: Apache-2.0
"""Figures can be read: scales that fit what is drawn, numbers and titles that nothing covers or cuts off."""

import re
from dataclasses import replace

import numpy as np
import pytest
from matplotlib.axes import Axes
from PIL import Image

from conftest import drawn_apart
from subcurrent.report.plots.history import draw_history, read_history
from subcurrent.report.plots.plane import with_unit
from subcurrent.solvers.cavity.flow import draw_flow_3d
from subcurrent.solvers.magnetosphere.plasma import draw_axis, draw_magnetosphere
from subcurrent.solvers.magnetosphere.units import Units
from subcurrent.solvers.turbulence.pictures import SCALAR, Spectrum, draw_spectrum
from test_figures import plasma_cube, solid_rotation, texts

EARTH = Units(6370e3, 31.2e-6, 1e10)


def test_plasma_that_rests_does_not_stretch_the_axis_of_pressures(tmp_path):
    """Its dynamic pressure is zero, of which a logarithm is far below all others."""
    x = np.linspace(-30, -2, 57)
    names = ("density", "pressure", "vx", "Bx", "By", "Bz", "current")
    columns = {"x": x, **dict.fromkeys(names, 0.001 + 0 * x)}
    columns["vx"] = np.where(x > -5, 0.0, 0.04)
    draw_axis(tmp_path / "a.svg", columns, "T", {}, EARTH, 7.0)
    decades = [
        int(n.replace("−", "-")) for n in re.findall(r"10\^\{(.*?)\}", " ".join(texts(tmp_path / "a.svg")))
    ]
    assert max(decades) <= 3


def test_both_planes_of_a_magnetosphere_have_one_scale_a_quantity(tmp_path, monkeypatch):
    limits = []

    def colour(self, *arguments, **words):
        if "rasterized" in words:  # a plane, not a bar of colours
            limits.append((words["norm"].vmin, words["norm"].vmax))
        return pcolormesh(self, *arguments, **words)

    pcolormesh = Axes.pcolormesh
    monkeypatch.setattr(Axes, "pcolormesh", colour)
    cube = plasma_cube(6500.0)
    pressure = cube.pressure * np.exp(cube.points[2])  # of which the equatorial plane has one value
    plasma = replace(cube, pressure=pressure, density=pressure)
    draw_magnetosphere(tmp_path / "p.svg", plasma, "T", units=EARTH, inner=0.5, mirrored=(False, False))
    assert len(limits) == 4
    assert len(set(limits)) == 2
    (low, high) = limits[0]
    assert high / low > 30


def test_no_axis_adds_a_constant_to_its_numbers(tmp_path):
    """A residual just below a tolerance."""
    rows = [f"{n},0.{n},5,{(1 - 1e-6 * n) * 1e-5!r},0.{n},0.1,0" for n in range(1, 9)]
    heading = "step,time,iterations,residual,max_change,divergence_rms,capped"
    (tmp_path / "history.csv").write_text("\n".join([heading, *rows]) + "\n")
    draw_history(tmp_path / "h.svg", read_history(tmp_path / "history.csv"), None)
    assert [text for text in texts(tmp_path / "h.svg") if "+" in text] == []


def test_the_numbers_of_two_axes_do_not_lie_on_each_other(tmp_path):
    """Those of x and y would meet in the corner of the cube that is nearest."""
    draw_flow_3d(tmp_path / "f.svg", solid_rotation())
    written = re.findall(r"<!-- \$\\mathdefault\{(.*)\}\$ -->", (tmp_path / "f.svg").read_text())
    assert written.count("1.0") == 4
    assert written.count("0.0") == 3  # of x, z and the bar of colours


def test_numbers_of_wavenumbers_do_not_meet(tmp_path):
    """Of a spectrum over one decade: 3 and 4 tenths would touch."""
    k = np.arange(1.0, 11)
    spectrum = Spectrum(k, k ** (-5 / 3), "mean", 1.0, 0.11)
    draw_spectrum(tmp_path / "s.svg", [spectrum], 10, "T", SCALAR)
    scaled = (tmp_path / "s.svg").read_text().split('id="axes_2"')[1]
    scaled = scaled.split('id="matplotlib.axis_3"')[1].split('id="matplotlib.axis_4"')[0]
    numbers = set(re.findall(r"<!-- (.*) -->", scaled))
    assert numbers >= {"0.2", "0.5", "1"}
    assert not [number for number in numbers if "times" in number]


def test_powers_of_units_are_raised():
    units = ("km s-1", "cm-3", "m2 s-2", "K", "1e4 cells", "1")
    shown = ["v (km s⁻¹)", "v (cm⁻³)", "v (m² s⁻²)", "v (K)", "v (1e4 cells)", "v"]
    assert [with_unit("v", unit) for unit in units] == shown


def test_the_bar_of_colours_of_a_view_in_space_is_whole(tmp_path):
    """And the numbers of its axes are round."""
    pytest.importorskip("pyvista", reason="pyvista is not installed")
    code = (
        "from test_figures import plasma_cube;"
        "from subcurrent.solvers.magnetosphere import view;"
        "from subcurrent.solvers.magnetosphere.units import Units;"
        "assert view._round_ends((-30, 59.5, -29.5, 29.5, 0, 297)) == [-30, 60, -30, 30, 0, 300];"
        "units = Units(6370e3, 31.2e-6, 1e10);"
        "view.draw_view(Path(sys.argv[1]), plasma_cube(), units, 0.5, (False, False));"
        "print(view.WIDTH)"
    )
    width = int(drawn_apart(code, tmp_path / "v.png"))
    with Image.open(tmp_path / "v.png") as image:
        for edge in ((width, 0, width + 4, image.height), (image.width - 4, 0, image.width, image.height)):
            assert len(image.crop(edge).getcolors()) == 1, "the title is cut off"
