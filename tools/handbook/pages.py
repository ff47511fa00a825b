# SPDX-License-Identifier: Apache-2.0
"""Which pages there are, of what kind each is, and the navigation in which every one of them stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from . import ROOT, PageError

# What a page may call itself in its first line, and the heading that it then stands under.
KINDS = {
    "tutorial": "Tutorials",
    "how-to": "How-to guides",
    "reference": "Reference",
    "explanation": "Explanation",
}
# Folders whose pages are all of one kind.
FOLDERS = {
    "docs/tutorials": "tutorial",
    "docs/howto": "how-to",
    "docs/explanation": "explanation",
    "docs/decisions": "decision",
    "cases": "case",
    "solvers": "solver",
}
# Made, of others, or what a new project starts from; and what begins with a dot.
NO_PAGES = {"build", "runs", "third_party", "starter"}
MARK = re.compile(r"\A<!-- kind: (.*?) -->$", re.MULTILINE)


@dataclass(frozen=True)
class Page:
    """One page: its place in the repository (and on the site), its text and its kind."""

    path: str
    text: str
    kind: str

    @property
    def title(self) -> str:
        return heading_of(self.path, self.text)


def heading_of(path: str, text: str) -> str:
    found = re.search(r"^# (.+)$", text, re.MULTILINE)
    if not found:
        raise PageError(f"{path} has no heading: write one as '# …'.")
    return found[1]


def kind_of(path: str, text: str) -> str:
    """By its folder or by its first line; README.md is the site's first page."""
    if path == "README.md":
        return "home"
    for folder, kind in FOLDERS.items():
        if path.startswith(folder + "/"):
            return kind
    found = MARK.search(text)
    if not found or found[1] not in KINDS:
        says = f"says {found[1]!r}" if found else "does not say"
        raise PageError(
            f"{path} {says} of what kind it is: its first line must be <!-- kind: K --> with K one of "
            f"{', '.join(KINDS)}."
        )
    return found[1]


def files(root: Path = ROOT) -> list[Path]:
    """Every Markdown file of the repository, README.md first."""
    found = []
    for path in sorted(root.rglob("*.md")):
        folders = path.relative_to(root).parts[:-1]
        if not any(name.startswith(".") or name in NO_PAGES for name in folders):
            found.append(path)
    return sorted(found, key=lambda path: path.relative_to(root) != Path("README.md"))


def written(root: Path = ROOT) -> list[Page]:
    """The pages that are written by hand."""
    pages = []
    for path in files(root):
        name, text = path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")
        pages.append(Page(name, text, kind_of(name, text)))
    return pages


def navigation(pages: list[Page]) -> list[dict]:
    """MkDocs' `nav`: the kinds in their order, then cases and decisions. Every page stands in it once."""
    of_kind = {kind: [page for page in pages if page.kind == kind] for kind in KINDS}
    nav: list[dict] = [{"Home": "README.md"}]
    for kind, title in KINDS.items():
        entries: list = [_entry(page) for page in sorted(of_kind[kind], key=_order)]
        if kind == "reference":
            entries.append({"Solvers": [_entry(page) for page in pages if page.kind == "solver"]})
        if entries:
            nav.append({title: entries})
    nav.append({"Cases": _first_the_index(pages, "case")})
    nav.append({"Decisions": _first_the_index(pages, "decision")})
    return nav


def _entry(page: Page) -> dict[str, str]:
    return {page.title: page.path}


def _order(page: Page) -> tuple[bool, str]:
    """Made from the sources first, then by title."""
    return (not page.path.startswith("reference/"), page.title.lower())


def _first_the_index(pages: list[Page], kind: str) -> list[dict[str, str]]:
    those = [page for page in pages if page.kind == kind]
    return [_entry(page) for page in sorted(those, key=lambda page: (page.path.count("/"), page.path))]
