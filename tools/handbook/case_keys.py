# SPDX-License-Identifier: Apache-2.0
"""Reference of the case files: every key of every solver, from the tables that check them."""

from __future__ import annotations

from typing import get_args, get_origin

from pydantic_core import PydanticUndefined

from subcurrent.case.common import Needs, SolverCase
from subcurrent.case.keys import Table, allowed, fields, nested, shown
from subcurrent.solvers.cases import SOLVERS

COMMON = ("engine", "output")
INTRODUCTION = """\
# Keys of a case file

For authors of cases: every key, what it means, what it may be and what it is when it is left
out. A key that is not listed is refused, and so is one that would have no effect; `--set table.key=value`
changes one for a run. `subcurrent new my_case` writes a commented file to start from.
"""
HEAD = "| key | what it means | what it may be | default |\n|---|---|---|---|\n"


def page() -> str:
    first = next(iter(SOLVERS.values()))
    parts = [INTRODUCTION, "## Every solver\n"]
    parts += [_table(name, fields(first)[name], SolverCase.needs, "###") for name in COMMON]
    for solver, case in SOLVERS.items():
        parts.append(f"## {solver}\n")
        parts.append(_of_solver(solver, case))
        for name, field in fields(case).items():
            if name not in (*COMMON, "solver"):
                parts.append(_table(name, field, case.needs, "###", f" of {solver}"))
    return "\n".join(parts)


def _of_solver(solver: str, case: type[SolverCase]) -> str:
    """What holds for a solver beyond its keys one by one."""
    devices = _or([f"`{name}`" for name in case.devices])
    fixed = ", ".join(f"`{name}`" for name in case.fixed_on_resume)
    lines = [f'`solver = "{solver}"`; `engine.device` may be {devices}.', ""]
    for group in case.groups():
        lines.append(f"- Only one of {_or([f'`{name}`' for name in group])} may be given.")
    for need in case.needs:
        if need.key.partition(".")[0] in COMMON and need not in SolverCase.needs:
            lines.append(f"- `{need.key}`{_condition(need)}.")
    lines += [f"- A resumed run must agree with its checkpoint in {fixed}.", ""]
    return "\n".join(lines)


def _table(name: str, field: object, needs: tuple[Needs, ...], level: str, whose: str = "") -> str:
    """A table of the file, or one that may stand in it several times."""
    table, title = nested(field), f"[{name}]"
    if table is None and get_origin(field.annotation) is list:
        (table,), title = get_args(field.annotation), f"[[{name}]]"
    keys = "".join(rows(table, name, needs))
    return f"{level} {title}{whose}\n\n{_sentence(field.description)}\n\n{HEAD}{keys}"


def rows(table: type[Table], prefix: str, needs: tuple[Needs, ...]) -> list[str]:
    found = []
    for name, field in fields(table).items():
        full = f"{prefix}.{name}"
        below = nested(field)
        if below:
            found += rows(below, full, needs)
            continue
        says = field.description + "".join(_condition(need) for need in needs if need.key == full)
        default = "required" if field.is_required() else _default(field)
        found.append(f"| `{full}` | {_cell(says)} | {_cell(allowed(field))} | {_cell(default)} |\n")
    return found


def _condition(need: Needs) -> str:
    if need.why:
        return f"; no effect here: {need.why}"
    if need.among == (None,):
        return f"; not beside `{need.on}`"
    if need.but:
        return f"; only where `{need.on}` is not {_or([f'`{shown(value)}`' for value in need.but])}"
    return f"; only with `{need.on}` = {_or([f'`{shown(value)}`' for value in need.among])}"


def _default(field: object) -> str:
    value = field.get_default(call_default_factory=True)
    if value is None or value is PydanticUndefined:
        return "none"
    if isinstance(value, Table):
        parts = value.model_dump(by_alias=True, exclude_unset=True)
        return "`{ " + ", ".join(f"{name} = {shown(part)}" for name, part in parts.items()) + " }`"
    return f"`{shown(value)}`"


def _or(words: list[str]) -> str:
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("*", "\\*").replace("<", "&lt;")
