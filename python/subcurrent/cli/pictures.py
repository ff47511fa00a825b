# SPDX-License-Identifier: Apache-2.0
"""`subcurrent plot` and `subcurrent film`: planes of the fields of a run's snapshots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import BadInput
from ..launch.rundir import RunFolder
from ..solvers.kinds import title_of

if TYPE_CHECKING:
    from ..report.slices import Wanted

SourceArgument = Annotated[Path, typer.Argument(metavar="RUN", help="a run folder, or a snapshot")]
FieldOption = Annotated[
    str | None, typer.Option(help="the field's name  \\[default: the first in the alphabet]")
]
ComponentOption = Annotated[
    int | None, typer.Option(help="component of a vector, from 0  \\[default: its magnitude]")
]
PlaneOption = Annotated[
    str, typer.Option(help="axis normal to the plane, and position in the unit of the axes: z, or z=0.5")
]
ColoursOption = Annotated[str, typer.Option(help="a colour map of matplotlib")]
LogOption = Annotated[bool, typer.Option("--log", help="logarithmic colour scale")]


def plot(
    source: SourceArgument,
    *,
    field: FieldOption = None,
    component: ComponentOption = None,
    plane: PlaneOption = "z",
    time: Annotated[
        float | None,
        typer.Option(
            help="draw the snapshot nearest to this time, in the picture's unit  \\[default: the last]"
        ),
    ] = None,
    colours: ColoursOption = "viridis",
    log: LogOption = False,
    out: Annotated[Path | None, typer.Option(help="a .png, .pdf or .svg  \\[default: FIELD.png]")] = None,
) -> None:
    """Draw a plane of a field, with units, time and a scale bar.

    [bold]Examples[/bold]

    \b
      subcurrent plot runs/wave_pulse
      subcurrent plot runs/earth_south --field pressure --plane y=0 --log --out noon.pdf
      subcurrent plot temperature.vtkhdf --plane x --out cut.svg
    """
    from ..report.plots import plane as plots  # noqa: PLC0415 - matplotlib
    from ..report.slices import read_slice  # noqa: PLC0415 - h5py

    wanted = _wanted(field, component, plane)
    paths = _snapshots(source)
    path = paths[-1] if time is None else _nearest(paths, time)
    shown = read_slice(path, wanted)
    target = _target(out or Path(f"{shown.field.strip('|').replace(' ', '_')}.png"), plots.PICTURES)
    plots.draw_plane(target, shown, _title(source), plots.Look(colours, log))
    print(target)


def film(
    source: SourceArgument,
    *,
    field: FieldOption = None,
    component: ComponentOption = None,
    plane: PlaneOption = "z",
    colours: ColoursOption = "viridis",
    log: LogOption = False,
    rate: Annotated[
        float, typer.Option(min=0.1, max=60, help="pictures per second; a GIF shows at most 50")
    ] = 5.0,
    out: Annotated[Path, typer.Option(help="a .gif, or with ffmpeg a .mp4")] = Path("film.gif"),
) -> None:
    """Make a film: a plane of a field at all times of a run, with one colour scale.

    [bold]Examples[/bold]

    \b
      subcurrent film runs/wave_pulse
      subcurrent film runs/nickel_small --field phase --plane z=0 --rate 10 --out crystal.gif
    """
    from ..report.plots import plane as plots  # noqa: PLC0415 - matplotlib
    from ..report.slices import read_slice  # noqa: PLC0415 - h5py

    wanted = _wanted(field, component, plane)
    paths = _snapshots(source)
    target = _target(out, plots.FILMS)
    shown = [read_slice(path, wanted) for path in paths]
    plots.draw_film(target, shown, _title(source), plots.Look(colours, log), rate)
    print(f"{target}: {len(shown)} pictures")


def _wanted(field: str | None, component: int | None, plane: str) -> Wanted:
    from ..report.slices import AXES, Wanted  # noqa: PLC0415 - h5py

    axis, equals, at = plane.replace(" ", "").partition("=")
    try:
        place = float(at) if equals else None
    except ValueError:
        place, axis = None, ""
    if axis not in tuple(AXES):
        raise BadInput(f"--plane {plane} is not allowed: it must be x, y or z, or with a place, e.g. z=0.5.")
    return Wanted(field, component, axis, place)


def _snapshots(source: Path) -> list[Path]:
    if source.is_file():
        return [source]
    found = RunFolder(source).all_snapshots()
    if not found:
        raise BadInput(f"{source} has no snapshots: give a run folder that has, or a file of one.")
    return found


def _nearest(paths: list[Path], time: float) -> Path:
    """Within the times that there are, to rounding: a case may give the last as its end."""
    from ..report.slices import read_time  # noqa: PLC0415 - h5py

    times = [read_time(path) for path in paths]
    slack = 1e-6 * abs(times[-1])
    if not times[0] - slack <= time <= times[-1] + slack:
        raise BadInput(
            f"--time {time:g} is outside of the snapshots: allowed is from {times[0]:g} to {times[-1]:g}."
        )
    return min(zip(times, paths, strict=True), key=lambda pair: abs(pair[0] - time))[1]


def _target(path: Path, endings: tuple[str, ...]) -> Path:
    if path.suffix not in endings:
        raise BadInput(f"--out {path} is not allowed: it must end in {', '.join(endings)}.")
    return path


def _title(source: Path) -> str:
    """The case's, where the run folder keeps one."""
    if source.is_file():
        return source.stem
    from ..report.figures import stored_case  # noqa: PLC0415 - matplotlib

    return title_of(stored_case(RunFolder(source)))


def add(app: typer.Typer) -> None:
    app.command()(plot)
    app.command()(film)
