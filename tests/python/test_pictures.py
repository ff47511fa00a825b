# SPDX-License-Identifier: Apache-2.0
"""`plot` and `film`: planes of snapshots with their places, units and times, in the formats asked for."""

import re
import shutil
import subprocess
from dataclasses import replace

import h5py
import numpy as np
import pytest
from PIL import Image

from subcurrent.case.library import shipped
from subcurrent.errors import BadInput
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.plots import style
from subcurrent.report.plots.plane import Look, closed, draw_film, draw_plane, scale_bar
from subcurrent.report.slices import Wanted, read_slice

UNITS = {"T": "K", "x": "6370 km", "time": "0.5 s"}


def write(path, time=3.0, curved=False):
    """T = x + 10 y + 100 z and a vector v on 5 x 4 x 3 points, as a snapshot holds them."""
    z, y, x = np.meshgrid(2.0 * np.arange(3), 1.0 * np.arange(4), 0.5 * np.arange(5), indexing="ij")
    fields = {"T": x + 10 * y + 100 * z, "v": np.stack([3 + 0 * x, 4 + 0 * x, 0 * x], axis=-1)}
    with h5py.File(path, "w") as file:
        file.attrs["time"] = time
        for name, values in fields.items():
            file[f"VTKHDF/PointData/{name}"] = file[f"fields/{name}"] = values
        if curved:
            file["grid/points"] = file["VTKHDF/Points"] = np.stack([x + 0.1 * z, y, z], axis=-1)
        else:
            grid = file.create_group("grid")
            grid.attrs["Origin"], grid.attrs["Spacing"] = [0.0, 0.0, 0.0], [0.5, 1.0, 2.0]
        file["fields/x"], file["fields/time"] = np.arange(5.0), time
        for name, unit in UNITS.items():
            file[f"fields/{name}"].attrs["units"] = unit
    return path


@pytest.mark.parametrize("curved", [False, True])
def test_a_plane_has_its_places_in_units(tmp_path, curved):
    plane = read_slice(write(tmp_path / "a.vtkhdf", curved=curved), Wanted("T", axis="y", at=2 * 6370))
    assert (plane.axis, plane.at, plane.names) == ("y", pytest.approx(2 * 6370), ("x", "z"))
    assert plane.units == {"field": "K", "length": "km", "time": "s"}
    assert plane.time == 1.5
    assert plane.values.shape == (3, 5)
    assert plane.values[1, 2] == 1 + 20 + 200
    across, up = plane.across, plane.up
    if curved:
        assert across.shape == up.shape == (3, 5)
        across, up = across[1], up[:, 2]
    assert across[2] == pytest.approx(6370 * (1.0 + 0.2 * curved))
    assert up[1] == pytest.approx(2 * 6370)


def test_a_vector_is_shown_by_its_magnitude_or_a_component(tmp_path):
    path = write(tmp_path / "a.vtkhdf")
    assert read_slice(path, Wanted("v")).values == pytest.approx(np.full((4, 5), 5.0))
    one = read_slice(path, Wanted("v", component=1))
    assert (one.field, one.values[0, 0]) == ("v y", 4)


@pytest.mark.parametrize(
    ("wanted", "says"),
    [
        (Wanted("w"), r"^the field 'w' is not known: allowed are T, v\.$"),
        (Wanted("v", component=3), r"^component 3 does not exist: v has 3, allowed is from 0 to 2\.$"),
        (
            Wanted("T", axis="x", at=-1),
            r"^the plane x = -1 is not in the snapshot: allowed is from 0 to 12740\.$",
        ),
    ],
)
def test_what_is_not_there_is_refused(tmp_path, wanted, says):
    with pytest.raises(BadInput, match=says):
        read_slice(write(tmp_path / "a.vtkhdf"), wanted)


@pytest.mark.parametrize(("ending", "begins"), [("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")])
def test_every_format_is_drawn(tmp_path, ending, begins):
    path = tmp_path / f"p.{ending}"
    plane = read_slice(write(tmp_path / "a.vtkhdf"), Wanted("T", axis="y"))
    draw_plane(path, plane, "Title", Look(decades=True))
    assert path.read_bytes().startswith(begins)


@pytest.mark.parametrize("first", [0.02, -0.05])
def test_a_plane_whose_quarter_is_nearly_a_power_of_ten_has_a_scale_bar(tmp_path, first):
    plane = read_slice(write(tmp_path / "a.vtkhdf"), Wanted("T", axis="y"))
    ends = np.linspace(first, first + 0.4, 11)
    plane = replace(plane, across=ends, up=ends, values=np.zeros((11, 11)) + ends)
    draw_plane(tmp_path / "a.png", plane, "", Look())
    assert (tmp_path / "a.png").stat().st_size > 5_000


@pytest.mark.parametrize(("kind", "curved"), [("uniform", False), ("points", False), ("curved", True)])
def test_the_label_of_a_scale_bar_is_clear_of_the_bar(kind, curved):
    """And the bar of the plane, where it is curved: it could lie across the rim of a ring."""
    x, y = np.meshgrid(np.linspace(0, 3, 7), np.linspace(0, 2, 5))
    across, up = {"uniform": (x[0], y[:, 0]), "points": (x, y), "curved": (x + 0.1 * y, y)}[kind]
    with style.drawn(5, 4, "") as (drawing, canvas):
        axes = drawing.subplots()
        axes.set(xlim=(0, 3), ylim=(0, 2))
        scale_bar(axes, across, up, "km")
        canvas.draw()
        (label,) = axes.texts
        assert label.get_text() == "0.5 km"
        bar = axes.lines[0]
        half = bar.get_linewidth() / 2 * drawing.dpi / 72
        top = axes.transData.transform(bar.get_xydata())[0, 1] + half
        assert label.get_bbox_patch().get_window_extent().y0 > top
        assert (bar.get_ydata()[0] < 0) == curved
        if curved:
            assert label.get_bbox_patch().get_window_extent().y1 < axes.transData.transform((0, 0))[1]
            assert axes.get_ylim()[0] < bar.get_ydata()[0]


def test_a_plane_is_as_wide_as_a_page_shows_and_its_title_no_wider(tmp_path):
    plane = read_slice(write(tmp_path / "a.vtkhdf"), Wanted("T", axis="y"))
    draw_plane(tmp_path / "a.png", replace(plane, across=100 * plane.across), "long title " * 20, Look())
    shown = np.asarray(Image.open(tmp_path / "a.png").convert("L"))
    assert shown.shape[1] <= style.WIDEST * style.SETTINGS["savefig.dpi"]
    assert (shown[:, -5:] == 255).all(), "nothing at the edge"


@pytest.mark.parametrize("axis", [0, 1])
def test_a_ring_is_closed_and_a_part_of_one_is_not(axis):
    radius = np.linspace(1.0, 2.0, 5)
    for angle, more in ((2 * np.pi * np.arange(16) / 16, 1), (np.linspace(0, 5, 16), 0)):
        r, phi = np.meshgrid(radius, angle)
        ring = [a if axis == 0 else a.T for a in (r * np.cos(phi), r * np.sin(phi), r + phi)]
        for before, after in zip(ring, closed(*ring), strict=True):
            assert after.shape[axis] == before.shape[axis] + more
            assert after.shape[1 - axis] == before.shape[1 - axis]
            assert np.array_equal(np.take(after, -1, axis=axis), np.take(before, -1 + more, axis=axis))


def test_a_film_has_a_picture_for_every_time_in_the_same_colours(tmp_path):
    planes = [read_slice(write(tmp_path / f"{n}.vtkhdf", time=n), Wanted("T", axis="y")) for n in range(3)]
    draw_film(tmp_path / "f.gif", planes, "Title", Look(), rate=4)
    with Image.open(tmp_path / "f.gif") as film:
        assert film.n_frames == 3
        assert film.info["duration"] == 250
    lower = replace(planes[0], values=planes[0].values - 1000)
    norm = Look().norm([lower, *planes])
    assert (norm.vmin, norm.vmax) == pytest.approx((-980, 422), abs=1)


@pytest.mark.skipif(not shutil.which("ffmpeg"), reason="ffmpeg is not installed")
def test_a_film_as_mp4_has_the_same_pictures(tmp_path):
    """Read back by ffmpeg: as many frames, of the same size, darker first and lighter last as in the GIF."""
    planes = [read_slice(write(tmp_path / f"{n}.vtkhdf", time=n), Wanted("T", axis="y")) for n in range(3)]
    planes = [replace(plane, values=plane.values + 200 * n) for n, plane in enumerate(planes)]
    for ending in ("gif", "mp4"):
        draw_film(tmp_path / f"f.{ending}", planes, "Title", Look("gray"), rate=4)
    assert (tmp_path / "f.mp4").read_bytes()[4:8] == b"ftyp"
    command = ["ffmpeg", "-loglevel", "error", "-i", tmp_path / "f.mp4", tmp_path / "%d.png"]
    subprocess.run(command, check=True, capture_output=True)
    frames = sorted(tmp_path.glob("?.png"))
    assert len(frames) == 3
    with Image.open(tmp_path / "f.gif") as film:
        for n, frame in enumerate(frames):
            film.seek(n)
            shown, same = (np.asarray(image.convert("L"), float) for image in (Image.open(frame), film))
            assert shown.shape == same.shape
            assert np.abs(shown - same).mean() < 10
    means = [np.asarray(Image.open(frame).convert("L"), float).mean() for frame in frames]
    assert means[0] < means[1] < means[2]


@pytest.mark.skipif(shutil.which("ffmpeg") is not None, reason="ffmpeg is installed")
def test_an_mp4_without_ffmpeg_is_refused_in_a_sentence(fake_program):
    write(fake_program.folder / "a.vtkhdf")
    said = fake_program.refused("film", "a.vtkhdf", "--out", "f.mp4")
    assert said == "f.mp4 needs ffmpeg, which is not installed: give a file that ends in .gif."


def test_the_program_draws_a_snapshot(fake_program):
    write(fake_program.folder / "a.vtkhdf")
    fake_program.ok("plot", "a.vtkhdf", "--field", "T", "--plane", "y=6370", "--out", "a.svg")
    text = (fake_program.folder / "a.svg").read_text()
    for shown in ("T (K)", "x (km)", "y = 6370 km,  t = 1.5 s"):
        assert f"<!-- {shown} -->" in text
    fake_program.ok("film", "a.vtkhdf")
    assert (fake_program.folder / "film.gif").is_file()


def test_the_snapshot_nearest_to_a_time_is_drawn(fake_program, refusal):
    """Times are those of the picture: half a second a unit of the file."""
    run = RunFolder(fake_program.folder / "r")
    run.create()
    for n in range(3):
        write(run.snapshot(n), time=n)
    run.case.write_text(shipped()["wave_pulse"].read_text())
    for time, shown in (("0.6", "0.5"), ("1", "1"), ("1.0000001", "1")):
        fake_program.ok("plot", "r", "--time", time, "--out", "a.svg")
        assert f" t = {shown} s -->" in (fake_program.folder / "a.svg").read_text()
    for time in ("1.1", "-1"):
        said = refusal("plot", "r", "--time", time, "--out", "b.svg")
        assert said == f"--time {time} is outside of the snapshots: allowed is from 0 to 1."


def test_the_help_tells_the_default_field_and_the_units(fake_program):
    for verb in ("plot", "film"):
        said = " ".join(re.sub(r"[│╭╮╰╯─]", " ", fake_program(verb, "--help").stdout).split())
        assert "[default: the first in the alphabet]" in said
        assert "position in the unit of the axes" in said
    assert "nearest to this time, in the picture's unit" in " ".join(
        re.sub(r"[│╭╮╰╯─]", " ", fake_program("plot", "--help").stdout).split()
    )


REFUSED = {
    "plot a.vtkhdf --out a.jpg": "--out a.jpg is not allowed: it must end in .png, .pdf, .svg.",
    "film a.vtkhdf --out a.avi": "--out a.avi is not allowed: it must end in .gif, .mp4.",
    "plot a.vtkhdf --plane w": (
        "--plane w is not allowed: it must be x, y or z, or with a place, e.g. z=0.5."
    ),
    "plot a.vtkhdf --colours q": (
        "the colour map 'q' is not known: allowed are those of matplotlib, e.g. viridis."
    ),
    "plot nothing": "nothing has no snapshots: give a run folder that has, or a file of one.",
}


@pytest.mark.parametrize("line", REFUSED)
def test_the_program_says_what_it_cannot_draw(fake_program, refusal, line):
    write(fake_program.folder / "a.vtkhdf")
    said = refusal(*line.split())
    assert said == REFUSED[line]
