# SPDX-License-Identifier: Apache-2.0
"""One validation error as one sentence: the key, its value, what is allowed, the nearest known key."""

from __future__ import annotations

import difflib
import re
from typing import Any

from .keys import Table, all_keys, allowed, fields, nested, repeated, shown


def nearest(word: str, known: list[str]) -> str | None:
    """The known word closest to a misspelt one, or None when none is close."""
    match = difflib.get_close_matches(word.lower(), known, n=1, cutoff=0.6)
    return match[0] if match else None


def sentence(model: type[Table], error: dict[str, Any]) -> str:
    """The sentence for one entry of `ValidationError.errors()`."""
    table, keys, field = _follow(model, error["loc"])
    name = dotted(keys)
    if error["type"] == "extra_forbidden" and field is None:
        return _unknown(model, table, keys)
    if error["type"] == "missing":
        return f"{name} is missing: it must be {_words(field, name)}."
    whole = dotted([part for part in keys if not isinstance(part, int)])
    subject = "it" if whole == name else whole
    return f"{name} = {shown(error.get('input'))} is not allowed: {subject} must be {_words(field, whole)}."


def _follow(model: type[Table], location: tuple) -> tuple[type[Table], list[str | int], Any]:
    """Walks an error's location down the tables; what pydantic adds for unions and models is left out."""
    table, keys, field = model, [], None
    for part in location:
        below = nested(field) if field else model
        if below is None and isinstance(keys[-1], int):
            below = repeated(field)
        if below:
            table = below
            keys.append(part)
            field = fields(table).get(part)
            if field is None:
                break
        elif isinstance(part, int):
            keys.append(part)
    return table, keys, field


def _unknown(model: type[Table], table: type[Table], keys: list[str | int]) -> str:
    *parents, last = keys
    parent = dotted(parents)
    here = nearest(str(last), list(fields(table)))
    if here:
        meant = f"{parent}.{here}" if parent else here
    else:
        leaves = {name.rpartition(".")[2]: name for name in all_keys(model)}
        elsewhere = nearest(str(last), list(leaves))
        meant = leaves[elsewhere] if elsewhere else None
    where = f"[{parent}] knows" if parent else "a case file knows"
    return (
        f"{dotted(keys)} is not a known key{f', did you mean {meant}' if meant else ''}: "
        f"{where} {', '.join(fields(table))}."
    )


def dotted(keys: list[str | int]) -> str:
    """A key's full name as a sentence shows it, e.g. grid.points[1]."""
    text = ""
    for item in keys:
        name = f"[{item}]" if isinstance(item, int) else _name(item)
        text += name if isinstance(item, int) or not text else f".{name}"
    return text


def _name(key: str) -> str:
    """A key as it is written in a sentence; one that is not a plain word is quoted as in TOML."""
    return key if re.fullmatch(r"[\w+-]{1,60}", key) else shown(key)


def _words(field: Any, name: str) -> str:
    if field is None:
        return "a table"
    return f"a table [{name}]" if nested(field) else allowed(field)
