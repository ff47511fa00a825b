# SPDX-License-Identifier: Apache-2.0
"""Cases whose fields are larger than the memory that the kernel grants them, at reduced sizes."""

import re
import sys

import pytest

from conftest import ROOT, ROOT_MAY, set_options

LIMITED = ROOT / "bench" / "limited.py"
LEFT_OUT = 77  # where no control group can be made
pytestmark = pytest.mark.mpi


def held(program, megabytes, *line):
    """What a command says in a control group that grants so much memory."""
    command = [sys.executable, str(LIMITED), "--memory", str(megabytes), *map(str, line)]
    done = program._done(command, 280, ROOT_MAY)
    if done.returncode == LEFT_OUT:
        pytest.skip(done.stderr.strip())
    return done


def test_heat_in_files_takes_less_memory_than_its_field(program):
    heat = ROOT / "cases" / "heat_out_of_core" / "heat.py"
    small = program._done([sys.executable, str(heat), "16", "4", "1", "2"], 240, ROOT_MAY)  # compiles
    assert small.returncode == 0, small.stderr
    done = held(program, 220, sys.executable, heat, 256, 16, 16, 8)
    assert done.returncode == 0, done.stderr
    assert "268 MB of temperature in files, 16 steps in 2 passes" in done.stdout, done.stdout
    assert float(re.search(r"at most (\d+) of 220 MB", done.stderr)[1]) < 268


def test_a_crystal_in_files_runs_in_less_memory_than_its_fields(program):
    """Of 268 MB."""
    sets = ("grid.cells=[128,128,512]", "run.steps=8", "output.snapshots=false", "output.figures=false")
    words = set_options(*sets)
    whole = [sys.executable, "-m", "subcurrent", "run", "nickel_out_of_core", "-n", "1", *words]
    done = held(program, 240, *whole)
    assert done.returncode == 0, done.stderr
    assert "8 steps in 2 passes, 4 a pass" in done.stdout, done.stdout
