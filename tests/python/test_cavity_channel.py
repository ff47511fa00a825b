# SPDX-License-Identifier: Apache-2.0
"""Cavity runs with open faces: what their keys may say, restarts, and the flow behind a step."""

import math
import runpy
import sys
import tomllib

import numpy as np
import pytest

from conftest import QUIET, ROOT, completed, history, script_at, set_options, summary
from subcurrent.case.reading import as_toml, typed_case
from subcurrent.errors import BadInput
from subcurrent.report.flowfield import FlowField
from subcurrent.report.snapshot import read_fields, read_snapshot

CASE = ROOT / "cases" / "backward_step"
CHANNEL = script_at(ROOT / "cases" / "channel" / "profile.py")
LENGTHS = runpy.run_path(str(CASE / "lengths.py"))
INFLOW = {"inflow": [1.0, 0.0, 0.0]}
OPEN = {"x-": INFLOW, "x+": "outflow", "y-": "periodic", "y+": "periodic", "z+": "slip"}


def tables(boundaries=OPEN, **grid):
    return {
        "solver": "cavity",
        "flow": {"reynolds": 50},
        "grid": {"points": [20, 4, 12], "size": [3, 0.4, 1], **grid},
        "boundaries": boundaries,
        "run": {"steps": 12},
    }


def test_what_the_compiled_solver_takes_of_faces(tmp_path):
    jet = {"inflow": [0.1, 0, -1], "profile": "parabolic", "from": [0, 0.1], "to": [0.5, 0.4]}
    faces = {"z+": jet, "x+": {"pressure": 2}, "y-": "slip"}
    case = typed_case(tables(faces, points=[20, 8, 12]), tmp_path)
    options = case.options()
    assert options["size"] == [3.0, 0.4, 1.0]
    assert options["boundaries"] == {
        "x-": "wall",
        "x+": ("pressure", 2.0),
        "y-": "slip",
        "y+": "wall",
        "z-": "wall",
        "z+": ("inflow", [0.1, 0.0, -1.0], True, [0.0, 0.1, 0.0], [0.5, 0.4, math.inf]),
    }
    assert typed_case(tomllib.loads(as_toml(case)), tmp_path) == case
    whole = typed_case(tables(), tmp_path).options()["boundaries"]["x-"]
    assert whole == ("inflow", [1.0, 0.0, 0.0], False, [0.0, 0.0, 0.0], [math.inf] * 3)


@pytest.mark.parametrize(
    ("faces", "grid", "words"),
    [
        ({"x-": {"inflow": [1, 0]}}, {}, ["boundaries.x-", "inflow = [u, v, w]"]),
        ({"x-": {"inflow": [-1.0, 0, 0]}}, {}, ['"x-".inflow = [-1.0, ', "does not enter", "greater than 0"]),
        (
            {"x-": "wall", "z-": {"inflow": [0, 0, 0.0]}},
            {},
            ['"z-".inflow', "component w must be greater than 0"],
        ),
        ({"x-": INFLOW | {"from": [0, 0.6], "to": [0.4, 0.5]}}, {}, ["from 0.6 to 0.5 along z", "0 and 1"]),
        ({"x-": INFLOW | {"to": [0.5, 1]}}, {}, ["from 0 to 0.5 along y", "0 and 0.4"]),
        ({"x-": INFLOW | {"profile": "cubic"}}, {}, ["boundaries.x-", '"uniform" or "parabolic"']),
        ({"x+": "wall"}, {}, ['"x-" lets fluid enter that cannot leave', '"outflow" or { pressure = p }']),
        ({"x-": "wall"}, {}, ['"x+" = "outflow" needs a face with { inflow = [u, v, w] }']),
        ({"z-": {"pressure": 0}}, {}, ['"x+" = "outflow" and boundaries."z-".pressure cannot be combined']),
        ({"z-": "outflow"}, {}, ["outflow on x+ and z-", "one axis only"]),
        ({"x+": {"pressure": "high"}}, {}, ["boundaries.x+", "{ pressure = p }"]),
        ({"x+": "open"}, {}, ['boundaries.x+ = "open"', '"outflow"']),
        ({}, {"clustering": "skewed"}, ['"x-" is neither a wall nor periodic', 'grid.clustering = "skewed"']),
        ({}, {"size": [3, 0, 1]}, ["grid.size[1] = 0", "three numbers greater than 0"]),
        ({}, {"clustering": "tanh", "smallest": 0.12}, ["grid.smallest = 0.12", "12 points along z"]),
        (
            {"x-": {"pressure": 1}, "x+": {"pressure": 1}},
            {},
            ['"rest"', "a difference of given pressures", "stays at rest"],
        ),
    ],
)
def test_faces_that_cannot_be_are_refused(faces, grid, words, tmp_path):
    with pytest.raises(BadInput) as caught:
        typed_case(tables(OPEN | faces, **grid), tmp_path).check()
    for word in words:
        assert word in caught.value.sentence


def test_sides_have_no_effect_on_a_grid_from_a_file(tmp_path):
    (tmp_path / "grid.h5").touch()
    case = tables({}, points=[20, 8, 12], clustering="file", file="grid.h5")
    with pytest.raises(BadInput, match=r"grid.size = .* has no effect with grid.clustering"):
        typed_case(case, tmp_path).check()


def test_vortices_fill_a_unit_box(tmp_path):
    case = tables(dict.fromkeys(("x-", "x+", "y-", "y+"), "periodic"))
    case["flow"]["initial"] = "taylor_green"
    with pytest.raises(BadInput, match=r"grid.size = \[3.0, 0.4, 1.0\]: its vortices fill a box"):
        typed_case(case, tmp_path).check()


FACES = {
    "outflow": OPEN,
    "pressure": {"x-": {"pressure": 1.0}, "x+": {"pressure": 0.0}, "y-": "slip", "z+": "wall"},
}


@pytest.mark.mpi
@pytest.mark.parametrize("kind", FACES)
def test_a_restarted_run_leaves_the_same_bits(program, kind):
    """On another number of ranks; on a device; and with the checkpoint of either."""
    case = typed_case(tables(FACES[kind], points=[20, 8, 12]), program.folder)
    program.write_case(as_toml(case))
    first = ("--set", "run.steps=7")
    program.ok("run", "case.toml", "-n", "1", "--out", "whole", *QUIET)
    for name, words in (("more", ("-n", "3")), ("device", ("-n", "2", "--device", "emulated"))):
        program.ok("run", "case.toml", "-n", "2", "--out", name, *first, *QUIET)
        program.ok("run", "case.toml", *words, "--out", name, "--resume", *QUIET)
        assert history(program.folder / name) == history(program.folder / "whole")
        (_, got), (_, expected) = (
            read_fields(
                program.folder / run / "snapshots" / "snapshot_00000012.vtkhdf",
                ("fields/velocity", "fields/pressure"),
            )
            for run in (name, "whole")
        )
        for field, values in expected.items():
            assert np.array_equal(values, got[field], equal_nan=True), field


@pytest.mark.mpi
def test_ranks_may_not_be_thinner_than_the_cubic_beside_a_face(program):
    case = typed_case(tables(OPEN, points=[20, 4, 10]), program.folder)
    program.write_case(as_toml(case))
    said = program.refused("run", "case.toml", "-n", "4", "--set", "engine.split=[1,1,4]", *QUIET)
    assert "3 are needed" in said
    # Four points across the channel, and two ranks across it.
    program.ok("run", "case.toml", "-n", "2", "--set", "engine.split=[1,2,1]", *QUIET)
    # The engine's own choice for three ranks.
    program.ok("run", "case.toml", "-n", "3", "--out", "three", *QUIET)


def known_flow() -> FlowField:
    """u whose shear vanishes on the floor at x = 3.2, on the ceiling at 2.3 and 5.1."""
    x, y, z = np.linspace(0, 8, 41), np.arange(4) / 8, np.linspace(0, 1, 17)
    z, y, x = np.meshgrid(z, y, x, indexing="ij")
    floor, ceiling = x - 3.2, (x - 2.3) * (x - 5.1)
    u = z * (1 - z) * ((1 - z) * floor + z * ceiling)
    return FlowField(np.stack([x, y, z]), np.stack([u, 0 * u, 0 * u]), 7)


def test_lengths_are_the_zeros_of_the_shear():
    assert LENGTHS["lengths"](known_flow()) == pytest.approx((3.2, 2.3, 5.1), abs=0.02)
    flow = known_flow()
    forward = FlowField(flow.points, np.abs(flow.velocity) + 1e-3, 7)
    assert LENGTHS["lengths"](forward) == (None, None, None)


@pytest.mark.mpi
def test_at_re_100_the_flow_reattaches_once(program):
    """Of the parabola that enters nothing is lost; behind the step the flow reattaches at 1.62 heights."""
    sets = "flow.reynolds=100", "grid.points=[61,4,25]", "grid.size=[6,0.125,1]", "run.time=18"
    words = set_options(*sets)
    program.ok("run", "backward_step", "-n", "1", "--out", "r", *QUIET, *words)
    (path,) = (program.folder / "r" / "snapshots").iterdir()
    flow = read_snapshot(path)
    floor, separated, closed = LENGTHS["lengths"](flow)
    assert floor == pytest.approx(1.62, abs=0.05)
    assert separated is closed is None
    # Far behind the step the parabola of the whole channel, with half the mean velocity.
    z, u = flow.points[2, :, 0, -1], flow.velocity[0, :, 0, -1]
    assert np.abs(u - 3 * z * (1 - z)).max() < 0.03
    assert summary(program.folder / "r")["capped_steps"] == 0
    shown = completed(
        [sys.executable, CASE / "lengths.py", program.folder / "r"], check=True
    ).stdout.splitlines()
    assert shown[2].startswith(f"| 61 × 25 | 100 | 18 | {floor:.2f} | none | none |")
    assert shown[-1] == "| Gartling | 800 | steady | 6.10 | 4.85 | 10.48 |"


def test_the_development_of_a_known_flow():
    """Simpson's rule is exact for the parabola; the centreline falls once more before it stays."""
    z = np.linspace(0, 1, 9)
    assert CHANNEL.simpson(6 * z * (1 - z)) == pytest.approx(1, abs=1e-14)
    x, middle = np.arange(6.0), np.array([1, 1.2, 1.5, 1.3, 1.5, 1.5])
    assert CHANNEL.developed(x, middle, 1.4) == pytest.approx(3.5)
    assert CHANNEL.developed(x, middle, 1.6) == np.inf


@pytest.mark.mpi
def test_a_uniform_inflow_becomes_the_parabola(program):
    """As the case stands. The length of development is within 5 % of a published correlation."""
    program.ok("run", "channel", "-n", "1", "--out", "r", *QUIET)
    assert summary(program.folder / "r")["capped_steps"] == 0
    found = CHANNEL.channel(program.folder / "r")
    assert found.mean == pytest.approx(1 - 3 / 4 / 24, abs=1e-3)
    assert found.profile < 1e-4
    assert found.slope < 5e-4
    assert found.published == pytest.approx(1.154, abs=1e-3)
    assert found.length == pytest.approx(found.published, rel=0.05)
    script = ROOT / "cases" / "channel" / "profile.py"
    shown = completed([sys.executable, script, program.folder / "r"], check=True).stdout.splitlines()
    assert shown[-1].startswith(f"| 97 × 25 | {found.mean:.4f} |")
