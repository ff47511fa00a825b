# SPDX-License-Identifier: Apache-2.0
"""The figures of a compressible run."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ...case.reference import read_columns
from ...launch.rundir import RunFolder
from ...report.plots.history import read_history
from ...report.records import read_record
from ...report.snapshot import read_plane
from ..box_figures import STRUCTURE, VORTICITY
from ..drawing import Drawing, over_time, titled_planes
from ..kinds import title_of
from .case import FORCED, CompressibleCase
from .pictures import draw_gas_history, draw_schlieren, draw_split_spectrum
from .wave import WAVES, draw_wave


def _wave(folder: RunFolder, case: CompressibleCase, path: Path) -> None:
    snapshot = folder.last_snapshot()
    time, density = read_plane(snapshot, "density")
    _, velocity = read_plane(snapshot, "velocity")
    profiles = {"density": density[0], "u": velocity[0, 0], "v": velocity[1, 0]}
    error = read_record(folder.path / "wave.json").get("error")
    note = "" if error is None else f"mean |difference| in units of the amplitude, summed: {error:.3g}"
    draw_wave(path, case, profiles, time, title=title_of(case), note=note)


def _spectrum(folder: RunFolder, case: CompressibleCase, path: Path) -> None:
    series = [read_columns(file) for file in sorted(folder.spectra.glob("spectrum_*.csv"))]
    kmax = min(case.grid.points) // 2
    history = read_history(folder.history) if folder.history.is_file() else None
    last = read_columns(folder.spectrum)
    draw_split_spectrum(path, series, last, kmax, title_of(case), history=history)


DRAWINGS = (
    Drawing(
        "history.png",
        "Energy, dissipation and its two parts, what the filter takes, Mach number and dilatation over time; "
        "against the reference where there is one.",
        over_time(draw_gas_history, with_reference=True),
        ("history.csv",),
    ),
    Drawing(
        "schlieren.png",
        "|∇ρ| and the dilatation in the plane z = π, last snapshot.",
        titled_planes(draw_schlieren, "density", "dilatation"),
        ("snapshots",),
    ),
    VORTICITY,
    Drawing(
        "wave.png",
        "Profiles of a wave along x, against the exact solution.",
        _wave,
        ("snapshots",),
        lambda case: case.flow.initial in WAVES and case.viscosity() == 0,
    ),
    Drawing(
        "spectrum.png",
        "Spectra of the solenoidal and of the dilatational velocity; of a viscous gas with the slope −5/3 "
        "and k_max η.",
        _spectrum,
        ("spectrum.csv",),
    ),
    replace(STRUCTURE, of=lambda case: case.flow.initial in FORCED),  # not of waves
)
