# SPDX-License-Identifier: Apache-2.0
"""No key is accepted and ignored: another value of any key of any case file changes the run, its results or
what it says and writes, or is refused with the reason."""

import json
import os
import subprocess
import sys
import tomllib

import pytest

from cases_of_keys import ACTS, COMMON, ELSEWHERE, field_of, keys_of, other_than, pair, tables_with
from conftest import HERE, completed, core_is_built, set_options, summary
from subcurrent.case.keys import all_keys
from subcurrent.case.library import shipped
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.solvers.cases import SOLVERS


def write_inputs(folder) -> None:
    """The grid files, spectra and winds that keys name."""
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
    (folder / "gusts.csv").write_text("time,density\n0,5\n1,8\n")


def observed(folder, cases: list, **options) -> dict:
    write_inputs(folder)
    done = completed(
        [sys.executable, str(HERE / "runs_of_keys.py"), str(folder), json.dumps(options)],
        input=json.dumps(cases),
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
    arguments = set_options("output.figures=false", *sets)
    program.ok("run", "case.toml", "-n", ranks, "--out", name, *arguments)
    folder = program.folder / name
    files = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
    return {**summary(folder), "files": files}


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
    }
    elsewhere = {"engine.poke_ms", "engine.corners", "engine.halo_thread_joins"}
    elsewhere |= {"engine.steps_per_pass", "engine.pass_tile"}
    assert {*seen, *elsewhere} == engine
    for name, (text, look) in seen.items():
        run = run_of(program, name.removeprefix("engine."), text)
        assert look(run) != look(base), name


def test_the_halo_thread_computes_core_only_where_it_joins(program):
    program.write_case(tomllib_text("cavity"))

    def core_by_thread_0(joins: str) -> list[str]:
        sets = ("engine.strategy=halo_thread", "engine.threads=2", f"engine.halo_thread_joins={joins}")
        run_of(program, joins, *sets, "grid.points=[24,24,96]")
        events = json.loads((program.folder / joins / "timeline.json").read_text())["traceEvents"]
        return [event["name"] for event in events if event.get("cat") == "core" and event["tid"] == 0]

    def divided(names: list[str]) -> set[str]:
        return {name for name in names if not name.endswith(" ordered core")}

    assert divided(core_by_thread_0("true")) > divided(core_by_thread_0("false"))


def test_messages_under_way_are_looked_at_as_often_as_asked(program):
    """Those that are held back for a while are under way during all of the core."""
    program.write_case(tomllib_text("cavity"))

    def looks(poke: float) -> float:
        sets = ("engine.transport=delayed", f"engine.poke_ms={poke}", "grid.points=[24,24,96]")
        return run_of(program, f"every {poke} ms", *sets)["looks"]

    assert looks(1e-3) > 3 * looks(100) > 0


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
        sets = set_options(f"output.figures={drawn}", "output.snapshots=false")
        fake_program.ok("run", "case.toml", "--out", name, *sets)
        assert any((fake_program.folder / name / "figures").iterdir()) == (drawn == "true")


# -- what is refused because it would be ignored -------------------------------------------------------------


NEEDS = [(solver, need) for solver, model in SOLVERS.items() for need in model.needs]


# --set texts under which keys that need another one would be ignored.
UNMET = {
    "output.snapshots": ["output.snapshots=false"],
    "output.forces": [],
    "grid.clustering": ["grid.clustering=uniform"],
    "pressure.method": ["pressure.method=multigrid"],
    "pressure.iterations": ["pressure.method=jacobi", "pressure.iterations=3"],
    "run.until": ["run.steps=3"],
    "plasma.initial": ["plasma.initial=orszag_tang"],
    "material.noise": ["material.noise=0.0"],
    "flow.initial": ["flow.initial=taylor_green"],
    "spectrum.shape": ["spectrum.shape=file", "spectrum.file=one.csv"],
    "forcing.kind": ["forcing.kind=none"],
    "scalar.initial": ["scalar.schmidt=1.0", "scalar.gradient=[0.0, 0.0, 1.0]", "scalar.initial=zero"],
    "solver": [],
    "engine.strategy": [],
    "engine.steps_per_pass": [],
    "gas.law": ["gas.law=sutherland"],
}


def unmet(need) -> list[str]:
    if need.on == "model.name":
        return ["model.name=karma_rappel"] if need.among == ("kobayashi",) else []
    wants_default = need.key in ("spectrum.file", "gas.sutherland")
    return [] if wants_default and need.key.startswith(need.on.split(".")[0]) else UNMET[need.on]


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
