# SPDX-License-Identifier: Apache-2.0
"""The conclusion from a table of strategies in one sentence: the possible and the measured gain of
overlap."""

from __future__ import annotations

from typing import Any

from ..case.strategies import WITHOUT_OVERLAP
from . import ceiling

Row = dict[str, Any]
UNEXPLAINED = 0.15  # of a step of `blocking` that the terms of `ordered` may leave open
UNEVEN = 1.3  # slowest round over fastest


def verdict(rows: list[Row]) -> str:
    by_name = {row["strategy"]: row for row in rows}
    blocking, ordered = by_name["blocking"], by_name["ordered"]
    hiding = [row for row in rows if row["strategy"] not in (*WITHOUT_OVERLAP, "automatic")]
    best = max(hiding or rows, key=lambda row: row["ratio"])
    gained = f"the fastest strategy with overlap is {best['strategy']} at {best['ratio']:.2f} times blocking"
    if not hiding:
        gained = "no strategy with overlap was measured"
    if "automatic" in by_name:
        gained += f", automatic is at {by_name['automatic']['ratio']:.2f}"
    core, messages = ordered.get("C_core"), ordered.get("M")
    if messages is None or core is None:
        return f"The messages were not measured, so the possible gain of overlap is unknown; {gained}."
    if messages <= 0 or core <= 0:
        return f"No data is sent between ranks, so there is nothing to hide; {gained}."
    case = (
        "communication can hide under computation"
        if core >= messages
        else "computation can hide under communication"
    )
    most = ceiling.by_terms(ordered)
    plan = of_plan(rows, ordered)
    said = f"M / C_core = {messages / core:.2f}: {case}"
    if best["ratio"] <= most or not hiding:
        return f"{said}, at most {most:.2f} times blocking; {gained}.{plan}"
    if min(blocking["T_all"]) / max(best["T_all"]) <= most:
        return (
            f"{said}, at most {most:.2f} times blocking; {gained}, which agrees within the scatter "
            f"of the rounds.{plan}"
        )
    return (
        f"{said}. By the times of ordered this gains at most {most:.2f} times blocking. This "
        f"does not hold here: {gained}, and {reason(blocking, ordered, best)}.{plan}"
    )


def of_plan(rows: list[Row], ordered: Row) -> str:
    """How much the dependences of the plans allow, and the share of it that was reached; nothing if that is
    not known."""
    known = [(row, most) for row in rows if (most := ceiling.by_plan(row, ordered)) is not None]
    if not known:
        return ""
    highest = max(most for _, most in known)
    row = max((row for row, _ in known), key=lambda row: row["ratio"])
    return (
        f" The critical path of the plan allows {highest:.2f} times blocking; {row['strategy']} reaches "
        f"{row['ratio'] / highest:.2f} of that."
    )


def reason(blocking: Row, ordered: Row, best: Row) -> str:
    """Why overlap alone does not explain the gain."""
    explained = sum(ordered.get(name) or 0.0 for name in ("C_shell", "C_core", "M", "R"))
    if blocking["T"] * (1 - UNEXPLAINED) > explained:
        return (
            f"a step of blocking took {1e3 * blocking['T']:.3g} ms, but computing, messages and "
            f"reductions of ordered take {1e3 * explained:.3g} ms: something else delayed it"
        )
    for row in (blocking, best):
        uneven = max(row["T_all"]) / min(row["T_all"])
        if uneven > UNEVEN:
            name = row["strategy"]
            return f"the rounds of {name} differ by a factor of {uneven:.2f}: measure on an idle machine"
    return (
        "the messages cannot explain so much: the strategy computes faster, or the times of ordered are too "
        "short"
    )
