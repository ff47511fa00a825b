# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a run folder from the files in it, so that they can be drawn again at any time."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

from . import plots
from .case import Case
from .drawings import DRAWINGS, Drawing
from .errors import BadInput, SubcurrentError
from .kinds import kind_of
from .rundir import RunFolder
from .schema import SOLVERS

STRATEGIES = Drawing(
    "strategies.png", "Time of a step under each strategy: measured, and the terms that make it up."
)


def drawings_of(case: Case) -> tuple[Drawing, ...]:
    return (*DRAWINGS[case.solver], STRATEGIES)


def captions(case: Case) -> dict[str, str]:
    return {drawing.name: drawing.caption for drawing in drawings_of(case)}


def draw_figures(folder: RunFolder) -> tuple[list[Path], list[str]]:
    """Draws what the folder has data for; returns the files, and a sentence for each that failed."""
    drawn, skipped = [], []
    case = stored_case(folder)
    for drawing in drawings_of(case):
        path = folder.figures / drawing.name
        path.unlink(missing_ok=True)
        try:
            said = drawing.draw(folder, case, path) if drawing.draw else _strategies(folder, case, path)
        except SubcurrentError as error:
            if error.exit_code == 3 and "cannot write" in error.sentence:
                raise
            skipped.append(error.sentence)
        else:
            if isinstance(said, str):
                skipped.append(said)
            if said is True or path.is_file():
                drawn.append(path)
    return drawn, skipped


def stored_case(folder: RunFolder) -> Case:
    """The resolved case that a run folder keeps."""
    try:
        tables = tomllib.loads(folder.case.read_text())
        return SOLVERS[tables["solver"]].model_validate(tables)
    except (OSError, ValueError, KeyError) as error:
        raise BadInput(
            f"{folder.path} is no run folder: {folder.case} is missing or damaged ({error})."
        ) from None


def name_of(case: Case) -> str:
    return kind_of(case).title(case)


def _strategies(folder: RunFolder, case: Case, path: Path) -> bool:
    file = folder.path / "strategies.json"
    if not file.is_file():
        return False
    table = json.loads(file.read_text())
    title = f"Time of a step: {name_of(case)}, {table['ranks']} ranks × {table['threads']} threads"
    note = (
        f"medians of {table['repeats']} rounds of {table['steps']} steps; whiskers: fastest and slowest round"
    )
    plots.draw_strategies(path, table["rows"], title, note)
    return True
