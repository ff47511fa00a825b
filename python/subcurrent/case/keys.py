# SPDX-License-Identifier: Apache-2.0
"""The tables of case files: strict keys with their meaning and their allowed values."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import asdict
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo

from ..given import FixedAttribute

# Beyond these no power or product that a solver forms of a number is one any more.
SMALLEST, LARGEST = 1e-60, 1e60
MOST = 2**62  # of a whole number: its double still is one


class Table(BaseModel):
    """One table of a case file: unknown keys are errors, and text is never converted to a number."""

    # A start uses few of all tables: what checks one is built when it is first used.
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False, defer_build=True)

    def __setattr__(self, name: str, value: Any) -> None:
        raise FixedAttribute(
            f"{name} cannot be set: a case is fixed when it has been checked, make a new one."
        )


def key(meaning: str, allowed: str, default: Any = ..., **limits: Any) -> Any:
    """One key: its meaning, its allowed values (as error messages state them), default and limits."""
    return Field(default, description=meaning, json_schema_extra={"allowed": allowed}, **limits)


def setting(meaning: str, default: Any = ..., *, unit: str = "", **limits: Any) -> Any:
    """A key whose type, or unit, and limits say what is allowed."""
    return Field(default, description=meaning, json_schema_extra={"unit": unit}, **limits)


def allowed(field: FieldInfo) -> str:
    """The allowed values, as error messages state them."""
    extra = field.json_schema_extra
    assert isinstance(extra, dict)
    return str(extra.get("allowed") or _in_words(_kind(field), field.metadata, str(extra["unit"])))


# By the limits of a number.
RANGES = {
    "": "",
    "gt": " greater than {gt}",
    "ge": " >= {ge}",
    "lt": " below {lt}",
    "ge le": " from {ge} to {le}",
    "ge lt": " from {ge} to below {lt}",
    "gt le": " greater than {gt} and at most {le}",
    "gt lt": " between {gt} and {lt}",
}


def _in_words(kind: Any, constraints: list[Any], unit: str) -> str:
    if kind is bool:
        return "true or false"
    if get_origin(kind) is Literal:
        *others, last = map(shown, get_args(kind))
        if len(others) > 5:
            return f"one of {', '.join((*others, last))}"
        return f"{', '.join(others)} or {last}" if others else last
    limits = {name: limit for one in constraints for name, limit in asdict(one).items()}
    if kind is str:
        return f"text of up to {limits['max_length']} characters"
    if limits.get("le") == MOST:
        del limits["le"]
    number = unit or {float: "a number", int: "a whole number"}[kind]
    in_words = {name: _short(limit) for name, limit in limits.items()}
    return number + RANGES[" ".join(sorted(limits))].format(**in_words)


def _short(limit: Any) -> str:
    """Large and small numbers as 1e6 and 1e-8."""
    return re.sub(r"e\+?(-?)0*", r"e\1", f"{limit:.4g}") if isinstance(limit, float) else str(limit)


def _kind(field: FieldInfo) -> Any:
    """The type of a key, without the None of one that may be left out."""
    kind = field.annotation
    choices = [choice for choice in get_args(kind) if choice is not type(None)]
    return choices[0] if get_origin(kind) in (Union, UnionType) and len(choices) == 1 else kind


def nested(field: FieldInfo) -> type[Table] | None:
    """The table that a key opens (also one that is optional), or None if the key holds a value."""
    kind = _kind(field)
    return kind if isinstance(kind, type) and issubclass(kind, Table) else None


def repeated(field: FieldInfo) -> type[Table] | None:
    """The table of which a key holds several, such as [[seeds]], or None."""
    kind = _kind(field)
    inner = get_args(kind) if get_origin(kind) is list else ()
    return inner[0] if inner and isinstance(inner[0], type) and issubclass(inner[0], Table) else None


def fields(table: type[Table]) -> dict[str, FieldInfo]:
    """The keys of a table by their names in the file."""
    return {field.alias or name: field for name, field in table.model_fields.items()}


def all_keys(table: type[Table], prefix: str = "") -> list[str]:
    """Every key below a table with its full dotted name, e.g. `flow.reynolds`."""
    found = []
    for name, field in fields(table).items():
        below = nested(field)
        found.extend(all_keys(below, f"{prefix}{name}.") if below else [prefix + name])
    return found


def values(table: Table, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every number and text below a table with its full name, e.g. ("grid.points[0]", 66)."""
    for name, field in fields(type(table)).items():
        attribute = next(key for key, other in type(table).model_fields.items() if other is field)
        yield from _values(prefix + name, getattr(table, attribute))


def _values(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, Table):
        yield from values(value, f"{name}.")
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from _values(f"{name}[{number}]", item)
    elif value is not None:
        yield name, value


def shown(value: Any) -> str:
    """A value as it is written in a case file, on one line and shortened if it is long."""
    try:
        try:
            text = json.dumps(value)
        except TypeError:
            text = repr(value)
    except ValueError:  # Python writes no whole number of more than 4300 digits
        text = "a number of thousands of digits"
    return text if len(text) <= 60 else text[:57] + "..."
