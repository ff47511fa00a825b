# SPDX-License-Identifier: Apache-2.0
"""What the program knows of each solver: totals of a run stand beside the facts of a step in one event."""

import json

import pytest

from subcurrent.case.library import shipped
from subcurrent.case.reading import parsed_case, read_tables
from subcurrent.launch.rundir import RunFolder
from subcurrent.report.page import facts_of
from subcurrent.solvers import NAMES
from subcurrent.solvers.kinds import kind_of


@pytest.mark.parametrize("name", NAMES)
def test_totals_have_names_of_their_own(name):
    kind = kind_of({"solver": name})
    record = {**dict.fromkeys(kind.history, 1), "capped": False, "floors": 2, "all_floors": 2}
    totals = {}
    kind.count(record, totals)
    kind.count(record, totals)
    assert not set(totals) & set(record), "the total would be shown as the step's own"


def test_the_cavity_counts_iterations_over_steps():
    kind, totals = kind_of({"solver": "cavity"}), {}
    for iterations in (3, 5):
        kind.count({"iterations": iterations, "capped": False}, totals)
    assert kind.summary(None, {"taken": 2, **totals})["iterations_per_step"] == 4


def case_of(name: str):
    path = shipped()[name]
    return parsed_case(read_tables(path), f"{path}: ")


TITLES = {
    "taylor_couette": "Flow between turning walls, Re = 5, ",
    "taylor_green_2d": "Taylor–Green vortex, Re = 100, ",
    "cavity_re100": "Cavity, Re = 100, ",
    "backward_step": "Flow through a box, Re = 800, ",
    "channel": "Flow through a box, Re = 20, ",
    "earth_tilted": "Earth, tilted 30° to the sun, wind 5 cm⁻³, 300 km/s, B = (0, 0, 5) nT, ",
    "earth_north": "Earth, wind 5 cm⁻³, ",
    "jupiter": ", B = 0, ",
}


@pytest.mark.parametrize("name", TITLES)
def test_a_title_tells_cases_apart(name):
    case = case_of(name)
    assert TITLES[name] in kind_of(case).title(case)


WHEN = {"wave_pulse": (3e-3, "3 ms"), "earth_south": (8500, "132.6 min"), "jupiter": (6e5, "129.9 h")}


@pytest.mark.parametrize("name", WHEN)
def test_a_report_tells_the_time_in_its_unit(tmp_path, name):
    """That of Jupiter, 130 hours, in hours."""
    case, (time, said) = case_of(name), WHEN[name]
    (tmp_path / "summary.json").write_text(json.dumps(SUMMARY | {"time": time}))
    science = facts_of(RunFolder(tmp_path), case)["science"]
    assert f"finished at step 7, time {said}" in science


SUMMARY = {
    "state": "finished",
    "steps": 7,
    "seconds": 1.0,
    "steps_this_session": 7,
    "ranks": 1,
    "split": [1, 1, 1],
}
SUMMARY |= {"threads": 1, "strategy": "blocking", "case": {"boundaries": {}}}
