# SPDX-License-Identifier: Apache-2.0
"""Prints a kernel as the functor that a C++ user would write, in the same order."""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import functions
from .tree import (
    Beyond,
    Binary,
    Cell,
    Choice,
    Constant,
    Convert,
    Expression,
    FieldUse,
    If,
    KernelText,
    Let,
    Name,
    Number,
    Position,
    Return,
    Role,
    Statement,
    Store,
    Type,
    Unary,
)

# How tightly C++ binds, loosest first.
CHOICE, OR, AND, EQUAL, ORDER, SUM, PRODUCT, SIGN, ATOM = range(9)
BINDS = {"or": OR, "and": AND, "==": EQUAL, "!=": EQUAL, "+": SUM, "-": SUM, "*": PRODUCT, "/": PRODUCT}
SIGNS = {"or": "||", "and": "&&"}
WHOLE_DIVISION = {"//": "floor_div", "%": "floor_mod"}

# Names that are taken in C++ or in what surrounds a kernel.
_WORDS = """
    alignas alignof and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t
    class co_await co_return co_yield compl concept const consteval constexpr constinit const_cast
    continue decltype default delete do double dynamic_cast else enum explicit export extern false float
    for friend goto if inline int long mutable namespace new noexcept not_eq nullptr operator or_eq
    private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid
    typename union unsigned using virtual void volatile wchar_t while xor xor_eq c g b n std sc At Index
    In Out InOut Border square cube fourth floor_div floor_mod NAN INFINITY errno assert linux unix
"""
TAKEN = frozenset(_WORDS.split())


@dataclass(frozen=True)
class Precision:
    """What the fields of one call hold: `real` of the whole kernel, and components of each field."""

    single: tuple[bool, ...]
    components: tuple[int, ...]

    @property
    def real(self) -> str:
        return "float" if self.single and all(self.single) else "double"

    def element(self, n: int) -> str:
        return "float" if self.single[n] else "double"


def plain_precision(text: KernelText, single: bool = False) -> Precision:
    """All fields of one kind, with as many components as the text names."""
    counts = tuple(max(use.components, default=0) + 1 for use in text.fields)
    return Precision((single,) * len(counts), counts)


class Printer:
    def __init__(self, text: KernelText, precision: Precision):
        self.text, self.precision = text, precision
        self.real = precision.real
        self.types = {Type.REAL: self.real, Type.WHOLE: "std::int64_t", Type.TRUTH: "bool"}
        # Fields whose values are converted before anything is computed with them.
        self.converted = {
            use.name
            for n, use in enumerate(text.fields)
            if self.real == "double" and precision.element(n) == "float"
        }
        self._names: dict[str, str] = {}

    # -- the functor -----------------------------------------------------------------------------------

    def functor(self) -> str:
        """The struct alone, as it would stand in a C++ program."""
        text = self.text
        lines = [f"struct {self.name(text.name)} {{  // {text.file}:{text.line}"]
        for constant in text.constants.values():
            kind = self.types[constant.type]
            lines.append(f"  static constexpr {kind} {self.name(constant.name)} = {self.literal(constant)};")
        lines += [f"  {self.types[one.type]} {self.name(one.name)};" for one in text.parameters]
        lines.append(f"  SC_FN {self._returns()} operator()({self._arguments()}) const {{")
        lines += [f"    {self.types[kind]} {self.name(name)};" for name, kind in text.locals.items()]
        lines += self._block(text.body, "    ")
        return "\n".join([*lines, "  }", "};", ""])

    def _returns(self) -> str:
        if self.text.values == 0:
            return "void"
        return "double" if self.text.values == 1 else f"std::array<double, {self.text.values}>"

    def _arguments(self) -> str:
        first = ["Border b", "int n"] if self.text.condition else ["At c"]
        if self.text.indexed and not self.text.condition:
            first.append("Index g")
        return ", ".join([*first, *(f"{view} {self.name(use.name)}" for use, view in self.views())])

    def views(self) -> list[tuple[FieldUse, str]]:
        """The fields and their view types in the functor."""
        made = []
        for n, use in enumerate(self.text.fields):
            count = self.precision.components[n]
            of = self.precision.element(n) + (f", {count}" if count > 1 or use.components else "")
            made.append((use, f"{'In' if use.role is Role.IN else use.role.value}<{of}>"))
        return made

    def name(self, name: str) -> str:
        """A unique name that C++ takes, too."""
        if name not in self._names:
            made = f"{name}_" if name.isupper() and len(name) > 1 else name  # it may be a macro's, as M_PI
            while made in TAKEN or made in self._names.values():
                made += "_"
            self._names[name] = made
        return self._names[name]

    # -- statements ------------------------------------------------------------------------------------

    def _block(self, statements: tuple[Statement, ...], indent: str) -> list[str]:
        return [line for one in statements for line in self._statement(one, indent)]

    def _statement(self, one: Statement, indent: str) -> list[str]:
        if isinstance(one, Let):
            kind = f"{self.types[one.value.type]} " if one.declares else ""
            return [f"{indent}{kind}{self.name(one.name)} = {self.expression(one.value)};"]
        if isinstance(one, Store):
            return [f"{indent}{self._cell(one.cell)} = {self.expression(one.value)};"]
        if isinstance(one, Return):
            values = ", ".join(self.expression(value) for value in one.values)
            return [f"{indent}return {values if len(one.values) == 1 else '{' + values + '}'};"]
        return self._if(one, indent)

    def _if(self, one: If, indent: str) -> list[str]:
        lines = [f"{indent}if ({self.expression(one.test)}) {{", *self._block(one.then, indent + "  ")]
        if len(one.other) == 1 and isinstance(one.other[0], If):
            first, *rest = self._if(one.other[0], indent)
            return [*lines, f"{indent}}} else {first.strip()}", *rest]
        if one.other:
            lines += [f"{indent}}} else {{", *self._block(one.other, indent + "  ")]
        return [*lines, f"{indent}}}"]

    # -- expressions -----------------------------------------------------------------------------------

    def expression(self, node: Expression) -> str:
        return self._bound(node)[0]

    def _within(self, node: Expression, least: int) -> str:
        """In parentheses if its operator binds less tightly than the surrounding one."""
        text, binds = self._bound(node)
        return text if binds >= least else f"({text})"

    def _bound(self, node: Expression) -> tuple[str, int]:
        if isinstance(node, Number):
            return self.literal(node), SIGN if node.value < 0 else ATOM
        if isinstance(node, (Name, Constant)):
            return self.name(node.name), ATOM
        if isinstance(node, (Cell, Beyond)):
            cell = self._cell(node)
            return (f"double({cell})" if node.field in self.converted else cell), ATOM
        if isinstance(node, Position):
            return ("n" if node.axis is None else f"g.{'xyz'[node.axis]}"), ATOM
        if isinstance(node, Unary):
            return f"{'!' if node.sign == 'not' else '-'}{self._within(node.value, ATOM)}", SIGN
        if isinstance(node, Binary):
            return self._binary(node)
        if isinstance(node, Choice):
            test = self._within(node.test, OR)
            then, other = (self._wide(part) or self._within(part, OR) for part in (node.then, node.other))
            return f"{test} ? {then} : {other}", CHOICE
        if isinstance(node, Convert):
            return f"{self.types[node.type]}({self.expression(node.value)})", ATOM
        arguments = ", ".join(self._wide(one) or self.expression(one) for one in node.arguments)
        # What takes two numbers of one type is told which: literals and cells may be of others.
        of = f"<{self.types[node.type]}>" if node.function in ("min", "max") else ""
        return f"{functions.ALL[node.function].cpp}{of}({arguments})", ATOM

    def _binary(self, node: Binary) -> tuple[str, int]:
        if node.sign in WHOLE_DIVISION:
            left, right = self.expression(node.left), self.expression(node.right)
            return f"{WHOLE_DIVISION[node.sign]}({left}, {right})", ATOM
        binds = BINDS.get(node.sign, ORDER)
        left, right = self._within(node.left, binds), self._within(node.right, binds + 1)
        if node.sign == "or":  # compilers ask for the parentheses that people need
            left, right = (
                self._within(part, OR if _is_or(part) else EQUAL) for part in (node.left, node.right)
            )
        return f"{left} {SIGNS.get(node.sign, node.sign)} {right}", binds

    def _wide(self, node: Expression) -> str | None:
        """A whole literal with 64 bits, for places from which C++ takes the type of a result."""
        whole = isinstance(node, Number) and node.type is Type.WHOLE
        return f"{self.literal(node)}L" if whole else None

    def literal(self, node: Number | Constant) -> str:
        value = node.value
        if node.type is Type.TRUTH:
            return "true" if value else "false"
        if node.type is Type.WHOLE:
            return str(value)
        if math.isnan(value):
            return f"{self.real}(NAN)"
        if math.isinf(value):
            return f"{'-' if value < 0 else ''}{self.real}(INFINITY)"
        return repr(float(value)) + ("f" if self.real == "float" else "")

    def _cell(self, node: Cell | Beyond) -> str:
        name = self.name(node.field) + ("" if node.component is None else f"[{node.component}]")
        if isinstance(node, Beyond):
            number = (
                str(node.number) if not node.layer else "n" + (f" + {node.number}" if node.number else "")
            )
            return f"{name}[b.{'ghost' if node.ghost else 'inside'}({number})]"
        steps = [f".{axis}({step})" for axis, step in zip("xyz", node.offset, strict=False) if step]
        return f"{name}[c{''.join(steps)}]"


def _is_or(node: Expression) -> bool:
    return isinstance(node, Binary) and node.sign == "or"


# The function that a library has: its verb, what it is called with and what it returns, by whether it is that
# of a condition and whether a device runs it.
ENTRIES = {
    (False, False): ("compute_rows", "RowsCall", "void"),
    (True, False): ("compute_columns", "ColumnsCall", "void"),
    (False, True): ("compute_cells", "CellsCall", "const char*"),
    (True, True): ("compute_face", "FaceCall", "const char*"),
}


def source_of(text: KernelText, precision: Precision, on_device: bool = False) -> str:
    """A whole file to be compiled: the functor, and the function by which the engine calls it."""
    printer = Printer(text, precision)
    functor = printer.functor()
    views = "".join(f", {view}" for _, view in printer.views())
    verb, call, returned = ENTRIES[text.condition, on_device]
    return f"""#include "engine/exec/compiled_{"device" if on_device else "kernel"}.hpp"

namespace compiled {{
using namespace sc;

{functor}
}}  // namespace compiled

extern "C" __attribute__((visibility("default"))) {returned} subcurrent_kernel(const sc::{call}* call) {{
  using namespace sc;
  return {verb}<compiled::{printer.name(text.name)}{views}>(*call);
}}
"""
