# SPDX-License-Identifier: Apache-2.0
"""Machine files: all that come along are sound, what is wrong is one sentence."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from described_machine import SMALL, written
from subcurrent.errors import BadInput
from subcurrent.foresight import machines


@pytest.mark.parametrize("name", machines.shipped())
def test_every_machine_that_comes_along_is_sound(name: str) -> None:
    machine = machines.load_machine(name)
    assert machine.about
    assert machine.launch is not None
    text = machines.find_machine(name).read_text()
    for line in text.splitlines():  # each figure of it has its source beside it, or above it as a whole
        if re.match(r"(copy_bandwidth|latency|bandwidth|flops|core_flops|core_bandwidth|per_node)\s*=", line):
            section = text[: text.index(line)].rpartition("[")[2]
            assert "#" in line or "#" in section.partition("\n")[0], f"{name}: {line}"


@pytest.mark.parametrize("name", machines.shipped())
def test_what_is_calibrated_says_on_what(name: str) -> None:
    """A printed number, beside it or above its section."""
    section = ""
    for line in machines.find_machine(name).read_text().splitlines():
        section = section + line if line.startswith("#") else section if line else ""
        said = line.partition("#")[2]
        if "calibrat" in said:
            row = r"calibrat.*\d+ ?(%|s\b|times|TFLOPS)"
            assert re.search(row, said) or re.search(row, section), line


def test_there_are_the_papers_machines_and_six_of_today() -> None:
    papers = {"rs6000_sp", "pentium_cluster", "fx10", "xc30", "workstations", "ews4800", "sx_aurora"}
    today = {"azure_hbv2", "azure_hbv3", "azure_hbv4", "azure_hbv5", "fugaku", "alps_gh200"}
    assert papers | today <= set(machines.shipped())


# Keys of [network], and tables that a file may have besides.
KEYS = [
    ("eager_limit = -1", "network.eager_limit = -1 is not allowed: it must be bytes from 0 to 1e12."),
    (
        'kind = "fat_tree"\nshape = [4]\ntrunks = [2]',
        'network.shape = [4] is not allowed with network.kind = "fat_tree": it must have 2 numbers.',
    ),
    (
        'kind = "torus"',
        'network.shape = [] is not allowed with network.kind = "torus": it must have 1 to 6 numbers.',
    ),
    (
        'kind = "torus"\nshape = [4, 4]\ntrunks = [1]',
        'network.trunks = [1] is not allowed with network.kind = "torus": it must be left out.',
    ),
    ("shape = [4, 4]", 'network.shape = [4, 4] is not allowed with network.kind = "switch"'),
    ("hop = 1e-7", "network.hop = 1e-07 is not allowed: a switch has no such links."),
    (
        'kind = "bus"\nshape = [4, 2]\nhop = 1e-7',
        "network.hop = 1e-07 is not allowed: a bus has no such links.",
    ),
    (
        'kind = "bus"\nshape = [4]',
        'network.shape = [4] is not allowed with network.kind = "bus": it must have 0 or 2 numbers.',
    ),
    (
        'kind = "bus"\nbackbone = 1e6',
        "network.backbone is not allowed: only a bus in segments has it, which has a shape.",
    ),
    (
        'kind = "fat_tree"\nshape = [4, 2]\ntrunks = [1]\nplacement = "cyclic"',
        "network.placement is not allowed: only a bus in segments has it, which has a shape.",
    ),
    (
        'kind = "bus"\nshape = [4, 2]\nbackbone = 10',
        "network.backbone = 10 is not allowed: it must be bytes/s from 1000 to 1e13.",
    ),
    ('kind = "torus"\nshape = [4, 0]', "network.shape[1] = 0 is not allowed"),
    (
        'kind = "torus"\nshape = [1000, 1000, 2]',
        "network.shape = [1000, 1000, 2] is not allowed: it must have at most 1000000 nodes.",
    ),
    (
        'kind = "dragonfly"\nshape = [9, 2, 4, 4]\ntrunks = [1, 1, 1]',
        "a dragonfly must have at most as many groups as a group has switches, 8",
    ),
]
TABLES = [
    (
        "[[rates.dendrite.advance]]\ncell = -1",
        "rates.dendrite.advance.cell = -1 is not allowed: it must be seconds from 0 to 1.",
    ),
    (
        "[[rates.dendrite.advance]]\ncell = 1e-9\nbusy = 9",
        "rates.dendrite.advance has busy = 9: it must be at most node.cores = 8",
    ),
    (
        "[[rates.dendrite.advance]]\ncell = 1e-9\ncells = 0",
        "rates.dendrite.advance.cells = 0 is not allowed: it must be a whole number from 1 to 10^15.",
    ),
    (
        "[[rates.dendrite.advance]]\ncell = 1e-9\ncells = 8\n[[rates.dendrite.advance]]\ncell = 1e-9",
        "rates.dendrite.advance.cells is missing in some of its tables: it must be in all or in none.",
    ),
    (
        "[[node.copies]]\nbytes = 1e6\nbandwidth = 1e9\nbusy = 9",
        "node.copies.busy = 9 is not allowed: it must be at most node.cores = 8.",
    ),
    (
        "[[node.copies]]\nbytes = 1e6\nbandwidth = 10",
        "node.copies[0].bandwidth = 10 is not allowed: node.copies.bandwidth must be bytes/s from 1e5",
    ),
    (
        "[[node.copies]]\nbytes = 1e6",
        "node.copies[0].bandwidth is missing: it must be bytes/s from 1e5 to 1e14.",
    ),
    (
        "[[node.copies]]\nbytes = 1e6\nbandwith = 1e9",
        "node.copies[0].bandwith is not a known key, did you mean node.copies[0].bandwidth",
    ),
    (
        "[disk]\nread = 1e9\nwrite = 1e9\ncomputing = 1.5",
        "disk.computing = 1.5 is not allowed: it must be a number from 0.01 to 1.",
    ),
    (
        "[[rates.dendritte.advance]]\ncell = 1e-9",
        "rates.dendritte is not known, did you mean rates.dendrite: a solver is one of cavity,",
    ),
    ("[rates]\ndendrite = 3", "rates.dendrite is not allowed: it must be tables"),
]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("cores = 8\n", "", "node.cores is missing: it must be a whole number from 1 to 100000."),
        (
            "copy_bandwidth = 80e9",
            "copy_bandwidth = 80",
            "node.copy_bandwidth = 80 is not allowed: it must be bytes/s",
        ),
        (
            "latency = 2e-6",
            "latency = 2000",
            "network.latency = 2000 is not allowed: it must be seconds from 1e-8 to 1.",
        ),
        ("latency = 2e-6", 'latency = "low"', 'network.latency = "low" is not allowed: it must be seconds'),
        ("links = 2", "linsk = 2", "network.linsk is not a known key, did you mean network.links"),
        (
            "core_bandwidth = 20e9",
            "core_bandwidth = 5e9",
            "node.core_bandwidth = 5e+09 is not allowed: it must be from",
        ),
        (
            'kind = "slurm"',
            'kind = "pbs"',
            'launch.kind = "pbs" is not allowed: it must be "slurm" or "mpirun".',
        ),
        (
            "latency = 2e-6",
            "latncy = 2e-6",
            "network.latncy is not a known key, did you mean network.latency",
        ),
        (
            SMALL[SMALL.index("[network]") : SMALL.index("[launch]")],
            "[gpu]\nper_node = 2\nflops = 1e12\nbandwidth = 1e12\n",
            "gpu.link is missing: without it and without a [network], messages between the 2 devices",
        ),
        *(("links = 2", f"links = 2\n{new}", said) for new, said in KEYS),
        *(("[network]", f"{new}\n[network]", said) for new, said in TABLES),
    ],
)
def test_what_is_missing_or_absurd_is_one_sentence(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert SMALL.count(old) >= 1
    with pytest.raises(BadInput) as error:
        machines.load_machine(written(tmp_path, SMALL.replace(old, new, 1)))
    assert said in error.value.sentence
    assert "machine.toml" in error.value.sentence
    assert "\n" not in error.value.sentence
