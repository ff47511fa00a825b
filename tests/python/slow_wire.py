# SPDX-License-Identifier: Apache-2.0
"""A described machine of nodes with one core each, whose network is slow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from described_machine import written
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight.machines import load_machine

MACHINE = """
name = "a wire"
[node]
cores = 1
copy_bandwidth = 10e9
core_flops = 1e9
[network]
latency = 50e-6
bandwidth = 12.5e6
overhead = 5e-6
[[rates.dendrite.advance]]
cell = 20e-9
row = 50e-9
"""


def machine_file(folder: Path, *changes: tuple[str, str]) -> Path:
    text = MACHINE
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return written(folder, text)


def machine(folder: Path, *changes: tuple[str, str]) -> Any:
    return load_machine(machine_file(folder, *changes))


def dendrite(*sets: str) -> Any:
    sets = ("grid.cells=[64,64,64]", "engine.strategy=blocking", *sets)
    return load_case(find_case("nickel_small"), list(sets))
