# SPDX-License-Identifier: Apache-2.0
"""Cases of all solvers whose memory tests compare."""

import json

from subcurrent.case.reading import typed_case

MIB = 2**20
CASES = {
    "cavity": {"solver": "cavity", "flow": {"reynolds": 100}, "grid": {}, "run": {"steps": 2}},
    "cavity, skewed, jacobi, single": {
        "solver": "cavity",
        "flow": {"reynolds": 100, "precision": "single"},
        "grid": {"clustering": "skewed", "metrics": "fourth"},
        "pressure": {"method": "jacobi", "iterations": 3},
        "run": {"steps": 2},
    },
    "cavity, outflow": {
        "solver": "cavity",
        "flow": {"reynolds": 100},
        "grid": {"size": [3, 1, 1]},
        "boundaries": {"x-": {"inflow": [1.0, 0.0, 0.0]}, "x+": "outflow", "z+": "slip"},
        "run": {"steps": 2},
    },
    "cavity, outflow, second order, averages": {
        "solver": "cavity",
        "flow": {"reynolds": 100},
        "grid": {"size": [3, 1, 1]},
        "boundaries": {"x-": {"inflow": [1.0, 0.0, 0.0]}, "x+": "outflow", "z+": "slip"},
        "run": {"steps": 2, "order": 2},
        "output": {"average_from": 0.0},
    },
    "cavity, given pressure": {
        "solver": "cavity",
        "flow": {"reynolds": 100},
        "grid": {},
        "boundaries": {"x-": {"pressure": 1.0}, "x+": {"pressure": 0.0}},
        "run": {"steps": 2},
    },
    "magnetosphere": {
        "solver": "magnetosphere",
        "plasma": {"initial": "blast"},
        "grid": {"spacing": 0.01},
        "run": {"steps": 2},
    },
    "dendrite": {"solver": "dendrite", "grid": {}, "run": {"steps": 2}},
    "dendrite, turned, double": {
        "solver": "dendrite",
        "start": {"precision": "double"},
        "seeds": [{"angle": 30.0}],
        "grid": {},
        "run": {"steps": 2},
    },
    "dendrite, passes": {
        "solver": "dendrite",
        "grid": {},
        "run": {"steps": 8},
        "engine": {"steps_per_pass": 4},
    },
    "dendrite, passes in files": {
        "solver": "dendrite",
        "boundaries": {"z-": "periodic", "z+": "periodic"},
        "grid": {},
        "run": {"steps": 8},
        "engine": {"steps_per_pass": 4, "strategy": "boundary_first"},
        "storage": {"place": "files", "pieces": 2},
        "output": {"history_every": 8},
    },
    "dendrite, fourth order, passes": {
        "solver": "dendrite",
        "scheme": {"divergence": "fourth"},
        "grid": {},
        "run": {"steps": 8},
        "engine": {"steps_per_pass": 4},
    },
    "turbulence": {
        "solver": "turbulence",
        "flow": {"reynolds": 100},
        "grid": {},
        "scheme": {"dt": 1e-3},
        "run": {"steps": 2},
    },
    "turbulence, phase shift, single": {
        "solver": "turbulence",
        "flow": {"reynolds": 100},
        "grid": {},
        "scheme": {"dt": 1e-3, "precision": "single", "dealiasing": "phase_shift"},
        "run": {"steps": 2},
    },
    "turbulence, a scalar": {
        "solver": "turbulence",
        "flow": {"reynolds": 100},
        "scalar": {"schmidt": 1.0, "gradient": [0.0, 0.0, 1.0]},
        "grid": {},
        "scheme": {"dt": 1e-3},
        "run": {"steps": 2},
    },
    "turbulence, a scalar, divergence form": {
        "solver": "turbulence",
        "flow": {"reynolds": 100},
        "scalar": {"schmidt": 1.0, "gradient": [0.0, 0.0, 1.0]},
        "grid": {},
        "scheme": {"dt": 1e-3, "form": "divergence"},
        "run": {"steps": 2},
    },
    "compressible, filtered": {
        "solver": "compressible",
        "scheme": {"filter": 0.45},
        "gas": {"viscosity": 0.01},
        "grid": {},
        "run": {"steps": 2},
    },
    "compressible, single": {
        "solver": "compressible",
        "scheme": {"precision": "single"},
        "grid": {},
        "run": {"steps": 2},
    },
}


def case_of(name: str, count: int):
    tables = json.loads(json.dumps(CASES[name]))
    tables["grid"]["cells" if tables["solver"] == "dendrite" else "points"] = [count] * 3
    return tables, typed_case(tables, None)
