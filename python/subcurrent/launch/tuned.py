# SPDX-License-Identifier: Apache-2.0
"""Measurements of `subcurrent tune`, stored for `run`: one file for each case, size and machine.

The settings change no result: every strategy, split, transport and number of threads gives the same bits.
"""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .. import core
from ..case.reading import Case, as_tables, parse_set, read_tables
from ..lines import count
from ..rank.machine import cpu_name
from ..report.records import damaged, read_record
from . import mpi
from .rundir import write_text, writing

FOLDER = "SUBCURRENT_TUNED"  # names another folder for the files
# The keys that are tuned; all others belong to the case.
KEYS = (
    "engine.strategy",
    "engine.halo_thread_joins",
    "engine.split",
    "engine.threads",
    "engine.transport",
    "engine.corners",
    "engine.poke_ms",
    "engine.steps_per_pass",
    "engine.pass_tile",
    "pressure.sweeps_per_pass",  # of the cavity
    "storage.pieces",
    "grid.pieces",  # of loops in Python
)


@dataclass
class Tuned:
    """What a run uses: its number of ranks, and `--set` texts for the keys that it does not set itself."""

    ranks: int
    sets: list[str]
    record: dict[str, Any]  # for summary.json

    def line(self) -> str:
        keys = (text.partition(".")[2].replace("=", " ").replace('"', "") for text in self.sets)
        chosen = ", ".join([count(self.ranks, "rank"), *keys])
        return (
            f"tuned: {chosen}, the fastest that `subcurrent tune` measured on {self.record['measured'][:10]} "
            f"({self.record['ratio']:.2f} times as fast as the unchanged case); --untuned ignores it"
        )


def folder() -> Path:
    if given := os.environ.get(FOLDER):
        return Path(given)
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(cache) / "subcurrent" / "tuned"


def value_of(case: Case, key: str) -> Any:
    """The value of a key that is tuned; None where the solver has no such table."""
    table, _, name = key.partition(".")
    return getattr(getattr(case, table, None), name, None)


def with_settings(case: Case, settings: dict[str, Any]) -> Case:
    """The case with other values of some keys, not yet checked against each other."""
    for key, value in settings.items():
        table, _, name = key.partition(".")
        case = case.updated(table, **{name: value})
    return case


def fixed_keys(path: Path, sets: list[str]) -> list[str]:
    """The keys of a case file that are not tuned."""
    return fixed_in(read_tables(path), Case.model_fields["engine"].default, sets)


def fixed_in(tables: dict[str, Any], default: Any, sets: list[str]) -> list[str]:
    """The keys that are not tuned: those of the command line, and those that the tables set to other values
    than `default`, an [engine] (pieces of fields: a file has the smallest number that fits into memory)."""
    named = {parse_set(text)[0] for text in sets}
    for key, value in tables.get("engine", {}).items():
        if value != getattr(default, key, value):
            named.add(f"engine.{key}")
    return [key for key in KEYS if key in named]


# -- the files -----------------------------------------------------------------------------------------------


def machine() -> dict[str, Any]:
    """What measured times depend on: the processors that may be used, and the program."""
    from .. import __version__  # noqa: PLC0415 - slow to load

    return {
        "cpu": cpu_name(),
        "cpus": mpi.cpus().threads,
        "mpi": str(core.build_info().get("mpi", "")).splitlines()[:1],
        "version": __version__,
    }


def file_of(name: str, case: Case, network: str | None = None) -> Path:
    """The file with the measurements of a case. Its name depends on all keys except those that are tuned, the
    end of the run and the output. Measurements over an emulated `network` have files of their own, which no
    run uses."""
    tables = {k: dict(v) if isinstance(v, dict) else v for k, v in as_tables(case).items()}
    for key in KEYS:
        table, _, last = key.partition(".")
        tables.get(table, {}).pop(last, None)
    kept = {table: value for table, value in tables.items() if table not in ("run", "output")}
    where = machine() | ({} if network is None else {"network": network})
    text = json.dumps([kept, where], sort_keys=True)
    return folder() / f"{name}-{hashlib.sha256(text.encode()).hexdigest()[:16]}.json"


def save(path: Path, record: dict[str, Any]) -> None:
    """Writes the measurements; those of an earlier tune on other ranks and threads are kept."""
    known = [(row["ranks"], row["threads"]) for row in record["winners"]]
    before = load(path)
    for what in ("winners", "groups"):
        old = [row for row in before.get(what, []) if (row["ranks"], row["threads"]) not in known]
        record[what] = [*record[what], *old]
    with writing(path.parent):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_text(path, json.dumps(record, indent=1) + "\n")


def load(path: Path) -> dict[str, Any]:
    """The measurements; {} if there are none."""
    record = read_record(path)
    if record and not isinstance(record.get("winners"), list):
        raise damaged(path, "it is not what `subcurrent tune` writes")
    return record


def _usable(case: Case, keys: dict[str, Any]) -> bool:
    """Whether a run can make use of the settings: passes end at rows of the history, and with fewer pieces
    than the case has its fields might not fit into memory."""
    length, pieces = keys.get("engine.steps_per_pass", 1), keys.get("storage.pieces")
    as_it_is = length in (value_of(case, "engine.steps_per_pass"), "automatic")
    enough = pieces is None or pieces >= (value_of(case, "storage.pieces") or 0)
    return enough and (as_it_is or length <= case.output.history_every)


def find(name: str, case: Case, fixed: list[str], ranks: int | None) -> Tuned | None:
    """The fastest measured settings of a case that agree with its own keys and ranks."""
    path = file_of(name, case)
    try:
        record = load(path)
        fitting = [
            row
            for row in record.get("winners", [])
            if ranks in (None, row["ranks"]) and all(row["keys"].get(k) == value_of(case, k) for k in fixed)
            if _usable(case, row["keys"])
        ]
        best = min(fitting, key=lambda row: row["T"], default=None)
        if best is None:
            return None
        differing = {k: v for k, v in best["keys"].items() if k in KEYS and v != value_of(case, k)}
        sets = [f"{key}={json.dumps(value)}" for key, value in differing.items()]
        told = {
            "ranks": best["ranks"],
            "keys": differing,
            "ratio": float(best["ratio"]),
            "seconds_per_step": float(best["T"]),
            "measured": str(record["measured"]),
            "file": str(path),
        }
    except (KeyError, TypeError, ValueError):
        raise damaged(path, "it is not what `subcurrent tune` writes") from None
    return Tuned(best["ranks"], sets, told)
