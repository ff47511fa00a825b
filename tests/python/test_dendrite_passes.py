# SPDX-License-Identifier: Apache-2.0
"""Several steps a pass from a case file: the same bits, rows and moments of output as one step at a time."""

import json
import re

import pytest

from conftest import set_options, summary
from snapshots import assert_same_output, same_end
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.solvers.cases import SOLVERS
from test_dendrite import FIELDS

CASE = """
solver = "dendrite"
[grid]
cells = [20, 18, 16]
[boundaries]
"x-" = "symmetry"
"y-" = "periodic"
"y+" = "periodic"
[[seeds]]
radius = 0.1
[run]
steps = 30
dt = 1e-12
[output]
history_every = 10
figures = false
"""
DEEP = CASE.replace("[20, 18, 16]", "[20, 18, 32]")
PASSES = ("--set", "engine.steps_per_pass=4")


def run(program, name, *arguments):
    done = program.ok("run", "case.toml", "--out", name, *arguments)
    return done.stdout


@pytest.mark.mpi
@pytest.mark.parametrize("end", [("run.steps=30",), ("run.time=30.5e-12",)])
def test_output_falls_on_the_same_steps_with_the_same_bits(program, end):
    program.write_case(CASE)
    sets = set_options(*end, "output.every=7e-12", "output.checkpoint_every=9")
    run(program, "one", "-n", "1", *sets)
    said = run(program, "passes", "-n", "2", *sets, *PASSES)
    assert len(list((program.folder / "one" / "snapshots").iterdir())) >= 5
    assert_same_output(program.folder / "one", program.folder / "passes", *FIELDS)
    end = summary(program.folder / "passes")
    steps, passes = map(int, re.match(r"(\d+) steps in (\d+) passes", end["passes"]).groups())
    assert steps == end["steps"]
    assert 1.5 < steps / passes < 4
    said = " ".join(said.split())
    assert f"passes: {end['passes']}" in said
    assert said.index("passes of 4 steps: in a step a rank reads ") < said.index(" step 4 ")
    measured = r"now ([\d.e+]+) GB/s, a step takes at least ([\d.e-]+) ms instead of ([\d.e-]+) ms"
    times = re.search(measured, said)
    rate, least, alone = map(float, times.groups())
    assert 0.05 < rate < 5000
    assert 0 < least < alone


def test_the_plan_of_passes_stands_beside_single_steps():
    case = typed_case(TABLES | {"engine": {"steps_per_pass": "automatic"}}, None)
    cost = {
        "steps": 4,
        "read": (1.25e6, 5e6),
        "written": (2.5e6, 5e6),
        "sent": (3.28e4, 3.28e4),
        "messages": (0.25, 1.0),
        "more": 0.047,
        "memory_rate": 20e9,
    }
    text = case.plan_of_passes(cost, (163 * 2**20, 160 * 2**20))
    assert text == (
        "passes of up to 4 steps: in a step a rank reads 1.25 MB and writes 2.5 MB of memory instead of 5 MB "
        "and 5 MB, sends 0.0328 MB in 0.25 messages instead of 0.0328 MB in 1, and computes 5 % more cells; "
        "all ranks need 163 MiB instead of 160 MiB; at the speed of the memory, now 20 GB/s, a step takes at "
        "least 0.19 ms instead of 0.5 ms"
    )
    on_a_device = case.plan_of_passes(cost | {"memory_rate": 0.0}, (1, 1))
    assert "GB/s" not in on_a_device
    assert "sends" not in case.plan_of_passes(cost | {"sent": (0.0, 0.0)}, (1, 1))


IN_FILES = ("--set", "storage.place=files")
ON_HOST = ("--device", "emulated", "--set", "storage.place=host")


@pytest.mark.mpi
@pytest.mark.parametrize(
    ("first", "then"),
    [((), ()), (IN_FILES, IN_FILES), (IN_FILES, ON_HOST), (ON_HOST, ())],
    ids=["memory", "files", "files, host", "host, memory"],
)
def test_a_run_stopped_within_a_pass_is_resumed_with_the_same_bits(program, made_once, first, then):
    program.write_case(DEEP)

    def pieces(place):
        return ("--set", "storage.pieces=2") if place else ()

    split = ("--set", "engine.split=[2,1,1]")
    run(program, "parts", "-n", "2", *PASSES, "--set", "run.steps=13", *split, *first, *pieces(first))
    again = ("--set", "engine.steps_per_pass=3")
    run(program, "parts", "-n", "1", "--resume", *again, *then, *pieces(then))
    assert same_end(made_once(DEEP, "-n", "1"), program.folder / "parts", *FIELDS)
    passes = summary(program.folder / "parts")["passes"]
    assert re.match(r"17 steps in 7 passes", passes), passes


@pytest.mark.mpi
@pytest.mark.parametrize("files", [(), ("storage.place=files", "storage.pieces=2")])
def test_the_length_of_passes_is_found_to_the_same_bits(program, made_once, files):
    case = DEEP.replace("every = 10", "every = 100")
    program.write_case(case)
    steps = ("--set", "run.steps=300")
    one = made_once(case, "-n", "1", *steps)
    sets = ("engine.steps_per_pass=automatic", *files)
    for ranks in ("1", "2"):
        said = run(program, ranks, "-n", ranks, *steps, *set_options(*sets))
        assert_same_output(one, program.folder / ranks, *FIELDS)
        found = summary(program.folder / ranks)["passes"]
        assert re.match(r"(single steps|passes of \d+ steps) were chosen: passes of 2 took \d", found), found
        assert " ".join(found.split()) in " ".join(said.split())


def test_halos_for_a_length_that_is_to_be_found_are_narrow_beside_blocks():
    def most(cells, **engine):
        tables = {"grid": {"cells": cells}, "engine": {"steps_per_pass": "automatic"} | engine}
        return typed_case(TABLES | tables, None).halo()

    assert [most([n, n, n]) for n in (8, 24, 64, 96, 160, 512)] == [1, 4, 8, 8, 8, 16]
    assert most([64, 64, 64], split=[1, 1, 16]) == 4
    assert most([512, 512, 512], split=[1, 1, 64]) == 2


def test_blocks_without_room_for_passes_are_named_at_the_start():
    case = typed_case(TABLES | {"engine": {"steps_per_pass": "automatic"}}, None)
    assert any("takes single steps: the blocks of the ranks are too small" in note for note in case.notes())


def test_what_is_of_one_length_refuses_a_length_to_be_found():
    case = typed_case(TABLES | {"engine": {"steps_per_pass": "automatic"}}, None)
    with pytest.raises(
        BadInput, match='"automatic" is found during a run, but a prediction needs a fixed number'
    ):
        case.one_length("a prediction")


@pytest.mark.mpi
def test_strategies_are_compared_in_passes(program):
    program.write_case(CASE)
    options = ("--strategies", "boundary_first,automatic", "--steps", "6", "--repeats", "1", *PASSES)
    done = program.ok("strategies", "case.toml", "-n", "2", *options, "--out", "s")
    assert "20 x 18 x 16 cells" in done.stdout
    assert (program.folder / "s" / "strategies.csv").is_file()
    table = json.loads((program.folder / "s" / "strategies.json").read_text())
    assert {row["passes"].split(",")[0] for row in table["rows"]} == {"12 steps in 4 passes"}


@pytest.mark.mpi
def test_a_halo_wider_than_a_block_is_refused(program, refusal):
    program.write_case(CASE)
    sets = set_options("engine.split=[1,1,2]", "engine.steps_per_pass=9")
    assert "less than the 9 layers of a halo" in refusal("run", "case.toml", "-n", "2", *sets)


TABLES = {"solver": "dendrite", "grid": {"cells": [8, 8, 8]}, "run": {"steps": 1}}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            {"storage": {"place": "files"}},
            "needs pieces of at least 6 planes, but storage.pieces = 8 gives 1",
        ),
        ({"engine": {"steps_per_pass": 0}}, "engine.steps_per_pass = 0 is not allowed"),
        ({"engine": {"steps_per_pass": "fast"}}, 'must be "automatic" or a whole number from 1 to 64'),
        (
            {"engine": {"pass_tile": [8, 4]}},
            "engine.pass_tile = [8, 4] has no effect with engine.steps_per_pass = 1",
        ),
        (
            {"engine": {"steps_per_pass": 2, "pass_tile": [8, 0]}},
            'must be "automatic" or two whole numbers from 1 to 100000',
        ),
        (
            {"engine": {"steps_per_pass": 2, "pass_tile": [8, 4], "device": "emulated"}},
            "engine.pass_tile = [8, 4] has no effect with engine.device",
        ),
        (
            {
                "engine": {"steps_per_pass": 2, "device": "emulated"},
                "storage": {"place": "host", "pieces": 2},
            },
            "needs pieces of at least 6 planes, but storage.pieces = 2 gives 4",
        ),
    ],
)
def test_passes_that_cannot_be_are_refused(change, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(TABLES | {"engine": {"steps_per_pass": 2}} | change, None)


@pytest.mark.mpi
@pytest.mark.parametrize("ranks", ["1", "2"])
def test_fields_in_files_pass_several_steps_to_the_same_bits(program, made_once, ranks):
    program.write_case(DEEP)
    files = ("storage.place=files", "storage.pieces=2", f"engine.split=[{ranks},1,1]")
    run(program, "files", "-n", ranks, *set_options(*files), *PASSES)
    assert_same_output(made_once(DEEP, "-n", "1"), program.folder / "files", *FIELDS)
    end = summary(program.folder / "files")
    steps, passes = map(int, re.match(r"(\d+) steps in (\d+) passes", end["passes"]).groups())
    assert steps == end["steps"] == 30
    assert 2 < steps / passes <= 4


def test_rows_of_history_that_end_passes_are_named_at_the_start():
    case = typed_case(TABLES | {"engine": {"steps_per_pass": 2}}, None)
    assert any("passes have at most output.history_every = 1 steps" in note for note in case.notes())


OTHERS = {
    "turbulence": "its Fourier transforms need whole grid lines",
    "compressible": "its compact derivatives need whole grid lines",
    "cavity": "each step iterates the pressure to a residual; use pressure.sweeps_per_pass instead",
}


def test_every_other_solver_says_why_it_has_none():
    assert {name for name, solver in SOLVERS.items() if solver.single_steps} == set(OTHERS)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("turbulence", {"flow": {"reynolds": 100}, "scheme": {"dt": 1e-3}}),
        ("compressible", {}),
        ("cavity", {"flow": {"reynolds": 100}}),
    ],
)
def test_every_other_solver_refuses_passes(name, more):
    for length, shown in ((2, "2"), ("automatic", '"automatic"')):
        tables = {"solver": name, "grid": {"points": [16] * 3}, "run": {"steps": 1}} | more
        typed_case(tables | {"engine": {"steps_per_pass": 1}}, None)
        said = f"engine.steps_per_pass = {shown} is not supported by this solver: {OTHERS[name]}."
        with pytest.raises(BadInput, match=re.escape(said)):
            typed_case(tables | {"engine": {"steps_per_pass": length}}, None)
