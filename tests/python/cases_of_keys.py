# SPDX-License-Identifier: Apache-2.0
"""For each key of each case file two small cases that differ in it alone, and under which it acts."""

import json
import types
import typing

from subcurrent.case.keys import all_keys, fields, nested
from subcurrent.solvers.cases import SOLVERS
from subcurrent.solvers.dendrite.tables import MODELS, SeedTable

QUIET = {"figures": False, "timeline": False}
BASES = {
    "cavity": {"flow": {"reynolds": 100}, "grid": {"points": [12, 11, 10]}, "run": {"steps": 4}},
    "magnetosphere": {
        "plasma": {"initial": "planet"},
        "grid": {"points": [20, 16, 16], "low": [-9.5, -7.5, -7.5], "spacing": 1.0},
        "boundaries": {"x-": "wind", "x+": "free", "y-": "free", "y+": "free", "z-": "free", "z+": "free"},
        "wind": {
            "density": 5.0,
            "velocity": [300.0, 0.0, 0.0],
            "temperature": 2e5,
            "field": [0.0, 0.0, -5.0],
        },
        "run": {"steps": 4},
    },
    "dendrite": {
        "grid": {"cells": [14, 13, 12]},
        "seeds": [{"centre": [0.14, 0.13, 0.12], "radius": 0.08}],
        "run": {"steps": 4},
    },
    "turbulence": {
        "flow": {"viscosity": 0.02, "initial": "random"},
        "grid": {"points": [12, 10, 8]},
        "scheme": {"dt": 0.02},
        "run": {"steps": 3},
    },
    "compressible": {
        "flow": {"initial": "random", "mach": 0.3, "peak": 2.0},
        "gas": {"viscosity": 0.01},
        "grid": {"points": [16, 10, 8]},
        "run": {"steps": 3},
    },
    "wave": {
        "grid": {"cells": [14, 13, 12]},
        "start": {"centre": [0.04, 0.07, 0.06]},
        "run": {"steps": 9},
    },
}
RANDOM_SCALAR = {"scalar.schmidt": 1.0, "scalar.initial": "random"}
WAVE = {
    "plasma.initial": "linear_wave",
    "wind": None,
    "boundaries": {},
    "grid.low": [0.0, 0.0, 0.0],
    "grid.points": [20, 20, 10],  # whole periods of the wave and of the vortex
    "grid.spacing": 0.15,
}
THIN_INTERFACE = {
    "model.name": "karma_rappel",
    "grid.spacing": 0.8,
    "seeds[0].centre": [5.6, 5.2, 4.8],
    "seeds[0].radius": 3.2,
}
STORAGE = {
    "storage.place": ({}, None, "files"),
    "storage.pieces": ({"storage.place": "files"}, 2, 4),
    "storage.memory": ({}, None, "1 MiB"),
    "storage.scratch": ({"storage.place": "files", "storage.pieces": 2}, "/proc/none", "scratch"),
}
# The key: what else must stand for it to act, and two values of it where the default's neighbour will not do.
ACTS = {
    "cavity": {
        "grid.smallest": ({"grid.clustering": "tanh"}, 0.06, 0.07),
        "grid.clustering": ({}, "uniform", "skewed"),
        "grid.skew": ({"grid.clustering": "skewed"}, 0.1, 0.2),
        "grid.file": ({"grid.clustering": "file"}, "one.h5", "two.h5"),
        "pressure.check_every": ({"pressure.method": "jacobi", "pressure.tolerance": 0.5}, 1, 50),
        "pressure.relaxation": ({"pressure.method": "sor"}, "auto", 1.1),
        "pressure.residual": ({"pressure.tolerance": 1e-3}, "true", "scaled"),
        "pressure.tolerance": ({}, 1e-5, 10.0),
        "pressure.max_iterations": ({"pressure.tolerance": 1e-9}, 1, 2),
        "pressure.iterations": ({}, 1, 2),
        "pressure.sweeps_per_pass": ({"pressure.iterations": 6, "pressure.method": "jacobi"}, 1, 2),
        "output.average_from": ({}, None, 0.0),
        "output.moments_about": ({"output.forces": True}, [0.0, 0.0, 0.0], [0.5, 0.0, 0.0]),
        "run.until": ({"run.steps": None, "run.steady": 1e6}, "steady", None),
        "run.steady": ({"run.until": "steady", "run.steps": None, "run.courant": 1.0}, 1e6, 2.0),
        "run.time": ({"run.steps": None}, 0.05, 0.1),
        "run.courant": ({}, 0.2, 0.1),
        "run.dt": ({}, 1e-3, 2e-3),
        "run.order": ({}, 1, 2),
        "flow.initial": (
            {f"boundaries.{axis}{side}": "periodic" for axis in "xy" for side in "-+"}
            | {"grid.points": [12, 12, 10]},
            "rest",
            "taylor_green",
        ),
        **{
            f"boundaries.{axis}{side}": ({}, "wall", {"moving": list(v)})
            for axis, v in (("x", (0.0, 1.0, 0.0)), ("y", (1.0, 0.0, 0.0)), ("z", (0.0, 1.0, 0.0)))
            for side in "-+"
        },
    },
    "magnetosphere": {
        "plasma.initial": (
            {k: v for k, v in WAVE.items() if k != "plasma.initial"},
            "orszag_tang",
            "brio_wu",
        ),
        "plasma.wave": (WAVE, "fast", "slow"),
        "plasma.amplitude": (WAVE, 1e-6, 1e-3),
        "grid.low": ({}, [-9.5, -7.5, -7.5], [-9.0, -7.5, -7.5]),
        "boundaries.x-": ({}, "wind", "free"),
        "boundaries.x+": ({}, "free", "wind"),
        "planet.radius": ({}, 6370.0, 8000.0),
        "planet.field": ({}, 31200.0, 40000.0),
        "planet.density": ({}, 1e4, 2e4),
        "planet.tilt": ({}, 0.0, 10.0),
        "planet.rotation": ({}, 0.0, 10.0),
        "planet.mirror": ({}, -30.0, -25.0),
        "wind": ({}, None, BASES["magnetosphere"]["wind"]),
        "wind.file": ({}, None, "gusts.csv"),
        "diffusion.heating": ({"diffusion.viscosity": 1e-3}, False, True),
        "limits.density": ({}, 1e-10, 1.0),
        "limits.pressure": ({}, 1e-14, 1.0),
        "run.time": ({"run.steps": None}, 0.1, 0.5),
        "run.dt": ({}, 1e-3, 2e-3),
        "run.courant": ({}, 0.4, 0.2),
        "run.cycle": ({}, 8, 2),
        **{f"boundaries.{axis}{side}": ({}, "free", "wind") for axis in "yz" for side in "-+"},
    },
    "dendrite": {
        "material.anisotropy": ({}, 0.05, 0.03),
        "scheme.divergence": ({}, "second", "fourth"),
        "model.name": ({k: v for k, v in THIN_INTERFACE.items() if k != "model.name"}, *MODELS),
        "model.coupling": (THIN_INTERFACE, None, 5.0),
        **{
            f"model.{name}": (THIN_INTERFACE, one, other)
            for name, one, other in (
                ("interface_width", 1.0, 1.2),
                ("relaxation_time", 1.0, 2.0),
                ("anisotropy", 0.05, 0.03),
                ("diffusivity", 10.0, 5.0),
            )
        },
        "start.undercooling": (THIN_INTERFACE, 0.3, 0.4),
        "boundaries.x-": ({}, "insulated", None),
        "seeds[0].axis": ({"seeds[0].angle": 30.0}, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]),
        "seeds[0].centre": ({}, [0.14, 0.13, 0.12], [0.1, 0.13, 0.12]),
        **STORAGE,
        "run.time": ({"run.steps": None}, 1e-11, 4e-11),
        "run.safety": ({}, 0.9, 0.5),
        "run.dt": ({}, 1e-13, 2e-13),
        **{f"boundaries.{axis}{side}": ({}, "insulated", "periodic") for axis in "xyz" for side in "-+"},
    },
    "turbulence": {
        "flow.reynolds": ({"flow.viscosity": None}, 50.0, 60.0),
        "flow.viscosity": ({}, 0.02, 0.03),
        "flow.initial": ({}, "random", "taylor_green"),
        "spectrum.file": ({"spectrum.shape": "file"}, "one.csv", "two.csv"),
        "spectrum.shape": ({"spectrum.peak": 2.0}, "peaked", "kolmogorov"),
        "spectrum.peak": ({}, 4.0, 3.0),
        "scheme.courant": ({}, 0.01, 0.02),
        "scheme.transforms": ({}, "pocketfft", "fftw"),
        "scheme.dt": ({}, 0.02, 0.01),
        "forcing.kind": ({}, "none", "negative_viscosity"),
        "forcing.kmax": ({"forcing.kind": "negative_viscosity"}, 2.5, 3.5),
        "forcing.power": ({"forcing.kind": "constant_power"}, 0.1, 0.2),
        **STORAGE,
        "storage.memory": ({}, "3 GiB", "1 MiB"),
        "run.time": ({"run.steps": None}, 0.05, 0.1),
        "scalar.schmidt": ({"scalar.gradient": [0.0, 0.0, 1.0]}, 0.7, 1.0),
        "scalar.diffusivity": ({"scalar.gradient": [0.0, 0.0, 1.0]}, 0.02, 0.0),
        "scalar.gradient": ({"scalar.schmidt": 1.0}, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]),
        "scalar.initial": ({"scalar.schmidt": 1.0, "scalar.gradient": [0.0, 0.0, 1.0]}, "zero", "random"),
        "scalar.peak": (RANDOM_SCALAR, 4.0, 3.0),
        "scalar.variance": (RANDOM_SCALAR, 1.0, 2.0),
        "scalar.seed": (RANDOM_SCALAR, 1, 2),
    },
    "compressible": {
        "flow.initial": ({"flow.peak": None}, "taylor_green", "uniform"),
        "flow.amplitude": ({"flow.initial": "vortex", "flow.peak": None}, 1e-4, 1e-2),
        "gas.reynolds": ({"gas.viscosity": None}, 50.0, 60.0),
        "gas.viscosity": ({}, 0.01, None),
        "gas.sutherland": ({"gas.law": "sutherland"}, 0.4042, 0.5),
        "forcing.kind": ({}, "none", "constant_power"),
        **{
            f"forcing.{name}": ({"forcing.kind": "constant_power"}, one, other)
            for name, one, other in (
                ("power", 0.1, 0.2),
                ("dilatational", 0.0, 0.5),
                ("kmax", 2.5, 1.5),
                ("cooling", True, False),
            )
        },
        "storage.place": ({"grid.points": [16, 10, 64]}, None, "files"),
        "storage.pieces": ({"storage.place": "files", "grid.points": [16, 10, 32]}, 2, 4),
        "storage.memory": ({}, None, "1 MiB"),
        "storage.scratch": ({"storage.place": "files", "storage.pieces": 1}, "/proc/none", "scratch"),
        "run.time": ({"run.steps": None}, 0.05, 0.1),
        "run.courant": ({}, 0.5, 0.4),
        "run.dt": ({}, 0.01, 0.02),
    },
    "wave": {
        "start.centre": ({}, [0.04, 0.07, 0.06], [0.05, 0.07, 0.06]),
        "start.width": ({}, 0.05, 0.03),
        "run.time": ({"run.steps": None}, 1e-5, 1e-4),
        "run.safety": ({}, 0.8, 0.5),
        "run.dt": ({}, 1e-6, 2e-6),
        **{f"boundaries.{axis}{side}": ({}, "rigid", "soft") for axis in "xyz" for side in "-+"},
    },
}
COMMON = {
    "output.every": ({}, 0.0, 1e-13),
    "output.snapshots": ({}, True, False),
    "output.checkpoint_every": ({}, 500, 1),
    "output.history_every": ({}, 1, 2),
    "output.probes": ({}, [], [[0.06, 0.06, 0.06]]),
    "output.timeline": ({}, False, True),
    "engine.pass_tile": ({}, "automatic", [8, 4]),
}
# Seen in the pictures that the launcher draws, or by two ranks, or chosen when MPI starts: tested below.
ELSEWHERE = ("output.figures", "engine.")


def keys_of(solver: str) -> list[str]:
    keys = [name for name in all_keys(SOLVERS[solver]) if name not in ("solver", "seeds")]
    if solver == "dendrite":
        keys += [f"seeds[0].{name}" for name in fields(SeedTable)]
    if solver == "magnetosphere":
        assert "wind.density" in keys
    return keys


def put(tables: dict, name: str, value) -> None:
    *parents, last = name.replace("[0]", "").split(".")
    for parent in parents:
        tables = tables.setdefault(parent, {})
        tables = tables[0] if isinstance(tables, list) else tables
    if value is None:
        tables.pop(last, None)
    else:
        tables[last] = value


def tables_with(solver: str, changes: dict) -> dict:
    tables = json.loads(json.dumps(BASES[solver])) | {"solver": solver, "output": dict(QUIET)}
    for name, value in changes.items():
        put(tables, name, value)
    return tables


def field_of(solver: str, name: str):
    table = SOLVERS[solver]
    *parents, last = name.removeprefix("seeds[0].").split(".")
    if name.startswith("seeds"):
        table = SeedTable
    for parent in parents:
        table = nested(fields(table)[parent])
    return fields(table)[last]


def other_than(field, value):
    """Another value of the same kind."""
    kinds = typing.get_args(field.annotation) if isinstance(field.annotation, types.UnionType) else ()
    choices = [choice for kind in (field.annotation, *kinds) for choice in typing.get_args(kind)]
    words = [choice for choice in choices if isinstance(choice, str) and choice != value]
    if isinstance(value, bool):
        return not value
    if isinstance(value, str):
        return words[0] if words else value + " II"
    if isinstance(value, int):
        return value + 2
    if isinstance(value, float):
        return 0.8 * value if value else 0.01
    if isinstance(value, list):
        return [other_than(field, value[0]), *value[1:]]
    raise AssertionError(f"test_keys does not know another value than {value!r}: put one into ACTS")


def present(tables: dict, name: str):
    for part in name.replace("[0]", "").split("."):
        tables = tables[0] if isinstance(tables, list) else tables
        tables = tables.get(part) if isinstance(tables, dict) else None
    return tables


def pair(solver: str, name: str) -> tuple[dict, dict]:
    """The tables of two cases that differ in one key."""
    known = {**COMMON, **ACTS[solver]}
    if name in known:
        beside, one, other = known[name]
    else:
        beside, one = {}, present(BASES[solver], name)
        field = field_of(solver, name)
        one = field.get_default() if one is None else one
        other = other_than(field, one)
    return tables_with(solver, {**beside, name: one}), tables_with(solver, {**beside, name: other})
