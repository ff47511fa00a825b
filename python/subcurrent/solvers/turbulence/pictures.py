# SPDX-License-Identifier: Apache-2.0
"""Pictures of turbulence: spectrum, dissipation history, a slice of the vorticity, small scales over time."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ...report.plots import style
from ...report.plots.plane import scale_bar
from ...report.plots.spectrum import draw_five_thirds, draw_slope, kept_shells

COLOURS = (style.BLUE, style.GREEN, style.ORANGE, style.VIOLET, style.RED)


@dataclass(frozen=True)
class EnergySpectrum:
    """E(k) of one or several moments of a flow, and the scales it is held against."""

    k: np.ndarray
    energy: np.ndarray
    label: str
    dissipation: float
    kolmogorov: float  # eta


@dataclass(frozen=True)
class ScalarSpectrum:
    """The spectrum of a scalar's variance, and the scales it is held against."""

    k: np.ndarray
    variance: np.ndarray
    label: str
    flow_dissipation: float  # epsilon
    dissipation: float  # chi
    smallest: float  # Batchelor's scale, or that of Obukhov and Corrsin


def draw_spectrum(path: Path, spectra: list[EnergySpectrum], kmax: int, title: str) -> None:
    """E(k) with a line of slope -5/3, and in Kolmogorov's units; `kmax`: the largest mode kept."""
    with style.figure(path, 10.5, 4.8, title) as drawing:
        plain, scaled = drawing.subplots(1, 2)
        for s, colour in zip(spectra, COLOURS, strict=False):
            seen = kept_shells(s.k, s.energy, kmax, s.energy.max())
            k, energy = s.k[seen], s.energy[seen]
            plain.loglog(k, energy, color=colour, label=s.label, marker=".", markersize=4, linewidth=1.4)
            if np.isfinite(s.kolmogorov) and s.dissipation > 0:
                in_units = s.dissipation ** (-2 / 3) * k ** (5 / 3) * energy
                label = f"$k_{{max}}η$ = {kmax * s.kolmogorov:.2f}"
                scaled.loglog(k * s.kolmogorov, in_units, color=colour, label=label, linewidth=1.4)
        draw_slope(plain, kmax, spectra[-1].dissipation)
        plain.set(title="Energy spectrum", xlabel="k", ylabel="E(k)")
        plain.legend()
        scaled.axhline(1.6, color=style.MUTED, linestyle="--", linewidth=1.2)
        scaled.set(title="In Kolmogorov's units", xlabel="kη", ylabel="$ε^{-2/3} k^{5/3} E(k)$")
        if scaled.get_legend_handles_labels()[0]:
            scaled.legend()


def draw_scalar_spectrum(path: Path, spectra: list[ScalarSpectrum], kmax: int, title: str) -> None:
    """The spectrum with a line of slope -5/3, and in Obukhov's and Corrsin's units, χ ε^(-1/3) k^(-5/3)."""
    with style.figure(path, 10.5, 4.8, title) as drawing:
        plain, scaled = drawing.subplots(1, 2)
        for s, colour in zip(spectra, COLOURS, strict=False):
            seen = kept_shells(s.k, s.variance, kmax, s.variance.max())
            k, variance = s.k[seen], s.variance[seen]
            plain.loglog(k, variance, color=colour, label=s.label, marker=".", markersize=4, linewidth=1.4)
            if np.isfinite(s.smallest) and s.dissipation > 0:
                in_units = s.flow_dissipation ** (1 / 3) / s.dissipation * k ** (5 / 3) * variance
                label = f"$k_{{max}}η_θ$ = {kmax * s.smallest:.2f}"
                scaled.loglog(k * s.smallest, in_units, color=colour, label=label, linewidth=1.4)
        last = spectra[-1]
        if last.dissipation > 0 and last.flow_dissipation > 0:
            draw_five_thirds(plain, kmax, last.dissipation * last.flow_dissipation ** (-1 / 3))
        plain.set(title="Spectrum of the scalar", xlabel="k", ylabel="$E_θ(k)$")
        plain.legend()
        scaled.set(title="In units of Obukhov and Corrsin", xlabel="$kη_θ$")
        scaled.set_ylabel("$χ^{-1} ε^{1/3} k^{5/3} E_θ(k)$")
        if scaled.get_legend_handles_labels()[0]:
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
    with style.figure(path, 7.4, 6.6, f"{title}, time {time:.4g}") as drawing:
        axes = drawing.subplots()
        edges = [np.linspace(0, 2 * np.pi, count + 1) for count in plane.shape[::-1]]
        top = float(np.quantile(np.abs(values), 0.998)) or 1.0
        mesh = axes.pcolormesh(*edges, values, cmap="RdBu_r", vmin=-top, vmax=top, rasterized=True)
        axes.set(xlabel="x", ylabel="y", aspect="equal")
        axes.set_title("plane z = π of the box of 2π")
        axes.grid(visible=False)
        drawing.colorbar(mesh, ax=axes, shrink=0.85, label="θ / root mean square of θ")
        scale_bar(axes, *edges)


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
            seen = reference["t"] <= time[-1] * (1 + 1e-9)
            t = reference["t"][seen]
            dots = {"color": style.ORANGE, "linestyle": "--", "linewidth": 1.3, "label": "reference, 512³"}
            lost.plot(t, reference["dissipation"][seen], **dots)
            kept.plot(t, reference["kinetic_energy"][seen], **dots)
            lost.legend()
        lost.set(title="Dissipation", xlabel="time", ylabel="ε")
        lost.set_ylim(bottom=0)
        kept.set(title="Energy", xlabel="time", ylabel="E")
        kept.set_ylim(bottom=0)


def draw_vorticity(path: Path, plane: np.ndarray, time: float, title: str) -> None:
    """|curl u| in the plane z = pi, shape (ny, nx), over its mean."""
    magnitude = plane / plane.mean() if plane.mean() > 0 else plane
    with style.figure(path, 7.4, 6.6, f"{title}, time {time:.4g}") as drawing:
        axes = drawing.subplots()
        edges = [np.linspace(0, 2 * np.pi, count + 1) for count in plane.shape[::-1]]
        top = float(np.quantile(magnitude, 0.998)) or 1.0
        mesh = axes.pcolormesh(*edges, magnitude, cmap="magma", vmin=0, vmax=top, rasterized=True)
        axes.set(xlabel="x", ylabel="y", aspect="equal")
        axes.set_title("plane z = π of the box of 2π")
        axes.grid(visible=False)
        drawing.colorbar(mesh, ax=axes, shrink=0.85, label="|ω| / mean of |ω|")
        scale_bar(axes, *edges)


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
