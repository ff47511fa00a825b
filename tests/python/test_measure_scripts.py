# SPDX-License-Identifier: Apache-2.0
"""Stencil codes in Python in `strategies`, `tune`, `scale` and `probe`: the recorded step of a loop is what
the script computes, and is measured as the case of a file is."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from conftest import set_options
from stencil_runs import COUPLED, HEAD, run
from subcurrent.errors import BadInput
from subcurrent.foresight.machines import load_machine
from subcurrent.foresight.strategies import CompareRequest, check_whole_passes
from subcurrent.foresight.subject import subject_of
from subcurrent.foresight.tune_candidates import varied
from subcurrent.launch import tuned

HEAT = """
grid = sc.Grid((16, 12, 24), periodic=(True, True, False){grid})
T = grid.field("T", levels=2{field})
T.boundary("all", sc.Dirichlet(0.25))
loop = sc.Loop(grid{loop})
for _ in loop.steps(4):
    loop.run(diffuse(T.next, T.now))
    T.advance()
"""


def script(folder: Path, *, grid: str = "", field: str = "", loop: str = "") -> Path:
    path = folder / "heat.py"
    path.write_text(HEAD + HEAT.format(grid=grid, field=field, loop=loop))
    return path


# A script whose fields are 1 before its steps, and the recorded step of its loop, on the same ranks.
SAME = """
grid = sc.Grid((18, 14, 16), periodic=(True, False, False), halo=2{grid})
u, v = coupled(grid, np.{dtype}, {place!r}, {place!r})
def ones():
    for field in (u, v):
        for level in range(field.levels):
            field.set(1.0 if field.components == 1 else [1.0] * field.components, level)
ones()
loop = sc.Loop(grid, strategy={strategy!r})
for _ in loop.steps(5):
    loop.run(mix(u.next, u.now, v.now, a=0.03))
    u.advance()
    loop.run(damp(v.now, u.now))
tables = loop.tables()

from subcurrent.rank import parallel
from subcurrent.solvers.stencil.case import stencil_case
from subcurrent.solvers.stencil.kind import KIND

case = stencil_case(tables, [])
options = case.options()
options["engine"]["strategy"] = {other!r}
solver = KIND.make(parallel.module(), grid._context, options)
solver.step(diagnostics=False, count=2)
solver.step(diagnostics=False)
solver.step(diagnostics=False, count=2)
for part, made in zip(case.step.fields, solver._fields, strict=True):
    field = {{"u": u, "v": v}}[part.name]
    for level in range(field.levels):
        mine, theirs = field.gather(level), made.gather(level)
        if grid.rank == 0:
            assert np.isfinite(mine).all() and np.ptp(mine) > 0
            np.testing.assert_array_equal(mine, theirs)
if grid.rank == 0:
    print("same", solver.split, grid.split, solver.cells, solver.timeline_summary()["seconds"].keys())
"""
PLACES = {
    "memory": {"dtype": "float64", "place": "memory", "grid": ""},
    "single": {"dtype": "float32", "place": "memory", "grid": ", threads=2"},
    "files": {"dtype": "float64", "place": "files", "grid": ", pieces=2, scratch=sys.argv[1]"},
    "emulated": {"dtype": "float64", "place": "memory", "grid": ", device='emulated'"},
}


@pytest.mark.mpi
@pytest.mark.parametrize(("name", "ranks"), [("memory", 1), *((name, 2) for name in PLACES)])
def test_what_is_measured_is_what_the_script_computes(tmp_path: Path, name: str, ranks: int) -> None:
    text = SAME.format(strategy="boundary_first", other="interior_first", **PLACES[name])
    path = tmp_path / "both.py"
    path.write_text(HEAD + COUPLED + text)
    done = run([sys.executable, path, tmp_path / "scratch"], ranks)
    assert "same" in done.stdout
    assert "mix" in done.stdout and "damp" in done.stdout


@pytest.mark.mpi
def test_strategies_take_turns_with_the_step_of_a_loop(tmp_path: Path, program: Any) -> None:
    words = ("-n", "2", "--steps", "2", "--repeats", "2", "--out", str(tmp_path / "out"))
    program.ok("strategies", str(script(tmp_path)), *words, "--set", "grid.cells=[16, 16, 32]")
    table = json.loads((tmp_path / "out" / "strategies.json").read_text())
    rows = {row["strategy"]: row for row in table["rows"]}
    names = (
        "blocking",
        "ordered",
        "boundary_first",
        "interior_first",
        "pipelined",
        "halo_thread",
        "automatic",
    )
    assert tuple(rows) == names and table["cells"] == [16, 16, 32]
    assert all(row["T"] > 0 and row["C_core"] > 0 for row in rows.values())
    assert rows["automatic"]["automatic"]["trials"] > 0  # before it is measured
    assert rows["boundary_first"]["C_shell"] > 0 and rows["blocking"]["C_shell"] is None
    assert (tmp_path / "out" / "figures" / "strategies.png").is_file()
    program.ok("report", str(tmp_path / "out"))


@pytest.mark.mpi
def test_each_loop_books_its_own_steps(tmp_path: Path, program: Any) -> None:
    """Not those of the others that take turns with it: computing takes at most all of its time."""
    words = ("-n", "1", "--steps", "20", "--repeats", "3", "--out", str(tmp_path / "out"))
    program.ok("strategies", str(script(tmp_path)), *words, "--set", "grid.cells=[32, 32, 32]")
    for row in json.loads((tmp_path / "out" / "strategies.json").read_text())["rows"]:
        assert row["C_core"] + (row["C_shell"] or 0) < 1.1 * sum(row["T_all"]) / len(row["T_all"])


@pytest.mark.mpi
def test_files_of_loops_side_by_side_are_apart(tmp_path: Path, program: Any) -> None:
    path = script(tmp_path, grid=", pieces=3, scratch='far'", field=", place='files'")
    words = ("-n", "2", "--steps", "2", "--repeats", "1", "--out", "out", "--strategies", "boundary_first")
    program.ok("strategies", str(path), *words, cwd=tmp_path)
    rows = json.loads((tmp_path / "out" / "strategies.json").read_text())["rows"]
    assert all(row["movements"]["files"]["bytes"] > 0 for row in rows)
    assert not list((tmp_path / "far").glob("*")) if (tmp_path / "far").exists() else True


@pytest.mark.mpi
def test_tune_finds_settings_of_a_loop_and_says_how_to_write_them(
    tmp_path: Path, program: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SUBCURRENT_TUNED", str(tmp_path / "tuned"))
    path = script(tmp_path, grid=", transport='mpi'", loop=", strategy='blocking'")
    sets = ("--set", "engine.poke_ms=0.4")
    done = program.ok("tune", str(path), "-n", "2", "--threads", "1", "--steps", "1", "--repeats", "2", *sets)
    assert "to use it, " in done.stdout and "start `mpirun -n 2 python heat.py`" in done.stdout
    assert "`run`" not in done.stdout
    (file,) = (tmp_path / "tuned").glob("heat-*.json")
    (group,) = json.loads(file.read_text())["groups"]
    tried = {key for row in group["rows"] for key in row["settings"]}
    tiles = {"engine.pass_tile"}  # where several steps a pass are faster
    # neither what the script nor the line sets
    assert tried - tiles == {"engine.split", "engine.steps_per_pass"}
    shown = program("tune", str(path), "--threads", "1", "--show", *sets)
    assert shown.returncode == 0 and "to use it, " in shown.stdout


@pytest.mark.mpi
def test_longer_passes_get_the_halo_that_they_need(tmp_path: Path) -> None:
    subject = subject_of(str(script(tmp_path, loop=", steps_per_pass='automatic'")))
    with pytest.raises(BadInput, match=r'"automatic" is found during a run, but a measurement needs a fixed'):
        subject.case([])
    case = subject.for_tuning().case([])
    assert subject.fixed([]) == [] and case.engine.steps_per_pass == 1
    assert varied(case, 2, [])["engine.steps_per_pass"] == [2, 3, 4, 6, 8]
    assert "engine.corners" not in varied(case, 2, []) and "engine.poke_ms" in varied(case, 2, [])
    assert tuned.with_settings(case, {"engine.steps_per_pass": 6}).grid.halo == 6
    assert tuned.with_settings(case, {"engine.strategy": "pipelined"}).grid.halo == 1
    best = {"engine.split": [1, 2, 1], "engine.strategy": "pipelined", "engine.steps_per_pass": 4}
    best["engine.pass_tile"] = [16, 8]
    winners = [
        {"T": 2.0, "ranks": 1, "threads": 1, "settings": {}},
        {"T": 1.0, "ranks": 2, "threads": 3, "settings": best},
    ]
    (said,) = subject.use({"winners": winners})
    assert said == (
        "to use it, write sc.Grid(…, halo=4, split=(1, 2, 1), threads=3) and sc.Loop(…, "
        "strategy='pipelined', steps_per_pass=4, pass_tile=(16, 8)) into heat.py and start "
        "`mpirun -n 2 python heat.py`"
    )
    assert subject.use({"winners": winners[:1]}) == ["to use it, start `python heat.py`"]


@pytest.mark.mpi
def test_pieces_of_a_loop_in_files_are_tried(tmp_path: Path) -> None:
    case = subject_of(str(script(tmp_path, grid=", pieces=3", field=", place='files'"))).case([])
    assert varied(case, 1, [])["grid.pieces"] == [6, 12]
    assert "grid.pieces" not in varied(case, 1, ["grid.pieces"])


@pytest.mark.mpi
def test_probe_measures_the_kernels_of_a_loop_and_scale_stands_beside(tmp_path: Path, program: Any) -> None:
    path, machine = script(tmp_path), tmp_path / "here.toml"
    sets = ("--set", "grid.cells=[32, 32, 32]")
    program.ok("probe", str(path), "-n", "2", "--steps", "4", "--machine-file", str(machine), *sets)
    rates = load_machine(machine).rates["stencil"]
    assert set(rates) == {"diffuse", "T (boundary)"}
    assert {one.busy for one in rates["diffuse"]} == {1, 2}
    words = ("-n", "1,2", "--weak", "--steps", "2", "--repeats", "1", "--out", str(tmp_path / "scaled"))
    program.ok("scale", str(path), *words, "--machine", str(machine), *sets)
    one, two = json.loads((tmp_path / "scaled" / "scale.json").read_text())
    assert one["cells"] == [32, 32, 32] and sorted(two["cells"]) == [32, 32, 64]
    assert one["predicted"] > 0 and two["predicted"] > 0


REFUSED = {
    "a device": (["engine.device=emulated"], "the kernels of heat.py are those of its grid"),
    "a key of cases": (["output.history_every=2"], "output"),
    "too many ranks": (["engine.split=[1, 1, 3]"], "engine.split = [1, 1, 3] makes 3 blocks for 2 ranks"),
}


@pytest.mark.mpi
@pytest.mark.parametrize("name", REFUSED)
def test_what_a_loop_cannot_be_measured_with(tmp_path: Path, name: str, program: Any) -> None:
    sets, words = REFUSED[name]
    done = program("strategies", str(script(tmp_path)), "-n", "2", *set_options(*sets), cwd=tmp_path)
    assert done.returncode == 2, done.stderr
    assert words in done.stderr and done.stderr.count("\n") == 1


@pytest.mark.mpi
def test_steps_of_a_turn_are_whole_passes(tmp_path: Path) -> None:
    case = subject_of(str(script(tmp_path, grid=", halo=4", loop=", steps_per_pass=4"))).case([])
    check_whole_passes(case, 8)
    with pytest.raises(
        BadInput, match=r"--steps 5 is not allowed with engine\.steps_per_pass = 4 of this loop"
    ):
        check_whole_passes(case, CompareRequest("heat.py").steps)
