# SPDX-License-Identifier: Apache-2.0
"""Machine files for the tests of predictions and jobs."""

from pathlib import Path

from subcurrent.foresight.machine_keys import Machine
from subcurrent.foresight.machines import load_machine

SMALL = """
name = "a machine"
[node]
cores = 8
copy_bandwidth = 80e9
core_bandwidth = 20e9
core_flops = 2e9
memory = 16e9
[network]
latency = 2e-6
bandwidth = 10e9
links = 2
overhead = 1e-6
[launch]
kind = "slurm"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "machine.toml"
    path.write_text(text)
    return path


def loaded(folder: Path, text: str = SMALL) -> Machine:
    return load_machine(written(folder, text))
