# SPDX-License-Identifier: Apache-2.0
"""Several sweeps a pass of the cavity's pressure, from a case file: the same bits, and what is refused."""

import re

import numpy as np
import pytest

from conftest import set_options
from snapshots import fields_in, last_snapshot
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput

TABLES = {
    "solver": "cavity",
    "flow": {"reynolds": 100},
    "grid": {"points": [26, 24, 28]},
    "run": {"steps": 3},
}
CASE = """
solver = "cavity"
flow.reynolds = 100
grid.points = [26, 24, 28]
run.steps = 3
output.figures = false
"""


def run(program, name, ranks, *sets):
    done = program.ok("run", "case.toml", "-n", ranks, "--out", name, *set_options(*sets))
    return done.stdout, fields_in(last_snapshot(program.folder / name), "velocity", "pressure")


@pytest.mark.mpi
@pytest.mark.parametrize(
    "sets",
    [
        ("pressure.method=multigrid",),
        ("pressure.method=jacobi", "pressure.check_every=5", "pressure.tolerance=1"),
        ("pressure.method=sor", "pressure.iterations=7"),
    ],
)
def test_several_sweeps_a_pass_leave_the_bits_of_single_ones(program, sets):
    program.write_case(CASE)
    _, expected = run(program, "one", 1, *sets)
    for name, device in (("passes", ()), ("device", ("engine.device=emulated",))):
        said, got = run(program, name, 2, *sets, "pressure.sweeps_per_pass=3", *device)
        for field, other in zip(got, expected, strict=True):
            assert np.array_equal(field, other), name
        sweeps, passes = map(int, re.search(r"passes: (\d+) steps in (\d+) passes", said).groups())
        assert sweeps > passes > 0


@pytest.mark.parametrize(
    ("pressure", "said"),
    [
        ({"method": "jacobi", "sweeps_per_pass": 4}, "pressure.check_every = 1"),
        ({"sweeps_per_pass": 0}, "pressure.sweeps_per_pass = 0 is not allowed"),
    ],
)
def test_what_would_not_act_is_refused(pressure, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(TABLES | {"pressure": pressure}, None)


@pytest.mark.parametrize(
    ("pressure", "clustering", "layers"),
    [
        ({}, "uniform", 2),
        ({"sweeps_per_pass": 4}, "uniform", 4),
        ({"method": "sor", "sweeps_per_pass": 2, "check_every": 9}, "uniform", 4),
        ({"method": "sor", "sweeps_per_pass": 2, "check_every": 9}, "skewed", 8),
    ],
)
def test_the_halo_holds_what_a_pass_reads(pressure, clustering, layers):
    grid = TABLES["grid"] | {"clustering": clustering} | ({"skew": 0.1} if clustering == "skewed" else {})
    case = typed_case(TABLES | {"pressure": pressure, "grid": grid}, None)
    assert case.halo() == layers
