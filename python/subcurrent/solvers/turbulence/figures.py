# SPDX-License-Identifier: Apache-2.0
"""The figures of a turbulence run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...case.reference import read_columns
from ...launch.rundir import RunFolder
from ...report.plots.history import read_history
from ..box_figures import STRUCTURE, VORTICITY
from ..drawing import Drawing
from ..kinds import kind_of
from .case import TurbulenceCase
from .pictures import EnergySpectrum, draw_dissipation, draw_scales, draw_spectrum

SHOWN = 5  # spectra in one picture


def _name(case: TurbulenceCase) -> str:
    return kind_of(case).title(case)


def _scales(energies: np.ndarray, k: np.ndarray, viscosity: float) -> tuple[float, float]:
    """epsilon = 2 nu sum k^2 E, with the shells' middles for k, and eta."""
    dissipation = 2 * viscosity * float(np.sum(k**2 * energies))
    eta = (viscosity**3 / dissipation) ** 0.25 if dissipation > 0 and viscosity > 0 else float("nan")
    return dissipation, eta


def _chosen(paths: list[Path]) -> list[Path]:
    if len(paths) <= SHOWN:
        return paths
    picks = sorted({round(n * (len(paths) - 1) / (SHOWN - 1)) for n in range(SHOWN)})
    return [paths[n] for n in picks]


def _spectrum(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if not folder.spectrum.is_file():
        return False
    series = [read_columns(file) for file in sorted(folder.spectra.glob("spectrum_*.csv"))]
    last = read_columns(folder.spectrum)
    if case.forcing.kind != "none" and len(series) > 3:
        second_half = series[len(series) // 2 :]
        mean = np.mean([s["E"] for s in second_half], axis=0)
        span = f"{second_half[0]['time'][0]:.3g} to {second_half[-1]['time'][0]:.3g}"
        named = [(last["k"], mean, f"mean over time {span}")]
    else:
        files = _chosen(sorted(folder.spectra.glob("spectrum_*.csv")))
        some = [read_columns(file) for file in files] or [last]
        named = [(s["k"], s["E"], f"time {s['time'][0]:.3g}") for s in some]
    spectra = [
        EnergySpectrum(k, energy, label, *_scales(energy, k, case.viscosity())) for k, energy, label in named
    ]
    draw_spectrum(path, spectra, case.kept(), _name(case))
    return True


def _dissipation(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if not folder.history.is_file():
        return False
    reference = read_columns(folder.reference) if folder.reference.is_file() else None
    draw_dissipation(path, read_history(folder.history), reference, _name(case))
    return True


def _small(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if not folder.history.is_file():
        return False
    draw_scales(path, read_history(folder.history), _name(case))
    return True


DRAWINGS = (
    Drawing(
        "spectrum.png",
        "Energy spectrum with the slope −5/3, and in Kolmogorov's units with k_max η.",
        _spectrum,
    ),
    Drawing("dissipation.png", "Dissipation and energy over time, against the reference.", _dissipation),
    VORTICITY,
    Drawing("scales.png", "Skewness, Taylor Reynolds number, enstrophy and resolution over time.", _small),
    STRUCTURE,
)
