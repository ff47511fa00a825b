# SPDX-License-Identifier: Apache-2.0
"""`predict --simulate` against arithmetic done by hand, and what it refuses."""

from __future__ import annotations

import io
import subprocess

import pytest
from rich.console import Console

from simulated_slabs import FACE, MACHINE, NAMES, SIDE, machine, needs_simgrid, slabs, taken
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machines import load_machine
from subcurrent.stencil import compiling


@needs_simgrid
@pytest.mark.parametrize("ranks", [2, 3, 16])
def test_without_contention_it_is_arithmetic(tmp_path, ranks):
    """Inner ranks send a face to either side by one link: cells, then two faces, or the longer of both."""
    here = taken(slabs(ranks), machine(tmp_path), ranks)
    cells = SIDE * SIDE * 16 * 20e-9
    wire = (1 if ranks == 2 else 2) * FACE / 12.5e6 + 50e-6
    assert here["blocking"] == pytest.approx(cells + wire, rel=0.01)
    hidden = max(cells - 2 * SIDE * SIDE * 20e-9, wire) + (1 if ranks == 2 else 2) * SIDE * SIDE * 20e-9
    assert here["boundary_first"] == pytest.approx(hidden, rel=0.06)
    foretold = predict.predicted(slabs(ranks), machine(tmp_path), ranks, [*NAMES, "ordered"], per_node=1)
    for name in NAMES:
        assert here[name] == pytest.approx(foretold["strategies"][name]["T"], rel=0.01)


@needs_simgrid
@pytest.mark.parametrize(("poke", "limit"), [(0.05, 1000), (100, 1000), (100, 100_000)])
def test_above_the_eager_limit_a_message_waits_for_a_progress_call(tmp_path, poke, limit):
    """The core takes longer than the messages, and hides them if it has progress calls. Question, answer and
    message take a latency each."""
    there = machine(tmp_path, bandwidth="1e9", latency=f"200e-6\neager_limit = {limit}")
    case = slabs(2).updated("engine", poke_ms=poke)
    here = taken(case, there, 2)
    cells = SIDE * SIDE * 16 * 20e-9
    wire = FACE / 1e9 + (3 if limit < FACE else 1) * 200e-6
    assert here["blocking"] == pytest.approx(cells + wire, rel=0.01)
    late = wire - 200e-6 if poke > 1 and limit < FACE else 0  # the question has come
    assert here["boundary_first"] == pytest.approx(cells + late, rel=0.03)
    foretold = predict.predicted(case, there, 2, [*NAMES, "ordered"], per_node=1)["strategies"]
    for name in NAMES:
        assert here[name] == pytest.approx(foretold[name]["T"], rel=0.02)


@needs_simgrid
@pytest.mark.parametrize(
    ("memory", "points", "ranks", "most"),
    [
        ("4 GiB", 32, 2, 1.01),
        ("4 GiB", 32, 4, 1.01),
        ("4 GiB", 32, 8, 1.02),
        ("all", 32, 2, 1.01),
        ("all", 64, 4, 1.005),
        ("all", 64, 8, 1.005),
        ("all", 64, 16, 1.01),
    ],
)
def test_transforms_are_simulated_as_predicted(tmp_path, memory, points, ranks, most):
    """Kept modes are odd in number and never divide evenly: ranks are not alike. Those with most modes get
    more than any sends, and what shares a link ends together. Of 16 ranks, some represent the others. If the
    memory is not limited, all arrays travel at the same time."""
    sets = ["engine.strategy=blocking", f"grid.points={[points] * 3}", "scheme.dealiasing=two_thirds"]
    sets += [] if memory == "all" else [f'storage.memory="{memory}"']
    case = load_case(find_case("taylor_green_1600"), sets)
    here = simulate.simulated(case, machine(tmp_path), ranks, ["blocking"], steps=1, per_node=1)["blocking"]
    row = predict.predicted(case, machine(tmp_path), ranks, ["blocking"], per_node=1)
    foretold = row["strategies"]["blocking"]["T"]
    assert foretold <= here <= most * foretold


@needs_simgrid
def test_transforms_of_a_node_share_its_link(tmp_path):
    """Two a node; some ranks have more modes than others, and take more than half of the link."""
    sets = ["engine.strategy=blocking", "grid.points=[64,64,64]", "scheme.dealiasing=two_thirds"]
    case = load_case(find_case("taylor_green_1600"), sets)
    here = simulate.simulated(case, machine(tmp_path), 8, ["blocking"], steps=1, per_node=2)["blocking"]
    foretold = predict.predicted(case, machine(tmp_path), 8, ["blocking"], per_node=2)["strategies"]
    assert here == pytest.approx(foretold["blocking"]["T"], rel=0.03)


DEVICES = """
[gpu]
per_node = 2
flops = 1e12
bandwidth = 1e13
launch = 0.0
link = 100e6
on_link = 2
"""


@needs_simgrid
def test_messages_between_devices_of_a_node_use_its_links(tmp_path):
    """Four devices, two a node: each has half of the rates of the network, and of the link to its host."""
    machine(tmp_path, bandwidth="25e6")
    (tmp_path / "machine.toml").write_text((tmp_path / "machine.toml").read_text() + DEVICES)
    there = load_machine(tmp_path / "machine.toml")
    here = taken(slabs(4), there, 4, per_node=2)
    cells = SIDE * SIDE * 16 * 20e-9
    wire = 2 * FACE * (2 / 25e6 + 2 * 2 / 100e6) + 50e-6
    assert here["blocking"] == pytest.approx(cells + wire, rel=0.01)
    network = there.network.model_copy(update={"kind": "torus", "shape": [2]})
    with pytest.raises(BadInput, match="2 devices a node are not simulated"):
        taken(slabs(4), there.model_copy(update={"network": network}), 4, per_node=2)


@needs_simgrid
def test_computing_of_less_than_a_microsecond_takes_time_too(tmp_path):
    """Two halves of a box of 8 x 8 x 2 cells on one node: cells and copies of faces, each below 1 us."""
    sets = ["grid.cells=[8,8,2]", "engine.split=[1,1,2]", "engine.strategy=blocking"]
    case = load_case(find_case("nickel_small"), sets)
    there = machine(tmp_path, cell="1e-9", copy_bandwidth="1e9")
    here = taken(case, there, 2, per_node=2)
    foretold = predict.predicted(case, there, 2, NAMES, per_node=2)["strategies"]
    for name in NAMES:
        assert here[name] == pytest.approx(foretold[name]["T"], rel=0.01)


def test_of_many_ranks_transforms_are_predicted_alone():
    case = load_case(find_case("taylor_green_1600"), [])
    assert simulate.too_many(case, 256) is None
    assert "512 ranks are not simulated" in simulate.too_many(case, 512)
    assert simulate.too_many(slabs(2), 4096) is None


def test_counts_that_cannot_be_simulated_are_left_out(tmp_path, monkeypatch):
    """The default counts begin with 1."""
    assert simulate.too_many(slabs(2), 1) == "-n 1 is not simulated: only 2 to 4096 ranks are."
    assert "-n 4097 is not simulated" in simulate.too_many(slabs(2), 4097)
    asked = []

    def simulated(case, machine, ranks, names, **_):
        asked.append(ranks)
        return dict.fromkeys(names, 1.0)

    monkeypatch.setattr(simulate, "simulated", simulated)
    for counts, shown in (((1, 2), True), ((1,), False)):
        rows = [{"ranks": n, "strategies": {"blocking": {"T": 1.0}}} for n in counts]
        console = Console(file=io.StringIO())
        request = predict.PredictRequest("nickel_small", "machine.toml", "1,2")
        predict._simulate(request, slabs(2), machine(tmp_path), rows, console)
        assert "-n 1 is not simulated" in console.file.getvalue()
        assert ("under SimGrid" in console.file.getvalue()) == shown
    assert asked == [2]


@needs_simgrid
@pytest.mark.parametrize("case", ["cavity_demo", "linear_wave"])
def test_other_solvers_are_simulated_too(tmp_path, case):
    sets = ["engine.strategy=blocking"]
    if case.startswith("cavity"):
        sets += ["pressure.method=jacobi", "pressure.iterations=7"]
    times = simulate.simulated(load_case(find_case(case), sets), machine(tmp_path), 8, ["blocking"], steps=1)
    assert times["blocking"] > 0


@needs_simgrid
def test_the_command_shows_both(program):
    (program.folder / "machine.toml").write_text(MACHINE)
    options = ("--set", "grid.cells=[32,32,32]", "--strategies", "boundary_first", "--out", "out")
    line = ("nickel_small", "--machine", "machine.toml", "-n", "2,4", "--simulate", *options)
    done = program.ok("predict", *line)
    assert (
        "under SimGrid" in done.stdout
        and "the simulation assumes that messages always make progress" in done.stdout
    )
    assert (program.folder / "out" / "prediction.json").read_text().count('"simulated"') == 4


def test_efficiency_is_that_beside_the_first_count():
    rows = [
        {"ranks": ranks, "strategies": {"blocking": {"simulated": seconds, "T": seconds}}}
        for ranks, seconds in ((2, 1.0), (8, 0.4))
    ]
    for weak, shares in ((True, ["100.0 %", "250.0 %"]), (False, ["100.0 %", "62.5 %"])):
        column = simulate.table_of(rows, "a wire", weak).columns[-1]
        assert list(column.cells) == shares


def test_without_simgrid_it_is_one_sentence(program, monkeypatch):
    monkeypatch.setattr(simulate.shutil, "which", lambda _: None)
    with pytest.raises(BadInput, match="--simulate needs SimGrid's SMPI"):
        simulate.simulator()
    said = program.refused("predict", "nickel_small", "--machine", "fx10", "--simulate", PATH="")
    assert "--simulate needs SimGrid's SMPI" in said


def test_a_changed_header_is_another_program(tmp_path, monkeypatch):
    """Also one that no source has the name of."""
    header, source = tmp_path / "model" / "clock.hpp", tmp_path / "model" / "main.cpp"
    header.parent.mkdir()
    source.write_text('#include "clock.hpp"\nint main() { return some; }\n')
    monkeypatch.setattr(compiling, "headers", lambda: tmp_path)
    monkeypatch.setenv("SUBCURRENT_CACHE", str(tmp_path / "cache"))
    programs, found = simulate.Simulator(run="none", compiler="g++"), []
    for value in (0, 1):
        header.write_text(f"constexpr int some = {value};\n")
        found.append(simulate.compiled(programs, ("model/main.cpp",)))
    assert [subprocess.run([path], check=False).returncode for path in found] == [0, 1]


@pytest.mark.parametrize("ranks", [1, 4097])
def test_ranks_are_2_to_4096(tmp_path, monkeypatch, ranks):
    monkeypatch.setattr(simulate, "simulator", lambda: simulate.Simulator("a", "b"))
    with pytest.raises(BadInput, match=f"is possible for 2 to 4096 ranks, not for {ranks}"):
        taken(slabs(ranks, 1), machine(tmp_path), ranks)
