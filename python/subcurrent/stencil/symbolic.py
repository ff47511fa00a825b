# SPDX-License-Identifier: Apache-2.0
"""Kernels from SymPy expressions: SymPy's Python printer writes the text of a kernel, which is read and
checked as any other."""

from __future__ import annotations

import keyword
import math
import re
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from ..errors import BadInput, SubcurrentError
from .annotations import In, Index, InOut, Out
from .kernels import Kernel, check_options
from .places import KernelError, Source

COMPONENT = re.compile(r"(\w+)\[(\d+)\]")
AT = "at"  # the position, in the text


def sympy_kernel(
    name: str,
    sets: Mapping[Any, Any] | None = None,
    *,
    returns: Any = None,
    reduce: str | None = None,
    colours: int = 1,
    position: Sequence[Any] = (),
    cse: bool = False,
) -> Kernel:
    """Makes a kernel from SymPy expressions.

        T, a = sympy.IndexedBase("T"), sympy.Symbol("a")
        change = a * (T[1, 0, 0] + T[-1, 0, 0] - 2 * T[0, 0, 0])
        diffuse = sc.sympy_kernel("diffuse", {"next": T[0, 0, 0] + change})

    An IndexedBase is a field, and its indices are offsets along x, y, z; one named "V[0]" is component 0 of
    V. `sets`: the expression for each field that is set, by name or IndexedBase. These fields are sc.Out, or
    sc.InOut if they are read too; all others are sc.In. Symbols are parameters, whole numbers if they have
    integer=True. `returns`: one expression or several, of which `reduce` takes the "sum", "max" or "min".
    `position`: symbols for the global position along x, y, z. `cse`: common subexpressions are computed once.
    A call takes first the fields that are set, then, by name, those that are read and the parameters. The
    order of operations in `source` determines the bits. Raises KernelError, one sentence, if the expressions
    cannot be a kernel, and SubcurrentError if SymPy is not installed.
    """
    try:
        import sympy  # noqa: PLC0415, F401 - only who uses it needs it
    except ImportError:
        raise SubcurrentError("sympy_kernel needs the package sympy: pip install sympy.") from None
    check_options(reduce, colours)
    frame = sys._getframe(1)
    text = _Text(name, frame.f_code.co_filename, frame.f_lineno)
    source = text.source(dict(sets or {}), returns, tuple(position), cse)
    return Kernel(source, reduce, colours)


class _Text:
    def __init__(self, name: Any, file: str, line: int):
        if not isinstance(name, str) or not _is_name(name):
            raise BadInput(f"name = {name!r} is not allowed: a kernel's name is an identifier.")
        self.name, self.file, self.line = name, file, line

    def refuse(self, text: str) -> NoReturn:
        raise KernelError(f'{Source.short_of(self.file)}:{self.line}: kernel "{self.name}" {text}.') from None

    def source(self, sets: dict[Any, Any], returns: Any, position: tuple[Any, ...], cse: bool) -> Source:
        import sympy  # noqa: PLC0415

        several = isinstance(returns, (tuple, list))
        wanted = list(returns) if several else [] if returns is None else [returns]
        targets = [self._field(key) for key in sets]
        values = [self._expression(value) for value in (*sets.values(), *wanted)]
        shared, values = sympy.cse(values, list=True) if cse else ([], values)
        everything = [*values, *(value for _, value in shared)]
        dimensions = self._dimensions(everything)
        annotations = self._annotations(targets, everything, [symbol for symbol, _ in shared], position)
        printer = _printer(self, position)
        here = ", ".join("0" * dimensions)
        lines = [f"{symbol} = {self._printed(printer, value)}" for symbol, value in shared]
        texts = [self._printed(printer, value) for value in values]
        if InOut in annotations.values() and len(texts) > 1:  # all of them read what was there before
            prefix, taken = "new_", {*annotations, *(str(symbol) for symbol, _ in shared)}
            while any(one.startswith(prefix) for one in taken):
                prefix = f"the_{prefix}"
            names = [f"{prefix}{n}" for n in range(len(texts))]
            lines += [f"{one}: float = {text}" for one, text in zip(names, texts, strict=True)]
            texts = names
        lines += [f"{target}[{here}] = {value}" for target, value in zip(targets, texts, strict=False)]
        if wanted:
            lines.append(f"return {', '.join(texts[len(targets) :])}")
        arguments = ", ".join(f"{one}: {kind.__name__}" for one, kind in annotations.items())
        body = "".join(f"    {line}\n" for line in lines or ["pass"])
        return Source(
            what=f'kernel "{self.name}"',
            name=self.name,
            file=self.file,
            line=self.line,
            text=f"def {self.name}({arguments}):\n{body}",
            annotations=annotations,
            names={"math": math, "abs": abs, "min": min, "max": max, "float": float},
            one_line=True,
        )

    def _field(self, key: Any) -> str:
        name = str(key)
        if not _is_name(_base(name)):
            self.refuse(f"sets {key!r}: it must be the name of a field, or an IndexedBase")
        return name

    def _expression(self, value: Any) -> Any:
        import sympy  # noqa: PLC0415

        try:
            made = sympy.sympify(value)
        except (sympy.SympifyError, TypeError):
            made = None
        if not isinstance(made, sympy.Expr):
            self.refuse(f"has {value!r}, which is no expression of SymPy's")
        return made

    def _dimensions(self, values: list[Any]) -> int:
        import sympy  # noqa: PLC0415

        counts = {len(cell.indices) for value in values for cell in value.atoms(sympy.Indexed)}
        if len(counts) > 1:
            self.refuse(
                f"has cells with {' and '.join(map(str, sorted(counts)))} indices: one number is needed"
            )
        return counts.pop() if counts else 3

    def _annotations(
        self, targets: list[str], values: list[Any], shared: list[Any], position: tuple[Any, ...]
    ) -> dict[str, type]:
        """Of the arguments in their order."""
        import sympy  # noqa: PLC0415

        read = {_base(cell.base.label) for value in values for cell in value.atoms(sympy.Indexed)}
        set_here = list(dict.fromkeys(map(_base, targets)))
        free = {s for value in values for s in value.free_symbols if isinstance(s, sympy.Symbol)}
        labels = {cell.base.label for value in values for cell in value.atoms(sympy.Indexed)}
        parameters = sorted(free - labels - {*shared, *position}, key=str)
        if wrong := sorted(one for one in read if not _is_name(one)):
            self.refuse(f"reads {wrong[0]}: a field's name must be an identifier and no word of Python's")
        made: dict[str, type] = {one: InOut if one in read else Out for one in set_here}
        made |= dict.fromkeys(sorted(read - {*set_here}), In)
        if any(symbol in free for symbol in position):
            made[AT] = Index
        for symbol in parameters:
            if not _is_name(str(symbol)) or str(symbol) in made:
                self.refuse(
                    f"has the symbol {symbol}: a parameter's name must be an identifier, no word of Python's "
                    "such as lambda, and no field's"
                )
            made[str(symbol)] = int if symbol.is_integer else float
        return made

    def _printed(self, printer: Any, value: Any) -> str:
        from sympy.printing.codeprinter import PrintMethodNotImplementedError  # noqa: PLC0415

        try:
            return printer.doprint(value)
        except PrintMethodNotImplementedError:
            self.refuse(
                f"has `{value}`, which SymPy cannot print as Python: rewrite it with functions that a "
                "kernel may call"
            )


def _is_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def _base(label: Any) -> str:
    """The field of "V[0]" or "T"."""
    component = COMPONENT.fullmatch(str(label))
    return component[1] if component else str(label)


def _printer(text: _Text, position: tuple[Any, ...]) -> Any:
    from sympy.printing.precedence import PRECEDENCE  # noqa: PLC0415
    from sympy.printing.pycode import PythonCodePrinter  # noqa: PLC0415

    names = {symbol: f"{AT}.{axis}" for symbol, axis in zip(position, "xyz", strict=False)}

    class Printer(PythonCodePrinter):
        def _print_Symbol(self, symbol: Any) -> str:  # noqa: N802 - SymPy looks for these names
            return names.get(symbol) or super()._print_Symbol(symbol)

        def _print_Float(self, number: Any) -> str:  # noqa: N802
            return repr(float(number))  # all its digits

        def _print_Pow(self, power: Any, **options: Any) -> str:  # noqa: N802
            if power.exp.is_Integer and power.exp < -1:
                return f"(1/{self.parenthesize(power.base**-power.exp, PRECEDENCE['Pow'])})"
            return super()._print_Pow(power, **options)

        def _print_Indexed(self, cell: Any) -> str:  # noqa: N802
            for index in cell.indices:
                if not index.is_Integer:
                    text.refuse(f"has the index {index} of {cell.base}, which is not a constant whole number")
            return f"{cell.base}[{', '.join(map(str, cell.indices))}]"

    return Printer({"fully_qualified_modules": True})
