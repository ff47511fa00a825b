# SPDX-License-Identifier: Apache-2.0
"""What a user sees of passes of several steps: notes on strategies and options without effect there, and what
a step moves in passes beside single steps."""

import re
import sys

import pytest

from conftest import QUIET, set_options
from stencil_runs import HEAD, run
from subcurrent.case.engine import engine_options
from subcurrent.case.reading import typed_case
from subcurrent.foresight import strategies
from test_cavity_sweeps import CASE as CAVITY
from test_dendrite_passes import TABLES


def case_of(**engine):
    return typed_case(TABLES | {"engine": engine}, None)


@pytest.mark.parametrize(
    ("name", "other"),
    [("interior_first", "boundary_first"), ("pipelined", "boundary_first"), ("ordered", "blocking")],
)
def test_a_strategy_that_is_another_one_in_passes_is_said(name, other):
    (note,) = [note for note in case_of(strategy=name, steps_per_pass=4).notes() if name in note]
    assert note == f'in passes of several steps engine.strategy = "{name}" is the order of {other}'
    assert not any(name in note for note in case_of(strategy=name).notes())


def test_halo_thread_joins_is_said_to_have_no_effect_in_passes():
    options = {"strategy": "halo_thread", "halo_thread_joins": False, "threads": 2}
    said = "\n".join(case_of(**options, steps_per_pass=4).notes())
    assert "is the order of boundary_first, and engine.halo_thread_joins has no effect" in said
    assert "halo_thread_joins" not in "\n".join(case_of(**options).notes())
    joining = case_of(**options | {"halo_thread_joins": True}, steps_per_pass=4).notes()
    assert "halo_thread_joins" not in "\n".join(joining)


def test_strategies_that_are_one_in_passes_are_named():
    names = ["blocking", "ordered", "boundary_first", "pipelined", "automatic"]
    case = case_of(steps_per_pass=4)
    hiding, waiting = strategies.note_of_passes(case, names)
    assert hiding.startswith(
        "in passes of 4 steps all strategies that overlap are one order, so boundary_first"
    )
    assert "pipelined and automatic differ by chance only" in hiding
    assert "all strategies without overlap are one order, so blocking and ordered differ" in waiting
    assert strategies.note_of_passes(case, names[:3]) == [waiting]
    assert strategies.note_of_passes(case, names[1:3]) == []
    assert strategies.note_of_passes(case_of(), names) == []


def test_no_length_is_looked_for_where_halos_allow_single_steps_only():
    engine = case_of(steps_per_pass="automatic").engine
    assert engine_options(engine, 8)["finds_length"]
    assert not engine_options(engine, 1)["finds_length"]


def test_single_steps_get_no_tile():
    engine = case_of(steps_per_pass="automatic", pass_tile=[8, 4]).engine
    assert engine_options(engine, 8)["pass_tile"] == [0, 8, 4]
    assert engine_options(engine, 1)["pass_tile"] == [0, 0, 0]


@pytest.mark.mpi
def test_sweeps_of_the_cavity_tell_what_they_move(program):
    program.write_case(CAVITY)
    sets = set_options("pressure.method=jacobi", "pressure.iterations=6", "pressure.sweeps_per_pass=3")
    said = program.ok("run", "case.toml", "-n", "2", *sets, *QUIET).stdout
    assert re.search(
        r"; passes of 3 steps: in a step this rank reads \S+ MB and writes \S+ MB of its fields instead of "
        r"\S+ MB and \S+ MB, sends \S+ MB in \S+ messages instead of ",
        " ".join(said.split()),
    ), said


@pytest.mark.mpi
def test_where_messages_take_longer_than_computing_thicker_blocks_are_the_advice(program):
    """The transport delays each message by 0.5 ms; a step of so small a crystal takes a tenth of it."""
    program.write_case('solver = "dendrite"\ngrid.cells = [16, 16, 16]\nseeds = [{ radius = 0.1 }]\n')
    sets = set_options(
        "run.steps=80",
        "run.dt=1e-12",
        "output.history_every=40",
        "engine.transport=delayed",
        "engine.strategy=boundary_first",
        "engine.steps_per_pass=4",
    )
    said = " ".join(program.ok("run", "case.toml", "-n", "2", *sets, *QUIET).stdout.split())
    found = re.search(
        r"passes: 80 steps in 20 passes, 4 a pass; messages take (\S+) times as long as computing, and "
        r"passes send the same bytes: blocks (\S+) times as thick \(fewer hosts, or more cells\) would "
        r"hide them",
        said,
    )
    assert found, said
    assert found[1] == found[2] and float(found[1]) > 1


DENDRITE = """
solver = "dendrite"
grid.cells = [80, 72, 96]
run.steps = 4
run.dt = 1e-12
output.history_every = 4
output.figures = false
storage.place = "files"
storage.pieces = 3
seeds = [{ radius = 0.1 }]
"""


@pytest.mark.mpi
def test_fields_in_files_have_the_bytes_of_single_steps_beside(program):
    program.write_case(DENDRITE)

    def megabytes(length):
        sets = set_options(f"engine.steps_per_pass={length}")
        said = program.ok("run", "case.toml", "-n", "1", "--out", f"run{length}", *sets, *QUIET).stdout
        said = " ".join(said.split())
        one = re.search(r"([\d.]+) MiB read and ([\d.]+) MiB written a step", said)
        other = re.search(r"; single steps would copy about ([\d.]+) MiB and ([\d.]+) MiB in \S+ s", said)
        return [[float(text) for text in found.groups()] for found in (one, other) if found]

    (single,) = megabytes(1)
    passes, beside = megabytes(4)
    assert beside == pytest.approx(single, rel=0.1)
    assert passes[0] < 0.4 * beside[0]


LOOP = """
grid = sc.Grid((16, 16, 24), periodic=True, halo=4)
T = grid.field("T", levels=2)
T.set(lambda x, y, z: x + y * z)
loop = sc.Loop(grid, steps_per_pass=4)
assert loop.plan == ""
for n in loop.steps(8):
    loop.run(diffuse(T.next, T))
    T.advance()
if grid.rank == 0:
    print(loop.plan)
plain = sc.Loop(grid)
for n in plain.steps(1):
    plain.run(diffuse(T.next, T))
    T.advance()
assert plain.plan == ""
"""


@pytest.mark.mpi
def test_a_loop_tells_what_a_step_moves(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(HEAD + LOOP)
    field = 16 * 16 * 24 * 8e-6  # MB
    for ranks in (1, 2):
        own = field / ranks
        said = run([sys.executable, path], ranks).stdout
        sent = "sends" if ranks > 1 else "and computes"
        assert said.startswith(
            f"passes of 4 steps: in a step this rank reads {own / 4:.3g} MB and writes {own / 2:.3g} MB of "
            f"its fields instead of {own:.3g} MB and {own:.3g} MB, {sent} "
        ), said
