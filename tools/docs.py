#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds the site of the documents in build/docs/site; open its index.html.

    tools/docs.py           builds it where something has changed
    tools/docs.py --fresh   builds it in any case

A link or an anchor that leads nowhere, and a page without a place, are errors.
"""

from __future__ import annotations

import logging
import shutil
import sys
from pathlib import Path

import mkdocs.commands.build
import mkdocs.config
from mkdocs.exceptions import Abort, ConfigurationError

from handbook import ROOT, PageError, mermaid, pages, staging

FOLDER = ROOT / "build" / "docs"
MERMAID = FOLDER / "mermaid"


def build(found: list[pages.Page], folder: Path, fresh: bool) -> str:
    """The site of these pages in folder/site; what there is to say at the end."""
    staged, site, stamp = folder / "pages", folder / "site", folder / "digest"
    digest = staging.stage(found, staged)
    if not fresh and stamp.is_file() and stamp.read_text() == digest and (site / "index.html").is_file():
        return f"nothing has changed: {site / 'index.html'}"
    scripts = []
    if drawn := staging.diagrams(found):
        shutil.copy(mermaid.fetch(MERMAID, drawn), staged / "theme")
        scripts = ["theme/mermaid.min.js"]
    stamp.unlink(missing_ok=True)
    config = mkdocs.config.load_config(
        str(ROOT / "tools" / "handbook" / "mkdocs.yml"),
        docs_dir=str(staged),
        site_dir=str(site),
        nav=pages.navigation(found),
        extra_javascript=scripts,
        strict=True,
    )
    mkdocs.commands.build.build(config)
    stamp.write_text(digest)
    return f"{len(found)} pages: {site / 'index.html'}"


def main() -> int:
    if sys.argv[1:] not in ([], ["--fresh"]):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    logging.basicConfig(level=logging.WARNING, format="docs: %(levelname)s: %(message)s")
    try:
        print("docs:", build(staging.all_pages(), FOLDER, fresh="--fresh" in sys.argv))
    except (PageError, ConfigurationError, Abort) as error:
        print(f"docs: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
