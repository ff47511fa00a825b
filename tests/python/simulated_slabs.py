# SPDX-License-Identifier: Apache-2.0
"""Slabs of the dendrite on a machine of which everything is known, for tests of `predict --simulate`."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from described_machine import loaded
from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import simulate

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
    return loaded(folder, text)


def slabs(ranks: int, depth: int = 16) -> Any:
    """Slabs along z, between walls."""
    sets = [f"grid.cells=[{SIDE},{SIDE},{ranks * depth}]", f"engine.split=[1,1,{ranks}]"]
    return load_case(find_case("nickel_small"), ["engine.strategy=blocking", *sets])


def taken(case: Any, there: Any, ranks: int, per_node: int = 1) -> dict[str, float]:
    return simulate.simulated(case, there, ranks, NAMES, steps=4, per_node=per_node)
