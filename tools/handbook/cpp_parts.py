# SPDX-License-Identifier: Apache-2.0
"""Reads a C++ header of the project: its public declarations with their `///` comments, without bodies. It
knows the C++ that our headers use, in the format of clang-format, and no more."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

CLOSES = {"(": ")", "{": "}", "[": "]"}
LITERAL = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])\'', re.DOTALL)
TYPE = re.compile(r"(?:template <.*>\s*)?(class|struct|enum class|enum)\s+(\w+)", re.DOTALL)
NAMESPACE = re.compile(r"(?:inline )?namespace\s+([\w:]*)")
ACCESS = re.compile(r"(public|protected|private):")
LEADING = re.compile(r"(?:[ \t]*//[^\n]*\n)*")
TRAILING = re.compile(r"[ \t]*///<[^\n]*(?:\n[ \t]*///<[^\n]*)*")
PLAIN = re.compile(r"[ \t]*// [^\n]*")
ATTRIBUTE = r"\[\[.*?\]\] ?"


@dataclass(frozen=True)
class Declaration:
    """One declaration as it stands in the header, without its body and without private members."""

    name: str
    comment: str  # of lines with ///
    text: str
    apart: bool  # whether an empty line is above it


def declarations(header: str) -> list[Declaration]:
    """What a header declares in its namespaces, except in `detail`."""
    return list(_of_scope(_for_users(header), visible=True))


def about(header: str) -> str:
    """The comment at the beginning of a header, behind its licence."""
    lines = header.split("\n")[1:]
    end = next(n for n, line in enumerate(lines) if not line.startswith("//"))
    return "\n".join(line.removeprefix("//").removeprefix(" ") for line in lines[:end])


def _for_users(header: str) -> str:
    """Without directives and without what stands under #if, except for its #else: the host, unchecked."""
    kept, taken = [], [True]
    for line in header.replace("\\\n", " ").split("\n"):
        word = re.match(r"\s*#\s*(\w+)", line)
        if not word:
            kept += [line] if all(taken) else []
        elif word[1] in ("if", "ifdef", "ifndef"):
            taken.append(word[1] == "ifndef")
        elif word[1] in ("else", "elif"):
            taken[-1] = word[1] == "else" and not taken[-1]
        elif word[1] == "endif":
            taken.pop()
    return "\n".join(kept)


def _closed(text: str, at: int) -> int:
    """Behind the bracket that closes the one at this place."""
    open_, close, depth = text[at], CLOSES[text[at]], 0
    while True:
        if literal := LITERAL.match(text, at):
            at = literal.end()
            continue
        depth += (text[at] == open_) - (text[at] == close)
        at += 1
        if depth == 0:
            return at


def _template(text: str, at: int) -> int:
    """Behind the `template <…>` at this place, if there is one."""
    while text.startswith("template <", at):
        at, depth = at + len("template <"), 1
        while depth:
            depth += (text[at] == "<") - (text[at] == ">")
            at += 1
        at += len(text[at:]) - len(text[at:].lstrip())
    return at


def _initialised(text: str, at: int) -> int:
    """The body of a constructor, behind the list of initialisers that begins at this place."""
    while True:
        at = min(place for place in (text.find("(", at), text.find("{", at)) if place >= 0)
        at = _closed(text, at)
        at += len(text[at:]) - len(text[at:].lstrip())
        if text[at] != ",":
            return at


def _ends(text: str, start: int) -> tuple[int, int, int]:
    """Of the declaration that begins at `start`: the end of what is shown, its body or -1, and its end."""
    at, parens, value = _template(text, start), False, False
    while True:
        here = text[at]
        if literal := LITERAL.match(text, at):
            at = literal.end()
        elif here == ";":
            return at, -1, at + 1
        elif here in "([":
            parens, at = parens or here == "(", _closed(text, at)
        elif here == "=" and not re.search(r"operator\S*$", text[start : at + 1]):
            value, at = True, at + 1
        elif here == ":" and parens and not value and ":" not in (text[at - 1], text[at + 1]):
            return at, -1, _behind(text, _closed(text, _initialised(text, at)))
        elif here == "{":
            head, end = text[start:at], _closed(text, at)
            if not value and (parens or TYPE.match(head) or NAMESPACE.match(head)):
                return at, at, _behind(text, end)
            at = end
        else:
            at += 1


def _behind(text: str, at: int) -> int:
    return at + 1 if text[at : at + 1] == ";" else at


def _of_scope(text: str, visible: bool) -> Iterator[Declaration]:
    at = 0
    while True:
        gap = re.compile(r"\s*").match(text, at)[0]
        at += len(gap)
        if at == len(text):
            return
        at = text.rfind("\n", 0, at) + 1
        leading = LEADING.match(text, at)[0]
        at += len(leading)
        if not text[at:].split("\n", 1)[0].strip():
            continue  # a comment by itself
        at += len(text[at:]) - len(text[at:].lstrip())
        if access := ACCESS.match(text, at):
            visible, at = access[1] == "public", access.end()
            continue
        start = at
        shown, body, at = _ends(text, start)
        trailing = TRAILING.match(text, at)
        at = trailing.end() if trailing else at
        if plain := PLAIN.match(text, at):
            at = plain.end()
        head = text[start:shown]
        if space := NAMESPACE.match(head):
            if space[1] not in ("", "detail"):
                yield from _of_scope(text[body + 1 : _closed(text, body) - 1], visible)
        elif visible:
            line = text[text.rfind("\n", 0, start) + 1 : start]
            comment = "".join(f"{each}\n" for each in leading.split("\n") if each.strip().startswith("///"))
            apart = gap.count("\n") > 1
            inside = text[body + 1 : _closed(text, body) - 1] if body >= 0 else None
            yield from _shown(line + head, inside, trailing[0] if trailing else "", comment, apart)


def _shown(head: str, inside: str | None, trailing: str, comment: str, apart: bool) -> Iterator[Declaration]:
    """The declaration, unless it is nothing for a user."""
    code = LITERAL.sub("", re.sub(ATTRIBUTE, "", head)).strip()
    kind = TYPE.match(code)
    indent = head[: len(head) - len(head.lstrip())]
    if kind and inside is not None:
        if not kind[1].startswith("enum"):
            members = list(_of_scope(inside, kind[1] == "struct"))
            lines = [("\n" if each.apart else "") + each.comment + each.text for each in members]
            opened = f"\n{indent} public:" if kind[1] == "class" else ""
            inside = f"{opened}\n{''.join(lines).removeprefix(chr(10))}{indent}" if lines else ""
        yield Declaration(kind[2], comment, f"{head.rstrip()} {{{inside}}};\n", apart)
        return
    name = name_of(code)
    forward = kind and inside is None and re.search(r"\b(class|struct) \w+$", code)
    if not name or forward or re.search(r"= delete$|\boverride\b|^static_assert|^using namespace", code):
        return
    shown = re.sub(rf"{ATTRIBUTE}|\binline |\s*= default$", "", head.rstrip())
    yield Declaration(name, comment, f"{shown};{trailing}\n", apart)


def name_of(code: str) -> str:
    """What is declared; empty for destructors, guides of deduction and definitions of members elsewhere."""
    code = code[_template(code, 0) :]
    if alias := re.match(r"using (\w+) =", code):
        return alias[1]
    if concept := re.match(r"concept (\w+)", code):
        return concept[1]
    found = re.search(r"([~\w:]+)\s*(?:[(\[{=,+|-]|$)", _flat(code))
    if not found or found[1].startswith("~") or re.search(r"\w::", found[1]):
        return ""
    return "" if re.match(r"[A-Z]\w*\(.*\)\s*->", code, re.DOTALL) else found[1]


def _flat(code: str) -> str:
    """Without the arguments of templates, and those of functions inside of them."""
    before = None
    while before != code:
        before, code = code, re.sub(r"(?<=\w)<[^<>]*>", "", code)
    return code
