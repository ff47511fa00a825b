# SPDX-License-Identifier: Apache-2.0
"""The figures of a turbulence run."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ...case.reference import read_columns
from ...launch.rundir import RunFolder
from ..box_figures import STRUCTURE, VORTICITY
from ..drawing import Drawing, over_time, titled_planes
from ..kinds import title_of
from .case import TurbulenceCase
from .pictures import (
    SCALAR,
    Spectrum,
    draw_dissipation,
    draw_scalar,
    draw_scalar_budget,
    draw_scales,
    draw_spectrum,
)

SHOWN = 5  # spectra in one picture


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


def _spectrum(folder: RunFolder, case: TurbulenceCase, path: Path) -> None:
    spectra = []
    for s, label in _shown(folder, case):
        dissipation, eta = _scales(s["E"], s["k"], case.viscosity())
        spectra.append(Spectrum(s["k"], s["E"], label, dissipation ** (2 / 3), eta))
    draw_spectrum(path, spectra, case.kept(), title_of(case))


def _scalar_spectrum(folder: RunFolder, case: TurbulenceCase, path: Path) -> None:
    nu, kappa = case.viscosity(), case.diffusivity()
    spectra = []
    for s, label in _shown(folder, case):
        epsilon, _ = _scales(s["E"], s["k"], nu)
        chi = 2 * kappa * float(np.sum(s["k"] ** 2 * s["scalar"]))
        unit = chi * epsilon ** (-1 / 3) if epsilon > 0 else 0.0
        smallest = (max(nu, kappa) * kappa**2 / epsilon) ** 0.25 if epsilon > 0 else float("nan")
        spectra.append(Spectrum(s["k"], s["scalar"], label, unit, smallest))
    draw_spectrum(path, spectra, case.kept(), title_of(case), SCALAR)


def _with_scalar(case: TurbulenceCase) -> bool:
    return case.scalar is not None


DRAWINGS = (
    Drawing(
        "spectrum.png",
        "Energy spectrum with the slope −5/3, and in Kolmogorov's units with k_max η.",
        _spectrum,
        ("spectrum.csv",),
    ),
    Drawing(
        "dissipation.png",
        "Dissipation and energy over time, against the reference.",
        over_time(draw_dissipation, with_reference=True),
        ("history.csv",),
    ),
    VORTICITY,
    Drawing(
        "scales.png",
        "Skewness, Taylor Reynolds number, enstrophy and resolution over time.",
        over_time(draw_scales),
        ("history.csv",),
    ),
    STRUCTURE,
    Drawing(
        "scalar.png",
        "The scalar in the plane z = π, last snapshot.",
        titled_planes(draw_scalar, "scalar"),
        ("snapshots",),
        _with_scalar,
    ),
    Drawing(
        "scalar_spectrum.png",
        "Spectrum of the scalar's variance with the slope −5/3, and in the units of Obukhov and Corrsin.",
        _scalar_spectrum,
        ("spectrum.csv",),
        _with_scalar,
    ),
    Drawing(
        "scalar_budget.png",
        "Variance of the scalar, its production and dissipation, the mechanical-to-scalar time-scale ratio.",
        over_time(draw_scalar_budget),
        ("history.csv",),
        _with_scalar,
    ),
)
