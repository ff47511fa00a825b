# SPDX-License-Identifier: Apache-2.0
"""The figures of a compressible run."""

from __future__ import annotations

from pathlib import Path

from ...case.reference import read_columns
from ...launch.rundir import RunFolder
from ...report.plots.history import read_history
from ...report.records import read_record
from ...report.snapshot import read_plane
from ..box_figures import STRUCTURE, VORTICITY
from ..drawing import Drawing
from ..kinds import kind_of
from .case import FORCED, CompressibleCase
from .pictures import draw_gas_history, draw_schlieren, draw_split_spectrum
from .wave import WAVES, draw_wave


def _name(case: CompressibleCase) -> str:
    return kind_of(case).title(case)


def _history(folder: RunFolder, case: CompressibleCase, path: Path) -> bool:
    if not folder.history.is_file():
        return False
    reference = read_columns(folder.reference) if folder.reference.is_file() else None
    draw_gas_history(path, read_history(folder.history), reference, _name(case))
    return True


def _schlieren(folder: RunFolder, case: CompressibleCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None:
        return False
    time, density = read_plane(snapshot, "density")
    _, dilatation = read_plane(snapshot, "dilatation")
    draw_schlieren(path, density, dilatation, time, _name(case))
    return True


def _wave(folder: RunFolder, case: CompressibleCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if snapshot is None or case.flow.initial not in WAVES or case.viscosity() != 0:
        return False
    time, density = read_plane(snapshot, "density")
    _, velocity = read_plane(snapshot, "velocity")
    profiles = {"density": density[0], "u": velocity[0, 0], "v": velocity[1, 0]}
    error = read_record(folder.path / "wave.json").get("error")
    note = "" if error is None else f"mean |difference| in units of the amplitude, summed: {error:.3g}"
    draw_wave(path, case, profiles, time, title=_name(case), note=note)
    return True


def _spectrum(folder: RunFolder, case: CompressibleCase, path: Path) -> bool:
    if not folder.spectrum.is_file():
        return False
    series = [read_columns(file) for file in sorted(folder.spectra.glob("spectrum_*.csv"))]
    kmax = min(case.grid.points) // 2
    history = read_history(folder.history) if folder.history.is_file() else None
    draw_split_spectrum(path, series, read_columns(folder.spectrum), kmax, _name(case), history=history)
    return True


def _structure(folder: RunFolder, case: CompressibleCase, path: Path) -> bool | str:
    return case.flow.initial in FORCED and STRUCTURE.draw(folder, case, path)  # not of waves


DRAWINGS = (
    Drawing(
        "history.png",
        "Energy, dissipation and its two parts, what the filter takes, Mach number and dilatation over time; "
        "against the reference where there is one.",
        _history,
    ),
    Drawing("schlieren.png", "|∇ρ| and the dilatation in the plane z = π, last snapshot.", _schlieren),
    VORTICITY,
    Drawing("wave.png", "Profiles of a wave along x, against the exact solution.", _wave),
    Drawing(
        "spectrum.png",
        "Spectra of the solenoidal and of the dilatational velocity; of a viscous gas with the slope −5/3 "
        "and k_max η.",
        _spectrum,
    ),
    Drawing(STRUCTURE.name, STRUCTURE.caption, _structure),
)
