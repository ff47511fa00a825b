# SPDX-License-Identifier: Apache-2.0
"""From the text of a case file to a checked, typed case, once; everything wrong becomes one sentence.

text = read_case("cases/cavity_re100/case.toml")      # tables, not yet checked
case = typed_case(text, folder, sets=["flow.reynolds=400"])
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from .errors import BadInput, storage_error
from .schema import SOLVERS, SolverCase
from .sentences import nearest, sentence

Case = SolverCase


def load_case(path: str | Path, sets: list[str] | tuple[str, ...] = ()) -> Case:
    """Reads a case file, applies `--set` texts, checks everything and fills in the defaults.

    Raises BadInput with one sentence that begins with the file's name.
    """
    path = Path(path)
    return typed_case(read_tables(path), path.parent, sets, name=str(path))


def read_tables(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            return tomllib.load(file)
    except FileNotFoundError:
        raise BadInput(
            f"{path} does not exist: give a case file, or a name that `subcurrent cases` lists."
        ) from None
    except tomllib.TOMLDecodeError as error:
        raise BadInput(f"{path} is not TOML: {str(error)[:1].lower()}{str(error)[1:]}.") from None
    except UnicodeDecodeError:
        raise BadInput(f"{path} is not TOML: it is not UTF-8 text.") from None
    except OSError as error:
        raise BadInput(storage_error(error, path, "read").sentence) from None


def typed_case(
    tables: dict[str, Any], folder: Path, sets: list[str] | tuple[str, ...] = (), name: str = ""
) -> Case:
    """The typed case for the tables of a file in `folder`; relative paths in it count from there."""
    prefix = f"{name}: " if name else ""
    tables = with_sets(tables, sets)
    model = _model(tables, prefix)
    try:
        case = model.model_validate(tables)
    except ValidationError as error:
        raise BadInput(prefix + sentence(model, error.errors()[0])) from None
    try:
        case.check()
        case = case.with_files(folder)
    except BadInput as error:
        raise BadInput(prefix + error.sentence) from None
    return case.completed()


def _model(tables: dict[str, Any], prefix: str) -> type[Case]:
    solver = tables.get("solver")
    if solver is None:
        raise BadInput(f"{prefix}solver is missing: allowed is {_solvers()}.")
    if solver not in SOLVERS:
        hint = nearest(str(solver), list(SOLVERS))
        meant = f", did you mean {hint!r}" if hint else ""
        raise BadInput(f"{prefix}solver = {solver!r} is not known{meant}: allowed is {_solvers()}.")
    return SOLVERS[solver]


def _solvers() -> str:
    return " or ".join(f'"{name}"' for name in SOLVERS)


# -- `--set a.b=c` ---------------------------------------------------------------------------------


def with_sets(tables: dict[str, Any], sets: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """A copy of the tables with every `a.b=c` put in; in an exclusive group it replaces the others."""
    tables = _copy(tables)
    exclusive = getattr(SOLVERS.get(tables.get("solver")), "exclusive", ())
    for text in sets:
        path, value = parse_set(text)
        for group in exclusive:
            if path in group:
                for other in group:
                    _remove(tables, other)
        _put(tables, path, value, text)
    return tables


def parse_set(text: str) -> tuple[str, Any]:
    """`flow.reynolds=400` as ("flow.reynolds", 400); the value is TOML, and a plain word needs no quotes."""
    path, equals, value = text.partition("=")
    path, value = path.strip().replace('"', ""), value.strip()
    if not equals or not path or not value:
        raise BadInput(f'--set {text!r} is not allowed: write it as key=value, e.g. "flow.reynolds=400".')
    try:
        parsed = tomllib.loads(f"value = {value}")
        if set(parsed) == {"value"}:
            return path, parsed["value"]
    except tomllib.TOMLDecodeError:
        if re.fullmatch(r"[A-Za-z_./~][\w./~+-]*", value):
            return path, value
    raise BadInput(
        f"--set {text!r} is not allowed: {value!r} is no TOML value (a number, true, [1, 2, 3] or a word)."
    )


def _put(tables: dict[str, Any], path: str, value: Any, text: str) -> None:
    *parents, last = path.split(".")
    table = tables
    for name in parents:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise BadInput(f"--set {text!r} is not allowed: {name} holds a value, it is not a table.")
    table[last] = value


def _remove(tables: dict[str, Any], path: str) -> None:
    table, _, name = path.partition(".")
    if isinstance(tables.get(table), dict):
        tables[table].pop(name, None)


def _copy(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _copy(item) for name, item in value.items()}
    return list(value) if isinstance(value, list) else value


# -- back to text ----------------------------------------------------------------------------------


def as_tables(case: Case) -> dict[str, Any]:
    """The case as plain tables, every default written out, those that every solver has at the end."""
    tables = case.model_dump(by_alias=True, exclude_none=True)
    return {name: tables[name] for name in sorted(tables, key=("engine", "output").__contains__)}


def as_toml(case: Case) -> str:
    """The resolved case as a file that reads back as the same case."""
    text = tomli_w.dumps(as_tables(case))
    short_lists = re.sub(r"\[\n([^\[\]]*?),\n\]", lambda list_: "[" + " ".join(list_[1].split()) + "]", text)
    return "# The case as it was run: every default is written out.\n" + short_lists
