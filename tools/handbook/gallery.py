# SPDX-License-Identifier: Apache-2.0
"""The gallery: every case with its picture, where there is one, what it is for and how to run it."""

from __future__ import annotations

import html
import os
import re
import tomllib
from pathlib import Path

from subcurrent.case.library import shipped, summary_of

from . import ROOT
from .markdown import links
from .pages import Page, heading_of

SOLVERS = {
    "cavity": "Flow in a cavity",
    "magnetosphere": "A planet in the solar wind",
    "dendrite": "Solidification",
    "turbulence": "Turbulence",
    "compressible": "Compressible turbulence",
    "wave": "Sound",
}


def gallery() -> str:
    """One section a solver, one card a case; a solver without a title above stands under its own name."""
    of_solver: dict[str, list[str]] = {}
    for name, case in shipped().items():
        solver = tomllib.loads(case.read_text(encoding="utf-8"))["solver"]
        of_solver.setdefault(solver, []).append(_card(name, case))
    for cards in of_solver.values():
        cards.sort(key=lambda card: "[![" not in card)  # pictures first
    parts = ["## Gallery\n"]
    for solver in [*SOLVERS, *sorted(set(of_solver) - set(SOLVERS))]:
        title = SOLVERS.get(solver, solver)
        parts.append(f"### {title}\n\n[Equations and checks](../solvers/{solver}/README.md)\n")
        parts.append('<div class="cases" markdown>\n\n' + "\n".join(of_solver[solver]) + "\n</div>\n")
    return "\n".join(parts)


def command_of(name: str, readme: str) -> str:
    """The README's own command where it gives one."""
    found = re.search(rf"^(?: {{4}})?(subcurrent run {name}\b[^\n#]*?)\s*(?:#.*)?$", readme, re.MULTILINE)
    return found[1] if found else f"subcurrent run {name}"


def _card(name: str, case: Path) -> str:
    readme = case.parent / "README.md"
    text = readme.read_text(encoding="utf-8")
    title = heading_of(str(readme.relative_to(ROOT)), text)
    picture = next((link for link in links(text) if link.endswith(".png")), None)
    shown = ""
    if picture:
        place = os.path.relpath(case.parent / picture, ROOT / "cases")
        shown = f"[![{html.escape(title)}]({place})]({name}/README.md)\n\n"
    return (
        f'<div class="case" markdown>\n\n{shown}**[{title}]({name}/README.md)**\n\n{summary_of(case)}\n\n'
        f"    {command_of(name, text)}\n\n</div>\n"
    )


def with_gallery(page: Page) -> Page:
    return Page(page.path, page.text.rstrip("\n") + "\n\n" + gallery(), page.kind)
