# SPDX-License-Identifier: Apache-2.0
"""`probe CASE`: from what was measured to a machine file, and back."""

from __future__ import annotations

import io
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from described_machine import loaded
from subcurrent.case.library import find_case
from subcurrent.case.reading import as_tables, load_case
from subcurrent.foresight import machine_file
from subcurrent.foresight.machine_figures import Share, bandwidth, figures, places
from subcurrent.foresight.machines import load_machine
from subcurrent.launch.plan import Plan
from subcurrent.rank import machine_probe

CELL, ROW = 4e-9, 30e-9
STAGE = {"runs": 1, "bytes_per_cell": 16.0, "flops_per_cell": 138.0, "filled": {}}
ALONE = {"advance": STAGE | {"shell": (0, 0), "core": (0, 0), "all": (8000, 400)}}
HALF = {"advance": STAGE | {"shell": (400, 20), "core": (3600, 60), "all": (0, 0)}}


def found(ranks: int, rounds: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    one = {
        "ranks": ranks,
        "threads": 1,
        "passes": 10,
        "copies": {"1": 10e9, "2": 16e9} if ranks > 1 else {"1": 12e9},
        "messages": [],
        "disk": [],
        "rounds": rounds,
        "run": 20e-6,
        "transports": "none",
        "eager_limit": None,
        "near": [],
        "cells": 8000 // ranks,
        "smaller": [],
        "per_node": ranks,
        "copied": [0, 0],
    }
    return one | more


def host(cores: int) -> dict[str, Any]:
    return {"host": "here", "cpu": "some", "cores": cores, "memory_gib": 16.0}


@pytest.fixture
def case() -> Any:
    return load_case(find_case("nickel_small"), ["engine.strategy=blocking"])


def test_two_times_give_a_rate_a_cell_and_a_rate_a_row() -> None:
    work = {"advance": {"shell": (100, 20), "core": (1000, 50), "all": (0, 0), "filled": {}}}
    seconds = {"advance": {"shell": 2 * (100 * 3e-9 + 20 * 7e-9), "core": 2 * (1000 * 3e-9 + 50 * 7e-9)}}
    cell, row = machine_file.solve_rates(work, seconds, 2)["advance"]
    assert (cell, row) == (pytest.approx(3e-9), pytest.approx(7e-9))
    all_at_once = {"shell": (0, 0), "core": (0, 0), "all": (10, 1), "filled": {}}
    alone = machine_file.solve_rates({"a": all_at_once}, {"a": {"all": 1e-6}}, 1)
    assert alone["a"] == (pytest.approx(1e-7), 0.0)
    # a shell that was measured faster than its cells: rows would take less than nothing
    odd = machine_file.solve_rates(work, {"advance": {"shell": 1e-9, "core": 1e-6}}, 1)["advance"]
    assert odd == (pytest.approx(1.001e-6 / 1100), 0.0)


def test_the_file_gives_back_what_was_measured(tmp_path: Path, case: Any) -> None:
    whole = {"advance": {"all": 10 * 8000 * CELL}}
    # rows of the shell are shorter than those of the core: else two times would not tell cells from rows
    parts = {"advance": {"shell": 10 * (400 * CELL + 20 * ROW), "core": 10 * (3600 * CELL + 60 * ROW)}}
    text = machine_file.text_of(case, [found(1, [whole] * 3), found(2, [parts] * 3)], [ALONE, HALF])
    there = loaded(tmp_path, text)
    assert there.network is None
    assert (bandwidth(there, 1), bandwidth(there, 2)) == (pytest.approx(10e9), pytest.approx(16e9))
    alone, both = there.rates["dendrite"]["advance"]
    assert (alone.cell, alone.row, alone.busy) == (pytest.approx(CELL, rel=1e-3), 0.0, 1)
    assert (both.cell, both.row, both.busy) == (
        pytest.approx(CELL, rel=1e-3),
        pytest.approx(ROW, rel=1e-3),
        2,
    )
    assert both.spread == 0
    assert there.engine.run == pytest.approx(20e-6)
    assert there.node.core_flops == pytest.approx(138 / CELL, rel=1e-3)


def test_fewer_cells_have_rates_of_their_own(tmp_path: Path, case: Any) -> None:
    """An eighth of the cells, in the caches, three times as fast; prediction between the two."""
    whole, eighth = {"advance": {"all": 10 * 8000 * CELL}}, {"advance": {"all": 40 * 1000 * CELL / 3}}
    smaller = {"size": [10, 10, 10], "cells": 1000, "passes": 40, "rounds": [eighth] * 3}
    small = {"advance": ALONE["advance"] | {"all": (1000, 100)}}
    one = found(1, [whole] * 3, smaller=[smaller])
    there = loaded(tmp_path, machine_file.text_of(case, [one], [ALONE, small]))
    of = {rate.cells: rate.cell for rate in there.rates["dendrite"]["advance"]}
    assert of == {8000: pytest.approx(CELL, rel=1e-3), 1000: pytest.approx(CELL / 3, rel=1e-3)}
    where = places(there, 1, 1)
    ((cell, _),) = figures(there, "dendrite", where, 1e-3, Share(8000 / 8**0.5, 0))["rates"]["advance"]
    assert cell == pytest.approx(2 / 3 * CELL, rel=1e-3)


def test_copies_in_caches_become_tables(tmp_path: Path, case: Any) -> None:
    """Of both layouts; with one core busy that of all ranks counts, as for copies in memory."""
    rounds = [{"advance": {"all": 10 * 8000 * CELL}}] * 3
    alone = found(1, rounds, near=[[65536, 1, 70e9]])
    both = found(2, rounds, near=[[65536, 1, 80e9], [65536, 2, 60e9]])
    there = loaded(tmp_path, machine_file.text_of(case, [alone, both], [ALONE, ALONE]))
    assert [bandwidth(there, busy, 65536) for busy in (1, 2)] == [80e9, 120e9]
    assert bandwidth(there, 2) == 16e9


def test_boundary_conditions_have_rates_by_field(tmp_path: Path, case: Any) -> None:
    """Two stages fill u, one of them v with it. The fields of a stage share its time by their cells."""
    nothing = STAGE | {"shell": (0, 0), "core": (0, 0), "all": (0, 0), "flops_per_cell": 0.0}
    work = {
        "u (boundary)": nothing | {"runs": 0, "filled": {"advance": 300, "flux": 100}},
        "v (boundary)": nothing | {"runs": 0, "filled": {"advance": 100}},
    }
    rounds = [
        {
            "advance": {"all": 1e-3, "boundary": 10 * 400 * 2e-9 * factor},
            "flux": {"boundary": 10 * 100 * 6e-9},
        }
        for factor in (1.0, 1.0, 1.5)
    ]
    there = loaded(tmp_path, machine_file.text_of(case, [found(1, rounds)], [ALONE | work]))
    (u,), (v,) = (there.rates["dendrite"][f"{name} (boundary)"] for name in "uv")
    assert (u.cell, v.cell) == (pytest.approx((300 * 2e-9 + 100 * 6e-9) / 400), pytest.approx(2e-9))
    assert v.spread == pytest.approx(0.5)
    assert there.engine.run == pytest.approx(20e-6)  # they are no runs of their own


def test_scatter_is_carried_along(tmp_path: Path, case: Any) -> None:
    rounds = [{"advance": {"all": 10 * 8000 * CELL * factor}} for factor in (1.0, 1.1, 1.3)]
    there = loaded(tmp_path, machine_file.text_of(case, [found(1, rounds)], [ALONE]))
    (rate,) = there.rates["dendrite"]["advance"]
    assert rate.cell == pytest.approx(1.1 * CELL, rel=1e-3)
    assert rate.spread == pytest.approx(0.3 / 1.1, rel=1e-2)


def test_scatter_between_cells_and_rows_is_not_one_of_the_time(tmp_path: Path, case: Any) -> None:
    # The second round's time lies in rows, the first's in cells: rates a cell far apart, times alike.
    shares = ((CELL, 0.0), (CELL / 1000, 20 * (1 - 1 / 1000) * CELL), (CELL / 1000, 20 * CELL))
    rounds = [
        {"advance": {"shell": 10 * (400 * c + 20 * r), "core": 10 * (3600 * c + 60 * r)}} for c, r in shares
    ]
    there = loaded(tmp_path, machine_file.text_of(case, [found(2, rounds)], [HALF]))
    (rate,) = there.rates["dendrite"]["advance"]
    seconds = [sum(one["advance"].values()) for one in rounds]
    assert rate.spread == pytest.approx((max(seconds) - min(seconds)) / sorted(seconds)[1], rel=1e-2)


def test_messages_disk_and_loaded_cores_scatter_too(tmp_path: Path, case: Any) -> None:
    """The larger scatter of both sizes of messages, and of the three rates of the disk."""
    parts = {"advance": {"shell": 20 * (400 * CELL + 20 * ROW), "core": 20 * (3600 * CELL + 60 * ROW)}}
    sizes = ("4096", str(1 << 20))
    times = [dict(zip(sizes, one, strict=True)) for one in ((1e-4, 9e-3), (1.2e-4, 1e-2), (1.1e-4, 1e-2))]
    disk = [[2e9, 1e9, 2e9, 0.5], [2e9, 1e9, 1e9, 0.7], [2e9, 1.25e9, 2e9, 0.6]]
    both = found(2, [parts] * 3, messages=times, disk=disk, transports="mpi: ranks 0-1", per_node=2)
    alone = found(1, [{"advance": {"all": 10 * 8000 * CELL}}] * 3)
    there = loaded(tmp_path, machine_file.text_of(case, [alone, both], [ALONE, HALF]))
    assert there.network.spread == pytest.approx(0.2 / 1.1, rel=1e-2)
    assert there.disk.spread == pytest.approx(1.0, rel=1e-2)
    assert (there.disk.read, there.disk.write, there.disk.computing) == (2e9, 1e9, 0.6)
    assert there.node.core_flops == pytest.approx(138 / CELL, rel=1e-3)
    assert there.node.busy_flops == pytest.approx(138 / CELL / 2, rel=1e-3)


def test_a_round_that_the_machine_halted_leaves_a_file_that_is_read(tmp_path: Path, case: Any) -> None:
    rounds = [{"advance": {"all": 10 * 8000 * CELL * factor}} for factor in (1.0, 1.0, 200.0)]
    (rate,) = loaded(tmp_path, machine_file.text_of(case, [found(1, rounds)], [ALONE])).rates["dendrite"][
        "advance"
    ]
    assert rate.spread == 10


def test_messages_by_mpi_become_a_network(tmp_path: Path, case: Any) -> None:
    byte, fixed = 1 / 12.5e6, 200e-6
    times = {str(size): fixed + 2 * size * byte for size in (4096, 1 << 20)}
    whole = {"advance": {"all": 10 * 8000 * CELL}}
    text = machine_file.text_of(
        case, [found(2, [whole] * 3, messages=[times] * 3, transports="mpi: ranks 0-1", per_node=1)], [ALONE]
    )
    there = loaded(tmp_path, text)
    assert there.rates["dendrite"]["advance"][0].busy == 1
    of = figures(there, "dendrite", places(there, 2, 1, 1), 1e-3)
    # a round of two messages each way takes what it took
    for size in (4096, 1 << 20):
        taken = 4 * of["overhead"] + of["latency"] + 2 * size * of["network_byte"]
        assert taken == pytest.approx(times[str(size)], rel=1e-2)
    assert there.network.bandwidth == pytest.approx(12.5e6, rel=1e-3)
    assert there.network.eager_limit is None
    more = {"messages": [times], "transports": "mpi: ranks 0-1", "per_node": 1, "eager_limit": 65411}
    there = loaded(tmp_path, machine_file.text_of(case, [found(2, [whole] * 3, **more)], [ALONE]))
    assert there.network.eager_limit == 65411


def test_the_disk_of_fields_in_files_becomes_a_table(
    tmp_path: Path, case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_file.machine, "describe", lambda: host(2))
    one = [{"advance": {"all": 10 * 8000 * CELL}}] * 2
    there = loaded(
        tmp_path, machine_file.text_of(case, [found(1, one, disk=[[2e9, 1.5e9, 3e9, 0.6]])], [ALONE])
    )
    assert (there.disk.read, there.disk.write, there.disk.both) == (2e9, 1.5e9, 3e9)
    assert (there.disk.computing, there.disk.awaited) == (0.6, 1)
    # 1 GB in and 0.75 GB out in ten passes at full speed would take 10 s.
    slow = [one[0] | {"files in": {"start": 12.0, "wait": 3.0}, "files out": {"start": 5.0}}] * 2
    measured = found(1, slow, disk=[[2e9, 1.5e9, 3e9, 0.6]], copied=[1e9, 0.75e9])
    assert loaded(tmp_path, machine_file.text_of(case, [measured], [ALONE])).disk.awaited == 0.5
    there = loaded(tmp_path, machine_file.text_of(case, [found(1, one, disk=[])], [ALONE]))
    assert there.disk is None


def test_ranks_of_other_nodes_are_not_cores_of_this_one(
    tmp_path: Path, case: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Four ranks on two nodes of two cores."""
    monkeypatch.setattr(machine_file.machine, "describe", lambda: host(2))
    parts = {"advance": {"shell": 10 * (400 * CELL + 20 * ROW), "core": 10 * (3600 * CELL + 60 * ROW)}}
    times = {"4096": 1e-4, str(1 << 20): 1e-2}
    one = found(4, [parts] * 3, messages=[times] * 3, transports="mpi: ranks 0-3", per_node=2)
    there = loaded(tmp_path, machine_file.text_of(case, [one], [HALF]))
    assert (there.node.cores, there.node.copy_bandwidth) == (2, 16e9)
    assert there.rates["dendrite"]["advance"][0].busy == 2
    assert places(there, 4, 1).nodes == 2


def test_copies_are_those_of_the_ranks_of_a_node(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What rank 0 of four on two nodes writes."""
    monkeypatch.setattr(machine_probe, "ranks_here", lambda ranks: ranks // 2)
    for name in ("_solver", "_tiny", "_round"):
        monkeypatch.setattr(machine_probe, name, lambda *_: None)
    case = load_case(find_case("nickel_small"), ["engine.strategy=blocking", "engine.threads=3"])
    plan = Plan("machine", as_tables(case), str(tmp_path), 4, steps=1, repeats=1)
    context = SimpleNamespace(
        rank=0, size=4, sample=lambda *_: None, barrier=lambda: None, transports=lambda: "mpi"
    )
    module = SimpleNamespace(
        copy_rate=lambda threads, size: threads * (1e9 if size == machine_probe.IN_MEMORY else 4e9),
        wait_curve=lambda *_: [],
        eager_limit=lambda _: 4064,
    )
    assert machine_probe.measure_machine(module, context, plan, lambda: None) == 0
    told = json.loads((tmp_path / "machine.json").read_text())
    assert told["copies"] == {"1": 1e9, "6": 6e9}
    assert told["near"] == [[size, busy, 4e9] for size in machine_probe.NEAR for busy in (1, 6)]
    assert told["per_node"] == 2
    assert told["eager_limit"] == 4064


@pytest.mark.parametrize(("cores", "said"), [(2, ""), (64, "at most 2 of 64 cores were busy")])
def test_a_probe_of_few_cores_says_so(
    tmp_path: Path, case: Any, monkeypatch: pytest.MonkeyPatch, cores: int, said: str
) -> None:
    monkeypatch.setattr(machine_file.machine, "describe", lambda: host(cores))
    monkeypatch.setattr(machine_file, "rehearsed", lambda *_: [HALF])
    parts = {"advance": {"shell": 10 * (400 * CELL + 20 * ROW), "core": 10 * (3600 * CELL + 60 * ROW)}}
    console = Console(file=io.StringIO())
    request = machine_file.FileRequest("nickel_small", tmp_path / "here.toml")
    machine_file._write(request, case, [found(2, [parts] * 3)], console)
    assert said in console.file.getvalue()
    assert ("busy" in console.file.getvalue()) == bool(said)


@pytest.mark.mpi
def test_probe_under_an_outer_mpirun(program: Any) -> None:
    """Ranks of the user's mpirun measure; one of them writes the file, which a prediction then reads."""
    sets = ("--set", "grid.cells=[24,24,32]", "--set", "engine.transport=mpi")
    words = ("probe", "nickel_small", "--machine-file", "here.toml", "--steps", "2", *sets)
    done = program.as_ranks(2, *words)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("machine file: here.toml") == 1
    there = load_machine(program.folder / "here.toml")
    (rate, *smaller) = there.rates["dendrite"]["advance"]
    assert (rate.busy, rate.cells) == (2, 24 * 24 * 16)
    assert all(one.busy == 2 for one in smaller), "no rank was alone"
    assert there.network is not None and there.network.bandwidth > 0
    assert sorted(path.name for path in program.folder.iterdir()) == ["here.toml"]
    told = program.ok("predict", "nickel_small", "--machine", "here.toml", "-n", "2", *sets[:2])
    assert "nickel_small" in told.stdout or "dendrite" in told.stdout
    again = program.as_ranks(2, *words)
    assert again.returncode != 0 and "here.toml exists already" in again.stderr
