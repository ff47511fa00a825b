# SPDX-License-Identifier: Apache-2.0
"""`tune` as a program, and what `run` takes of its results."""

from __future__ import annotations

import io
import json
import signal

import pytest
from rich.console import Console

from conftest import QUIET, history, set_options, summary
from subcurrent.errors import OK, STOPPED, StorageError
from subcurrent.foresight import tune
from test_tune import CELLS

SMALL = ("--set", CELLS, "--steps", 1, "--repeats", 2)
LESS = set_options("engine.poke_ms=0.5", "engine.transport=auto", "engine.steps_per_pass=1")


@pytest.mark.mpi
def test_a_run_uses_what_was_tuned_and_says_so(program):
    run = ("run", "nickel_small", "--set", CELLS, "--set", "run.steps=6", *QUIET)
    run = (*run, "--set", "output.history_every=1")
    assert "--show finds no measurements" in program.refused("tune", "nickel_small", "--set", CELLS, "--show")
    done = program.ok("tune", "nickel_small", "-n", 2, "--threads", 1, *SMALL, *LESS)
    assert "fastest is 2 ranks x 1 thread" in done.stdout
    (file,) = (program.folder / "tuned").iterdir()
    record = json.loads(file.read_text())
    (winner,) = record["winners"]
    fixed = {"threads", "transport", "poke_ms", "steps_per_pass"}
    assert {key.removeprefix("engine.") for key in record["fixed"]} == fixed
    strategies = {row["settings"].get("engine.strategy") for row in record["groups"][0]["rows"]}
    assert {None, "blocking", "boundary_first", "interior_first", "pipelined", "halo_thread"} <= strategies
    winner["keys"] |= {"engine.strategy": "pipelined", "engine.split": [2, 1, 1]}  # whatever was fastest here
    file.write_text(json.dumps(record))
    shown = program("tune", "nickel_small", "--set", CELLS, "--show")
    assert shown.returncode == OK and "halo_thread" in shown.stdout

    for name, more in (
        ("runs_tuned", ()),
        ("plain", ("--untuned", "-n", 1)),
        ("own", ("--strategy", "blocking")),
    ):
        done = program.ok(*run, "--out", name, *more)
        assert ("tuned: 2 ranks" in done.stdout) == (name == "runs_tuned")
    tuned, plain, own = (summary(program.folder / name) for name in ("runs_tuned", "plain", "own"))
    assert tuned["tuned"]["ranks"] == tuned["ranks"] == 2
    assert (tuned["split"], tuned["strategy"]) == ([2, 1, 1], "pipelined")
    assert tuned["tuned"]["file"] == str(file)
    assert "tuned" not in plain and plain["strategy"] == "automatic"
    assert "tuned" not in own  # nothing with blocking has won
    same = [history(program.folder / name) for name in ("runs_tuned", "plain")]
    assert same[0] == same[1] and len(same[0]) == 6


@pytest.mark.mpi
def test_ranks_of_somebody_else_tune_and_run(program):
    refused = program.as_ranks(2, "tune", "nickel_small", "--cpus", 2, *SMALL)
    assert refused.returncode != OK and "not allowed under mpirun" in refused.stderr
    done = program.as_ranks(2, "tune", "nickel_small", *SMALL, *LESS)
    assert done.returncode == OK, done.stderr
    assert done.stdout.count("fastest is 2 ranks x 1 thread") == 1
    ran = program.as_ranks(2, "run", "nickel_small", "--set", CELLS, "--set", "run.steps=3", *QUIET)
    assert ran.returncode == OK, ran.stderr
    assert ran.stdout.count("tuned: 2 ranks") == 1
    three = program.as_ranks(
        1, "run", "nickel_small", "--set", CELLS, "--set", "run.steps=3", *QUIET, "--overwrite"
    )
    assert three.returncode == OK and "tuned:" not in three.stdout


@pytest.mark.mpi
@pytest.mark.parametrize("verb", ["tune", "strategies"])
def test_solvers_side_by_side_keep_their_files_apart(program, verb):
    """They had one scratch folder, in which the second could not be made."""
    files = ("--set", "storage.place=files", "--set", "engine.split=[1,1,1]", "-n", 1, "--threads", 1)
    program.ok(verb, "nickel_small", *SMALL, *LESS, *files, *(("--out", "s") if verb == "strategies" else ()))
    assert not (program.folder / "scratch").exists()
    if verb == "tune":
        shown = program("tune", "nickel_small", "--set", CELLS, *files, "--show")
        assert "pieces 16" in shown.stdout and "pieces 32" not in shown.stdout  # of 24 planes


@pytest.mark.mpi
@pytest.mark.parametrize(
    "case", [("cavity_demo", "--sweeps", 2), ("decaying_mach05", "--set", "grid.points=[16,16,16]")]
)
def test_other_solvers_are_tuned_too(program, case):
    few = ("--set", "engine.split=[1,1,2]", "--set", "engine.transport=auto", "--set", "engine.poke_ms=0.5")
    done = program.ok("tune", *case, *few, "-n", 2, "--threads", 1, "--steps", 1, "--repeats", 2)
    assert "fastest is 2 ranks x 1 thread" in done.stdout


def test_what_is_asked_wrongly_is_a_sentence(refusal):
    for words, said in (
        (("--steps", 0), "--steps 0 is not allowed"),
        (("--repeats", 1), "--repeats 1 is not allowed: it must be a whole number >= 2"),
        (("-n", 0), "-n 0 is not allowed"),
        (("--machine", "fx11"), "machine 'fx11' does not exist, did you mean fx10"),
        (("--set", "engine.transport=delayed"), "is a test that delays messages"),
    ):
        assert said in refusal("tune", "nickel_small", *words)


def test_what_cannot_be_stored_is_printed_first(tmp_path, monkeypatch):
    """The measurements took minutes."""
    (tmp_path / "file").touch()
    monkeypatch.setenv("SUBCURRENT_TUNED", str(tmp_path / "file/tuned"))
    winner = {"ranks": 1, "threads": 1, "T": 1e-3, "ratio": 1.0, "settings": {}}
    group = {"ranks": 1, "threads": 1, "as_it_is": 1e-3, "rows": [], "winner": winner}
    monkeypatch.setattr(tune.Tuning, "here", lambda _: [group])
    console = Console(file=io.StringIO(), width=200)
    with pytest.raises(StorageError):
        tune.tune(tune.TuneRequest("nickel_small"), console)
    assert "fastest is 1 rank x 1 thread" in console.file.getvalue()


@pytest.mark.mpi
def test_a_request_to_stop_ends_it_and_keeps_nothing(program):
    running = program.start("tune", "nickel_small", "--set", CELLS, "-n", 2, "--repeats", 10000)
    try:
        assert any("ms a step" in line for line in iter(running.stdout.readline, ""))
        running.send_signal(signal.SIGINT)
        said = running.communicate(timeout=60)[0]
    finally:
        running.kill()
        running.wait()
    assert running.returncode == STOPPED, said
    assert "stopped: no measurement is stored" in said
    assert not (program.folder / "tuned").exists()
