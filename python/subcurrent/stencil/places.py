# SPDX-License-Identifier: Apache-2.0
"""Where a kernel's text stands, and what its names mean there: sentences about it name file and line."""

from __future__ import annotations

import ast
import builtins
import inspect
import textwrap
from collections.abc import Callable
from pathlib import Path
from types import FunctionType
from typing import Any, NoReturn

from ..errors import BadInput


class KernelError(BadInput):
    """A kernel that cannot be: one sentence that begins with file and line."""


MISSING = object()


class Source:
    """The text of a function and the names that it sees."""

    def __init__(self, function: FunctionType, what: str):
        self.what = f'{what} "{function.__name__}"'
        self.file = function.__code__.co_filename
        self.line = function.__code__.co_firstlineno
        try:
            lines, first = inspect.getsourcelines(function)
        except (OSError, TypeError):
            raise KernelError(
                f"the text of {self.what} cannot be found: a kernel must stand in a file or in a notebook."
            ) from None
        self.text = textwrap.dedent("".join(lines))
        self._first = first
        tree = ast.parse(self.text).body[0]
        if not isinstance(tree, ast.FunctionDef):
            raise KernelError(
                f"{self.short()}:{first}: {self.what} is not a plain function: allowed is `def`."
            )
        self.tree = tree
        self.annotations = dict(function.__annotations__)  # values, or texts
        outer = inspect.getclosurevars(function)
        self._names = {**vars(builtins), **function.__globals__, **outer.nonlocals}

    def short(self) -> str:
        return Path(self.file).name if self.file.startswith("/") else self.file

    def refuse(self, node: ast.AST | None, text: str) -> NoReturn:
        """Says what is the matter at a node, `text` beginning after the kernel's name."""
        line = self._first + (node.lineno - 1 if node is not None and hasattr(node, "lineno") else 0)
        raise KernelError(f"{self.short()}:{line}: {self.what} {text}.") from None

    def value(self, node: ast.AST) -> Any:
        """What a name, or attributes of one, is in the module of the kernel; MISSING where it is nothing."""
        if isinstance(node, ast.Name):
            return self._names.get(node.id, MISSING)
        if isinstance(node, ast.Attribute):
            base = self.value(node.value)
            return MISSING if base is MISSING else getattr(base, node.attr, MISSING)
        return MISSING


def shown(node: ast.AST) -> str:
    """A piece of the text as one line that is not too long."""
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else text[:57] + "..."


Refuse = Callable[[ast.AST | None, str], NoReturn]
