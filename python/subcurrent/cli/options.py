# SPDX-License-Identifier: Apache-2.0
"""Options that several verbs share, and where they print."""

from __future__ import annotations

import json
import os
import sys
from typing import Annotated

import typer
from rich.console import Console


def console() -> Console:
    """As wide as the terminal; where the output goes to a file, as wide as the strategy table."""
    return Console() if sys.stdout.isatty() or "COLUMNS" in os.environ else Console(width=100)


CaseArgument = Annotated[
    str, typer.Argument(metavar="CASE", help="a case file, its folder, or a shipped case's name")
]
MeasuredArgument = Annotated[
    str,
    typer.Argument(
        metavar="CASE",
        help="a case file, its folder, a shipped case's name, or a Python script with an sc.Loop",
    ),
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="change a key of the case file; repeatable"),
]
OverwriteOption = Annotated[bool, typer.Option("--overwrite", help="replace the run that is in the folder")]
NetworkOption = Annotated[
    str | None,
    typer.Option(
        metavar="RATE", help="emulate a network of this rate between the ranks, e.g. 100mbit or rdma:8gbit"
    ),
]


def names_in(text: str | None) -> list[str]:
    """Names that are separated by commas."""
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def with_engine(sets: list[str] | None, **keys: int | str | None) -> list[str]:
    """The texts of --set, and one for each option that gives a key of [engine]."""
    return [*(sets or []), *(f"engine.{k}={json.dumps(v)}" for k, v in keys.items() if v is not None)]
