# SPDX-License-Identifier: Apache-2.0
"""The gallery: every case with its picture, where there is one, what it is for and how to run it."""

from __future__ import annotations

import ast
import html
import os
import re
import tomllib
from pathlib import Path

from subcurrent.case.library import summary_of

from . import ROOT, PageError
from .markdown import without_code
from .pages import Page, heading_of

SOLVERS = {
    "cavity": "Flow in a cavity",
    "magnetosphere": "A planet in the solar wind",
    "dendrite": "Solidification",
    "turbulence": "Turbulence",
    "compressible": "Compressible turbulence",
    "wave": "Sound",
}
PROGRAMS = ("Programs of their own", "[Stencil codes in Python](../docs/python_stencils.md)")
PICTURE = re.compile(r"!\[([^\]]*)\]\(\s*([^)\s]+\.png)\s*\)")
NO_PICTURE = re.compile(r"<!-- no picture: (\S.*?) -->")
MARK = "<!-- gallery -->"  # the first line of the code below it is the card's command
FIRST_OF_CODE = re.compile(r"^(?: {4}(\S[^\n]*)|```\w+\n((?:[^\n]*\\\n)*[^\n]+))$", re.MULTILINE)


def gallery() -> str:
    """One section a solver, one card a case; a solver without a title above stands under its own name. A case
    without a case file is a program."""
    of_solver: dict[str, list[str]] = {}
    programs = []
    for readme in readmes():
        case = readme.parent / "case.toml"
        if case.is_file():
            solver = tomllib.loads(case.read_text(encoding="utf-8"))["solver"]
            of_solver.setdefault(solver, []).append(_card(readme, summary_of(case)))
        else:
            programs.append(_card(readme, _first_sentence(readme.parent)))
    parts = ["## Gallery\n"]
    for solver in [*SOLVERS, *sorted(set(of_solver) - set(SOLVERS))]:
        title = SOLVERS.get(solver, solver)
        about = f"[Equations and checks](../solvers/{solver}/README.md)"
        parts.append(_section(title, about, of_solver[solver]))
    return "\n".join([*parts, _section(*PROGRAMS, programs)])


def readmes() -> list[Path]:
    """Of every case, with a case file or without."""
    return sorted(ROOT.glob("cases/*/README.md"))


def picture_of(readme: str) -> tuple[str, str] | None:
    """What the README's first picture shows, and where it lies."""
    found = PICTURE.search(without_code(readme))
    return (found[1], found[2]) if found else None


def command_of(name: str, readme: str) -> str:
    """The command below the README's mark; without one the README's first command that runs the case as it
    stands, in its usual folder."""
    _, mark, below = readme.partition(MARK)
    if mark:
        line = FIRST_OF_CODE.search(below)
        if line is None:
            raise PageError(f"the README of {name} has no command below {MARK}.")
        return re.sub(r"\s*\\\n\s*", " ", re.sub(r"\s+#.*", "", line[1] or line[2]))
    commands = re.findall(rf"^(?: {{4}})?(subcurrent run {name}\b[^\n#]*?)\s*(?:#.*)?$", readme, re.MULTILINE)
    as_it_stands = (line for line in commands if "--set" not in line and "--out" not in line)
    return next(as_it_stands, f"subcurrent run {name}")


def _section(title: str, about: str, cards: list[str]) -> str:
    pictures_first = sorted(cards, key=lambda card: "[![" not in card)
    shown = "\n".join(pictures_first)
    return f'### {title}\n\n{about}\n\n<div class="cases" markdown>\n\n{shown}\n</div>\n'


def _first_sentence(folder: Path) -> str:
    """Of what the case's program says of itself."""
    program = next(iter(sorted(folder.glob("*.py"))))
    said = ast.get_docstring(ast.parse(program.read_text(encoding="utf-8"))) or ""
    return " ".join(said.split()).partition(":")[0].rstrip(".")


def _card(readme: Path, summary: str) -> str:
    name = readme.parent.name
    text = readme.read_text(encoding="utf-8")
    title = heading_of(str(readme.relative_to(ROOT)), text)
    picture = picture_of(text)
    shown = ""
    if picture:
        caption, link = picture
        place = os.path.relpath(readme.parent / link, ROOT / "cases")
        shown = f"[![{html.escape(caption)}]({place})]({name}/README.md)\n\n*{caption}*\n\n"
    return (
        f'<div class="case" markdown>\n\n{shown}**[{title}]({name}/README.md)**\n\n{summary}\n\n'
        f"    {command_of(name, text)}\n\n</div>\n"
    )


def with_gallery(page: Page) -> Page:
    return Page(page.path, page.text.rstrip("\n") + "\n\n" + gallery(), page.kind)
