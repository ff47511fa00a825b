# SPDX-License-Identifier: Apache-2.0
"""From the text of a case file to a checked, typed case, once; everything wrong becomes one sentence.

tables = read_tables(Path("cases/cavity_re100/case.toml"))  # not yet checked
case = typed_case(tables, folder, sets=["flow.reynolds=400"])
"""

from __future__ import annotations

import copy
import errno
import re
import stat
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, TypeVar

import tomli_w
from pydantic import ValidationError

from ..errors import BadInput, storage_error
from ..solvers.cases import SOLVERS
from .common import GridCase, SolverCase
from .keys import LARGEST, MOST, SMALLEST, shown, values
from .sentences import nearest, sentence
from .storage import refuse_unplaced

Case = SolverCase
Checked = TypeVar("Checked", bound=GridCase)
TOO_DEEP = "its tables or lists are nested too deeply"
NO_NUMBER = "it contains a number that is out of range"


def load_case(path: str | Path, sets: list[str] | tuple[str, ...] = ()) -> Case:
    """Reads a case file, applies `--set` texts, checks everything and fills in the defaults.

    Raises BadInput with one sentence that begins with the file's name.
    """
    path = Path(path)
    return typed_case(read_tables(path), path.parent, sets, name=str(path))


def read_tables(path: Path) -> dict[str, Any]:
    try:
        if stat.S_ISFIFO(path.stat().st_mode):  # opening a pipe would wait for a writer
            raise OSError(errno.ESPIPE, "it is a pipe", str(path))
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
    except ValueError as error:
        raise BadInput(f"{path} cannot be read: {NO_NUMBER} ({type(error).__name__}).") from None
    except RecursionError:
        raise BadInput(f"{path} cannot be read: {TOO_DEEP}.") from None
    except OSError as error:
        raise BadInput(storage_error(error, path, "read").sentence) from None


def typed_case(
    tables: dict[str, Any], folder: Path, sets: list[str] | tuple[str, ...] = (), name: str = ""
) -> Case:
    """The checked case from the tables of a file in `folder`; relative paths in it start from there."""
    prefix = f"{name}: " if name else ""
    try:
        case = parsed_case(with_sets(tables, sets), prefix)
    except RecursionError:
        raise BadInput(f"{prefix}the case cannot be read: {TOO_DEEP}.") from None
    try:
        case.check()
        case = case.with_files(folder).completed()
        _compute(case)
    except BadInput as error:
        raise BadInput(prefix + error.sentence) from None
    return case


def checked_case(model: type[Checked], tables: dict[str, Any], sets: list[str]) -> Checked:
    """The case of a solver without case files. Raises BadInput with one sentence."""
    try:
        case = model.model_validate(with_sets(tables, sets))
    except ValidationError as error:
        raise BadInput(sentence(model, error.errors()[0])) from None
    case.check()
    return case


def parsed_case(tables: dict[str, Any], prefix: str = "") -> Case:
    """Checks every key by itself: known, of the right type, within its limits. Combinations of keys are not
    checked."""
    model = _model(tables, prefix)
    try:
        refuse_unplaced(model, tables)
    except BadInput as error:
        raise BadInput(prefix + error.sentence) from None
    try:
        case = model.model_validate(tables)
    except ValidationError as error:
        raise BadInput(prefix + sentence(model, error.errors()[0])) from None
    for name, value in values(case):
        wrong = _beyond(value)
        if wrong:
            raise BadInput(f"{prefix}{name} = {shown(value)} is not allowed: {wrong}.")
    return case


def _beyond(value: Any) -> str:
    """What is wrong with a value, for any key; empty if nothing is."""
    if isinstance(value, str) and not value.isprintable():
        return "it must be text without control characters"
    if isinstance(value, int) and abs(value) > MOST:
        return f"it must be at most {MOST}"
    if isinstance(value, float) and value != 0 and not SMALLEST <= abs(value) <= LARGEST:
        return f"its absolute value must be 0 or from {SMALLEST:g} to {LARGEST:g}"
    return ""


def _compute(case: Case) -> None:
    """Computes what the solver gets from the keys; raises BadInput if the numbers make this impossible."""
    try:
        case.notes()
        case.options()
    except ArithmeticError as error:
        raise BadInput(
            f"the values of this case cannot be used together ({type(error).__name__}): a quantity "
            "that is computed from them overflows or is divided by 0."
        ) from None


def _model(tables: dict[str, Any], prefix: str) -> type[Case]:
    solver = tables.get("solver")
    if solver is None:
        raise BadInput(f"{prefix}solver is missing: allowed is {_solvers()}.")
    if not isinstance(solver, str):
        raise BadInput(f"{prefix}solver = {shown(solver)} is not allowed: it must be {_solvers()}.")
    if solver not in SOLVERS:
        hint = nearest(solver, list(SOLVERS))
        meant = f", did you mean {hint!r}" if hint else ""
        raise BadInput(f"{prefix}solver = {shown(solver)} is not known{meant}: allowed is {_solvers()}.")
    return SOLVERS[solver]


def _solvers() -> str:
    return " or ".join(f'"{name}"' for name in SOLVERS)


# -- `--set a.b=c` ---------------------------------------------------------------------------------


def with_sets(tables: dict[str, Any], sets: list[str] | tuple[str, ...]) -> dict[str, Any]:
    """A copy of the tables with every `a.b=c` set. In a group it replaces the other keys, and keys
    of the file that depend on a replaced choice are removed."""
    tables = copy.deepcopy(tables)
    solver = tables.get("solver")
    model = SOLVERS.get(solver) if isinstance(solver, str) else None
    given, replaced = set(), set()
    for text in sets:
        path, value = parse_set(text)
        for group in model.groups() if model else ():
            if path in group:
                for other in group:
                    _remove(tables, other)
                    replaced.add(other)
        _put(tables, path, value, text)
        given.add(path)
    for need in model.needs if model else ():
        if need.on in given | replaced and need.key not in given and not need.met(_get(tables, need.on)):
            _remove(tables, need.key)
    return tables


def parse_set(text: str) -> tuple[str, Any]:
    """`flow.reynolds=400` as ("flow.reynolds", 400); the value is TOML, and a plain word needs no quotes."""
    path, equals, value = text.partition("=")
    path, value = path.strip().replace('"', ""), value.strip()
    if not equals or not path or not value:
        raise BadInput(
            f'--set {shown(text)} is not allowed: write it as key=value, e.g. "flow.reynolds=400".'
        )
    try:
        parsed = tomllib.loads(f"value = {value}")
        if set(parsed) == {"value"}:
            return path, parsed["value"]
    except (ValueError, RecursionError):  # of no TOML, of endless digits, of endless brackets
        if re.fullmatch(r"[A-Za-z_./~][\w./~+-]*", value):
            return path, _at_home(value)
    raise BadInput(
        f"--set {shown(text)} is not allowed: {shown(value)} is not a TOML value (a number, "
        "true, [1, 2, 3] or a word)."
    )


def set_words(sets: Iterable[str]) -> list[str]:
    """The words of a command line for these texts."""
    return [word for text in sets for word in ("--set", text)]


def _at_home(word: str) -> str:
    """With the home folder for a leading ~, which shells leave as it is behind `key=`."""
    try:
        return str(Path(word).expanduser()) if word.startswith("~") else word
    except RuntimeError:  # of nobody
        return word


def _put(tables: dict[str, Any], path: str, value: Any, text: str) -> None:
    *parents, last = path.split(".")
    table = tables
    for name in parents:
        table = table.setdefault(name, {})
        if not isinstance(table, dict):
            raise BadInput(f"--set {shown(text)} is not allowed: {name} is a value, not a table.")
    table[last] = value


def _get(tables: dict[str, Any], path: str) -> Any:
    table, _, name = path.partition(".")
    return tables[table].get(name) if isinstance(tables.get(table), dict) else None


def _remove(tables: dict[str, Any], path: str) -> None:
    table, _, name = path.partition(".")
    if isinstance(tables.get(table), dict):
        tables[table].pop(name, None)


# -- back to text ----------------------------------------------------------------------------------


def as_tables(case: Case) -> dict[str, Any]:
    """The case as plain tables with all defaults; tables that every solver has are at the end."""
    tables = case.model_dump(by_alias=True, exclude_none=True)
    return {name: tables[name] for name in sorted(tables, key=("engine", "output").__contains__)}


def as_toml(case: Case) -> str:
    """The resolved case as a file that reads back as the same case."""
    text = tomli_w.dumps(as_tables(case))
    short_lists = re.sub(r"\[\n([^\[\]]*?),\n\]", lambda list_: "[" + " ".join(list_[1].split()) + "]", text)
    return "# The case as it was run: every default is written out.\n" + short_lists
