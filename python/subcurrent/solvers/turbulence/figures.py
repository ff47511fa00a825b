# SPDX-License-Identifier: Apache-2.0
"""The figures of a turbulence run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...case.reference import read_columns
from ...launch.rundir import RunFolder
from ...report.plots.history import read_history
from ...report.snapshot import read_plane
from ..box_figures import STRUCTURE, VORTICITY
from ..drawing import Drawing
from ..kinds import kind_of
from .case import TurbulenceCase
from .pictures import (
    EnergySpectrum,
    ScalarSpectrum,
    draw_dissipation,
    draw_scalar,
    draw_scalar_budget,
    draw_scalar_spectrum,
    draw_scales,
    draw_spectrum,
)

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


def _shown(folder: RunFolder, case: TurbulenceCase) -> list[tuple[dict[str, np.ndarray], str]]:
    """The columns of spectra and what each is called: the mean over the second half of a forced run, a few
    moments of another one."""
    files = sorted(folder.spectra.glob("spectrum_*.csv"))
    if case.forcing.kind == "none" or len(files) <= 3:
        some = [read_columns(file) for file in _chosen(files)] or [read_columns(folder.spectrum)]
        return [(s, f"time {s['time'][0]:.3g}") for s in some]
    second_half = [read_columns(file) for file in files[len(files) // 2 :]]
    mean = {name: np.mean([s[name] for s in second_half], axis=0) for name in second_half[0]}
    span = f"{second_half[0]['time'][0]:.3g} to {second_half[-1]['time'][0]:.3g}"
    return [(mean, f"mean over time {span}")]


def _spectrum(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if not folder.spectrum.is_file():
        return False
    spectra = [
        EnergySpectrum(s["k"], s["E"], label, *_scales(s["E"], s["k"], case.viscosity()))
        for s, label in _shown(folder, case)
    ]
    draw_spectrum(path, spectra, case.kept(), _name(case))
    return True


def _scalar_spectrum(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if case.scalar is None or not folder.spectrum.is_file():
        return False
    nu, kappa = case.viscosity(), case.diffusivity()
    spectra = []
    for s, label in _shown(folder, case):
        epsilon, _ = _scales(s["E"], s["k"], nu)
        chi = 2 * kappa * float(np.sum(s["k"] ** 2 * s["scalar"]))
        smallest = (max(nu, kappa) * kappa**2 / epsilon) ** 0.25 if epsilon > 0 else float("nan")
        spectra.append(ScalarSpectrum(s["k"], s["scalar"], label, epsilon, chi, smallest))
    draw_scalar_spectrum(path, spectra, case.kept(), _name(case))
    return True


def _scalar_budget(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    if case.scalar is None or not folder.history.is_file():
        return False
    draw_scalar_budget(path, read_history(folder.history), _name(case))
    return True


def _scalar(folder: RunFolder, case: TurbulenceCase, path: Path) -> bool:
    snapshot = folder.last_snapshot()
    if case.scalar is None or snapshot is None:
        return False
    time, plane = read_plane(snapshot, "scalar")
    draw_scalar(path, plane, time, _name(case))
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
    Drawing("scalar.png", "The scalar in the plane z = π, last snapshot.", _scalar),
    Drawing(
        "scalar_spectrum.png",
        "Spectrum of the scalar's variance with the slope −5/3, and in the units of Obukhov and Corrsin.",
        _scalar_spectrum,
    ),
    Drawing(
        "scalar_budget.png",
        "Variance of the scalar, its production and dissipation, the mechanical-to-scalar time-scale ratio.",
        _scalar_budget,
    ),
)
