# SPDX-License-Identifier: Apache-2.0
"""Table 2 of Fukazawa et al. for a run: the times of the halo thread and of the computing threads, and
whether the halo thread pays.

The condition of the paper: with one thread less, computing takes longer by t_add; this pays if it is less
than t_com, the time of the messages without overlap. Both are measured in the same run: some runs of every
stage use `ordered`, where all threads compute and nothing overlaps.
"""

from __future__ import annotations

import html
from typing import Any

from ...report.account import milliseconds

CLOSE = 0.05  # of a step: what steps differ by on a machine that others use too
SAMPLED = " ordered"  # how the runner books those runs (sc::sampled_suffix)
STAGES = {"first": "first stage (centres)", "second": "second stage (nodes)"}
ROWS = {
    "communication": "halo communication, at the halo thread",
    "shell": "halo computation, at the halo thread",
    "halo_elapsed": "elapsed at the halo thread",
    "core_elapsed": "elapsed at the computing threads",
    "t_cal": "computing with all threads, without a halo thread",
    "t_add": "t_add: what the computing threads take longer",
    "t_com": "t_com: the messages when nothing hides them",
}


def table_of(
    seconds: dict[str, dict[str, float]], runs: dict[str, int], sampled: dict[str, int], engine: Any
) -> dict[str, Any]:
    """Seconds a run of both stages, on this rank, from the timeline's totals by stage.

    While the team is at work the timeline counts a second of one thread as 1 / threads, so that a stage's
    totals add up to its time; the elapsed times of one thread are `threads` times as much.
    """
    threads, joins = engine.threads, engine.halo_thread_joins
    stages = {}
    for name in STAGES:
        hidden, apart = seconds.get(name, {}), seconds.get(name + SAMPLED, {})
        samples = sampled.get(name, 0)
        hidden_runs = runs.get(name, 0) - samples
        if hidden_runs <= 0 or not apart:
            continue
        # `start` is booked before the team begins, with its full weight.
        communication = (hidden.get("start", 0.0) + threads * hidden.get("wait", 0.0)) / hidden_runs
        shell = threads * hidden.get("shell", 0.0) / hidden_runs
        core = threads * hidden.get("core", 0.0) / (threads if joins else threads - 1) / hidden_runs
        t_cal = (apart.get("shell", 0.0) + apart.get("core", 0.0) + apart.get("all", 0.0)) / samples
        stages[name] = {
            "communication": communication,
            "shell": shell,
            "halo_elapsed": communication + shell,
            "core_elapsed": core,
            "t_cal": t_cal,
            "t_add": core - t_cal,
            "t_com": (apart.get("start", 0.0) + apart.get("wait", 0.0)) / samples,
        }
    return {"threads": threads, "joins": joins, "stages": stages, "verdict": verdict(stages, joins)}


def promise(t_add: float, t_com: float, step: float) -> float:
    """The gain of a halo thread by the condition t_add < t_com, as a fraction of a step.

    No more than the messages can be hidden. If computing becomes faster with one thread less (t_add below 0,
    as with more threads than cores), this is not an effect of the halo thread.
    """
    return (t_com - max(t_add, 0.0)) / step


def verdict(stages: dict[str, dict[str, float]], joins: bool) -> str:
    """The condition in words."""
    if not stages:
        return "too few steps: each stage first runs under ordered a few times."
    t_add = sum(stage["t_add"] for stage in stages.values())
    t_com = sum(stage["t_com"] for stage in stages.values())
    figures = f"t_add = {_told(t_add)}, t_com = {_told(t_com)} a step"
    holds = t_add < t_com
    sentence = (
        f"t_add < t_com holds ({figures}): giving a thread to the halo costs less than the messages would."
        if holds
        else f"t_add < t_com does not hold ({figures}): computing loses more than the messages cost."
    )
    gain = promise(t_add, t_com, t_com + sum(stage["t_cal"] for stage in stages.values()))
    if abs(gain) < CLOSE:
        sentence += f" It is {abs(gain):.1%} of a step, too close to tell."
    return sentence + (" Thread 0 joined the others when its halo was done." if joins else "")


def _told(seconds: float) -> str:
    text = milliseconds(seconds)
    return f"{text} ms" if seconds >= 0 else text


def as_html(table: dict[str, Any]) -> str:
    """The table for the report."""
    stages = table["stages"]
    head = "".join(f"<th>{html.escape(STAGES[name])}</th>" for name in stages)
    rows = "\n".join(
        f"<tr><td>{html.escape(text)}</td>"
        + "".join(f"<td>{_told(stage[row])}</td>" for stage in stages.values())
        + "</tr>"
        for row, text in ROWS.items()
    )
    body = f"<table><tr><th>a run of the stage, rank 0</th>{head}</tr>\n{rows}</table>" if stages else ""
    title = f"Halo thread and {table['threads'] - 1} computing threads"
    return f"<h2>{html.escape(title)}</h2>\n{body}\n<p>{html.escape(table['verdict'])}</p>"
