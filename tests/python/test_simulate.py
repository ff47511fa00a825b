# SPDX-License-Identifier: Apache-2.0
"""`predict --simulate` against arithmetic done by hand; what it refuses, and how a network is described."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from rich.console import Console

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machine_figures import places
from subcurrent.foresight.machines import load_machine
from subcurrent.stencil import compiling

MACHINE = """
name = "a wire"
[node]
cores = 2
copy_bandwidth = 1e13
core_flops = 1e9
[network]
latency = 50e-6
bandwidth = 12.5e6
overhead = 0.0
[engine]
run = 0.0
look = 0.0
[[rates.dendrite.advance]]
cell = 20e-9
row = 0.0
"""
SIDE = 64
FACE = SIDE * SIDE * 2 * 4  # bytes: phase and heat in single precision
NAMES = ["blocking", "boundary_first"]
needs_simgrid = pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")


def machine(folder: Path, **changes: str) -> Any:
    text = MACHINE
    for name, value in changes.items():
        text, found = re.subn(rf"(?m)^{name} = .*$", f"{name} = {value}", text)
        assert found
    path = folder / "machine.toml"
    path.write_text(text)
    return load_machine(path)


def slabs(ranks: int, depth: int = 16) -> Any:
    """Slabs along z, between walls."""
    sets = [f"grid.cells=[{SIDE},{SIDE},{ranks * depth}]", f"engine.split=[1,1,{ranks}]"]
    return load_case(find_case("nickel_small"), ["engine.strategy=blocking", *sets])


def taken(case: Any, there: Any, ranks: int, per_node: int = 1) -> dict[str, float]:
    return simulate.simulated(case, there, ranks, NAMES, steps=4, per_node=per_node)


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
def test_a_bus_carries_one_message_at_a_time(tmp_path):
    """Three borders, a face in either direction over each."""
    bus = machine(tmp_path, latency='50e-6\nkind = "bus"')
    here = taken(slabs(4), bus, 4)["blocking"]
    assert here == pytest.approx(SIDE * SIDE * 16 * 20e-9 + 6 * FACE / 12.5e6, rel=0.01)


@needs_simgrid
def test_ranks_of_a_node_share_its_link(tmp_path):
    """Along z two neighbours lie on a node: only every second border is one between nodes."""
    here = taken(slabs(4), machine(tmp_path), 4, per_node=2)["blocking"]
    assert here == pytest.approx(SIDE * SIDE * 16 * 20e-9 + FACE / 12.5e6, rel=0.015)


WIRE = FACE / 12.5e6  # seconds of a face along z


@needs_simgrid
@pytest.mark.parametrize(
    ("topology", "faces", "edges"),
    [
        # four faces over one link; else a node sends one, and at most two of a quarter of the size
        ('kind = "fat_tree"\nshape = [4, 2]\ntrunks = [1]', 4, 6),
        ('kind = "fat_tree"\nshape = [4, 2]\ntrunks = [4]', 1.5, 2),
        ('kind = "dragonfly"\nshape = [2, 1, 2, 2]\ntrunks = [1, 1, 4]', 4, 6),
        ('kind = "dragonfly"\nshape = [2, 1, 2, 2]\ntrunks = [4, 1, 4]', 1.5, 2),
        # divided as the ranks are: a link for every neighbour; a node sends on one at a time, or on all
        ('kind = "torus"\nshape = [4, 2]', 1.5, 2),
        ('kind = "torus"\nshape = [4, 2]\nlinks = 4', 1, 2),
        # on a ring neighbours along z are four nodes apart: all go the same way round, with one along y
        ('kind = "torus"\nshape = [8]\nlinks = 4', 4.25, 3),
    ],
)
def test_links_between_switches_are_shared(tmp_path, topology, faces, edges):
    """Blocks of 64 x 64 x 16 cells, four along y and two along z; of edges only the phase is sent. Computing
    takes hardly any time: else some ranks would use a link while others compute."""
    sets = ["grid.cells=[64,256,32]", "engine.split=[1,4,2]", "engine.strategy=blocking"]
    case = load_case(find_case("nickel_small"), sets)
    here = taken(case, machine(tmp_path, latency=f"1e-6\n{topology}", cell="1e-12"), 8)["blocking"]
    assert here == pytest.approx((faces + edges / (2 * SIDE)) * WIRE, rel=0.003)


@needs_simgrid
@pytest.mark.parametrize(
    ("topology", "hops"),
    [
        ('kind = "fat_tree"\nshape = [1, 2]\ntrunks = [1]', 4),
        ('kind = "torus"\nshape = [2]', 1),
        ('kind = "dragonfly"\nshape = [2, 1, 2, 1]\ntrunks = [1, 1, 1]', 3),
    ],
)
def test_each_link_on_the_way_takes_its_latency(tmp_path, topology, hops):
    fast, slow = (
        taken(slabs(2), machine(tmp_path, latency=f"50e-6\n{topology}\nhop = {hop}"), 2)["blocking"]
        for hop in (0.0, 1e-3)
    )
    assert slow - fast == pytest.approx(hops * 1e-3, rel=1e-3)
    assert fast == pytest.approx(taken(slabs(2), machine(tmp_path), 2)["blocking"], rel=1e-6)


@needs_simgrid
def test_twice_the_bandwidth_is_half_the_waiting(tmp_path):
    slow = taken(slabs(3), machine(tmp_path), 3)["blocking"]
    fast = taken(slabs(3), machine(tmp_path, bandwidth="25e6"), 3)["blocking"]
    assert slow - fast == pytest.approx(FACE / 12.5e6, rel=0.01)


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


def test_the_network_is_described_as_the_file_has_it(tmp_path):
    there = machine(tmp_path, latency="4e-6\nlinks = 2")
    text = simulate.platform(there, places(there, 6, 1, 2), 2 / (2 * 12.5e6))
    cluster = ElementTree.fromstring(text).find("cluster").attrib
    assert cluster["radical"] == "0-2" and cluster["core"] == "2"
    assert float(cluster["bw"].removesuffix("Bps")) == pytest.approx(25e6)  # two ranks share two links
    assert float(cluster["lat"].removesuffix("s")) == pytest.approx(2e-6)  # out of a node, into another
