# SPDX-License-Identifier: Apache-2.0
"""Several steps a pass of the plasma from a case file: the same bits, rows and points at a floor as one step
at a time."""

import re

import pytest

from conftest import set_options, summary
from snapshots import assert_same_output, same_end
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.solvers.magnetosphere.kind import KIND
from test_dendrite_passes import PASSES, run
from test_magnetosphere_wind import GUSTS

BLAST = """
solver = "magnetosphere"
[plasma]
initial = "blast"
[grid]
points = [20, 18, 16]
low = [-0.5, -0.45, -0.4]
spacing = 0.05
[diffusion]
smoothing = 0.1
[limits]
pressure = 0.12
[run]
steps = 30
[output]
history_every = 10
figures = false
"""
# A quarter of the Earth, in a wind that changes; its floors are reached.
EARTH = """
solver = "magnetosphere"
[plasma]
initial = "planet"
[grid]
points = [24, 16, 16]
low = [-40, 0, 0]
spacing = 2
[boundaries]
"x-" = "wind"
"x+" = "free"
"y-" = "mirror"
"y+" = "free"
"z-" = "equator"
"z+" = "free"
[wind]
file = "wind.csv"
density = 5
velocity = [300, 0, 0]
temperature = 2e5
field = [0, 0, 5]
[diffusion]
density = 1e-2
pressure = 1e-2
viscosity = 1e-5
resistivity = 1e-2
[limits]
density = 3e-4
[run]
steps = 30
[output]
history_every = 10
figures = false
"""
CASES = {"blast": BLAST, "earth": EARTH}
FIELDS = ("density", "velocity", "pressure", "magnetic")


def write(program, name):
    (program.folder / "wind.csv").write_text(GUSTS)
    program.write_case(CASES[name])


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("name", "end", "every"), [("blast", "run.steps=30", 0.06), ("earth", "run.time=100", 40)]
)
def test_output_falls_on_the_same_steps_with_the_same_bits(program, name, end, every):
    write(program, name)
    output = set_options(end, f"output.every={every}", "output.checkpoint_every=9")
    run(program, "one", "-n", "1", *output)
    said = run(program, "passes", "-n", "2", *output, *PASSES)
    assert len(list((program.folder / "one" / "snapshots").iterdir())) >= 3
    assert_same_output(program.folder / "one", program.folder / "passes", *FIELDS)
    one, passes = summary(program.folder / "one"), summary(program.folder / "passes")
    assert one["floored"] == passes["floored"] > 0
    steps, count = map(int, re.match(r"(\d+) steps in (\d+) passes", passes["passes"]).groups())
    assert steps == passes["steps"]
    assert 1.2 < steps / count < 4
    assert f"passes: {passes['passes']}" in said.replace("\n", " ")


@pytest.mark.mpi
def test_a_run_stopped_within_a_cycle_is_resumed_with_the_same_bits(program):
    write(program, "earth")
    run(program, "one", "-n", "1")
    run(program, "parts", "-n", "2", *PASSES, "--set", "run.steps=13")
    run(program, "parts", "-n", "1", "--resume", "--set", "engine.steps_per_pass=3")
    assert same_end(program.folder / "one", program.folder / "parts", *FIELDS)


@pytest.mark.mpi
def test_the_length_of_passes_is_found_to_the_same_bits(program):
    program.write_case(BLAST.replace("every = 10", "every = 100"))
    run(program, "one", "-n", "1", "--set", "run.steps=200")
    found = set_options("run.steps=200", "engine.steps_per_pass=automatic", "engine.split=[1,1,1]")
    run(program, "found", "-n", "1", *found)
    assert_same_output(program.folder / "one", program.folder / "found", *FIELDS)
    chosen = summary(program.folder / "found")["passes"]
    assert re.match(r"(single steps|passes of \d+ steps) were chosen: passes of 2 took \d", chosen)


def tables(**more):
    return {
        "solver": "magnetosphere",
        "plasma": {"initial": "blast"},
        "grid": {"points": [64, 64, 64], "spacing": 0.01},
        "run": {"steps": 1},
        **more,
    }


def test_halos_are_as_wide_as_passes_read():
    halo = {
        length: typed_case(tables(engine={"steps_per_pass": length}), None).halo() for length in (1, 2, 8)
    }
    assert halo == {1: 1, 2: 4, 8: 16}
    case = typed_case(tables(engine={"steps_per_pass": "automatic", "split": [1, 1, 1]}), None)
    assert case.pass_length() <= case.run.cycle
    assert {f.halo for f in KIND.fields(case)} == {case.halos()}
    assert case.halos().layers((1, 1, 1)) == (case.halo(),) * 3


def test_passes_longer_than_a_cycle_are_named_at_the_start():
    case = typed_case(tables(engine={"steps_per_pass": 10}, output={"history_every": 20}), None)
    assert case.notes() == ["passes have at most run.cycle = 8 steps, fewer than engine.steps_per_pass = 10"]


@pytest.mark.parametrize("length", [2, "automatic"])
def test_an_oblique_face_is_refused(length):
    case = tables(engine={"steps_per_pass": length}, boundaries={"y-": "free", "y+": "oblique"})
    with pytest.raises(BadInput, match=r'not supported with boundaries\."y\+" = "oblique", whose condition'):
        typed_case(case, None)
