# SPDX-License-Identifier: Apache-2.0
"""forces.csv of cavity runs: the same bytes on any ranks and after a restart, the numbers of Python's
forces(), and what is refused."""

import csv

import numpy as np
import pytest
import tomli_w

import subcurrent as sc
from subcurrent.case.reading import typed_case
from subcurrent.errors import BadInput
from subcurrent.report.plots.history import read_history
from subcurrent.solvers.cavity.force_figure import draw_forces

ABOUT = [0.5, 0.25, 0.0]
TABLES = {
    "solver": "cavity",
    "flow": {"reynolds": 50},
    "grid": {"points": [12, 14, 13], "clustering": "skewed"},
    "run": {"steps": 6},
    "output": {
        "figures": False,
        "timeline": False,
        "forces": True,
        "moments_about": ABOUT,
        "history_every": 2,
    },
}

CASE = tomli_w.dumps(TABLES)


def run(program, name: str, *arguments) -> bytes:
    program.ok("run", "case.toml", "--out", name, *arguments)
    return (program.folder / name / "forces.csv").read_bytes()


@pytest.mark.mpi
def test_ranks_and_restarts_leave_the_same_bytes(program, made_once, refusal):
    program.write_case(CASE)
    one = (made_once(CASE, "-n", "1") / "forces.csv").read_bytes()
    rows = list(csv.DictReader(one.decode().splitlines()))
    assert [row["step"] for row in rows] == ["2", "4", "6"]
    assert len(rows[0]) == 2 + 6 * 9
    assert run(program, "two", "-n", "2", "--set", "engine.strategy=boundary_first") == one
    run(program, "r", "-n", "2", "--set", "run.steps=3", "--set", "output.checkpoint_every=3")
    assert run(program, "r", "-n", "1", "--resume") == one
    assert "--resume needs the same output.moments_about" in refusal(
        "run", "case.toml", "--out", "r", "--resume", "--set", "output.moments_about=[0,0,0]"
    )


@pytest.mark.mpi
def test_python_finds_the_forces_of_the_file(program, made_once):
    rows = list(csv.DictReader((made_once(CASE, "-n", "1") / "forces.csv").open()))
    sim = sc.Cavity(sc.CavityGrid((12, 14, 13), clustering="skewed"), reynolds=50)
    sim.run(steps=6)
    forces = sim.forces(ABOUT)
    assert list(forces) == ["x-", "x+", "y-", "y+", "z-", "z+"]
    for face, parts in forces.items():
        name = face[0] + ("_minus_" if face[1] == "-" else "_plus_")
        for part, values in parts.items():
            assert [float(rows[-1][f"{name}{part}_{axis}"]) for axis in "xyz"] == values.tolist()
    assert forces["z+"]["viscous"][0] < 0  # drag of the lid
    here, there = sim.forces()["z+"], forces["z+"]
    total = here["pressure"] + here["viscous"]
    assert there["moment"] == pytest.approx(here["moment"] - np.cross(ABOUT, total), abs=1e-14)
    sim.step()
    before = sim.forces()["z+"]["pressure"].tolist()
    sim.gather("pressure")  # the pressure on walls is that of the velocity after the step, looked at or not
    assert sim.forces()["z+"]["pressure"].tolist() == before


def test_what_is_refused():
    sim = sc.Cavity(sc.CavityGrid((8, 8, 8)), reynolds=10)
    for about in ([0, 0], "abc", [0, 0, float("nan")], None):
        with pytest.raises(BadInput, match=r"about = .* it must be three numbers"):
            sim.forces(about)
    tables = {**TABLES, "output": {"moments_about": ABOUT}}
    with pytest.raises(BadInput, match=r"output\.moments_about .* has no effect .* output\.forces = true"):
        typed_case(tables, None)


def test_the_picture_has_units_and_every_face(tmp_path):
    names = [
        f"{w}_{p}_{a}"
        for w in ("x_minus", "z_plus")
        for p in ("pressure", "viscous", "moment")
        for a in "xyz"
    ]
    lines = ["step,time," + ",".join(names)]
    lines += [f"{n},{0.1 * n}," + ",".join(str(0.01 * n * k) for k in range(len(names))) for n in range(4)]
    (tmp_path / "forces.csv").write_text("\n".join(lines) + "\n")
    draw_forces(tmp_path / "f.svg", read_history(tmp_path / "forces.csv"), "A run", "length / speed")
    text = (tmp_path / "f.svg").read_text()
    for word in ("x-", "z+", "viscous part", "time (length / speed)", "Moment about z"):
        assert f"<!-- {word} -->" in text, word
    assert "<!-- y+ -->" not in text
    assert "density × speed² × length²" in text
