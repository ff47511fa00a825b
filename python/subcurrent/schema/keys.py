# SPDX-License-Identifier: Apache-2.0
"""What the tables of a case file are made of: strict keys that know what they mean and allow."""

from __future__ import annotations

from types import UnionType
from typing import Any, get_args

from pydantic import BaseModel, ConfigDict, Field
from pydantic.fields import FieldInfo


class Table(BaseModel):
    """One table of a case file: unknown keys are errors, and text is never taken for a number."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, allow_inf_nan=False)


def key(meaning: str, allowed: str, default: Any = ..., **limits: Any) -> Any:
    """One key: what it means, what is allowed (in the error sentence's words), default and limits."""
    return Field(default, description=meaning, json_schema_extra={"allowed": allowed}, **limits)


def allowed(field: FieldInfo) -> str:
    extra = field.json_schema_extra
    return str(extra.get("allowed", "")) if isinstance(extra, dict) else ""


def nested(field: FieldInfo) -> type[Table] | None:
    """The table a key opens (one that may be left out, too), or None where the key holds a value."""
    kind = field.annotation
    choices = [choice for choice in get_args(kind) if choice is not type(None)]
    if isinstance(kind, UnionType) and len(choices) == 1:
        kind = choices[0]
    return kind if isinstance(kind, type) and issubclass(kind, Table) else None


def fields(table: type[Table]) -> dict[str, FieldInfo]:
    """The keys of a table under the names that stand in the file."""
    return {field.alias or name: field for name, field in table.model_fields.items()}


def all_keys(table: type[Table], prefix: str = "") -> list[str]:
    """Every key below a table with its full dotted name, e.g. `flow.reynolds`."""
    found = []
    for name, field in fields(table).items():
        below = nested(field)
        found.extend(all_keys(below, f"{prefix}{name}.") if below else [prefix + name])
    return found
