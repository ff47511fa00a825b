# SPDX-License-Identifier: Apache-2.0
"""Position of a kernel's text, and the meaning of its names there: messages state file and line."""

from __future__ import annotations

import ast
import builtins
import contextlib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn

from ..errors import BadInput


class KernelError(BadInput):
    """A function that cannot be a kernel: one sentence that begins with file and line."""


MISSING = object()


@dataclass
class Source:
    """The text of a kernel and the names that are visible to it."""

    what: str  # for sentences
    name: str
    file: str
    line: int  # on which the text begins
    text: str
    annotations: dict[str, Any]  # values, or texts
    names: dict[str, Any]  # of its module
    doc: str | None = None
    first: int = 1  # the line of `def` and decorators, from which the text's are counted
    one_line: bool = False  # no file has the text: it was made on this line

    def __post_init__(self) -> None:
        tree = ast.parse(self.text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise KernelError(
                f"{self.short()}:{self.line}: {self.what} is not a plain function: allowed is `def`."
            )
        self.tree = tree

    @classmethod
    def of(cls, function: FunctionType, kind: str) -> Source:
        """The source of a function in a file or in a notebook."""
        what = f'{kind} "{function.__name__}"'
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise KernelError(
                f"the text of {what} cannot be found: a kernel must stand in a file or in a notebook."
            ) from None
        return cls(
            what,
            function.__name__,
            function.__code__.co_filename,
            function.__code__.co_firstlineno,
            _at_the_margin("".join(lines)),
            dict(function.__annotations__),
            {**vars(builtins), **function.__globals__, **_enclosing(function)},
            function.__doc__,
            first,
        )

    def short(self) -> str:
        return self.short_of(self.file)

    @staticmethod
    def short_of(file: str) -> str:
        return Path(file).name if file.startswith("/") else file

    def refuse(self, node: ast.AST | None, text: str) -> NoReturn:
        """Raises an error about a node; `text` follows the name of the kernel."""
        below = node.lineno - 1 if node is not None and hasattr(node, "lineno") else 0
        line = self.line if self.one_line else self.first + below
        raise KernelError(f"{self.short()}:{line}: {self.what} {text}.") from None

    def value(self, node: ast.AST) -> Any:
        """The value of a name, or of attributes of one, in the module of the kernel; MISSING if there is
        none."""
        if isinstance(node, ast.Name):
            return self.names.get(node.id, MISSING)
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            return MISSING if base is MISSING else getattr(base, node.attr, MISSING)
        return MISSING


def _at_the_margin(text: str) -> str:
    """Without the indentation of a nested function; lines of a text in it may begin at the margin."""
    depth = len(text) - len(text.lstrip(" \t"))
    lines = text.splitlines(keepends=True)
    return "".join((line[depth:] or "\n") if not line[:depth].strip() else line for line in lines)


def _enclosing(function: FunctionType) -> dict[str, Any]:
    """The variables of the functions around that have a value by now."""
    names: dict[str, Any] = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):
            names[name] = cell.cell_contents
    return names


def shown(node: ast.AST) -> str:
    """A piece of the text as one line that is not too long."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


Refuse = Callable[[ast.AST | None, str], NoReturn]
