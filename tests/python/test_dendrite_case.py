# SPDX-License-Identifier: Apache-2.0
"""Case files of the dendrite: what is completed, what is refused and how."""

import math
import re
import tomllib

import pytest

from subcurrent.case.reading import as_toml, typed_case
from subcurrent.errors import BadInput

TABLES = {"solver": "dendrite", "grid": {"cells": [8, 8, 8]}, "run": {"steps": 1}}


def test_the_resolved_case_reads_back():
    case = typed_case(TABLES | {"seeds": [{"radius": 0.1, "angle": 30.0}]}, None)
    assert typed_case(tomllib.loads(as_toml(case)), None) == case
    assert case.seeds[0].centre == pytest.approx([0.08, 0.08, 0.08])
    options = case.options()
    assert options["seeds"][0]["angle"] == pytest.approx(math.pi / 6)
    assert options["material"]["lambda"] == 0.1


@pytest.mark.parametrize(
    ("cells", "spacing"), [(9, 0.03), (12, 0.03), (14, 0.007), (10, 0.007), (18, 0.03), (11, 0.021)]
)
def test_a_crystal_may_lie_on_a_high_face(cells, spacing):
    """Also where the product or the quotient of its place is rounded up."""
    side = cells * spacing
    for centre in (side, side * (1 + 1e-11)):
        tables = {"grid": {"cells": [cells] * 3, "spacing": spacing}, "boundaries": {"x+": "symmetry"}}
        case = typed_case({**TABLES, **tables, "seeds": [{"centre": [centre, 0.0, side]}]}, None)
        assert case.seeds[0].centre[0] == centre
    with pytest.raises(BadInput, match=r"seeds\[0\].centre"):
        typed_case({**TABLES, **tables, "seeds": [{"centre": [side + 1e-6 * spacing, 0.0, 0.0]}]}, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"material": {"anisotropy": 0.07}}, "below 1/15"),
        ({"start": {"temperature": 1800.0}}, "must be below material.melting"),
        ({"boundaries": {"x-": "periodic"}}, 'needs boundaries."x+"'),
        ({"boundaries": {"x-": "symmetry"}, "seeds": [{"angle": 5.0}]}, "rotated crystal"),
        ({"seeds": [{"centre": [0.0, 0.0, 1.0]}]}, "along z"),
        ({"seeds": []}, "at least one crystal"),
        (
            {
                "grid": {"cells": [8, 8, 1]},
                "boundaries": {"z-": "periodic", "z+": "periodic"},
                "engine": {"steps_per_pass": 2},
            },
            "engine.steps_per_pass = 2 needs",
        ),
        (
            {
                "grid": {"cells": [8, 8, 1]},
                "boundaries": {"z-": "periodic", "z+": "periodic"},
                "scheme": {"divergence": "fourth"},
            },
            'fewer than the 2 layers of halo that scheme.divergence = "fourth" needs',
        ),
        (
            {
                "boundaries": {"z-": "periodic", "z+": "periodic"},
                "scheme": {"divergence": "fourth"},
                "engine": {"steps_per_pass": 5},
            },
            '10 layers of halo that engine.steps_per_pass = 5 with scheme.divergence = "fourth" needs',
        ),
        (
            {"scheme": {"divergence": "fourth"}, "storage": {"place": "files", "pieces": 8}},
            'scheme.divergence = "fourth" needs pieces of at least 2 planes, but storage.pieces = 8 gives 1',
        ),
        (
            {
                "scheme": {"divergence": "fourth"},
                "storage": {"place": "files", "pieces": 2},
                "engine": {"steps_per_pass": 2},
            },
            "engine.steps_per_pass = 2 needs pieces of at least 8 planes",
        ),
        ({"scheme": {"divergence": "third"}}, '"second" or "fourth"'),
        ({"run": {"steps": 1, "safety": 0.5, "dt": 1e-12}}, "give only one"),
        ({"material": {"surface_tension": 1.0}}, "surface_tension"),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(change, said):
    with pytest.raises(BadInput, match=re.escape(said)):
        typed_case(TABLES | change, None)
