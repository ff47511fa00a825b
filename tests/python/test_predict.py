# SPDX-License-Identifier: Apache-2.0
"""`predict`: a case on machines in files. What a plan takes by hand is checked in tests/mpi/predict_test.cpp;
here that a case, a machine and a table of them fit together."""

from __future__ import annotations

from pathlib import Path

import pytest

from described_machine import loaded
from slow_wire import MACHINE, dendrite, machine
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.errors import BadInput
from subcurrent.foresight import predict
from subcurrent.foresight.machine_figures import places
from subcurrent.foresight.prediction import best, binding, conclusions

NAMES = ["blocking", "ordered", "boundary_first", "interior_first"]


def test_what_rates_scattered_by_is_carried_through(tmp_path: Path) -> None:
    scattered = machine(tmp_path, ("row = 50e-9", "row = 50e-9\nspread = 0.2"))
    row = predict.predicted(dendrite(), scattered, 1, NAMES)["strategies"]["blocking"]
    rates = 64**3 * 20e-9 + 64**2 * 50e-9
    low, high = row["range"]
    assert row["T"] - low == pytest.approx(0.1 * rates) and high - row["T"] == pytest.approx(0.1 * rates)
    plain = predict.predicted(dendrite(), machine(tmp_path), 1, NAMES)["strategies"]["blocking"]
    assert plain["T"] == row["T"] and plain["range"] == [row["T"]] * 2


def test_what_messages_and_the_disk_scattered_by_is_carried_through(tmp_path: Path) -> None:
    """Waiting for the wire scatters, computing does not; without overlap the disk is waited for, too."""
    case, there = dendrite("engine.split=[1,1,4]"), ("overhead = 5e-6", "overhead = 5e-6\nspread = 0.2")
    row = predict.predicted(case, machine(tmp_path, there), 4, NAMES)["strategies"]["blocking"]
    (stage,) = row["stages"]
    low, high = row["range"]
    messages = stage["bytes"] / 12.5e6 + 50e-6 + 10e-6
    for apart in (row["T"] - low, high - row["T"]):
        assert apart == pytest.approx(0.1 * messages, rel=0.03)
    disk = ("[network]", "[disk]\nread = 1e8\nwrite = 1e8\nspread = 0.2\n[network]")
    files = dendrite("storage.place=files", "grid.cells=[32,32,64]")
    row = predict.predicted(files, machine(tmp_path, disk), 1, NAMES)["strategies"]["blocking"]
    moved = sum(stage["read"] + stage["written"] for stage in row["stages"]) / 1e8
    for apart, end in zip(row["range"], (-0.1, 0.1), strict=True):
        assert apart - row["T"] == pytest.approx(end * moved, rel=0.05)


def test_a_step_is_its_cells_and_its_messages(tmp_path: Path) -> None:
    row = predict.predicted(dendrite("engine.split=[1,1,4]"), machine(tmp_path), 4, NAMES)
    plain = row["strategies"]["blocking"]
    (stage,) = plain["stages"]
    assert stage["core"] == pytest.approx(64 * 64 * 16 * 20e-9 + 64 * 16 * 50e-9)
    # phase and heat, a plane of single or double precision to either side
    planes = stage["bytes"] / (64 * 64)
    assert stage["bytes"] % (64 * 64) == 0
    wire = stage["bytes"] / 12.5e6
    assert planes in (16, 32)
    assert plain["T"] == pytest.approx(stage["core"] + wire, rel=0.03)
    first = row["strategies"]["boundary_first"]
    assert first["T"] < plain["T"]
    assert first["T"] >= max(stage["core"], wire)


def test_fewer_cells_a_rank_have_the_rate_of_caches(tmp_path: Path) -> None:
    """64³ cells of one rank have the rate of memory, a quarter of them that of caches; so do arrays of stages
    without a rate."""
    small = "cells = 65536\n[[rates.dendrite.advance]]\ncell = 40e-9\nrow = 50e-9\ncells = 262144\n"
    by_cells = machine(tmp_path, ("row = 50e-9\n", f"row = 50e-9\n{small}"))
    cores = [
        predict.predicted(
            dendrite("engine.split=[1,1,4]" if ranks > 1 else "grid.cells=[64,64,64]"),
            by_cells,
            ranks,
            ["blocking", "ordered"],
        )["strategies"]["blocking"]["stages"][0]["core"]
        for ranks in (1, 4)
    ]
    planes = 64 * 64 * 40e-9 + 64 * 50e-9, 64 * 64 * 20e-9 + 64 * 50e-9
    assert cores == [pytest.approx(64 * planes[0]), pytest.approx(16 * planes[1])]

    tables = "[[node.copies]]\nbytes = 1e8\nbandwidth = 80e9\n[network]"
    bare = MACHINE[: MACHINE.index("[[rates")].replace("core_flops = 1e9", "core_flops = 1e12")
    times = []
    for text in (bare, bare.replace("[network]", tables)):
        row = predict.predicted(dendrite(), loaded(tmp_path, text), 1, ["blocking", "ordered"])
        assert row["memory"] < 1e8
        times.append(row["strategies"]["blocking"]["stages"][0]["core"])
    assert times[0] == pytest.approx(8 * times[1])


def test_half_the_bandwidth_moves_the_waiting_and_nothing_else(tmp_path: Path) -> None:
    case = dendrite("engine.split=[1,1,4]")
    before = predict.predicted(case, machine(tmp_path), 4, ["blocking", "ordered"])
    after = predict.predicted(case, machine(tmp_path, ("12.5e6", "6.25e6")), 4, ["blocking", "ordered"])
    old, new = (row["strategies"]["blocking"] for row in (before, after))
    (a,), (b,) = old["stages"], new["stages"]
    assert {key: a[key] for key in a if key not in ("wait", "total")} == {
        key: b[key] for key in b if key not in ("wait", "total")
    }
    assert b["wait"] - a["wait"] == pytest.approx(a["bytes"] / 12.5e6, rel=0.01)
    assert new["T"] - old["T"] == pytest.approx(b["wait"] - a["wait"])


def test_one_rank_has_nothing_to_hide_and_that_is_said(tmp_path: Path) -> None:
    row = predict.predicted(dendrite(), machine(tmp_path), 1, NAMES)
    assert best(row) == "blocking"
    said = conclusions([row], weak=False)
    assert said[0].startswith("1 ranks: hiding does not pay, blocking is fastest")


def test_on_a_machine_whose_messages_take_no_time_hiding_loses(tmp_path: Path) -> None:
    free = machine(
        tmp_path,
        ("bandwidth = 12.5e6", "bandwidth = 1e13"),
        ("latency = 50e-6", "latency = 1e-8"),
        ("overhead = 5e-6", "overhead = 0"),
    )
    row = predict.predicted(
        dendrite("engine.split=[4,1,1]"), free, 4, ["blocking", "ordered", "boundary_first"]
    )
    plain, hidden = (row["strategies"][name]["T"] for name in ("blocking", "boundary_first"))
    assert hidden > 1.02 * plain  # faces along x are rows of a few cells
    assert "the best strategy with overlap takes" in conclusions([row], weak=False)[0]


def test_a_file_with_exchanged_figures_gives_another_answer(tmp_path: Path) -> None:
    case = dendrite("engine.split=[1,1,4]")
    right = predict.predicted(case, machine(tmp_path), 4, ["blocking", "ordered"])
    wrong = predict.predicted(
        case,
        machine(tmp_path, ("cell = 20e-9", "cell = 50e-9"), ("row = 50e-9", "row = 20e-9")),
        4,
        ["blocking", "ordered"],
    )
    assert wrong["strategies"]["blocking"]["T"] > 1.2 * right["strategies"]["blocking"]["T"]


@pytest.mark.parametrize("case", ["cavity_demo", "linear_wave"])
def test_other_solvers_rehearse_too(tmp_path: Path, case: str) -> None:
    sets = ["engine.strategy=blocking"]
    if case.startswith("cavity"):
        sets += ["pressure.method=jacobi", "pressure.iterations=7"]
    row = predict.predicted(load_case(find_case(case), sets), machine(tmp_path), 2, ["blocking", "ordered"])
    stages = row["strategies"]["blocking"]["stages"]
    assert len(stages) > 1
    assert all(stage["total"] > 0 for stage in stages)
    if case.startswith("cavity"):
        assert max(stage["runs"] for stage in stages) == 7
    assert row["strategies"]["blocking"]["R"] > 0


def test_fields_in_files_take_the_disk(tmp_path: Path) -> None:
    """Two fields of two levels in single precision: a step reads one level and writes the other; a pass of
    four moves as much once."""
    text = MACHINE + "[[rates.dendrite.pass]]\ncell = 1e-10\nrow = 0.0\n[disk]\nread = 100e6\nwrite = 50e6\n"
    text = text.replace("cell = 20e-9", "cell = 1e-10")
    there = loaded(tmp_path, text)
    filed = ("storage.place=files", "storage.pieces=4", "storage.scratch=nowhere")
    names = ["blocking", "boundary_first", "ordered"]
    one = predict.predicted(dendrite(*filed), there, 1, names, steps=4)["strategies"]
    level = 2 * 4 * 64**3
    for name in names:
        read, written = (sum(s[key] for s in one[name]["stages"]) for key in ("read", "written"))
        assert level <= written <= 1.2 * level and level <= read <= 1.4 * level
        assert one[name]["T"] >= 0.999 * max(read / 100e6, written / 50e6)
    assert one["blocking"]["T"] == pytest.approx(read / 100e6 + written / 50e6, rel=0.05)
    assert one["boundary_first"]["T"] == pytest.approx(written / 50e6, rel=0.1)
    # A disk on which both together are half as fast as each alone: overlap gains nothing.
    shared = predict.predicted(dendrite(*filed), loaded(tmp_path, f"{text}both = 75e6\n"), 1, names, steps=4)
    assert shared["strategies"]["blocking"]["T"] == pytest.approx(one["blocking"]["T"], rel=1e-6)
    assert shared["strategies"]["boundary_first"]["T"] == pytest.approx(one["blocking"]["T"], rel=0.03)
    four = predict.predicted(dendrite(*filed, "engine.steps_per_pass=4"), there, 1, names, steps=8)
    assert four["strategies"]["boundary_first"]["T"] < one["boundary_first"]["T"] / 2.5
    assert not Path("nowhere").exists()
    with pytest.raises(BadInput, match=r"its file has no \[disk\] with read and write"):
        predict.predicted(dendrite(*filed), machine(tmp_path), 1, names)


def test_a_disk_that_is_slower_while_cells_are_computed_hides_less(tmp_path: Path) -> None:
    """A step is computed for 0.04 s, and written somewhat longer: at half the speed meanwhile, 0.02 s of that
    are left. Without overlap nothing is computed while the disk is busy."""
    disk = "[disk]\nread = 1e12\nwrite = 50e6\n"
    filed = ("storage.place=files", "storage.pieces=16", "storage.scratch=nowhere")
    computing = 0.04
    text = MACHINE.replace("cell = 20e-9", f"cell = {computing / 64**3}").replace("row = 50e-9", "row = 0.0")
    times = {}
    for share in (1.0, 0.5):
        there = loaded(tmp_path, f"{text}{disk}computing = {share}\n")
        row = predict.predicted(
            dendrite(*filed), there, 1, ["blocking", "ordered", "boundary_first"], steps=8
        )
        times[share] = {name: strategy["T"] for name, strategy in row["strategies"].items()}
    writing = sum(stage["written"] for stage in row["strategies"]["blocking"]["stages"]) / 50e6
    assert 1.1 * computing < writing < 1.3 * computing
    assert times[1.0]["boundary_first"] == pytest.approx(writing, rel=0.01)
    assert times[0.5]["boundary_first"] == pytest.approx(computing + writing - 0.5 * computing, rel=0.05)
    assert times[0.5]["blocking"] == pytest.approx(times[1.0]["blocking"], rel=1e-6)


def test_a_disk_whose_transfers_are_awaited_one_by_one_is_slower_without_overlap(tmp_path: Path) -> None:
    filed = ("storage.place=files", "storage.pieces=16", "storage.scratch=nowhere")
    told = {}
    for share in (1.0, 0.5):
        there = loaded(tmp_path, f"{MACHINE}[disk]\nread = 50e6\nwrite = 50e6\nawaited = {share}\n")
        row = predict.predicted(dendrite(*filed), there, 1, ["blocking", "boundary_first"])
        told[share] = row["strategies"]
    files = {share: sum(stage["files"] for stage in one["blocking"]["stages"]) for share, one in told.items()}
    assert files[0.5] == pytest.approx(2 * files[1.0])
    assert told[0.5]["boundary_first"]["T"] == told[1.0]["boundary_first"]["T"]


def test_a_pass_is_its_cells_and_two_planes_at_once(tmp_path: Path) -> None:
    """Two steps a pass: the first also computes a plane beyond each neighbour, two planes come at once."""
    rate = "[[rates.dendrite.advance]]"
    there = machine(tmp_path, (rate, f"[[rates.dendrite.pass]]\ncell = 10e-9\nrow = 0.0\n{rate}"))
    names = ["blocking", "boundary_first", "ordered"]
    cases = (dendrite("engine.split=[1,1,4]", f"engine.steps_per_pass={k}") for k in (1, 2))
    one, two = (predict.predicted(case, there, 4, names)["strategies"] for case in cases)
    (single,), (double,) = one["blocking"]["stages"], two["blocking"]["stages"]
    assert double["stage"] == "pass" and double["runs"] == 0.5
    assert double["core"] == pytest.approx(64 * 64 * (16 + 18) * 10e-9 / 2)
    assert double["bytes"] == single["bytes"]  # twice as many, half as often
    wire = double["bytes"] / 12.5e6
    assert two["blocking"]["T"] == pytest.approx(double["core"] + wire, rel=0.05)
    assert two["boundary_first"]["T"] < two["blocking"]["T"]


def test_arrays_of_a_pass_come_and_leave_once(tmp_path: Path) -> None:
    """Two fields of two levels, single precision, four steps: one level of each is read and written, the
    other written alone; step by step one is read and the other written, four times. Conditions fill one
    layer beyond six walls, once a pass or step; beyond x each cell of it is in a cache line of its own."""
    bare = MACHINE[: MACHINE.index("[[rates")].replace("core_flops = 1e9", "core_flops = 1e12")
    times = [
        predict.predicted(dendrite(*sets), loaded(tmp_path, bare), 1, ["blocking", "ordered"])
        for sets in ((), ("engine.steps_per_pass=4",))
    ]
    one, four = (row["strategies"]["blocking"]["T"] for row in times)
    n = dendrite().cells()[0]
    level, walls = 4 * n**3, 2 * 2 * (16 * n**2 + n * (n + 2) + (n + 2) ** 2) * 4 * 2
    assert four / one == pytest.approx((2 * 3 * level + walls) / (2 * 2 * level + walls) / 4, rel=0.01)


def test_rates_of_single_steps_say_nothing_of_a_pass(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="its file has rates of dendrite's stages, but none for passes"):
        predict.predicted(dendrite("engine.steps_per_pass=2"), machine(tmp_path), 2, ["blocking"])


def test_ranks_are_played_by_their_blocks_and_neighbours(tmp_path: Path) -> None:
    there = machine(tmp_path)
    case = dendrite("engine.split=[1,1,16]")
    played, like = predict.positions(case, places(there, 16, 1))
    assert len(played) == 2  # between walls: one of the ends and one of those between
    assert like == [0, *[1] * 14, like[-1]] and any(0 < rank < 15 for rank in played)
    few, all_of_them = predict.positions(dendrite("engine.split=[1,1,8]"), places(there, 8, 1))
    assert few == all_of_them == list(range(8))


@pytest.mark.parametrize(
    ("flops", "bound"), [("core_flops = 1e13", "memory"), ("core_flops = 1e6", "computing")]
)
def test_memory_binds_where_operations_take_less_time(tmp_path: Path, flops: str, bound: str) -> None:
    text = MACHINE[: MACHINE.index("[[rates")].replace("core_flops = 1e9", flops)
    row = predict.predicted(dendrite(), loaded(tmp_path, text), 1, ["blocking"])
    assert binding(row, "blocking").startswith(bound)
