# SPDX-License-Identifier: Apache-2.0
"""Predictions of stencil codes in Python: `predict SCRIPT.py` and `loop.predict`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from slow_wire import machine_file
from stencil_runs import HEAD, run
from subcurrent.errors import BadInput
from subcurrent.foresight.asked import PredictRequest, asked
from subcurrent.foresight.machines import load_machine
from subcurrent.foresight.predict import predicted
from subcurrent.foresight.subject import subject_of

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = {
    "examples/python/heat.py": (),
    "examples/python/acoustic_wave.py": (),
    "examples/python/cahn_hilliard.py": (),
    "examples/python/gray_scott.py": (),
    "cases/heat_out_of_core/heat.py": (64, 64, 8, 16),  # copies must not depend on a clock
}
IN_FILES = ROOT / "cases/heat_out_of_core/heat.py"
HEAT = """
grid = sc.Grid((64, 64, 64), periodic=(True, True, False))
T = grid.field("T", levels=2)
T.boundary("all", sc.Mirror())
loop = sc.Loop(grid)
for _ in loop.steps({steps}):
    loop.run(diffuse(T.next, T.now))
    T.advance()
"""
RATES = """[[rates.stencil.diffuse]]
cell = 2e-9
row = 50e-9
[[rates.stencil."T (boundary)"]]
cell = 3e-9
"""


@pytest.fixture
def wire(tmp_path: Path) -> Path:
    """The machine with rates of these kernels instead of a solver's."""
    path = machine_file(tmp_path)
    path.write_text(path.read_text().partition("[[rates")[0] + RATES)
    return path


def script(folder: Path, text: str = "", steps: int = 3) -> Path:
    path = folder / "heat.py"
    path.write_text(HEAD + HEAT.replace("{steps}", str(steps)) + text)
    return path


@pytest.mark.mpi
def test_a_step_is_its_cells_its_conditions_and_its_messages(tmp_path: Path, wire: Path) -> None:
    case, machine = subject_of(str(script(tmp_path))).step(["engine.split=[1, 4, 1]"]), load_machine(wire)
    one = predicted(case.updated("engine", split="auto"), machine, 1, ["blocking", "ordered"])
    cells = 64**3 * 2e-9 + 64**2 * 50e-9
    conditions = 2 * 64**2 * 3e-9
    (stage,) = one["strategies"]["blocking"]["stages"]
    assert (stage["stage"], stage["core"]) == ("diffuse", pytest.approx(cells))
    assert stage["boundary"] == pytest.approx(conditions)
    four = predicted(case, machine, 4, ["blocking", "ordered"])["strategies"]["blocking"]
    (stage,) = four["stages"]
    assert (stage["messages"], stage["bytes"]) == (2, 2 * 64 * 64 * 8)
    assert four["T"] == pytest.approx(cells / 4 + 2 * 64 * 64 * 8 / 12.5e6, rel=0.02)


@pytest.mark.mpi
def test_the_program_and_the_loop_predict_the_same(tmp_path: Path, wire: Path, program: Any) -> None:
    """Also on several ranks, where the first one predicts."""
    words = ("--machine", str(wire), "-n", "1,4", "--out", str(tmp_path / "out"))
    done = program.ok("predict", str(script(tmp_path)), *words)
    assert "heat.py, 64 × 64 × 64 cells" in done.stdout
    rows = json.loads((tmp_path / "out" / "prediction.json").read_text())
    said = {str(row["ranks"]): {name: s["T"] for name, s in row["strategies"].items()} for row in rows}
    assert "halo_thread" in said["4"] and said["4"]["boundary_first"] < said["4"]["blocking"]
    ask = f"found = loop.predict({str(wire)!r}, [1, 4], show=False)\n"
    ask += "assert (found is None) == (grid.rank > 0)\n"
    ask += 'if found: print("found " + json.dumps(found), flush=True)\n'
    path = script(tmp_path, "import json\n" + ask)
    for ranks in (1, 2):
        lines = run([sys.executable, path], ranks).stdout.splitlines()
        found = [json.loads(line.removeprefix("found ")) for line in lines if line.startswith("found ")]
        assert found == [said], lines


# A script that itself plays rank 1 of 4, and the case that was recorded of it on one rank.
BOTH = """
import json, runpy, sys
from subcurrent.rank import parallel
from subcurrent.solvers.stencil.case import stencil_case
from subcurrent.solvers.stencil.kind import KIND
from subcurrent.stencil import Loop, recording

machine = json.loads(sys.argv[1])
parallel.rehearse()
parallel._played[:] = [1, 4, 2]

class Ended(BaseException):
    pass

def steps(self, count, progress=False):
    module, context = parallel.module(), self._grid._context
    length = self._steps_per_pass
    self._core.begin_steps()
    for step in range(3 * length):
        if step == 2 * length:
            module.note_rehearsal(context)
        with self._grid.noting() as self._done:
            yield step
        self._core.end_step()
    played = module.trace(context, machine, "boundary_first")
    tables = self.tables()
    context.close()
    context = module.Context(rehearsed=[1, 4, 2])
    options = {"engine": {"strategy": self.strategy}, "case": stencil_case(tables, [])}
    solver = KIND.make(module, context, options)
    for _ in range(2):
        solver.step(diagnostics=False, count=length)
    module.note_rehearsal(context)
    solver.step(diagnostics=False, count=length)
    print("same" if module.trace(context, machine, "boundary_first") == played else "different", len(played))
    raise Ended

Loop.steps = steps
Loop.__init__.__kwdefaults__["strategy"] = "boundary_first"  # a plan of its own, and no trials
everything = parallel.module().Context()
sys.argv = sys.argv[2:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
except Ended:
    pass
"""


@pytest.mark.mpi
@pytest.mark.parametrize("name", EXAMPLES)
def test_what_is_rehearsed_is_what_the_script_does(tmp_path: Path, wire: Path, name: str) -> None:
    from subcurrent.foresight.machine_figures import figures, places  # noqa: PLC0415

    machine = load_machine(wire)
    values = figures(machine, "stencil", places(machine, 4, 1), 5e-4)
    (tmp_path / "both.py").write_text(BOTH)
    done = run([sys.executable, tmp_path / "both.py", json.dumps(values), ROOT / name, *EXAMPLES[name]])
    same, length = done.stdout.splitlines()[-1].split()
    assert same == "same" and int(length) > 200


@pytest.mark.mpi
def test_passes_in_files_move_the_bytes_that_are_predicted(tmp_path: Path) -> None:
    """Those of steps 17 to 32, without what comes first."""
    path = machine_file(tmp_path)
    path.write_text(path.read_text().partition("[[rates")[0] + "[disk]\nread = 1e9\nwrite = 1e9\n")
    case = subject_of(str(IN_FILES)).step(["grid.cells=[64, 64, 64]", "grid.pieces=8"])
    assert case.pass_length() == 16
    plain = predicted(case, load_machine(path), 1, ["blocking", "ordered"])["strategies"]["blocking"]
    (stage,) = plain["stages"]
    assert stage["stage"] == "pass"
    text = (IN_FILES).read_text().partition("# Check")[0]
    (tmp_path / "heat.py").write_text(text + 'print(loop.terms()["movements"]["files"]["bytes"])\n')
    moved = [
        float(run([sys.executable, tmp_path / "heat.py", 64, steps, 8, 16], cwd=tmp_path).stdout.split()[-1])
        for steps in (16, 32)
    ]
    assert moved[1] - moved[0] == 16 * (stage["read"] + stage["written"])


@pytest.mark.mpi
def test_size_and_engine_can_be_set_and_a_step_can_be_weakly_scaled(tmp_path: Path, wire: Path) -> None:
    sets = ["grid.cells=[96, 64, 32]", "engine.threads=2"]
    request = PredictRequest(str(script(tmp_path)), str(wire), "1,8", weak=True, sets=sets)
    machine = load_machine(wire)
    case, names, _ = asked(request, machine)
    assert case.cells() == [96, 64, 32] and case.engine.threads == 2
    assert names == ["blocking", "ordered", "boundary_first", "interior_first", "pipelined", "halo_thread"]
    assert case.grown(1, 8).cells() == [192, 128, 64]


@pytest.mark.mpi
def test_a_script_takes_no_memory_and_compiles_nothing(tmp_path: Path) -> None:
    """Fields of 64 GiB, set by a function, with a compiler that is not there."""
    text = HEAD + HEAT.replace("(64, 64, 64)", "(2048, 2048, 2048)").replace("{steps}", "1")
    (tmp_path / "large.py").write_text(text.replace("loop =", "T.set(lambda x, y, z: x + y + z)\nloop ="))
    assert subject_of(str(tmp_path / "large.py")).step([]).cells() == [2048] * 3


REFUSED = {
    "no step": ("", "has no step to predict"),
    "cg": (
        "b = grid.field('b')\nsc.cg(lambda y, x: diffuse(y, x), b)",
        "the number of iterations of cg depends on values",
    ),
    "endless": (
        "loop = sc.Loop(grid)\nfor _ in loop.steps(1):\n    while loop.run(total(T.now)) > 0:\n        pass",
        "calls more than 100000 kernels in a rehearsal",
    ),
    "an error": ("T.now.oops", "fails in a rehearsal, which has no values: AttributeError"),
}


@pytest.mark.mpi
@pytest.mark.parametrize("name", REFUSED)
def test_scripts_that_cannot_be_predicted(tmp_path: Path, name: str) -> None:
    text, said = REFUSED[name]
    fields = 'grid = sc.Grid((8, 8, 8), periodic=True)\nT = grid.field("T", levels=2)\n'
    (tmp_path / "no.py").write_text(HEAD + fields + text + "\n")
    with pytest.raises(Exception, match=said):
        subject_of(str(tmp_path / "no.py")).step([])


def test_a_script_that_is_not_there(wire: Path) -> None:
    with pytest.raises(BadInput, match=r"no\.py does not exist"):
        subject_of("no.py").step([])


@pytest.mark.mpi
def test_a_loop_without_steps_says_so(tmp_path: Path, wire: Path) -> None:
    path = script(tmp_path, steps=0)
    path.write_text(path.read_text() + f"loop.predict({str(wire)!r})\n")
    with pytest.raises(AssertionError, match="the loop has computed no step"):
        run([sys.executable, path])
