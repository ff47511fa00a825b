# SPDX-License-Identifier: Apache-2.0
"""Figures of a rank of a described machine: what it shares with others of its node, and with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from described_machine import SMALL, loaded
from subcurrent.errors import BadInput
from subcurrent.foresight.machine_figures import (
    Share,
    at_end,
    bandwidth,
    core_flops,
    figures,
    places,
    rate_of,
    reduction,
    without,
)
from subcurrent.foresight.machine_keys import Rate
from subcurrent.foresight.machines import load_machine


def test_cores_share_the_memory_of_their_node(tmp_path: Path) -> None:
    machine = loaded(tmp_path)
    assert [bandwidth(machine, busy) for busy in (1, 2, 4, 8)] == [20e9, 40e9, 80e9, 80e9]
    where = places(machine, 16, 2)
    assert (where.per_node, where.nodes, where.on_node, where.busy) == (4, 4, 4, 8)
    of = figures(machine, "dendrite", where, 1e-3)
    assert of["byte"] == [1 / 10e9, 1 / 20e9]
    assert of["flop"] == [1 / 2e9, 1 / 4e9]
    assert of["network_byte"] == pytest.approx(4 / (2 * 10e9))  # four ranks on two links
    assert of["reduction"] == pytest.approx(2 * 2 * 0.2e-6 + 2 * 2 * (2e-6 + 2e-6))
    assert reduction(machine, places(machine, 1, 1)) == 0


def test_arrays_in_caches_are_copied_faster(tmp_path: Path) -> None:
    """Between two sizes, and between the largest of them and memory, linear in the logarithm."""
    tables = "".join(
        f"[[node.copies]]\nbytes = {size}\nbandwidth = {rate}\nbusy = {busy}\n"
        for size, rate, busy in ((2**16, 80e9, 1), (2**20, 40e9, 1), (2**16, 60e9, 4), (2**20, 30e9, 4))
    )
    machine = loaded(tmp_path, SMALL.replace("[network]", tables + "[network]"))
    assert [bandwidth(machine, 1, size) for size in (1, 2**16, 2**18, 2**20)] == [80e9, 80e9, 60e9, 40e9]
    assert bandwidth(machine, 1, 2**24) == pytest.approx(30e9)  # halfway to memory, 20e9 at 2^28
    assert [bandwidth(machine, 1, size) for size in (2**28, 2**40)] == [20e9, 20e9]
    assert bandwidth(machine, 4, 2**16) == 4 * 60e9
    assert bandwidth(machine, 3, 2**16) == pytest.approx(3 * (80e9 + 2 / 3 * (60e9 - 80e9)))
    assert bandwidth(machine, 1) == 20e9
    where = places(machine, 1, 2)
    of = figures(machine, "dendrite", where, 1e-3, Share(1000, 2**21))
    # two threads: the arrays of each are half as large; one thread works on all of them
    rates = [bandwidth(machine, 2, 2**21) / 2, bandwidth(machine, 2, 2**20)]
    assert [1 / byte for byte in of["byte"]] == pytest.approx(rates)
    assert of["copied_byte"] == figures(machine, "dendrite", where, 1e-3)["copied_byte"]


def test_on_a_bus_all_ranks_share_one_link(tmp_path: Path) -> None:
    bus = SMALL.replace("links = 2", 'links = 2\nkind = "bus"')
    machine = loaded(tmp_path, bus)
    assert figures(machine, "cavity", places(machine, 16, 2), 1e-3)["network_byte"] == pytest.approx(
        16 / 10e9
    )


def test_other_topologies_are_predicted_as_a_switch(tmp_path: Path) -> None:
    switch = loaded(tmp_path)
    tree = SMALL.replace(
        "links = 2", 'links = 2\nkind = "fat_tree"\nshape = [2, 2]\ntrunks = [1]\nhop = 1e-7'
    )
    machine = loaded(tmp_path, tree)
    four = [figures(m, "cavity", places(m, 16, 2), 1e-3) for m in (switch, machine)]
    assert four[0] == four[1]
    with pytest.raises(
        BadInput, match=r"20 ranks need 5 nodes, and network.shape = \[2, 2\] of a machine has 4."
    ):
        places(machine, 20, 2)


def test_a_device_sends_through_its_host() -> None:
    machine = load_machine("tsubame_1_2")
    of = figures(machine, "dendrite", places(machine, 16, 1), 1e-3)
    # paper, figure 7: link, copies and messages take the same time, a byte out and a byte in
    assert of["network_byte"] == pytest.approx(3 * 2 * 2 / 1.5e9)
    assert of["rates"]["advance"] == [[pytest.approx(373 / 125e9), 0.0]]


def test_rates_lie_between_the_measured_loads() -> None:
    rates = [Rate(cell=1e-9, row=1e-8, busy=1), Rate(cell=3e-9, row=1e-8, busy=5)]
    assert rate_of(rates, 1, 3) == [pytest.approx(2e-9), pytest.approx(1e-8)]
    assert rate_of(rates, 1, 9)[0] == pytest.approx(3e-9)
    assert rate_of(rates, 2, 1)[0] == pytest.approx(0.5e-9)


def test_rates_lie_between_the_measured_numbers_of_cells() -> None:
    """At each load of the node by itself: what fits into the caches with one busy core need not with two."""
    alone = [Rate(cell=1e-9, busy=1, cells=1000), Rate(cell=3e-9, row=8e-9, busy=1, cells=64_000)]
    both = [Rate(cell=2e-9, busy=2, cells=500), Rate(cell=8e-9, busy=2, cells=32_000)]
    rates = [*alone, *both]
    assert rate_of(rates, 1, 1, 8000) == [pytest.approx(2e-9), pytest.approx(4e-9)]  # halfway: 8 = sqrt(64)
    assert [rate_of(rates, 1, 1, cells)[0] for cells in (10, 1000, 64_000, 1e9)] == [1e-9, 1e-9, 3e-9, 3e-9]
    assert rate_of(rates, 1, 2, 4000)[0] == pytest.approx(5e-9)
    assert rate_of(rates, 1, 2, 32_000)[0] == 8e-9
    assert rate_of(rates, 1, 1)[0] == 3e-9  # an unknown number counts as large
    assert rate_of([Rate(cell=7e-9)], 1, 1, 10)[0] == 7e-9


def test_what_scattered_has_two_ends(tmp_path: Path) -> None:
    """Each figure by its own scatter, of which more than its median counts as that."""
    more = "[disk]\nread = 1e9\nwrite = 2e9\nspread = 3\n[[rates.wave.step]]\ncell = 2e-9\nspread = 0.1\n"
    text = SMALL.replace("overhead = 1e-6", "overhead = 1e-6\nspread = 0.4").replace(
        "[launch]", more + "[launch]"
    )
    machine = loaded(tmp_path, text)
    slow, fast = at_end(machine, 1), at_end(machine, -1)
    for there, wire, disk, cell in ((slow, 1.2, 1.5, 1.05), (fast, 0.8, 0.5, 0.95)):
        network = there.network
        assert (network.latency, network.overhead) == (pytest.approx(2e-6 * wire), pytest.approx(1e-6 * wire))
        assert network.bandwidth == pytest.approx(10e9 / wire)
        assert (there.disk.read, there.disk.write) == (pytest.approx(1e9 / disk), pytest.approx(2e9 / disk))
        assert there.disk.both is None
        assert there.rates["wave"]["step"][0].cell == pytest.approx(2e-9 * cell)
    plain = loaded(tmp_path)
    assert at_end(plain, 1) == plain


def test_operations_of_a_core_depend_on_the_load_of_the_node(tmp_path: Path) -> None:
    given = SMALL.replace("core_flops = 2e9", "core_flops = 2e9\nbusy_flops = 1.3e9")
    machine = loaded(tmp_path, given)
    assert [core_flops(machine, busy) for busy in (1, 4, 8)] == [2e9, pytest.approx(1.7e9), 1.3e9]
    of = figures(machine, "dendrite", places(machine, 2, 4), 1e-3)
    assert of["flop"] == [pytest.approx(1 / (1.3e9 * threads)) for threads in (1, 2, 3, 4)]
    plain = loaded(tmp_path)
    assert {core_flops(plain, busy) for busy in range(1, 9)} == {2e9}
    with pytest.raises(BadInput, match=r"node.busy_flops = 3e\+09 is not allowed: it must be at most"):
        loaded(tmp_path, given.replace("1.3e9", "3e9"))


def test_without_something_the_rest_stays(tmp_path: Path) -> None:
    machine = loaded(tmp_path)
    of = figures(machine, "dendrite", places(machine, 16, 2), 1e-3)
    assert without(of, "computing") == of | {"byte": [0, 0], "flop": [0, 0]}
    bytes_of = ("network_byte", "backbone_byte", "node_byte", "copied_byte", "reduction_byte")
    assert without(of, "bandwidth") == of | dict.fromkeys(bytes_of, 0)
    assert without(of, "latency")["network_byte"] == of["network_byte"]
    assert without(of, "latency")["latency"] == 0


def test_large_messages_ask_before_they_leave(tmp_path: Path) -> None:
    """Without latency none waits for an answer."""
    limited = SMALL.replace("links = 2", "links = 2\neager_limit = 8192")
    machine = loaded(tmp_path, limited)
    of = figures(machine, "dendrite", places(machine, 16, 2), 1e-3)
    assert of["eager_limit"] == 8192
    unlimited = loaded(tmp_path)
    assert figures(unlimited, "dendrite", places(unlimited, 16, 2), 1e-3)["eager_limit"] > 1e18
    assert without(of, "latency")["eager_limit"] > 1e18
    assert without(of, "bandwidth")["eager_limit"] == 8192
