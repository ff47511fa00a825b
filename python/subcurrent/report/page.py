# SPDX-License-Identifier: Apache-2.0
"""One self-contained HTML page for a run folder: figures, the physics, where the time went, the case."""

from __future__ import annotations

import base64
import html
from pathlib import Path
from typing import Any

from ..case.reading import Case
from ..launch.rundir import RunFolder, write_text
from ..lines import duration
from ..solvers.kinds import kind_of, title_of
from . import account
from .figures import captions, stored_case
from .records import damaged, read_record

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title>
<style>
 body {{ font: 16px/1.5 system-ui, sans-serif; color: #1f2933; max-width: 62rem; margin: 2rem auto; padding:
 0 1rem }} h1 {{ font-size: 1.5rem }} h2 {{ font-size: 1.1rem; margin-top: 2rem }}
 table {{ border-collapse: collapse }} td, th {{ padding: .2rem .9rem .2rem 0; text-align: left;
 vertical-align: top }} td:first-child {{ color: #6b7785 }} tr {{ border-bottom: 1px solid #dfe4ea }}
 figure {{ margin: 1.5rem 0 }} img {{ max-width: 100% }} figcaption {{ color: #6b7785; font-size: .9rem }}
 pre {{ background: #f5f7f9; padding: 1rem; overflow-x: auto; font-size: .85rem }} .warn {{ color: #c8423b }}
</style>
<h1>{title}</h1>
{warnings}
{figures}
<h2>The run</h2>
{science}
<h2>Where the time went</h2>
{accounts}
<h2>The case as it was run</h2>
<pre>{case}</pre>
</html>
"""


def write_report(folder: RunFolder, figures: list[Path]) -> Path:
    """Writes report.html with the figures inside it, and returns its path."""
    case = stored_case(folder)
    texts = captions(case)
    page = PAGE.format(
        title=html.escape(title_of(case)),
        **facts_of(folder, case),
        figures="\n".join(_figure(path, texts.get(path.name, path.stem)) for path in figures),
        case=html.escape(folder.case.read_text(encoding="utf-8")),
    )
    write_text(folder.report, page)
    return folder.report


def facts_of(folder: RunFolder, case: Case) -> dict[str, str]:
    """The contents of summary.json as HTML: `warnings`, `science` and `accounts`; empty if there is no such
    file."""
    summary = read_record(folder.summary)
    if not summary:
        return dict.fromkeys(("warnings", "science", "accounts"), "")
    kind = kind_of(case)
    try:
        return {
            "warnings": "".join(
                f'<p class="warn">{html.escape(text)}.</p>' for text in kind.warnings(summary)
            ),
            "science": _table(_science(summary, case)) + kind.tables(summary),
            "accounts": _table(_accounts(summary)),
        }
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise damaged(folder.summary, "it lacks entries that every run writes") from None


def _table(rows: list[tuple[str, str | None]]) -> str:
    lines = "\n".join(
        f"<tr><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>"
        for name, value in rows
        if value is not None
    )
    return f"<table>{lines}</table>"


def _science(summary: dict[str, Any], case: Case) -> list[tuple[str, str | None]]:
    kind = kind_of(case)
    factor, unit = kind.columns(case).get("time", (1, ""))
    time = f"{factor * summary['time']:.5g} {unit}".strip()
    return [("state", f"{summary['state']} at step {summary['steps']}, time {time}"), *kind.rows(summary)]


def _accounts(summary: dict[str, Any]) -> list[tuple[str, str | None]]:
    rate, machine = summary.get("gb_per_s"), summary.get("machine", {})
    per_step = summary.get("seconds_per_step")
    return [
        ("took", f"{duration(summary['seconds'])}, {summary['steps_this_session']} steps"),
        ("per step", per_step and account.seconds(per_step)),
        (
            "ranks",
            f"{summary['ranks']} ({' × '.join(map(str, summary['split']))}) × {summary['threads']} threads",
        ),
        ("strategy", summary["strategy"]),
        ("chosen", account.choice(summary.get("automatic"))),
        ("passes", account.passes(summary)),
        ("transport of messages", summary.get("transports")),
        ("C_shell, computing the shell", account.seconds(summary.get("C_shell"))),
        ("C_core, computing the core", account.seconds(summary.get("C_core"))),
        ("M, messages", account.seconds(summary.get("M"))),
        ("W, waiting for messages", account.seconds(summary.get("W"))),
        ("R, reductions", account.seconds(summary.get("R"))),
        ("hidden share of the messages", account.hidden_share(summary)),
        ("case of overlap", summary.get("overlap_case")),
        ("memory traffic", None if rate is None else f"{rate:.1f} GB/s"),
        (
            "machine",
            f"{machine.get('host')}: {machine.get('cpu')}, {machine.get('cores')} cores" if machine else None,
        ),
    ]


def _figure(path: Path, text: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    caption = html.escape(text)
    image = f'<img alt="{caption}" src="data:image/png;base64,{data}">'
    return f"<figure>{image}<figcaption>{caption}</figcaption></figure>"
