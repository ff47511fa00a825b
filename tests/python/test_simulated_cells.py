# SPDX-License-Identifier: Apache-2.0
"""The engine itself, with real cells, on ranks that SimGrid's SMPI simulates: the sums of one rank."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from subcurrent.foresight.simulate import simulator

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("base", "plan", "grid", "field", "exec", "move", "stage", "overlap")
FOLDERS += ("move/output", "move/parcels", "move/stream", "move/transport")
APART = ("samples.cpp", "slab_stream.cpp", "trials.cpp")  # names as in other files of their folders
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
<cluster id="machine" prefix="node-" suffix="" radical="0-63" speed="1Gf" bw="1e9Bps" lat="1e-6s"/>
</platform>
"""
# A call of MPI_Test takes simulated time, so that waiting for a message ends.
SETTINGS = ("simulate-computation:no", "host-speed:1Gf", "wtime:0", "test:1e-7", "grow-injected-times:no")
STRATEGIES = ["blocking", "ordered", "boundary_first", "interior_first", "pipelined", "automatic"]
needs_simgrid = pytest.mark.skipif(
    shutil.which("smpicxx") is None or shutil.which("smpirun") is None,
    reason="SimGrid is not installed: no cells are computed on simulated ranks",
)


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    """Compiled without optimisation, the sources of a folder together: two minutes instead of several."""
    folder = tmp_path_factory.mktemp("cells")
    flags = ["-std=c++20", "-O0", "-fopenmp", "-fno-trapping-math", "-fno-math-errno", "-ffp-contract=off"]
    compiler = [simulator().compiler, *flags, f"-I{ROOT}"]
    objects = []
    for part in FOLDERS:
        together = folder / f"{part.replace('/', '_')}.cpp"
        sources = sorted((ROOT / "engine" / part).glob("*.cpp"))
        lines = [f'#include "{source}"\n' for source in sources if source.name not in APART]
        together.write_text("".join(lines))
        for source in (together, *(one for one in sources if one.name in APART)):
            objects.append(str(folder / f"{source.stem}.o"))
            subprocess.run([*compiler, "-c", str(source), "-o", objects[-1]], check=True)
    made = folder / "cells"
    source = ROOT / "tests" / "programs" / "cells_on_ranks.cpp"
    subprocess.run([*compiler, str(source), *objects, "-o", str(made)], check=True)
    (folder / "platform.xml").write_text(PLATFORM)
    (folder / "hosts").write_text("".join(f"node-{n}\n" for n in range(64)))
    return made


def sums(program: Path, ranks: int, cells: int, steps: int) -> list[list[str]]:
    line = [simulator().run, "-np", str(ranks), "-platform", "platform.xml", "-hostfile", "hosts"]
    line += [f"--cfg=smpi/{one}" for one in SETTINGS]
    line += [str(program), str(cells), str(steps)]
    done = subprocess.run(line, check=False, capture_output=True, text=True, cwd=program.parent, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    return [said.split() for said in done.stdout.splitlines() if said.split()[0] in STRATEGIES]


@pytest.mark.long
@pytest.mark.timeout(1800)
@needs_simgrid
def test_simulated_ranks_compute_the_sums_of_one(program):
    for cells, steps, counts in ((40, 20, (2, 4)), (24, 20, (3, 8)), (24, 6, (16, 64))):
        alone = sums(program, 1, cells, steps)
        assert sorted(name for name, _ in alone) == sorted(STRATEGIES)
        assert len({value for _, value in alone}) == 1
        for ranks in counts:
            assert sums(program, ranks, cells, steps) == alone, ranks
