# SPDX-License-Identifier: Apache-2.0
"""Cases of all solvers whose memory tests compare."""

import json

from subcurrent.case.reading import typed_case

MIB = 2**20
CAVITY = {"solver": "cavity", "flow": {"reynolds": 100}}
OUTFLOW = CAVITY | {
    "grid": {"size": [3, 1, 1]},
    "boundaries": {"x-": {"inflow": [1.0, 0.0, 0.0]}, "x+": "outflow", "z+": "slip"},
}
DENDRITE = {"solver": "dendrite"}
PASSES_OF_4 = {"run": {"steps": 8}, "engine": {"steps_per_pass": 4}}
PASSES = DENDRITE | PASSES_OF_4
TURBULENCE = {"solver": "turbulence", "flow": {"reynolds": 100}, "scheme": {"dt": 1e-3}}
SCALAR = TURBULENCE | {"scalar": {"schmidt": 1.0, "gradient": [0.0, 0.0, 1.0]}}
COMPRESSIBLE = {"solver": "compressible"}
# Two steps, if nothing else is said.
CASES = {
    "cavity": CAVITY,
    "cavity, skewed, jacobi, single": CAVITY
    | {
        "flow": {"reynolds": 100, "precision": "single"},
        "grid": {"clustering": "skewed", "metrics": "fourth"},
        "pressure": {"method": "jacobi", "iterations": 3},
    },
    "cavity, passes": CAVITY | {"pressure": {"sweeps_per_pass": 8}},
    "cavity, periodic, passes": CAVITY
    | {
        "boundaries": dict.fromkeys(("x-", "x+", "y-", "y+"), "periodic"),
        "pressure": {"sweeps_per_pass": 8},
    },
    "cavity, outflow": OUTFLOW,
    "cavity, outflow, second order, averages": OUTFLOW
    | {"run": {"steps": 2, "order": 2}, "output": {"average_from": 0.0}},
    "cavity, given pressure": CAVITY | {"boundaries": {"x-": {"pressure": 1.0}, "x+": {"pressure": 0.0}}},
    "magnetosphere": {
        "solver": "magnetosphere",
        "plasma": {"initial": "blast"},
        "grid": {"spacing": 0.01},
    },
    "magnetosphere, passes": {
        "solver": "magnetosphere",
        "plasma": {"initial": "blast"},
        "grid": {"spacing": 0.01},
    }
    | PASSES_OF_4,
    "wave, passes": {"solver": "wave"} | PASSES_OF_4,
    "dendrite": DENDRITE,
    "dendrite, turned, double": DENDRITE | {"start": {"precision": "double"}, "seeds": [{"angle": 30.0}]},
    "dendrite, passes": PASSES,
    "dendrite, passes in files": PASSES
    | {
        "boundaries": {"z-": "periodic", "z+": "periodic"},
        "engine": {"steps_per_pass": 4, "strategy": "boundary_first"},
        "storage": {"place": "files", "pieces": 2},
        "output": {"history_every": 8},
    },
    "dendrite, fourth order, passes": PASSES | {"scheme": {"divergence": "fourth"}},
    "turbulence": TURBULENCE,
    "turbulence, phase shift, single": TURBULENCE
    | {"scheme": {"dt": 1e-3, "precision": "single", "dealiasing": "phase_shift"}},
    "turbulence, a scalar": SCALAR,
    "turbulence, a scalar, divergence form": SCALAR | {"scheme": {"dt": 1e-3, "form": "divergence"}},
    "compressible, filtered": COMPRESSIBLE | {"scheme": {"filter": 0.45}, "gas": {"viscosity": 0.01}},
    "compressible, single": COMPRESSIBLE | {"scheme": {"precision": "single"}},
}


def case_of(name: str, count: int):
    tables = {"grid": {}, "run": {"steps": 2}} | json.loads(json.dumps(CASES[name]))
    tables["grid"]["cells" if tables["solver"] in ("dendrite", "wave") else "points"] = [count] * 3
    return tables, typed_case(tables, None)
