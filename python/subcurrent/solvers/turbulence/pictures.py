# SPDX-License-Identifier: Apache-2.0
"""Pictures of turbulence: spectra, dissipation history, small scales over time, and those of a scalar."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...report.plots import style
from ...report.plots.spectrum import draw_five_thirds, kept_shells, number_decades
from ..box_pictures import COLOURS, draw_box_plane, draw_reference


@dataclass(frozen=True)
class SpectrumKind:
    """What a spectrum is of, as its picture names it."""

    title: str
    symbol: str
    smallest: str  # scale
    scaled_title: str
    scaled_k: str
    scaled_symbol: str
    constant: float | None = None  # of the inertial range


ENERGY = SpectrumKind(
    "Energy spectrum", "E(k)", "η", "In Kolmogorov's units", "kη", "$ε^{-2/3} k^{5/3} E(k)$", 1.6
)
SCALAR = SpectrumKind(
    "Spectrum of the scalar",
    "$E_θ(k)$",
    "η_θ",
    "In units of Obukhov and Corrsin",
    "$kη_θ$",
    "$χ^{-1} ε^{1/3} k^{5/3} E_θ(k)$",
)


@dataclass(frozen=True)
class Spectrum:
    """Of one moment of a flow, and what it is held against."""

    k: np.ndarray
    values: np.ndarray
    label: str
    unit: float  # of the inertial range, in which values are about k^(-5/3): ε^(2/3), or χ ε^(-1/3); 0: none
    smallest: float  # scale: Kolmogorov's; that of Batchelor, or of Obukhov and Corrsin


def draw_spectrum(
    path: Path, spectra: list[Spectrum], kmax: int, title: str, kind: SpectrumKind = ENERGY
) -> None:
    """Spectra with a line of slope -5/3, and in the units of the inertial range; `kmax`: the largest mode."""
    with style.figure(path, 10.5, 4.8, title) as drawing:
        plain, scaled = drawing.subplots(1, 2)
        for s, colour in zip(spectra, COLOURS, strict=False):
            seen = kept_shells(s.k, s.values, kmax, s.values.max())
            k, values = s.k[seen], s.values[seen]
            plain.loglog(k, values, color=colour, label=s.label, marker=".", markersize=4, linewidth=1.4)
            if np.isfinite(s.smallest) and s.unit > 0:
                label = f"$k_{{max}}{kind.smallest}$ = {kmax * s.smallest:.2f}"
                scaled.loglog(
                    k * s.smallest, k ** (5 / 3) * values / s.unit, color=colour, label=label, linewidth=1.4
                )
        unit = spectra[-1].unit
        if kind.constant:
            draw_five_thirds(plain, kmax, kind.constant * unit if unit > 0 else 1.0)
            scaled.axhline(kind.constant, color=style.MUTED, linestyle="--", linewidth=1.2)
        elif unit > 0:
            draw_five_thirds(plain, kmax, unit)
        plain.set(title=kind.title, xlabel="k", ylabel=kind.symbol)
        plain.legend()
        scaled.set(title=kind.scaled_title, xlabel=kind.scaled_k, ylabel=kind.scaled_symbol)
        if scaled.get_legend_handles_labels()[0]:
            number_decades(scaled.xaxis)
            scaled.legend()


def draw_scalar_budget(path: Path, history: dict[str, np.ndarray], title: str) -> None:
    """The variance of the scalar, what produces and dissipates it, and the ratio of the time scales."""
    time = history["time"]
    with style.figure(path, 10.5, 4.6, title) as drawing:
        variance, budget, ratio = drawing.subplots(1, 3)
        variance.plot(time, history["scalar_variance"], color=style.BLUE, linewidth=1.3)
        variance.set(title="Variance of the scalar", xlabel="time", ylabel="⟨θ²⟩")
        variance.set_ylim(bottom=0)
        for name, colour in (("production", style.GREEN), ("dissipation", style.RED)):
            budget.plot(time, history[f"scalar_{name}"], color=colour, linewidth=1.3, label=name)
        budget.set(title="What changes it", xlabel="time", ylabel="−2 G · ⟨uθ⟩ and χ")
        budget.legend()
        ratio.plot(time, history["scalar_time_ratio"], color=style.VIOLET, linewidth=1.3)
        ratio.set(title="Ratio of the time scales", xlabel="time", ylabel="(E / ε) / (⟨θ²⟩ / χ)")


def draw_scalar(path: Path, plane: np.ndarray, time: float, title: str) -> None:
    """The scalar in the plane z = pi, shape (ny, nx), over its root mean square there."""
    rms = float(np.sqrt(np.mean(plane**2)))
    values = plane / rms if rms > 0 else plane
    label = "θ / root mean square of θ"
    draw_box_plane(path, values, time, title, label=label, colours="RdBu_r", signed=True)


def draw_dissipation(
    path: Path, history: dict[str, np.ndarray], reference: dict[str, np.ndarray] | None, title: str
) -> None:
    """Energy and dissipation over time, against a reference with the columns t, kinetic_energy and
    dissipation."""
    time = history["time"]
    with style.figure(path, 10.5, 4.6, title) as drawing:
        lost, kept = drawing.subplots(1, 2)
        lost.plot(time, history["dissipation"], color=style.BLUE, label="this run")
        kept.plot(time, history["energy"], color=style.BLUE, label="this run")
        if reference:
            panels = {"dissipation": lost, "kinetic_energy": kept}
            draw_reference(panels, reference, time[-1], "reference, 512³")
            lost.legend()
        lost.set(title="Dissipation", xlabel="time", ylabel="ε")
        lost.set_ylim(bottom=0)
        kept.set(title="Energy", xlabel="time", ylabel="E")
        kept.set_ylim(bottom=0)


def draw_scales(path: Path, history: dict[str, np.ndarray], title: str) -> None:
    """The small scales over time: skewness, Taylor Reynolds number, enstrophy, k_max eta."""
    time = history["time"]
    with style.figure(path, 10.5, 6.6, title) as drawing:
        (skew, taylor), (enstrophy, resolved) = drawing.subplots(2, 2, sharex=True)
        skew.plot(time, history["skewness"], color=style.BLUE, linewidth=1.3)
        skew.axhline(-0.5, color=style.MUTED, linestyle="--", linewidth=1.0)
        skew.set(title="Skewness of ∂u/∂x", ylabel="dashed: −0.5")
        taylor.plot(time, history["taylor_reynolds"], color=style.GREEN, linewidth=1.3)
        taylor.set(title="Taylor Reynolds number", ylabel="$Re_λ$")
        enstrophy.plot(time, history["enstrophy"], color=style.RED, linewidth=1.3)
        enstrophy.set(title="Enstrophy", ylabel="|ω|² / 2, mean", xlabel="time")
        resolved.plot(time, history["kmax_eta"], color=style.VIOLET, linewidth=1.3)
        resolved.axhline(1, color=style.MUTED, linestyle="--", linewidth=1.0)
        resolved.set(title="Resolution", ylabel="$k_{max} η$, dashed: 1", xlabel="time")
