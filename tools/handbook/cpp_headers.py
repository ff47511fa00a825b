# SPDX-License-Identifier: Apache-2.0
"""Reference of the C++ headers that a stencil code includes: their declarations with their comments."""

from __future__ import annotations

from . import ROOT, PageError
from .cpp_parts import Declaration, about, declarations

INTRODUCTION = """\
# The C++ headers

For authors of C++ programs who look for a signature: the public declarations of the headers, with their
comments, in namespace `sc` unless a heading says otherwise. [Writing a stencil
code](../docs/stencil_codes.md), [kinds of stages](../docs/stages.md) and [output, checkpoints and
errors](../docs/howto/cpp_output.md) explain how to use them.
`#include "engine/subcurrent.hpp"` includes those that are marked with *.
"""
# The headers, with the names to be shown of those that mostly serve the engine itself.
HEADERS: dict[str, tuple[str, ...]] = {
    "engine/base/run_main.hpp": (),
    "engine/base/error.hpp": (),
    "engine/base/context.hpp": (),
    "engine/grid/grid.hpp": (),
    "engine/grid/box.hpp": (),
    "engine/field/field.hpp": (),
    "engine/field/views.hpp": ("At", "Components", "In", "Out", "InOut"),
    "engine/field/fused.hpp": (),
    "engine/field/boundary.hpp": ("Beyond", "Boundaries"),
    "engine/exec/border.hpp": (),
    "engine/exec/face_kernel.hpp": (),
    "engine/grid/reach.hpp": (),
    "engine/stage/access.hpp": ("Across", "writes", "updates", "reads", "refine", "coarsen"),
    "engine/exec/accumulator.hpp": ("Reduce",),
    "engine/stage/sweep.hpp": (),
    "engine/stage/line_stage.hpp": (),
    "engine/stage/line_solve.hpp": (),
    "engine/stage/row_stage.hpp": (),
    "engine/plan/strategy.hpp": ("Strategy",),
    "engine/overlap/runner.hpp": (),
    "engine/stage/global_value.hpp": (),
    "engine/move/stream/file_memory.hpp": (),
    "engine/move/stream/slab_place.hpp": ("SlabPlace", "in_files", "in_host_memory_of"),
    "io/snapshot.hpp": (),
    "io/checkpoint.hpp": (),
    "spectral/fft.hpp": (),
}
# What engine/subcurrent.hpp does not bring.
BESIDE = ("engine/base/run_main.hpp", "engine/move/stream/file_memory.hpp", "io/", "spectral/")


def page() -> str:
    parts = [INTRODUCTION]
    for header, names in HEADERS.items():
        text = (ROOT / header).read_text(encoding="utf-8")
        found = declarations(text)
        if missing := set(names) - {each.name for each in found}:
            raise PageError(
                f"{header} has no {', '.join(sorted(missing))}: see tools/handbook/cpp_headers.py."
            )
        mark = "" if header.startswith(BESIDE) else " *"
        space = f" (`sc::{header.partition('/')[0]}`)" if header.startswith(("io/", "spectral/")) else ""
        parts.append(f"## {header}{mark}{space}\n\n{_about(text)}\n")
        parts += _named([each for each in found if not names or each.name in names])
    return "\n".join(parts)


def _about(text: str) -> str:
    """The paragraphs of a header's first comment; what is indented are equations."""
    shown = []
    for paragraph in about(text).split("\n\n"):
        indented = paragraph.startswith("  ")
        shown.append(f"```text\n{paragraph}\n```" if indented else paragraph)
    return "\n\n".join(shown) + "\n"


def _named(found: list[Declaration]) -> list[str]:
    """A section for each name, its overloads and specialisations together."""
    sections: dict[str, list[str]] = {}
    for each in found:
        sections.setdefault(each.name, []).append(each.comment + each.text)
    return [f"### {name}\n\n```cpp\n{chr(10).join(texts)}```\n" for name, texts in sections.items()]
