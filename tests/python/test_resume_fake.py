# SPDX-License-Identifier: Apache-2.0
"""What a resume does to a run folder, around a FAKE compiled module: results that are kept, files beyond the
checkpoint, the state of the session before, and keys that must not change."""

import json
import shutil

import pytest

from cases_of_keys import tables_with
from conftest import CASE, QUIET, STARTS_RANKS, sentence_of, set_options, steps_in
from subcurrent.case.reading import parsed_case
from subcurrent.errors import BAD_INPUT, DIVERGED, OK, BadInput
from subcurrent.launch.run import _check_same
from subcurrent.launch.rundir import RunFolder

pytestmark = STARTS_RANKS
OUTPUT = "[output]\ncheckpoint_every = 4\nevery = 0.05\nfigures = false\ntimeline = true\n"


@pytest.fixture
def run(fake_program, made_once):
    """A finished run of 12 steps, with checkpoints at 8 and 12 and snapshots at 5, 10 and 12."""
    fake_program.write_case(CASE + OUTPUT)
    shutil.copytree(made_once(CASE + OUTPUT, fake=True), fake_program.folder / "r")
    return fake_program


def resumed(run, *arguments, **environment):
    return run("run", "case.toml", "--out", "r", "--resume", *arguments, **environment)


def test_a_resume_of_a_finished_run_keeps_its_results(run):
    folder = RunFolder(run.folder / "r")
    (folder.timeline).write_text("[1]")
    before = json.loads(folder.summary.read_text())
    assert before["last_step"]["step"] == 12
    done = resumed(run)
    assert done.returncode == OK, done.stderr
    assert "finished at step 12" in done.stdout
    assert json.loads(folder.summary.read_text()) == before
    assert folder.timeline.read_text() == "[1]"
    assert steps_in(folder.path) == list(range(1, 13))


def test_a_run_killed_after_its_last_checkpoint_gets_its_results_from_a_resume(run):
    folder = RunFolder(run.folder / "r")
    before = json.loads(folder.summary.read_text())
    folder.summary.unlink()
    assert resumed(run).returncode == OK
    after = json.loads(folder.summary.read_text())
    assert (after["state"], after["steps"], after["steps_this_session"]) == ("finished", 12, 0)
    assert after["last_step"] == pytest.approx({**before["last_step"], "capped": 0})  # as the row has it


def test_the_state_of_a_row_that_was_not_written_is_not_that_of_an_earlier_row(run):
    folder = RunFolder(run.folder / "r")
    folder.summary.unlink()
    folder.history.write_text("".join(folder.history.read_text().splitlines(keepends=True)[:-1]))
    assert resumed(run).returncode == OK
    assert json.loads(folder.summary.read_text())["last_step"] == pytest.approx({"step": 12, "time": 0.12})


def test_files_beyond_the_checkpoint_are_of_another_run(run):
    """Resumed from step 8 with another time step: what a run wrote at steps 10 and 12 is not its past."""
    folder = RunFolder(run.folder / "r")
    folder.checkpoint(12).unlink()
    folder.spectra.mkdir()
    for step in (5, 10):
        (folder.spectra / f"spectrum_{step:08d}.csv").write_text("time,k,E\n0,0,0\n")
    mine = folder.snapshots / "snapshot_00000010 (mine).vtkhdf"
    mine.write_text("mine")
    done = resumed(run, "--set", "run.steps=9", "--set", "run.dt=0.005")
    assert done.returncode == OK, done.stderr
    assert folder.all_snapshots() == [folder.snapshot(5), folder.snapshot(9)]
    assert [path.name for path in folder.spectra.iterdir()] == ["spectrum_00000005.csv"]
    assert mine.read_text() == "mine"


def test_a_resume_that_fails_is_not_said_to_have_finished(run):
    done = resumed(run, "--set", "run.steps=20", FAKE_NAN_AT="15")
    assert done.returncode == DIVERGED
    assert run("watch", "r").stdout.splitlines()[-1] == "not running"
    assert run("report", "r").returncode == OK
    assert "finished" not in (run.folder / "r" / "report.html").read_text()
    assert resumed(run, "--set", "run.steps=20").returncode == OK
    assert run("watch", "r").stdout.splitlines()[-1] == "finished"


def test_a_resume_refuses_another_flow(run):
    folder = run.folder / "r"
    before = (folder / "case.toml").read_bytes()
    done = resumed(run, "--set", "flow.reynolds=400", "--set", "run.steps=20")
    assert done.returncode == BAD_INPUT
    assert sentence_of(done) == (
        "--resume needs the same flow.reynolds as the run it continues: 100.0 there, 400.0 here; "
        "flow.initial starts a new run from its flow."
    )
    assert (folder / "case.toml").read_bytes() == before
    numbers = ("run.courant=0.1", "pressure.tolerance=1e-6", "output.every=0.1", "engine.threads=2")
    sets = set_options(*numbers, "run.steps=14")
    assert resumed(run, *sets, *QUIET).returncode == OK


@pytest.mark.parametrize(
    ("solver", "beside", "key", "value", "may"),
    [
        ("cavity", {}, "grid.points", [12, 12, 12], {}),
        ("cavity", {}, "flow.reynolds", 200, {"flow.upwind": "kawamura", "run.dt": 1e-3}),
        ("cavity", {"boundaries.x-": "periodic", "boundaries.x+": "periodic"}, "flow.initial", "x", {}),
        ("compressible", {}, "gas.gamma", 1.3, {"scheme.filter": 0.4, "run.courant": 0.3}),
        ("compressible", {}, "flow.mach", 0.2, {"storage.place": "files", "storage.pieces": 1}),
        ("compressible", {}, "forcing.kind", "constant_power", {}),
        ("turbulence", {}, "flow.viscosity", 0.01, {"scheme.dt": 0.01, "scheme.form": "divergence"}),
        ("turbulence", {}, "spectrum.seed", 2, {"scheme.integrator": "rk3"}),
        ("turbulence", {}, "forcing.kind", "negative_viscosity", {}),
        (
            "turbulence",
            {"scalar.schmidt": 1.0, "scalar.initial": "random"},
            "scalar.seed",
            2,
            {"scheme.dt": 0.01},
        ),
        ("magnetosphere", {}, "wind.field", [0.0, 0.0, 5.0], {"run.cycle": 4, "limits.density": 1e-9}),
        ("magnetosphere", {}, "diffusion.viscosity", 1e-3, {"diffusion.smoothing": 0.1}),
        ("dendrite", {}, "material.noise", 0.01, {"run.safety": 0.5}),
        ("wave", {}, "start.amplitude", 2.0, {"run.steps": 90}),
    ],
)
def test_physics_is_fixed_and_numbers_may_change(solver, beside, key, value, may):
    def case(changes):
        return parsed_case(tables_with(solver, {**beside, **changes}))

    _check_same(case({}), case(may))
    with pytest.raises(BadInput, match=rf"^--resume needs the same {key} as the run it continues: ") as said:
        _check_same(case({}), case({key: value}))
    anew = solver in ("cavity", "turbulence") and key.partition(".")[0] in ("flow", "forcing")
    assert said.value.sentence.endswith("starts a new run from its flow.") == anew
