# SPDX-License-Identifier: Apache-2.0
"""Draws the figures of a run folder from the files in it, so that they can be drawn again at any time."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ..case.reading import Case, checked_case, parsed_case, read_tables
from ..errors import BadInput, NoData, SubcurrentError
from ..launch import emulated
from ..launch.rundir import RunFolder
from ..solvers import WITHOUT_FILES, Each
from ..solvers.cases import model_of
from ..solvers.drawing import Drawing
from ..solvers.kinds import kind_of, title_of
from .records import read_record

OF_SOLVERS = Each("figures", "DRAWINGS")
PNG, OTHERS = ".png", (".pdf", ".svg")  # what a report shows, and further formats


def _strategies(folder: RunFolder, case: Case, path: Path) -> None:
    from .plots.strategies import draw_strategies  # noqa: PLC0415 - matplotlib

    table = read_record(folder.path / "strategies.json")
    title = f"Time of a step: {title_of(case)}, {table['ranks']} ranks × {table['threads']} threads"
    if "network" in table:
        title += f", {emulated.title(table['network'])}"
    note = (
        f"medians of {table['repeats']} rounds of {table['steps']} steps; whiskers: fastest and slowest round"
    )
    draw_strategies(path, table["rows"], title, note)


STRATEGIES = Drawing(
    "strategies.png",
    "Time of a step under each strategy: measured, and the terms that make it up.",
    _strategies,
    ("strategies.json",),
)


def _probes(folder: RunFolder, case: Case, path: Path) -> None:
    from .plots.probes import draw_probes  # noqa: PLC0415 - matplotlib

    kind = kind_of(case)
    draw_probes(
        path, folder.probes, title_of(case), kind.units(case), kind.columns(case).get("time", (1, ""))
    )


PROBES = Drawing("probes.png", "The fields at the probes over time.", _probes, ("probes.csv",))


def drawings_of(case: Case) -> tuple[Drawing, ...]:
    return (*OF_SOLVERS.get(case.solver, ()), PROBES, STRATEGIES)


def captions(case: Case) -> dict[str, str]:
    return {drawing.name: drawing.caption for drawing in drawings_of(case)}


@dataclass
class Drawn:
    """The files that were drawn, a sentence for each figure that is not possible here, and errors."""

    files: list[Path] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)
    failed: list[SubcurrentError] = field(default_factory=list)

    def complaints(self) -> list[str]:
        return [*self.skipped, *(error.sentence for error in self.failed)]


def draw_figures(folder: RunFolder, ending: str = PNG) -> Drawn:
    """Draws all figures for which the folder has data as PNG, and in the format of `ending`; those that are
    there in another format are drawn again."""
    drawn = Drawn()
    case = stored_case(folder)
    for drawing in drawings_of(case):
        path = folder.figures / drawing.name
        others = [path.with_suffix(other) for other in OTHERS]
        others = [other for other in others if other.suffix == ending or other.is_file()]
        for old in (path, *others):
            old.unlink(missing_ok=True)
        if not _draw(drawing, folder, case, path, drawn):
            continue
        for other in others:
            if drawing.in_space:
                drawn.skipped.append(f"{other.name}: views in space are drawn as PNG only.")
            else:
                _draw(drawing, folder, case, other, drawn)
    return drawn


def _draw(drawing: Drawing, folder: RunFolder, case: Case, path: Path, drawn: Drawn) -> bool:
    """Draws one figure; whether it is there then."""
    try:
        said = drawing.possible(folder, case) and drawing.draw(folder, case, path)
    except NoData as error:
        drawn.skipped.append(error.sentence)
    except SubcurrentError as error:
        if error.exit_code == 3 and "cannot write" in error.sentence:
            raise
        drawn.failed.append(error)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        drawn.failed.append(BadInput(f"{path} cannot be drawn: its data are damaged ({error!r})."))
    else:
        if said:
            drawn.skipped.append(said)
        if path.is_file():
            drawn.files.append(path)
            return True
    return False


def stored_case(folder: RunFolder) -> Case:
    """The resolved case of a run folder."""
    if not folder.case.is_file():
        raise BadInput(f"{folder.path} is not a run folder: {folder.case} is missing.")
    tables = read_tables(folder.case)
    if (solver := tables.get("solver")) in WITHOUT_FILES:  # of `strategies`
        return checked_case(model_of(solver), tables, [])
    return parsed_case(tables, f"{folder.case}: ")
