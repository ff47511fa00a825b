# SPDX-License-Identifier: Apache-2.0
"""Simulated networks: what shares a link, each link on the way, and how a network is described."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from simulated_slabs import FACE, SIDE, machine, needs_simgrid, slabs, taken
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import predict, simulate
from subcurrent.foresight.machine_figures import places


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
TWO = 'kind = "bus"\nshape = [2, 2]'


def bus(folder: Path, said: str) -> Any:
    return machine(folder, latency=f"1e-6\n{said}", cell="1e-12")


def predicted(case: Any, there: Any, ranks: int) -> float:
    return predict.predicted(case, there, ranks, ["blocking"], per_node=1)["strategies"]["blocking"]["T"]


def simulated(case: Any, there: Any, ranks: int) -> float:
    return taken(case, there, ranks)["blocking"]


BOTH = pytest.mark.parametrize("seconds", [predicted, pytest.param(simulated, marks=needs_simgrid)])


@BOTH
@pytest.mark.parametrize(
    ("said", "faces", "edges"),
    [
        # all of 4 faces along z, 4 of a quarter of the size along y, 4 edges
        ('kind = "bus"', 5, 4),
        # neighbours along z are on a segment: it carries their 2 faces, and what crosses
        (f'{TWO}\nplacement = "cyclic"', 3, 4),
        (f'{TWO}\nplacement = "cyclic"\nbackbone = 12.5e7', 3, 4),
        # what crosses waits for the backbone, and lets others use the rest of the segments
        (f'{TWO}\nplacement = "cyclic"\nbackbone = 1.5625e6', 8, 32),
        # neighbours along y are on a segment: 2 small faces there, 4 large ones cross
        (TWO, 4.5, 4),
        (f"{TWO}\nbackbone = 3.125e6", 16, 16),
    ],
)
def test_segments_of_a_bus_share_the_backbone_only(tmp_path, seconds, said, faces, edges):
    """Blocks of 64 x 64 x 16 cells, two along y and two along z; of edges only the phase is sent. Every
    message that crosses is on both segments."""
    sets = ["grid.cells=[64,128,32]", "engine.split=[1,2,2]", "engine.strategy=blocking"]
    here = seconds(load_case(find_case("nickel_small"), sets), bus(tmp_path, said), 4)
    assert here == pytest.approx((faces + edges / (2 * SIDE)) * WIRE, rel=0.01)


@BOTH
@pytest.mark.parametrize(("shape", "faces"), [("[6, 2]", 12), ("[3, 4]", 8)])
def test_ranks_represent_others_on_their_segments(tmp_path, seconds, shape, faces):
    """Of 12 slabs some are predicted. A segment in the middle carries the faces of its borders and of those
    to both sides, one at an end 2 less."""
    here = seconds(slabs(12), bus(tmp_path, f'kind = "bus"\nshape = {shape}'), 12)
    assert here == pytest.approx(faces * WIRE, rel=0.01)


@BOTH
@pytest.mark.parametrize("one", ["shape = [4, 1]", "shape = [4, 2]\nbackbone = 1e3"])
def test_a_bus_of_one_segment_is_a_bus(tmp_path, seconds, one):
    plain, *rest = (seconds(slabs(4), bus(tmp_path, f'kind = "bus"\n{more}'), 4) for more in ("", one))
    assert rest == [plain]


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


def test_the_network_is_described_as_the_file_has_it(tmp_path):
    there = machine(tmp_path, latency="4e-6\nlinks = 2")
    text = simulate.platform(there, places(there, 6, 1, 2), 2 / (2 * 12.5e6))
    cluster = ElementTree.fromstring(text).find("cluster").attrib
    assert cluster["radical"] == "0-2" and cluster["core"] == "2"
    assert float(cluster["bw"].removesuffix("Bps")) == pytest.approx(25e6)  # two ranks share two links
    assert float(cluster["lat"].removesuffix("s")) == pytest.approx(2e-6)  # out of a node, into another
