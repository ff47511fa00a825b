# SPDX-License-Identifier: Apache-2.0
"""Reference of the C header: constants, structs and functions of `subcurrent/halo.h` with their comments."""

from __future__ import annotations

import re

from . import ROOT, PageError

HEADER = ROOT / "api/c/include/subcurrent/halo.h"
INTRODUCTION = """\
# The C header of the halo functions

For callers from C or Fortran who look for a signature: `#include <subcurrent/halo.h>` as it
stands. [Halo functions](../docs/halo_functions.md) says what each does, with an example; the Fortran module
`halo` has the same calls.
"""
SECTIONS = (
    ("Constants", "#define HALO_VERSION", "typedef struct halo_object"),
    ("Handles and requests", "typedef struct halo_object", "/* One array."),
    ("Structs", "/* One array.", "/* An array of `dims`"),
    ("Defaults", "/* An array of `dims`", "HALO_API int halo_version"),
)
FUNCTION = re.compile(r"((?:/\*(?:(?!\*/).)*\*/\n)?)HALO_API ([^;]+;)", re.DOTALL)


def page() -> str:
    text = HEADER.read_text(encoding="utf-8")
    parts = [INTRODUCTION]
    for title, begin, end in SECTIONS:
        parts += [f"## {title}\n", _block(_between(text, begin, end))]
    parts.append("## Functions\n")
    described = (ROOT / "docs/halo_functions.md").read_text(encoding="utf-8")
    for comment, declaration in FUNCTION.findall(text[text.index("HALO_API int halo_version") :]):
        name = re.search(r"(halo_\w+)\(", declaration)[1]
        if f"## {name}\n" not in described:
            raise PageError(f"docs/halo_functions.md has no section about {name}.")
        parts.append(f"### {name}\n")
        if comment:
            parts.append(_prose(comment) + "\n")
        parts.append(_block(re.sub(r"\n +", "\n    ", declaration)))
        parts.append(f"[What it does, and an example](../docs/halo_functions.md#{name})\n")
    return "\n".join(parts)


def _between(text: str, begin: str, end: str) -> str:
    if begin not in text or end not in text:
        raise PageError(f"{HEADER.name} has no {begin!r} … {end!r}: see tools/handbook/c_header.py.")
    return text[text.index(begin) : text.index(end)].strip()


def _prose(comment: str) -> str:
    return re.sub(r"\s*\n \*\s*", " ", comment.strip().removeprefix("/*").removesuffix("*/")).strip()


def _block(text: str) -> str:
    return f"```c\n{text}\n```\n"
