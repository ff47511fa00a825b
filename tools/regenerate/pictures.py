# SPDX-License-Identifier: Apache-2.0
"""Pictures of the documents: what a run of a case has drawn."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PIL import Image

from subcurrent.launch.rundir import RunFolder
from subcurrent.report.figures import stored_case
from subcurrent.solvers.dendrite.figures import crystals_of

from . import ROOT, python
from .commands import script
from .runs import run

WIDEST = 1100  # pixels of a picture of the documents


def put(made: Path, place: Path) -> None:
    """A picture in its place, as small a file as shows the same: 256 colours."""
    with Image.open(made) as picture:
        small = picture.convert("RGB")
    small.thumbnail((WIDEST, WIDEST), Image.Resampling.LANCZOS)
    page = small.getpixel((0, 0))
    few = small.quantize(256, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE)
    colours, nearest = few.getpalette(), few.getpixel((0, 0))
    colours[3 * nearest : 3 * nearest + 3] = page  # of which the mean with its neighbours is another
    few.putpalette(colours)
    few.save(place, optimize=True)


def drawn(case: str, figure: str, *sets: str, ranks: int = 2) -> Callable[[Path], Path]:
    """Runs a case with these settings; the picture of that name in its run folder."""

    def make(scratch: Path) -> Path:
        folder = run(scratch / "run", case, *sets, ranks=ranks, quiet=("output.timeline=false",))
        return folder / "figures" / figure

    return make


def by_distance(case: str, *sets: str, ranks: int = 2) -> Callable[[Path], Path]:
    """Runs a case of the dendrite; its crystal, coloured by the distance from the centre."""

    def make(scratch: Path) -> Path:
        from subcurrent.solvers.dendrite.crystal_view import DISTANCE, draw_surfaces  # noqa: PLC0415 - PyVista

        folder = RunFolder(run(scratch / "run", case, *sets, ranks=ranks, quiet=("output.timeline=false",)))
        draw_surfaces(scratch / "figure.png", crystals_of(folder, stored_case(folder)), DISTANCE)
        return scratch / "figure.png"

    return make


def plotted(case: str, *options: str) -> Callable[[Path], Path]:
    """Runs a case as it stands; `subcurrent plot` with these options draws a plane of its last snapshot."""

    def make(scratch: Path) -> Path:
        folder, path = run(scratch / "run", case, quiet=("output.figures=false",)), scratch / "figure.png"
        python("-m", "subcurrent", "plot", folder, *options, "--out", path)
        return path

    return make


def by_script(name: str, *arguments) -> Callable[[Path], Path]:
    """A script of bench/ draws it where --figure says."""

    def make(scratch: Path) -> Path:
        script(name, *arguments, "--figure", scratch / "figure.png")
        return scratch / "figure.png"

    return make


def by_tutorial(name: str, picture: str) -> Callable[[Path], Path]:
    """A tutorial of examples/python draws it, as it stands."""

    def make(scratch: Path) -> Path:
        python(ROOT / "examples" / "python" / f"{name}.py", folder=scratch)
        return scratch / picture

    return make
