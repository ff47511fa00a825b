# SPDX-License-Identifier: Apache-2.0
"""Case files of the compressible solver: what is refused and how."""

import pytest

from subcurrent.case.reading import as_toml, typed_case
from subcurrent.errors import BAD_INPUT, BadInput


def test_what_ranks_can_share_is_whole_blocks():
    tables = {"solver": "compressible", "grid": {"points": [16, 8, 8]}, "run": {"steps": 1}}
    case = typed_case(tables, None)
    case.check_ranks(2)
    with pytest.raises(BadInput, match="-n 3 is more ranks than this grid allows: each owns whole blocks"):
        case.check_ranks(3)
    case = typed_case(tables | {"engine": {"split": [1, 2, 1]}}, None)
    with pytest.raises(BadInput, match="asks for 2 ranks along y, where there are 1 blocks of 8 points"):
        case.check_ranks(2)


def test_the_courant_number_that_is_taken_is_written_out():
    tables = {"solver": "compressible", "grid": {"points": [16, 8, 8]}, "run": {"steps": 1}}
    case = typed_case(tables, None)
    assert "courant = 0.6" in as_toml(case)
    assert case.options()["courant"] == 0.6
    fixed = typed_case(tables, None, ["run.dt=0.01"])
    assert (fixed.run.courant, fixed.options()["dt"]) == (None, 0.01)


@pytest.mark.parametrize(
    ("sets", "said"),
    [
        (["gas.prandtl=0.9"], "gas.prandtl = 0.9 has no effect in an inviscid gas"),
        (["grid.points=[16, 7, 8]"], "grid.points[1] = 7 is not allowed"),
        (["scheme.filter=0.5"], "scheme.filter = 0.5 is not allowed: it must be a number >= 0 and below 0.5"),
        (["run.courant=1.3"], "run.courant = 1.3 is not allowed"),
        (["flow.initial=random", "flow.amplitude=0.1"], "flow.amplitude = 0.1 has no effect"),
        (
            ["flow.initial=random", "flow.peak=2.5"],
            "flow.peak = 2.5 is not allowed: with these grid.points it is at most 2.0, a quarter of",
        ),
        (
            ["storage.place=host"],
            'storage.place = "host" is not supported by this solver: it must be memory or files.',
        ),
    ],
)
def test_what_cannot_be_run_is_refused(sets, said):
    tables = {"solver": "compressible", "grid": {"points": [16, 8, 8]}, "run": {"steps": 1}}
    with pytest.raises(BadInput) as caught:
        typed_case(tables, None, sets)
    assert said in caught.value.sentence
    assert caught.value.exit_code == BAD_INPUT
