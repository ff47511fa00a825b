# SPDX-License-Identifier: Apache-2.0
"""The site of the documents: every Markdown page of the repository as it is, and reference pages made from
the sources. Pages keep the folders that they have in the repository, so one link serves both."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT / "python") not in sys.path:
    sys.path.insert(0, str(ROOT / "python"))  # also where the package is not installed


class PageError(Exception):
    """A page that the site cannot have, in one sentence."""
