#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Regenerates the tables and pictures of the documents, each from the program itself.

    tools/figures.py --list            what there is, where it stands, how long it takes
    tools/figures.py NAME…             computes those anew and puts them in their place
    tools/figures.py --check NAME…     computes them and says what differs from the documents
    tools/figures.py --cheap           all that take three minutes at most, but no measured times; also with
                                       --check
    tools/figures.py --runs FOLDER NAME…   keeps the runs of cases in FOLDER/NAME, and takes those that are
                                           finished there

A table stands between `<!-- figures: NAME -->` and `<!-- /figures -->`. Seconds are those of two cores at
rest. What is measured time is never compared: no two machines share it. Pictures are not compared either.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
import tempfile
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from regenerate import ROOT, blocks
from regenerate.catalogue import CATALOGUE
from regenerate.figure import Figure
from regenerate.pictures import put

CHEAP = 180  # seconds


def listed() -> str:
    rows = []
    for figure in CATALOGUE.values():
        kind = " (measured time)" if figure.measured else ""
        took = f"{figure.seconds} s" if figure.seconds < 120 else f"{figure.seconds // 60} min"
        rows.append(f"{figure.name:24} {took:>8}  {figure.place:42} {figure.what}{kind}")
    return "\n".join(rows)


def refuse(sentence: str) -> None:
    print(f"figures: {sentence}", file=sys.stderr)
    sys.exit(2)


def chosen(names: list[str], cheap: bool) -> list[Figure]:
    unknown = [name for name in names if name not in CATALOGUE]
    if unknown:
        refuse(f"{unknown[0]!r} is not known: allowed is {', '.join(CATALOGUE)}.")
    if cheap and not names:
        names = [name for name, f in CATALOGUE.items() if f.seconds <= CHEAP and not f.measured]
    if not names:
        refuse("name what to make, or give --cheap or --list.")
    return [CATALOGUE[name] for name in names]


def folder_for(figure: Figure, runs: Path | None) -> AbstractContextManager[str]:
    """Where its runs go: to a folder that stays if one is given."""
    if runs is None:
        return tempfile.TemporaryDirectory(prefix="figures-")
    folder = runs.absolute() / figure.name
    folder.mkdir(parents=True, exist_ok=True)
    return nullcontext(str(folder))


def regenerate(figure: Figure, check: bool, runs: Path | None = None) -> list[str]:
    """Makes one anew; what differs from the documents, where that is asked."""
    with folder_for(figure, runs) as scratch:
        made = figure.make(Path(scratch))
        if isinstance(made, Path):
            if check:
                kind = "pictures" if figure.picture else "whole documents"
                print(f"{figure.name}: made; {kind} are not compared")
            elif figure.picture:
                put(made, ROOT / figure.place)
            else:
                shutil.copyfile(made, ROOT / figure.place)
            return []
    document = ROOT / figure.place
    if not check:
        blocks.put(document, figure.name, made)
        return []
    if figure.tolerance is None:
        print("\n".join(made))
        return []
    return blocks.differences(blocks.get(document, figure.name), made, figure.tolerance)


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--cheap", action="store_true", help=f"all of {CHEAP} s at most, no measured times")
    parser.add_argument("--check", action="store_true", help="compare, change nothing")
    parser.add_argument("--runs", type=Path, metavar="FOLDER", help="keep runs there, take finished ones")
    options = parser.parse_args()
    if options.list:
        print(listed())
        return 0
    found = False
    for figure in chosen(options.names, options.cheap):
        print(f"{figure.name}: {figure.place} (about {figure.seconds} s)", flush=True)
        try:
            differences = regenerate(figure, options.check, options.runs)
        except (subprocess.SubprocessError, OSError, RuntimeError) as error:
            said = (getattr(error, "stderr", None) or str(error)).strip().splitlines()
            print(f"figures: {figure.name} could not be made: {said[-1] if said else error}", file=sys.stderr)
            return 3
        for line in differences:
            print(f"  {line}")
        found = found or bool(differences)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
