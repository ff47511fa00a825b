# SPDX-License-Identifier: Apache-2.0
"""No key is accepted and ignored: another value of any key of any case file changes the run, its results or
what it says and writes, or is refused with the reason."""

import json
import os
import subprocess
import sys
import tomllib
import types
import typing

import pytest

from conftest import HERE, core_is_built
from subcurrent.case import typed_case
from subcurrent.errors import BadInput
from subcurrent.library import shipped
from subcurrent.schema import SOLVERS
from subcurrent.schema.dendrite import SeedTable
from subcurrent.schema.keys import all_keys, fields, nested

QUIET = {"figures": False, "timeline": False}
BASES = {
    "cavity": {
        "flow": {"reynolds": 100},
        "grid": {"points": [12, 11, 10]},
        "run": {"steps": 4},
    },
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
}
WAVE = {
    "plasma.initial": "linear_wave",
    "wind": None,
    "boundaries": {},
    "grid.low": [0.0, 0.0, 0.0],
    "grid.spacing": 0.05,
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
        "run.until": ({"run.steps": None, "run.steady": 1e6}, "steady", None),
        "run.steady": ({"run.until": "steady", "run.steps": None, "run.courant": 1.0}, 1e6, 2.0),
        "run.time": ({"run.steps": None}, 0.05, 0.1),
        "run.courant": ({}, 0.2, 0.1),
        "run.dt": ({}, 1e-3, 2e-3),
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
        "boundaries.x-": ({}, "insulated", None),
        "seeds[0].axis": ({"seeds[0].angle": 30.0}, [0.0, 0.0, 1.0], [0.0, 1.0, 0.0]),
        "seeds[0].centre": ({}, [0.14, 0.13, 0.12], [0.1, 0.13, 0.12]),
        "storage.kind": ({}, "device", "host"),
        "storage.pieces": ({}, None, 2),
        "storage.memory": ({}, None, "1 MiB"),
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
        "storage.kind": ({}, "memory", "disk"),
        "storage.io": ({"storage.kind": "disk", "storage.files": 2}, "sync", "async"),
        "storage.files": ({"storage.kind": "disk"}, 2, 4),
        "storage.memory": ({}, "3 GiB", "1 MiB"),
        "storage.scratch": ({"storage.kind": "disk", "storage.files": 2}, "/proc/none", "scratch"),
        "run.time": ({"run.steps": None}, 0.05, 0.1),
    },
}
COMMON = {
    "output.every": ({}, 0.0, 1e-13),
    "output.snapshots": ({}, True, False),
    "output.checkpoint_every": ({}, 500, 1),
    "output.history_every": ({}, 1, 2),
    "output.timeline": ({}, False, True),
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


def write_inputs(folder) -> None:
    """The grid files and spectra that keys name."""
    make = """
import h5py, numpy as np
for name, shear in (("one.h5", 0.0), ("two.h5", 0.1)):
    z, y, x = np.meshgrid(*(np.linspace(0, 1, n) for n in (10, 11, 12)), indexing="ij")
    with h5py.File(name, "w") as file:
        file["x"], file["y"], file["z"] = x + shear * z, y, z
"""
    subprocess.run([sys.executable, "-c", make], check=True, cwd=folder)
    (folder / "one.csv").write_text("k,E\n1,0.5\n")
    (folder / "two.csv").write_text("k,E\n1,0.5\n2,0.1\n")


def observed(folder, cases: list, **options) -> dict:
    write_inputs(folder)
    done = subprocess.run(
        [sys.executable, str(HERE / "runs_of_keys.py"), str(folder), json.dumps(options)],
        input=json.dumps(cases),
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=280,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads((folder / "found.json").read_text())


@pytest.mark.skipif(not core_is_built(), reason="the compiled module is not built")
@pytest.mark.parametrize("solver", SOLVERS)
def test_every_key_changes_the_run_or_is_refused(solver, tmp_path):
    keys = [name for name in keys_of(solver) if not name.startswith(ELSEWHERE)]
    cases = [["base", tables_with(solver, {})], ["base again", tables_with(solver, {})]]
    for name in keys:
        one, other = pair(solver, name)
        assert one != other, name
        cases += [[f"{name} one", one], [f"{name} other", other]]
    found = observed(tmp_path, cases)
    assert "refused" not in found["base"], found["base"]
    assert found["base"] == found["base again"], "the same case twice must look the same"
    ignored, refused_without_reason = [], []
    for name in keys:
        one, other = found[f"{name} one"], found[f"{name} other"]
        if one == other:
            ignored.append((name, one.get("refused")))
        for run in (one, other):
            words = name.replace("[0]", "").split(".")
            if "refused" in run and not any(word in run["refused"] for word in words):
                refused_without_reason.append((name, run["refused"]))
    assert not ignored
    assert not refused_without_reason


# -- what two ranks see, and what is chosen when MPI starts -------------------------------------------------


def run_of(program, name: str, *sets: str, ranks: int = 2) -> dict:
    """summary.json and the files of a run of the small cavity."""
    arguments = [part for text in ("output.figures=false", *sets) for part in ("--set", text)]
    done = program("run", "case.toml", "-n", ranks, "--out", name, *arguments)
    assert done.returncode == 0, done.stderr
    folder = program.folder / name
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {**json.loads((folder / "summary.json").read_text()), "files": files}


def test_every_key_of_the_engine_is_seen_by_two_ranks(program):
    program.write_case(tomllib_text("cavity"))
    base = run_of(program, "base")
    engine = {name for name in all_keys(SOLVERS["cavity"]) if name.startswith("engine.")}
    seen = {
        "engine.strategy": ("engine.strategy=blocking", lambda run: run["strategy"]),
        "engine.split": ("engine.split=[2,1,1]", lambda run: run["split"]),
        "engine.threads": ("engine.threads=2", lambda run: run["threads"]),
        "engine.transport": ("engine.transport=mpi", lambda run: run["transports"]),
        "engine.device": ("engine.device=emulated", lambda run: run["device"]),
        "engine.poke_ms": ("engine.poke_ms=1e-3", lambda run: run["poke"] > base["poke"]),
    }
    assert {*seen, "engine.corners"} == engine
    for name, (text, look) in seen.items():
        run = run_of(program, name.removeprefix("engine."), text)
        assert look(run) != look(base), name


def test_corners_come_directly_or_in_stages(program):
    """Between four ranks there are edges whose owner is a neighbour's neighbour."""
    program.write_case(tomllib_text("cavity"))
    sets = ("engine.split=[1,2,2]", "engine.transport=mpi", "grid.clustering=skewed")
    direct = run_of(program, "direct", *sets, ranks=4)
    staged = run_of(program, "staged", *sets, "engine.corners=staged", ranks=4)
    assert direct["last_step"] == staged["last_step"]
    assert direct["bytes_moved"] != staged["bytes_moved"]


def tomllib_text(solver: str) -> str:
    import tomli_w  # noqa: PLC0415 - only here

    tables = tables_with(solver, {"grid.points": [24, 24, 24]})
    return tomli_w.dumps({name: table for name, table in tables.items() if name != "output"})


def test_figures_are_drawn_or_not(fake_program):
    fake_program.write_case()
    for name, drawn in (("yes", "true"), ("no", "false")):
        done = fake_program("run", "case.toml", "--out", name, "--set", f"output.figures={drawn}")
        assert done.returncode == 0, done.stderr
        assert any((fake_program.folder / name / "figures").iterdir()) == (drawn == "true")


# -- what is refused because it would be ignored -------------------------------------------------------------


NEEDS = [(solver, need) for solver, model in SOLVERS.items() for need in model.needs]


# --set texts under which keys that need another one would be ignored.
UNMET = {
    "output.snapshots": ["output.snapshots=false"],
    "grid.clustering": ["grid.clustering=uniform"],
    "pressure.method": ["pressure.method=multigrid"],
    "pressure.iterations": ["pressure.method=jacobi", "pressure.iterations=3"],
    "run.until": ["run.steps=3"],
    "plasma.initial": ["plasma.initial=orszag_tang"],
    "material.noise": ["material.noise=0.0"],
    "flow.initial": ["flow.initial=taylor_green"],
    "spectrum.shape": ["spectrum.shape=file", "spectrum.file=one.csv"],
    "forcing.kind": ["forcing.kind=none"],
    "solver": [],
}


def unmet(need) -> list[str]:
    return [] if (need.key, need.on) == ("spectrum.file", "spectrum.shape") else UNMET[need.on]


@pytest.mark.parametrize(("solver", "need"), NEEDS, ids=[f"{s}:{n.key}:{n.on}" for s, n in NEEDS])
def test_what_would_be_ignored_is_refused_with_the_reason(solver, need):
    field = field_of(solver, need.key)
    default = field.get_default()
    given = {**COMMON, **ACTS[solver]}.get(need.key)
    value = next((v for v in given[1:] if v not in (None, default)), None) if given else None
    value = other_than(field, default) if value is None else value
    tables = tables_with(solver, {})
    if need.on == "plasma.initial":
        for name in ("wind", "boundaries"):
            tables.pop(name)
    sets = unmet(need)
    with pytest.raises(BadInput) as caught:
        typed_case(tables, None, [*sets, f"{need.key}={json.dumps(value)}"])
    assert f"{need.key} = " in caught.value.sentence
    assert "has no effect" in caught.value.sentence
    assert need.on in caught.value.sentence


def test_a_choice_that_is_replaced_takes_what_belonged_to_it_along():
    tables = tables_with("cavity", {"grid.clustering": "tanh", "grid.smallest": 0.06})
    assert typed_case(tables, None, ["grid.clustering=uniform"]).grid.smallest is None
    with pytest.raises(BadInput, match=r"grid.smallest = 0.05 has no effect"):
        typed_case(tables, None, ["grid.clustering=skewed", "grid.smallest=0.05"])


@pytest.mark.parametrize("name", shipped())
def test_no_shipped_case_says_what_is_ignored(name):
    path = shipped()[name]
    typed_case(tomllib.loads(path.read_text()), path.parent)
