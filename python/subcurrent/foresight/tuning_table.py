# SPDX-License-Identifier: Apache-2.0
"""Output of a tuning: a table of measurements, and the conclusion."""

from __future__ import annotations

from typing import Any

from rich.table import Table

from ..lines import count


def table_of(groups: list[dict[str, Any]], everything: bool = False) -> Table:
    """For each layout the unchanged case and the fastest settings, or all measurements."""
    shown = Table(title="milliseconds a step, medians", title_justify="left")
    spread = () if everything else ("least", "most")
    for name in ("ranks", "threads", "settings", "split", "T", *spread, "over as it is"):
        wide = name == "settings"
        shown.add_column(name, justify="left" if wide else "right", min_width=30 if wide else None)
    if everything:
        shown.add_column("phase", justify="left")
        shown.add_column("rounds", justify="right")
    for group in sorted(groups, key=lambda group: (group["ranks"], group["threads"])):
        rows = group["rows"] if everything else _ends(group["rows"])
        for row in sorted(rows, key=lambda row: row["T"]) if everything else rows:
            times = [f"{1e3 * t:.4g}" for t in (row["T"], min(row["T_all"]), max(row["T_all"]))]
            del times[len(spread) + 1 :]
            split = "×".join(map(str, row["split"]))
            cells = [str(group["ranks"]), str(group["threads"]), named(row["settings"]), split, *times]
            cells.append(f"{row['ratio']:.3f}")
            if everything:
                cells += [
                    row["phase"].removeprefix("engine."),
                    f"{len(row['T_all'])}{' (dropped)' if row['left_after'] else ''}",
                ]
            shown.add_row(*cells)
    return shown


def _ends(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The rows of the last comparisons: the unchanged case and the fastest settings, and the rows of the last
    runs."""
    return [row for row in rows if row["phase"] in ("winner", "last")]


def named(settings: dict[str, Any]) -> str:
    """Settings as text."""
    said = (f"{key.partition('.')[2]} {value}" for key, value in settings.items())
    return ", ".join(said) or "as it is"


def conclusion(record: dict[str, Any]) -> str:
    """The fastest ranks, threads and settings, and their gain."""
    best = min(record["winners"], key=lambda row: row["T"])
    where, chosen = (
        f"{count(best['ranks'], 'rank')} x {count(best['threads'], 'thread')}",
        named(best["settings"]),
    )
    if not best["settings"]:
        said = f"fastest is {where} with the unchanged case: no other setting gains 2 % or more"
    else:
        said = (
            f"fastest is {where} with {chosen}: {best['ratio']:.2f} times as fast as the unchanged "
            "case on these"
        )
    if record["fixed"]:
        said += f"; {', '.join(record['fixed'])} not changed, because the case or the command line sets it"
    return said
