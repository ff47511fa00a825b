# SPDX-License-Identifier: Apache-2.0
"""How short a measured step can become by overlap, by the dependences of its plan."""

from __future__ import annotations

from typing import Any

from ..case.strategies import WITHOUT_OVERLAP
from ..errors import SubcurrentError
from ..solvers.cases import typed_case
from .rehearse import Part, rehearse

Row = dict[str, Any]


def by_terms(ordered: Row) -> float:
    """(C + M + R) / (C_shell + max(C_core, M) + R): the largest speed-up if nothing depends on anything but
    messages on the shell."""
    shell, core, messages, sums = (ordered.get(name) or 0.0 for name in ("C_shell", "C_core", "M", "R"))
    return (shell + core + messages + sums) / (shell + max(core, messages) + sums)


def by_plan(row: Row, ordered: Row) -> float | None:
    """The largest speed-up by the dependences of the plan of a row's strategy."""
    if not row.get("plan"):
        return None
    return sum(ordered.get(name) or 0.0 for name in ("C_shell", "C_core", "M", "R")) / row["plan"]


def add_plans(table: dict[str, Any], network: str | None) -> str | None:
    """Adds the seconds of the shortest step, as "plan", to rows of strategies that overlap: the critical path
    of their plans with the times of `ordered`, and R. Returns why this is not known."""
    rows = table["rows"]
    ordered = next(row for row in rows if row["strategy"] == "ordered")
    names = [row["strategy"] for row in rows if row["strategy"] not in (*WITHOUT_OVERLAP, "automatic")]
    if not names or not ordered.get("M") or not ordered.get("C_core"):
        return None
    others = [what for what in ("files", "link") if what in (ordered.get("movements") or ())]
    if others:
        return f"M includes {' and '.join(others)}, whose pieces it does not know"
    try:
        paths = _paths(table, ordered, names, on_node=1 if network is not None else table["ranks"])
    except SubcurrentError as error:
        return str(error).rstrip(".")
    for row in rows:
        if row["strategy"] in paths:
            row["plan"] = paths[row["strategy"]] + (ordered.get("R") or 0.0)
    return None


def _paths(table: dict[str, Any], ordered: Row, names: list[str], on_node: int) -> dict[str, float]:
    """Seconds of a step, by strategy. The rank in the middle, which has neighbours on both sides, represents
    all."""
    steps = typed_case(table["case"]).one_length("a critical path")
    ranks = table["ranks"]
    part = Part(table["case"], [ranks // 2], ranks, on_node, table["threads"], steps, names)
    part.measured = {"stages": _computing(ordered, steps), "messages": steps * ordered["M"]}
    (answer,) = rehearse([part])
    return {name: answer[name]["critical path"] / steps for name in names}


def _computing(ordered: Row, steps: int) -> dict[str, list[float]]:
    """Seconds of shell and core in these steps by stage. A row has the stages of the first rank, and C of the
    one that took longest: each stage has the same share of both."""
    stages = {
        name: [seconds.get("shell", 0.0), seconds.get("core", 0.0) + seconds.get("all", 0.0)]
        for name, seconds in ordered["stages"].items()
    }
    sums = [sum(part) for part in zip(*stages.values(), strict=True)] or [0.0, 0.0]
    terms = [ordered.get(name) or 0.0 for name in ("C_shell", "C_core")]
    scale = [steps * term / own if own > 0 else 0.0 for term, own in zip(terms, sums, strict=True)]
    return {name: [s * by for s, by in zip(parts, scale, strict=True)] for name, parts in stages.items()}
