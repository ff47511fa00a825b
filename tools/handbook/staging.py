# SPDX-License-Identifier: Apache-2.0
"""Lays the pages and what they show out in a folder, as MkDocs wants them: the repository's folders kept."""

from __future__ import annotations

import hashlib
import re
import shutil
from pathlib import Path
from urllib.parse import unquote

from . import (
    ROOT,
    PageError,
    c_header,
    case_keys,
    cpp_headers,
    gallery,
    machine_keys,
    program,
    python_classes,
)
from .markdown import blocks, links, with_linked_pictures
from .pages import KINDS, Page, written

MADE = {
    "reference/command_line.md": program.page,
    "reference/case_file.md": case_keys.page,
    "reference/machine_file.md": machine_keys.page,
    "reference/python.md": python_classes.page,
    "reference/c_header.md": c_header.page,
    "reference/cpp_headers.md": cpp_headers.page,
}


def all_pages() -> list[Page]:
    """The pages written by hand, with the gallery, the list of decisions and the site's contents, and the
    pages that are made."""
    made = [Page(path, make(), "reference") for path, make in MADE.items()]
    pages = written() + made
    added = {
        "cases/README.md": gallery.with_gallery,
        "docs/decisions/README.md": lambda index: _with_titles(index, pages),
        "README.md": lambda home: _with_contents(home, pages),
    }
    return [added[page.path](page) if page.path in added else page for page in pages]


def _with_titles(index: Page, pages: list[Page]) -> Page:
    """The decisions by their titles, which begin with their numbers."""
    records = [page for page in pages if page.kind == "decision" and page.path != index.path]
    lines = [f"- [{page.title}]({Path(page.path).name})" for page in sorted(records, key=lambda p: p.path)]
    return Page(index.path, "\n".join([index.text, *lines, ""]), index.kind)


def _with_contents(home: Page, pages: list[Page]) -> Page:
    """README.md with a list of the site's pages behind it."""
    parts = [home.text.rstrip("\n"), "\n## All pages\n"]
    for kind, title in (*KINDS.items(), ("solver", "Solvers")):
        those = sorted((page for page in pages if page.kind == kind), key=lambda page: page.title.lower())
        if those:
            parts.append(f"**{title}**: {' · '.join(f'[{page.title}]({page.path})' for page in those)}\n")
    parts.append("**Cases**: [the gallery](cases/README.md)\n")
    parts.append("**Decisions**: [why things are as they are](docs/decisions/README.md)\n")
    return Page(home.path, "\n".join(parts), home.kind)


def shown_files(page: Page) -> list[str]:
    """Files of the repository that a page links to and that are no pages, by their places in it."""
    found = []
    for link in links(page.text):
        target = unquote(link.partition("#")[0])
        if not target or re.match(r"[a-z]+:", target) or target.endswith(".md"):
            continue
        path = (ROOT / page.path).parent / target
        if not path.is_file():
            raise PageError(f"{page.path} links to {link}, which is no file: link to a file or a page.")
        found.append(path.resolve().relative_to(ROOT).as_posix())
    return found


def diagrams(pages: list[Page]) -> list[str]:
    """The pages with a Mermaid diagram."""
    return [page.path for page in pages if any(block.language == "mermaid" for block in blocks(page.text))]


def stage(pages: list[Page], folder: Path) -> str:
    """Writes everything below `folder`; returns a digest of it."""
    shutil.rmtree(folder, ignore_errors=True)
    digest = hashlib.sha256()
    for page in pages:
        _put(folder / page.path, with_linked_pictures(page.text).encode(), digest)
    for name in sorted({name for page in pages for name in shown_files(page)}):
        _put(folder / name, (ROOT / name).read_bytes(), digest)
    for file in sorted((Path(__file__).parent / "theme").iterdir()):
        _put(folder / "theme" / file.name, file.read_bytes(), digest)
    for source in sorted(Path(__file__).parent.glob("*.*")):
        digest.update(source.read_bytes())
    return digest.hexdigest()


def _put(path: Path, content: bytes, digest: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    digest.update(str(path).encode() + content)
