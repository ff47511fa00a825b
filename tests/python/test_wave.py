# SPDX-License-Identifier: Apache-2.0
"""Sound in a box from a case file and from Python: the same bits on any ranks, places and after a restart."""

import csv
import re
from pathlib import Path

import numpy as np
import pytest

import subcurrent as sc
from conftest import summary
from snapshots import fields_in
from subcurrent.case.reading import typed_case
from subcurrent.errors import BAD_INPUT, OK, BadInput

CASE = """
solver = "wave"
[grid]
cells = [30, 26, 28]
[boundaries]
"x+" = "soft"
"y-" = "periodic"
"y+" = "periodic"
[start]
centre = [0.1, 0.13, 0.14]
[run]
steps = 40
[output]
checkpoint_every = 20
figures = false
"""


ONE = ("-n", "1", "--set", "engine.strategy=blocking")


def pressure(folder):
    (path,) = (folder / "snapshots").glob("*40.vtkhdf")
    return fields_in(path, "pressure")[0]


def run(program, name, *arguments):
    program.ok("run", "case.toml", "--out", name, *arguments)
    return pressure(program.folder / name)


@pytest.mark.mpi
def test_ranks_passes_and_places_leave_the_same_bits(program, made_once):
    program.write_case(CASE)
    one = pressure(made_once(CASE, *ONE))
    assert np.abs(one).max() > 0.01
    rare = ("--set", "output.history_every=10")  # a row ends a pass
    for number, (sets, passes) in enumerate(
        (
            (("-n", "2"), None),
            (("-n", "2", "--set", "engine.steps_per_pass=3", *rare), "40 steps in 16 passes"),
            (("-n", "2", "--set", "engine.steps_per_pass=automatic", *rare), None),
            (
                ("-n", "2", "--set", "engine.steps_per_pass=3", "--set", "engine.pass_tile=[5,3]", *rare),
                "40 steps in 16 passes",
            ),
            (("--set", "engine.device=emulated"), None),
        )
    ):
        assert np.array_equal(run(program, f"other{number}", *sets), one), sets
        if passes:
            said = summary(program.folder / f"other{number}")["passes"]
            assert said.startswith(passes), said


@pytest.mark.mpi
def test_a_run_stopped_within_a_pass_is_resumed_with_the_same_bits(program):
    program.write_case(CASE.replace("[output]", "[output]\nhistory_every = 10"))
    whole = run(program, "whole", "-n", "1")
    first = ("-n", "2", "--set", "run.steps=19", "--set", "engine.steps_per_pass=5")
    assert program("run", "case.toml", "--out", "parts", *first).returncode == OK
    assert np.array_equal(
        run(program, "parts", "-n", "1", "--resume", "--set", "engine.steps_per_pass=4"), whole
    )


@pytest.mark.mpi
def test_a_run_goes_on_from_a_checkpoint_and_keeps_its_energy(program, made_once):
    program.write_case(CASE)
    whole = pressure(made_once(CASE, *ONE))
    program.ok("run", "case.toml", "--out", "r", "-n", "1", "--set", "run.steps=20")
    assert np.array_equal(run(program, "r", "-n", "2", "--resume"), whole)
    with (program.folder / "r" / "history.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["step"]) for row in rows] == list(range(1, 41))
    energies = np.array([float(row["energy"]) for row in rows])
    assert np.ptp(energies) < 1e-12 * energies[0]
    other = program("run", "case.toml", "--out", "r", "--resume", "--set", "run.safety=0.5")
    assert other.returncode == BAD_INPUT
    assert "run.safety" in other.stderr


@pytest.mark.mpi
def test_a_run_without_anything_to_draw_has_finished(program):
    program.write_case(CASE.replace("figures = false", ""))
    nothing = ("--set", "run.steps=3", "--set", "output.history_every=10", "--set", "output.snapshots=false")
    done = program.ok("run", "case.toml", "--out", "r", "-n", "1", *nothing)
    assert "finished at step 3" in done.stdout
    page = (program.folder / "r" / "report.html").read_text()
    assert "finished at step 3" in page
    assert "<img" not in page


@pytest.mark.mpi
def test_its_pictures_are_drawn(program):
    program.write_case(CASE.replace("figures = false", "figures = true"))
    run(program, "r", "-n", "1")
    figures = program.folder / "r" / "figures"
    assert all((figures / name).stat().st_size > 10_000 for name in ("planes.png", "history.png"))
    assert summary(program.folder / "r")["last_step"]["p_high"] > 0


@pytest.mark.mpi
def test_the_class_gives_what_the_case_gives(tmp_path):
    tables = {"start": {"centre": [0.1, 0.13, 0.14]}, "boundaries": {"x+": "soft"}}
    sim = sc.Wave((30, 26, 28), **tables)
    middle = sim.pressure[14, 13, 10]
    assert 0.9 < middle < 1
    sim.run(steps=5)
    sim.save(tmp_path / "state")
    last = sim.run(steps=15)
    other = sc.Wave((30, 26, 28), **tables)
    other.load(tmp_path / "state")
    other.run(time=last["time"])
    assert np.array_equal(sim.gather(), other.gather())
    sim.plot(tmp_path / "p.png")
    assert (tmp_path / "p.png").stat().st_size > 10_000


@pytest.mark.parametrize(
    ("tables", "sentence"),
    [
        ({"start": {"amplitude": 0.0}}, "start.amplitude = 0"),
        ({"dt": 1e-3}, "grid.spacing / (2 medium.speed)"),
        ({"boundaries": {"x-": "periodic"}}, 'boundaries."x+" = "periodic"'),
        ({"boundaries": {"x-": "open"}}, '"soft" (p = 0)'),
        ({"safety": 0.5, "dt": 1e-6}, "cannot be combined"),
    ],
)
def test_what_cannot_be_run_is_one_sentence(tables, sentence):
    with pytest.raises(BadInput) as refused:
        sc.Wave((20, 20, 20), **tables)
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_an_axis_is_as_long_as_the_equation_reads():
    for faces in ({"x+": "soft"}, {"z-": "periodic", "z+": "periodic"}):
        with pytest.raises(BadInput) as refused:
            sc.Wave((20, 20, 1), boundaries=faces)
        assert "grid.cells = [20, 20, 1] is not allowed: every axis needs 2 cells or more" in str(
            refused.value
        )
        sim = sc.Wave((20, 20, 2), boundaries=faces)
        before = sim.run(steps=1)["energy"]
        assert sim.run(steps=400)["energy"] == pytest.approx(before, rel=1e-11)


def test_it_is_wired_in_as_few_lines_as_its_readme_says():
    root = Path(__file__).parents[2]
    commands = re.findall(r"`((?:wc -l|grep -nwE) [^`]+)`", (root / "solvers/wave/README.md").read_text())
    counted, named = (
        [file for word in command.split() for file in root.glob(word) if file.is_file()]
        for command in commands
    )
    assert len(counted) == 7
    assert sum(len(file.read_text().splitlines()) for file in counted) <= 300
    assert len(named) == 5
    lines = [line for file in named for line in file.read_text().splitlines()]
    assert sum(re.search(r"\b(wave|Wave|bind_wave)\b", line) is not None for line in lines) == 7


def test_a_pulse_without_a_centre_begins_in_the_middle():
    case = typed_case(
        {"solver": "wave", "grid": {"cells": [16, 18, 20], "spacing": 0.01}, "run": {"steps": 1}}, Path()
    )
    assert case.options()["centre"] == case.start.centre == pytest.approx([0.08, 0.09, 0.1])


def test_a_checkpoint_of_another_time_step_is_refused(tmp_path):
    """The two levels of the pressure lie one step apart; nothing changes."""
    refusal = pytest.importorskip("subcurrent._core").Error
    options = {"cells": (8, 10, 12), "spacing": 0.01}
    first = sc.Wave(**options, safety=0.8)
    dt = first.run(steps=5)["dt"]
    first.save(tmp_path / "w.h5")
    for other in ({"safety": 0.4}, {"dt": 0.9 * dt}):
        second = sc.Wave(**options, **other)
        before = second.gather()
        with pytest.raises(refusal, match=r"has dt [\d.e-]+; this run has [\d.e-]+"):
            second.load(tmp_path / "w.h5")
        assert second.steps == 0
        assert np.array_equal(second.gather(), before)
    same = sc.Wave(**options, dt=dt)
    same.load(tmp_path / "w.h5")
    assert np.array_equal(same.gather(), first.gather())
