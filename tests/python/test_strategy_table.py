# SPDX-License-Identifier: Apache-2.0
"""The table of strategies and the account of a run: their numbers, and the sentences about them."""

import io

import numpy as np
import pytest
from rich.console import Console

from subcurrent.case.library import find_case
from subcurrent.case.reading import load_case
from subcurrent.foresight import ceiling, strategies
from subcurrent.foresight.verdict import verdict
from subcurrent.rank.recorder import clean
from subcurrent.report import account, page
from subcurrent.report.account import overlap_case
from subcurrent.report.plots.strategies import draw_strategies, parts_of
from subcurrent.solvers.magnetosphere import halo_table

PNG = b"\x89PNG"


def rows():
    common = {"C_shell": 1e-3, "C_core": 5e-3, "M": 4e-3, "R": 1e-3}
    return [
        {"strategy": "blocking", "T": 12e-3, "T_all": [12e-3, 13e-3], **common, "W": 4e-3},
        {"strategy": "ordered", "T": 11e-3, "T_all": [11e-3, 12e-3], **common, "W": 4e-3},
        {"strategy": "boundary_first", "T": 8e-3, "T_all": [8e-3, 8.5e-3], **common, "W": 1e-3},
    ]


def test_the_strategy_table():
    table = rows()
    strategies.finish_rows(table)
    by_name = {row["strategy"]: row for row in table}
    assert by_name["boundary_first"]["ratio"] == pytest.approx(1.5)
    assert by_name["boundary_first"]["hidden"] == pytest.approx(0.75)
    assert by_name["ordered"]["hidden"] is None
    assert strategies.as_csv(table).splitlines()[0] == "strategy,T,ratio,C_shell,C_core,M,W,R,hidden,plan"


def told(table):
    strategies.finish_rows(table)
    return verdict(table)


def test_what_hiding_gains():
    """(C + M + R) / (C_shell + max(C_core, M) + R) = 11 / 7."""
    text = told(rows())
    assert "M / C_core = 0.80: communication can hide" in text
    assert "at most 1.57 times blocking; the fastest strategy with overlap is boundary_first at 1.50" in text


def test_the_critical_path_of_the_plan_is_a_second_ceiling():
    """11 / 8, of which 1.5 is a share of 1.09; the best plan counts, whichever strategy is the fastest."""
    table = rows()
    assert "critical path" not in told(table)
    table[2]["plan"] = 8e-3
    assert told(table).endswith(
        "The critical path of the plan allows 1.38 times blocking; boundary_first reaches 1.09 of that."
    )
    table.append(table[2] | {"strategy": "pipelined", "T": 10e-3, "plan": 7e-3})
    assert told(table).endswith("allows 1.57 times blocking; boundary_first reaches 0.95 of that.")


def test_stages_have_their_share_of_c():
    """Rows have the stages of the first rank and C of the slowest one."""
    ordered = {"C_shell": 2.0, "C_core": 9.0, "stages": {"a": {"shell": 1.0, "core": 2.0}, "b": {"all": 1.0}}}
    assert ceiling._computing(ordered, 3) == {"a": [6.0, 18.0], "b": [0.0, 9.0]}
    assert ceiling._computing({"C_core": 9.0, "stages": {}}, 3) == {}


def test_what_has_no_critical_path():
    ordered = {"strategy": "ordered", "M": 1.0, "C_core": 1.0, "movements": {"messages": {}, "files": {}}}
    table = {"rows": [{"strategy": "blocking"}, ordered, {"strategy": "pipelined"}]}
    assert ceiling.add_plans(table, None) == "M includes files, whose pieces it does not know"
    ordered |= {"M": 0.0, "movements": {}}
    assert ceiling.add_plans(table, None) is None
    assert all("plan" not in row for row in table["rows"])


def test_a_gain_beyond_what_hiding_can_give_is_explained():
    slow = rows()
    slow[0] |= {"T": 30e-3, "T_all": [29e-3, 31e-3]}
    text = told(slow)
    assert "at most 1.57 times blocking;" not in text
    assert "gains at most 1.57 times blocking. This does not hold here" in text
    assert "boundary_first at 3.75 times blocking" in text
    assert "a step of blocking took 30 ms" in text
    assert "of ordered take 11 ms" in text
    uneven = rows()
    uneven[0] |= {"T": 12.8e-3, "T_all": [12.7e-3, 12.9e-3]}
    uneven[2] |= {"T": 7e-3, "T_all": [6.9e-3, 10e-3]}
    assert "at most 1.57 times blocking; " in told(uneven)
    assert "agrees within the scatter of the rounds" in told(uneven)
    uneven[2]["T_all"] = [6.9e-3, 7e-3]
    assert "computes faster, or the times of ordered are too short" in told(uneven)


def test_what_was_not_measured_is_called_so():
    table = rows()
    for row in table:
        row |= {"M": None, "C_shell": None, "hidden": None}
    text = told(table)
    assert text.startswith("The messages were not measured")
    assert "boundary_first at 1.50" in text
    shown = Console(width=200, file=io.StringIO())
    shown.print(
        strategies.as_table({"case": {"grid": {"cells": [8, 8, 8]}}, "ranks": 1, "threads": 1, "rows": table})
    )
    lines = shown.file.getvalue().splitlines()
    last = next(line for line in lines if "boundary_first" in line)
    assert last.count("not measured") == 3  # C_shell, M, hidden
    assert sum(parts_of(table[2]).values()) == pytest.approx(8e-3)
    nothing = rows()
    for row in nothing:
        row |= {"M": 0.0, "W": 0.0}
    assert told(nothing).startswith("No data is sent between ranks")


def test_no_time_is_negative():
    assert account.milliseconds(-1e-9) == "below noise"
    assert account.milliseconds(2e-3) == "2"
    assert account.milliseconds(0.0) == "0"
    assert account.milliseconds(None) == "not measured"
    stage = dict.fromkeys(halo_table.ROWS, 1e-3) | {"t_add": -5e-3}
    table = {"threads": 2, "stages": {"first": stage}, "verdict": halo_table.verdict({"first": stage}, True)}
    assert "t_add = below noise, t_com = 1 ms a step" in table["verdict"]
    assert "-5" not in halo_table.as_html(table)
    assert "<td>below noise</td>" in halo_table.as_html(table)


def test_the_parts_of_a_step_add_up_to_its_time():
    blocking, _, hidden = (parts_of(row) for row in rows())
    assert sum(blocking.values()) == pytest.approx(12e-3)
    assert "M" in blocking
    assert "W" in hidden
    assert sum(hidden.values()) == pytest.approx(8e-3)


def test_strategy_figure(tmp_path):
    draw_strategies(tmp_path / "s.png", rows(), "title", "note")
    assert (tmp_path / "s.png").read_bytes().startswith(PNG)


@pytest.mark.parametrize(
    ("terms", "strategy", "words"),
    [
        ({"C_core": 2.0, "M": 1.0}, "pipelined", "communication hidden: T_m"),
        ({"C_core": 1.0, "M": 2.0}, "pipelined", "computation hidden: T_p"),
        ({"C_core": 2.0, "M": 1.0}, "blocking", "nothing hidden by blocking; communication could be: T_m"),
        ({"C_core": 1.0, "M": 2.0}, "ordered", "nothing hidden by ordered; computation could be: T_p"),
        ({"C_core": 1.0, "M": 0.0}, "pipelined", None),
        ({"C_core": 1.0, "M": None}, "pipelined", None),
    ],
)
def test_the_two_cases_of_overlap(terms, strategy, words):
    found = overlap_case(terms, strategy)
    assert found is None if words is None else found.startswith(words)


def test_an_account_says_what_its_strategy_can_know():
    terms = {"C_shell": 0.0, "C_core": 2.0, "M": 1.0, "W": 0.9, "hidden": 0.1}
    assert account.account_of(terms, "blocking") == terms | {"C_shell": None, "hidden": 0.0}
    assert account.account_of(terms, "ordered") == terms | {"hidden": 0.0}
    assert account.account_of(terms, "pipelined") == terms
    moved = {"M": 0.0, "W": 0.0, "hidden": 0.0, "bytes_moved": 203e6}
    assert account.account_of(moved, "pipelined") == moved | {"M": None, "hidden": None}
    waited = {"M": 0.0, "W": 13.7, "hidden": 0.0, "bytes_moved": 0.0}
    assert account.account_of(waited, "pipelined") == waited | {"M": None, "hidden": None}
    assert account.account_of(waited, "blocking")["hidden"] == 0.0
    nothing = {"M": 0.0, "W": 0.0, "hidden": 0.0, "bytes_moved": 0.0}
    assert account.account_of(nothing, "pipelined") == nothing


def chosen_stages(**strategies):
    """Stages of three runs each, by name: a strategy, seconds then and under blocking."""
    return [
        {"stage": name, "strategy": s, "runs": 3, "seconds": took, "seconds_blocking": blocking}
        for name, (s, took, blocking) in strategies.items()
    ]


def automatic(stages):
    terms = {"M": 1.0, "C_core": 2.0, "C_shell": 0.5, "hidden": 0.4, "movements": {"messages": {}}}
    return terms | {"automatic": {"stages": stages, "trials": 1, "trying": False, "steps_tried": 29}}


def test_what_the_automatic_strategy_chose_is_said_in_a_line():
    one = account.account_of(
        automatic(chosen_stages(a=("pipelined", 1.0, 1.5), b=("pipelined", 1.0, 1.0))), "automatic"
    )
    assert one["automatic"]["gained"] == pytest.approx(1.25)
    assert account.choice(one["automatic"]) == (
        "pipelined: stages with halos are 1.25 times as fast as under blocking (29 steps of trials)"
    )
    assert one["hidden"] == 0.4
    two = account.account_of(
        automatic(chosen_stages(a=("pipelined", 1.0, 2.0), b=("blocking", 1.0, 1.0))), "automatic"
    )
    assert account.choice(two["automatic"]).startswith("pipelined for a, blocking for b: ")
    assert overlap_case(two, "automatic").startswith("communication hidden")
    early = account.account_of(automatic(chosen_stages(a=("pipelined", None, None))), "automatic")
    assert account.choice(early["automatic"]) == (
        "the run ended 29 steps into the trials of strategies, too early to compare them"
    )
    early["automatic"]["steps_tried"] = 0
    assert account.choice(early["automatic"]) == (
        "the run ended before the first trial of strategies, too early to compare them"
    )
    assert account.choice(None) is None


def test_where_blocking_was_chosen_nothing_is_called_hidden():
    for stages in ([], chosen_stages(a=("blocking", 1.0, 1.0))):
        told = account.account_of(automatic(stages), "automatic")
        assert (told["hidden"], told["C_shell"]) == (0.0, None)
        assert overlap_case(told, "automatic").startswith("nothing hidden by blocking; ")
    nothing = account.account_of(automatic([]), "automatic")
    assert account.choice(nothing["automatic"]) == "no data is sent between ranks, so no strategy was tried"
    files = automatic([]) | {"movements": {"files": {}}}
    assert account.account_of(files, "automatic")["hidden"] == 0.4


def test_the_automatic_strategy_stands_beside_the_fastest():
    table = rows()
    table.append(table[2] | {"strategy": "automatic", "T": 8.1e-3})
    assert (
        "the fastest strategy with overlap is boundary_first at 1.50 times blocking, automatic is at 1.48"
        in told(table)
    )


def test_a_report_says_what_was_not_measured():
    summary = {
        "state": "finished",
        "steps": 2,
        "time": 1.0,
        "seconds": 3.0,
        "steps_this_session": 2,
        "ranks": 1,
    }
    summary |= {
        "split": [1, 1, 1],
        "threads": 1,
        "strategy": "pipelined",
        "C_core": 2.0,
        "M": None,
        "hidden": None,
    }
    case = load_case(find_case("cavity_demo"), [])
    told_rows = dict([*page._science(summary, case), *page._accounts(summary)])
    assert told_rows["M, messages"] == "not measured"
    assert told_rows["hidden share of the messages"] == "not measured"
    assert told_rows["C_core, computing the core"] == "2 s"


def test_numbers_become_what_json_allows():
    given = {"a": np.float64(1.5), "b": float("nan"), "c": np.arange(2), "d": (1, np.int64(2)), "e": True}
    assert clean(given) == {"a": 1.5, "b": None, "c": [0, 1], "d": [1, 2], "e": True}


def test_where_messages_bind_passes_are_told_what_would_help():
    terms = {"passes": "40 steps in 5 passes, 8 a pass", "M": 4.6, "C_core": 1.0, "C_shell": 0.1}
    assert account.passes(terms) == (
        "40 steps in 5 passes, 8 a pass; messages take 4.2 times as long as computing, and passes send the "
        "same bytes: blocks 4.2 times as thick (fewer hosts, or more cells) would hide them"
    )
    assert "messages take 140 times" in account.passes(terms | {"M": 154.0})
    assert account.passes(terms | {"M": 0.5}) == terms["passes"]
    assert account.passes(terms | {"M": None}) == terms["passes"]
    assert account.passes({"M": 4.6, "C_core": 1.0}) is None
