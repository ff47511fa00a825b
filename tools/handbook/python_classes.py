# SPDX-License-Identifier: Apache-2.0
"""Reference of the Python interface: the docstrings of everything that `import subcurrent` offers."""

from __future__ import annotations

import dataclasses
import inspect
import re

import subcurrent

INTRODUCTION = """\
# The Python interface

For callers of the solvers from Python: everything that `import subcurrent` offers, from its docstrings.
The same solvers run from [case files](case_file.md). MPI starts by itself; under `mpirun` every method is
called on all ranks.
"""


def page() -> str:
    parts = [INTRODUCTION]
    public = [getattr(subcurrent, name) for name in subcurrent.__all__]
    for thing in sorted(public, key=lambda thing: (_is_error(thing), thing.__name__.lower())):
        parts.append(_class(thing) if inspect.isclass(thing) else _function(thing, "##", thing.__name__))
    return "\n".join(parts)


def _is_error(thing: object) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _class(kind: type) -> str:
    parts = [f"## {kind.__name__}\n"]
    if _is_error(kind):
        parts.append(f"Derived from `{kind.__mro__[1].__name__}`.\n")
    elif dataclasses.is_dataclass(kind) or "__init__" in vars(kind):
        parts.append(_signature(kind.__name__, kind))
    parts.append(_docstring(kind.__doc__))
    if not _is_error(kind):
        for name, member in _members(kind):
            parts.append(_member(kind, name, member))
    return "\n".join(parts)


def _members(kind: type) -> list[tuple[str, object]]:
    """Public methods and properties, those of base classes of ours too, in the order in which they stand."""
    found: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("subcurrent"):
            for name, member in vars(base).items():
                documented = isinstance(member, property) or inspect.isroutine(member)
                if not name.startswith("_") and documented:
                    found[name] = member
    return list(found.items())


def _member(kind: type, name: str, member: object) -> str:
    if isinstance(member, property):
        returns = inspect.signature(member.fget).return_annotation
        what = "" if returns is inspect.Signature.empty else f": {_annotation(returns)}"
        text = f"### {kind.__name__}.{name}\n\n```python\n{name}{what}\n```\n\n"
        return text + _docstring(inspect.getdoc(member))
    return _function(member, "###", f"{kind.__name__}.{name}")


def _function(function: object, level: str, name: str) -> str:
    signature = _signature(name.rpartition(".")[2], function)
    return f"{level} {name}\n\n{signature}\n{_docstring(inspect.getdoc(function))}"


def _annotation(kind: object) -> str:
    return kind if isinstance(kind, str) else inspect.formatannotation(kind)


def _signature(name: str, function: object) -> str:
    """On one line, or one argument a line where that is too long."""
    signature = inspect.signature(function)
    kept = [p.replace(annotation=p.annotation) for p in signature.parameters.values() if p.name != "self"]
    signature = signature.replace(parameters=kept)
    if inspect.isclass(function):
        signature = signature.replace(return_annotation=inspect.Signature.empty)
    text = re.sub(r": '([^']*)'", r": \1", f"{name}{signature}")
    text = re.sub(r"-> '([^']*)'", r"-> \1", text)
    if len(text) > 88:
        arguments = re.sub(r": '([^']*)'", r": \1", ",\n    ".join(_arguments(kept)))
        returns = text[text.rindex(")") + 1 :] if "->" in text else ""
        text = f"{name}(\n    {arguments},\n){returns}"
    return f"```python\n{text}\n```\n"


def _arguments(parameters: list[inspect.Parameter]) -> list[str]:
    found, starred = [], False
    for parameter in parameters:
        if parameter.kind is parameter.VAR_POSITIONAL:
            starred = True
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            found.append("*")
            starred = True
        found.append(str(parameter))
    return found


def _docstring(text: str | None) -> str:
    """As Markdown: paragraphs as they are, examples (indented) and columns (spaced by hand) as they stand."""
    if not text:
        return ""
    parts = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        lines = paragraph.split("\n")
        by_hand = any(re.match(r"\s*[\w, /-]+ {2,}\S", line) for line in lines)
        indented = all(line.startswith("    ") for line in lines)
        if indented:
            parts.append("```python\n" + inspect.cleandoc(paragraph) + "\n```")
        elif by_hand:
            parts.append("```text\n" + paragraph + "\n```")
        else:
            parts.append(paragraph)
    return "\n\n".join(parts) + "\n"
